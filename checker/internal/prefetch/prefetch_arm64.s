#include "textflag.h"

// func Line(word *uint64)
TEXT ·Line(SB), NOSPLIT, $0-8
	MOVD word+0(FP), R0
	PRFM (R0), PLDL1KEEP
	RET
