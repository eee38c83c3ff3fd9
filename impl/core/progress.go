package core

// Iteration is the iteration of its main loop that the program is in, or has come out of, at pc in
// the active loops, from 1; 0 before the first. Of a program of which no operation is marked
// (Op.Iteration), and that has no kernel, every loop that is in no other counts.
func (p Program) Iteration(pc int, loops []Loop) int {
	marked := p.marks()
	n := 0
	depth := 0
	for at := 0; at < len(p) && at <= pc; at++ {
		if marked(at) {
			n++
		}
		if p[at].Kind != OpLoop || at == pc {
			continue
		}
		end := p.end(at)
		body := p.iterations(at+1, end+1, marked)
		if depth < len(loops) && loops[depth].Body == at+1 {
			n += (p[at].Count - loops[depth].Left) * body
			depth++
		} else {
			n += p[at].Count * body
			at = end
		}
	}
	return n
}

// Iterations is how often an iteration of the main loop begins; known is false if that is up to a
// kernel.
func (p Program) Iterations() (n int, known bool) {
	for _, op := range p {
		if op.Kind == OpAgain {
			return 0, false
		}
	}
	return p.iterations(0, len(p), p.marks()), true
}

// marks tells where an iteration begins.
func (p Program) marks() func(pc int) bool {
	first := map[int]bool{} // of the outermost loops
	depth := 0
	for pc, op := range p {
		switch {
		case op.Iteration:
			return func(pc int) bool { return p[pc].Iteration }
		case op.Kind == OpLoop:
			if depth++; depth == 1 && p[0].Kind != OpBegin {
				first[pc+1] = true
			}
		case op.Kind == OpEnd || op.Kind == OpAgain:
			depth--
		}
	}
	return func(pc int) bool { return first[pc] }
}

// iterations counts the marks in a part of the program, loops unrolled.
func (p Program) iterations(from, to int, marked func(int) bool) (n int) {
	for pc := from; pc < to; pc++ {
		if marked(pc) {
			n++
		}
		if p[pc].Kind == OpLoop {
			end := p.end(pc)
			n += p[pc].Count * p.iterations(pc+1, end+1, marked)
			pc = end
		}
	}
	return n
}

// end is where the loop that begins at pc ends.
func (p Program) end(pc int) int {
	for depth := 0; ; pc++ {
		switch p[pc].Kind {
		case OpLoop:
			depth++
		case OpEnd, OpAgain:
			if depth--; depth == 0 {
				return pc
			}
		}
	}
}
