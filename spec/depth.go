package spec

import "cmp"

// Depth is how near a property is to what a user is promised. One mistake breaks several properties
// of one run: a rank that never ends never trims its log either. Of those that one moment shows, a
// search keeps and makes small the deepest, and a report lists the others after it.
type Depth uint8

// The depths, from the deepest. A Final property that says nothing is Protection, another one is
// Safety.
const (
	Safety     Depth = iota + 1 // what the programs do and end with is right
	Progress                    // they go on to their ends
	Protection                  // the next failure can be survived
	Thrift                      // nothing is stored, kept or sent that need not be
)

// depth is that of the property, given or by its kind.
func (p *Property) depth() Depth {
	switch {
	case p.Depth != 0:
		return p.Depth
	case p.Kind == Final:
		return Protection
	}
	return Safety
}

// Deeper compares two properties, negative if a is deeper than b.
func Deeper(a, b *Property) int { return cmp.Compare(a.depth(), b.depth()) }
