package epochs

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// sentMessage is one message of a run: the moments at which it was sent, received and acknowledged,
// 0 for never, and the epochs of its sender and receiver then.
type sentMessage struct {
	from, to                int
	sent, received, noticed int
	epochSent, epochTaken   uint32
}

// history is a random run of ranks that send, receive, hear of receptions and take images.
type history struct {
	epochs   []uint32
	messages []*sentMessage
	images   [][]int // by rank: the moments of its states, 0 is the beginning
	states   [][]mark
}

func (h *history) snapshot(r, now int) {
	m := mark{Epoch: h.epochs[r], SPE: make([]uint32, len(h.epochs))}
	for _, s := range h.messages {
		if s.from == r && s.noticed > 0 && s.epochSent >= s.epochTaken {
			m.SPE[s.to] = max(m.SPE[s.to], s.epochTaken)
		}
	}
	h.images[r], h.states[r] = append(h.images[r], now), append(h.states[r], m)
}

func newHistory(random *rand.Rand, n, events int) *history {
	h := &history{epochs: make([]uint32, n), images: make([][]int, n), states: make([][]mark, n)}
	for r := range n {
		h.epochs[r] = 1 + uint32(random.IntN(2))*100
		h.snapshot(r, 0)
	}
	for now := 1; now <= events; now++ {
		switch r := random.IntN(n); random.IntN(6) {
		case 0:
			to := (r + 1 + random.IntN(n-1)) % n
			h.messages = append(h.messages, &sentMessage{from: r, to: to, sent: now,
				epochSent: h.epochs[r]})
		case 1:
			h.epochs[r]++
			h.snapshot(r, now)
		default:
			h.next(r, now)
		}
	}
	return h
}

// next has a rank receive the oldest message for it, or hear of a reception.
func (h *history) next(r, now int) {
	for _, s := range h.messages {
		switch {
		case s.to == r && s.received == 0:
			s.received, s.epochTaken = now, h.epochs[r]
			return
		case s.from == r && s.received > 0 && s.noticed == 0:
			s.noticed = now
			return
		}
	}
}

// recoverable says, from what happened and not from SPE, whether everything that one state of each
// rank lacks is in the log of its sender there.
func (h *history) recoverable(cut []int) bool {
	moment := func(r int) int { return h.images[r][cut[r]] }
	for _, s := range h.messages {
		sent := s.sent <= moment(s.from)
		taken := s.received > 0 && s.received <= moment(s.to)
		kept := s.noticed == 0 || s.noticed > moment(s.from) || s.epochSent < s.epochTaken
		if sent && !taken && !kept {
			return false
		}
	}
	return true
}

// TestLine compares the line with the highest of all recoverable cuts, of which there is one, and
// with the smallest epoch at which a failed rank restarts.
func TestLine(t *testing.T) {
	moved := 0
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 7))
		n, events := 2+random.IntN(2), 50
		h := newHistory(random, n, events)
		live, failed := make([]bool, n), random.IntN(n)
		least := ^uint32(0)
		for r := range n {
			if live[r] = r != failed && random.IntN(2) == 0; live[r] {
				h.snapshot(r, events)
			} else {
				least = min(least, h.epochs[r])
			}
		}
		cut, want := make([]int, n), make([]int, n)
		for more := true; more; {
			if h.recoverable(cut) {
				for r := range n {
					want[r] = max(want[r], cut[r])
				}
			}
			more = false
			for r := 0; r < n && !more; r++ {
				if cut[r]++; cut[r] < len(h.states[r]) {
					more = true
				} else {
					cut[r] = 0
				}
			}
		}
		got := line(h.states, live)
		if fmt.Sprint(got) != fmt.Sprint(want) || !h.recoverable(want) {
			t.Fatalf("seed %d: line %v, the highest recoverable cut is %v", seed, got, want)
		}
		for r := range n {
			if got[r] == len(h.states[r])-1 {
				continue
			}
			if moved++; h.states[r][got[r]].Epoch < least {
				t.Errorf("seed %d: rank %d goes back to epoch %d, behind %d", seed, r,
					h.states[r][got[r]].Epoch, least)
			}
		}
	}
	if moved < 80 {
		t.Errorf("only %d ranks went back: the runs show nothing", moved)
	}
}
