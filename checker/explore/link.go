package explore

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"github.com/domino-check/domino/checker/world"
)

// A link is a path in short: of each step the index of its event among the names of all that are
// enabled there, in order, and one byte of the name of the state after it. So a link that does not
// fit the protocol any more says at which step.

// linked is the last run that a link was made of, and after each step the length of the link: most
// runs begin like the one before.
type linked struct {
	schedule []string
	ends     []int
	link     []byte
}

// link writes a run.
func (s *Session) link(w *world.World, run *world.Run) (string, error) {
	l := &s.linked
	same := 0
	for same < min(len(l.schedule), len(run.Schedule)) && l.schedule[same] == run.Schedule[same] {
		same++
	}
	l.schedule, l.ends = l.schedule[:same], l.ends[:same]
	end := 0
	if same > 0 {
		end = l.ends[same-1]
	}
	l.link = l.link[:end]
	for i, event := range run.Schedule[same:] {
		names, _ := w.Enabled(run.States[same+i])
		slices.Sort(names)
		at, found := slices.BinarySearch(names, event)
		if !found {
			return "", fmt.Errorf("step %d, %q, is not enabled in its own run", same+i+1, event)
		}
		l.link = append(binary.AppendUvarint(l.link, uint64(at)), check(w, run.States[same+i+1]))
		l.schedule, l.ends = append(l.schedule, event), append(l.ends, len(l.link))
	}
	return base64.RawURLEncoding.EncodeToString(l.link), nil
}

// check is the byte of a state in a link.
func check(w *world.World, state []uint32) byte {
	b, err := strconv.ParseUint(w.StateName(state)[:2], 16, 8)
	if err != nil {
		panic("invariant: the name of a state is written in hexadecimal")
	}
	return byte(b)
}

// Path reads a link. One that was made for another scenario, or another version of the protocol, is
// ErrPath, with the step at which that shows; the path up to there is returned.
func (s *Session) Path(link string) (path []string, err error) {
	b, err := base64.RawURLEncoding.DecodeString(link)
	if err != nil {
		return nil, fmt.Errorf("%w: a link is written in base64url: %w", ErrPath, err)
	}
	w := s.own()
	_, run, err := s.follow(nil)
	if err != nil {
		return nil, err
	}
	state := run.States[0]
	for len(b) > 0 {
		index, n := binary.Uvarint(b)
		if n <= 0 || n >= len(b) {
			return path, fmt.Errorf("%w: the link is cut off after step %d", ErrPath, len(path))
		}
		names, x := w.Enabled(state)
		sorted := slices.Sorted(slices.Values(names))
		if index >= uint64(len(sorted)) {
			return path, fmt.Errorf("%w: step %d of the link is event %d of %d", ErrPath,
				len(path)+1, index+1, len(sorted))
		}
		name := sorted[index]
		if state = x.State(slices.Index(names, name), nil); check(w, state) != b[n] {
			return path, fmt.Errorf("%w: step %d of the link, %q, leads to another state here: "+
				"the protocol or the scenario has changed", ErrPath, len(path)+1, name)
		}
		path, b = append(path, name), b[n+1:]
	}
	return path, nil
}
