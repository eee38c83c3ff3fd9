package performability

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Pool is nodes that a program needs, and spares that stand in for failed ones, [RADIC] 4.3. Spares
// are switched on and fail like the others. Taking over takes no time here: see Job.Restart.
type Pool struct {
	Nodes, Spares int
	MTTF          float64 // of a node, s
	MTTR          float64 // to repair or replace one, s
	Crews         int     // how many are repaired at once; 0: all
}

// largest pool whose probabilities are computed one by one.
const largest = 1 << 20

// Check refuses a pool that means nothing.
func (p Pool) Check() error {
	switch {
	case p.Nodes < 1 || p.Spares < 0 || p.Nodes > largest || p.Spares > largest:
		return fmt.Errorf("%d nodes and %d spares: want at least one node and none more than %d",
			p.Nodes, p.Spares, largest)
	case !(p.MTTF > 0) || math.IsInf(p.MTTF, 0):
		return fmt.Errorf("a node fails every %g s: want more than 0", p.MTTF)
	case !(p.MTTR >= 0) || math.IsInf(p.MTTR, 0):
		return fmt.Errorf("a repair takes %g s: want at least 0", p.MTTR)
	case p.Crews < 0:
		return fmt.Errorf("%d repairs at once: want at least 1, or 0 for all", p.Crews)
	}
	return nil
}

// Service is what a pool gives in the long run.
type Service struct {
	// Available is the share of time in which all nodes that the program needs are up: with one
	// node and no spare MTTF/(MTTF+MTTR), [RADIC] Eq 2.1.
	Available float64
	// Doubled is the speed in the long run if processes of a failed node are taken in by others,
	// RADIC without spares: the program is as slow as its fullest node, one by how many are on it.
	Doubled float64
	// Down is the mean number of nodes that are down.
	Down float64
}

// add counts a share of time with so many nodes down.
func (s *Service) add(p Pool, down int, share float64) {
	s.Down += share * float64(down)
	up := p.Nodes + p.Spares - down
	if up >= p.Nodes {
		s.Available += share
		s.Doubled += share
	} else if up > 0 {
		s.Doubled += share / float64((p.Nodes+up-1)/up)
	}
}

// repairs is how many nodes are repaired at once when so many are down.
func (p Pool) repairs(down int) int {
	if p.Crews > 0 {
		return min(down, p.Crews)
	}
	return down
}

// Serve is the service by the closed form: nodes fail and are repaired one by one, so the share of
// time with i down is that with i-1 down times rate of failures by rate of repairs.
func (p Pool) Serve() (s Service, err error) {
	if err := p.Check(); err != nil {
		return s, err
	}
	all := p.Nodes + p.Spares
	logs := make([]float64, all+1) // of the shares, which overflow; up to a factor
	most := 0.0
	for i := 1; i <= all && p.MTTR > 0; i++ {
		logs[i] = logs[i-1] + math.Log(float64(all-i+1)/p.MTTF) -
			math.Log(float64(p.repairs(i))/p.MTTR)
		most = max(most, logs[i])
	}
	if p.MTTR == 0 {
		s.add(p, 0, 1)
		return s, nil
	}
	var sum float64
	for i := range logs {
		logs[i] = math.Exp(logs[i] - most)
		sum += logs[i]
	}
	for i, share := range logs {
		s.add(p, i, share/sum)
	}
	return s, nil
}

// DrawnService is a service that was drawn, as the mean of batches of equal length, and how sure it
// is.
type DrawnService struct {
	Service
	Events  int
	Outages int     // how often a node was missing that the program needs: of a few nothing follows
	Error   float64 // standard error of Available
}

// batches are how many parts a drawn history has, whose means tell how far they are apart.
const batches = 32

// Sample draws a history of so many failures and repairs, from the long run on: what happens in the
// first of 33 parts does not count.
func (p Pool) Sample(events int, seed uint64) (d DrawnService, err error) {
	if err := p.Check(); err != nil {
		return d, err
	}
	if events < 100*batches || p.MTTR == 0 {
		return d, fmt.Errorf("%d failures and repairs of %g s: want at least %d, that take time",
			events, p.MTTR, 100*batches)
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	d.Events = events
	down := 0
	var means []float64
	for part := range batches + 1 {
		var s Service
		var whole float64
		for range events / batches {
			fail := float64(p.Nodes+p.Spares-down) / p.MTTF
			repair := float64(p.repairs(down)) / p.MTTR
			stay := rng.ExpFloat64() / (fail + repair)
			s.add(p, down, stay)
			whole += stay
			if rng.Float64()*(fail+repair) < fail {
				if down++; down == p.Spares+1 && part > 0 {
					d.Outages++
				}
			} else {
				down--
			}
		}
		if part == 0 {
			continue
		}
		means = append(means, s.Available/whole)
		d.Available += s.Available / whole / batches
		d.Doubled += s.Doubled / whole / batches
		d.Down += s.Down / whole / batches
	}
	var squares float64
	for _, m := range means {
		squares += (m - d.Available) * (m - d.Available)
	}
	d.Error = math.Sqrt(squares / (batches - 1) / batches)
	return d, nil
}
