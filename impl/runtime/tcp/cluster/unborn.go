package cluster

import (
	"errors"
	"os"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// onlyBegun leaves in a burial those whose machines had begun. A process that stops before has met
// nobody (a life comes to the rendezvous behind its first step), so nobody has sent it anything and
// nobody has to take anything from it: to the machines its start only takes longer. It is no
// failure to be told of, and what waits for the proc goes on waiting.
func (s *supervisor) onlyBegun(b *burial) {
	b.procs = slices.DeleteFunc(slices.Clone(b.procs), func(id core.Proc) bool {
		p := s.procs[id]
		if s.look(p, true); p.life == 0 || len(p.reader.pieces) > 0 {
			return false
		}
		if err := os.Remove(p.reader.name); err != nil && !errors.Is(err, os.ErrNotExist) {
			s.stop("", err) // the next process of this life could not write
		}
		p.readers, p.born, p.told = p.readers[:p.life], p.born[:p.life], nil
		return true
	})
	if len(b.procs) == 0 {
		c := &s.out.Crashes[b.crash]
		c.Reaped = s.since()
		c.Agreed = c.Reaped
	}
}
