package core

// Renamer is a machine whose state, or a message that, names procs that may be exchanged
// (Setup.Alike). What is no Renamer names none of them.
type Renamer interface {
	// Rename replaces each proc that is named in the present state by what it is called now, also
	// where a bit, a place in a list or an order stands for a proc. The names are a permutation.
	// It is asked of machines of the new name, in the state of the old one.
	Rename(to func(Proc) Proc)
}

// Rename renames what a machine or message names, if it names anything.
func Rename(v any, to func(Proc) Proc) {
	if r, ok := v.(Renamer); ok {
		r.Rename(to)
	}
}

// RenameBits permutes a set of procs, a bit each: the lowest is that of the proc first.
func RenameBits(set uint64, first Proc, to func(Proc) Proc) (renamed uint64) {
	for i := range Proc(64) {
		if set>>i&1 != 0 {
			renamed |= 1 << (to(first+i) - first)
		}
	}
	return renamed
}
