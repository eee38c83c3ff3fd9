package checker

// Footprint says what a step reads and writes, as bits of which the system knows the meaning. Two
// steps are independent when neither writes what the other reads or writes: then each stays enabled
// after the other, both orders lead to the same state, and nothing that is judged tells them apart.
// What a system is not sure of, it lets a step write.
type Footprint struct{ Reads, Writes [4]uint64 }

// Everything is the footprint of a step that depends on all others.
func Everything() Footprint {
	return Footprint{Writes: [4]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}}
}

// Independent is the dependency relation of all searches: one pure function.
func (f *Footprint) Independent(g *Footprint) bool {
	for i := range f.Writes {
		if f.Writes[i]&(g.Reads[i]|g.Writes[i]) != 0 || g.Writes[i]&f.Reads[i] != 0 {
			return false
		}
	}
	return true
}

// Independence is a System that knows which of its steps are independent.
type Independence interface {
	System
	// Footprint is that of a step that is enabled in the state. It stays the same while independent
	// steps are taken.
	Footprint(state []uint32, code uint64) Footprint
}

// Hinged is an Independence that knows how its steps can be altered: disabled, or changed in their
// footprint. The stateless search looks for steps that several independent ones have altered; what
// it learns here tells it where it need not. Every step belongs to a family, and a step that may
// alter one of the family writes something that the footprint of the family reads or writes.
type Hinged interface{ Hinges() []Footprint }
