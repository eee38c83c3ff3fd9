#include "textflag.h"

// func Line(word *uint64)
TEXT ·Line(SB), NOSPLIT, $0-8
	MOVQ word+0(FP), AX
	PREFETCHT0 (AX)
	RET
