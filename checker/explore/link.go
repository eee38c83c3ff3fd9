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

// link writes a run.
func (s *Session) link(w *world.World, run *world.Run) (string, error) {
	var b []byte
	for i, event := range run.Schedule {
		names, _ := w.Enabled(run.States[i])
		slices.Sort(names)
		at, found := slices.BinarySearch(names, event)
		if !found {
			return "", fmt.Errorf("step %d, %q, is not enabled in its own run", i+1, event)
		}
		b = append(binary.AppendUvarint(b, uint64(at)), check(w, run.States[i+1]))
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
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
