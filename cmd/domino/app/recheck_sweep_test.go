package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/proofs/recheck"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// A sweep takes scenarios of at most so many states by default, and reduces a search that has more
// than so many without reductions. The bounds are on what all certificates may come to: bytes, and
// seconds of processor time in which they are checked.
const (
	mostSwept, mostUnreduced = 1_000_000, 4_000_000
	mostSweptLong, oneOfLong = 20_000, 25
	bytesOfAll               = 60 << 20
	secondsOfAll             = 2 * 600
)

// sweep is what certificates of many scenarios come to.
type sweep struct {
	rows, closed, reduced, rechecked int
	unknown, left                    int // no certificate; not tried in time
	states, transitions, bytes       int
	// of processor time: the searches with their certificates, what checks them in the world, apart
	search, inWorld, apart time.Duration
}

// TestCertificates writes a certificate of every scenario that is to hold and has under a million
// states, and checks each in the world and apart: both accept it, and count the states, steps and
// ends that the search has counted. A search that is too large without reductions is certified
// with them, which says less. The last line says what all of them have come to. It ends in time:
// what is left then is counted, and is an error. All of them take some ten minutes of two cores, so
// it is a huge test, and a long one tries one of some dozens that are small:
//
//	bash .ci/certificates
func TestCertificates(t *testing.T) {
	effort.Seconds(t)
	all, ctx := &sweep{}, t.Context()
	if end, ok := t.Deadline(); ok {
		within, cancel := context.WithDeadline(ctx, end.Add(-10*time.Second))
		defer cancel()
		ctx = within
	}
	list := catalogue().Scenarios()
	slices.SortStableFunc(list, func(a, b *scenarios.Scenario) int {
		return cmp.Compare(a.States, b.States) // so that few are left when the time is over
	})
	for _, s := range list {
		h := fnv.New32a()
		_, _ = h.Write([]byte(s.Name))
		large := s.States >= mostSwept || s.States == 0 && s.Long // nobody has counted those
		if s.Expect != spec.Holds.String() || large || !effort.Huge() &&
			(s.States == 0 || s.States > mostSweptLong || h.Sum32()%oneOfLong != 0) {
			continue
		}
		t.Run(strings.ReplaceAll(s.Name, "/", "."), func(t *testing.T) { all.scenario(ctx, t, s) })
	}
	t.Logf("%d scenarios: %d closed, %d closed under reduction, %d rechecked; %d states, "+
		"%d transitions, %d bytes; search %.0f s, in the world %.0f s, apart %.0f s", all.rows,
		all.closed, all.reduced, all.rechecked, all.states, all.transitions, all.bytes,
		all.search.Seconds(), all.inWorld.Seconds(), all.apart.Seconds())
	took := (all.inWorld + all.apart).Seconds()
	if all.unknown+all.left > 0 || all.bytes > bytesOfAll || took > secondsOfAll {
		t.Errorf("%d have no certificate, %d are left, %d bytes, checked in %.0f s of processor "+
			"time", all.unknown, all.left, all.bytes, took)
	}
}

// scenario certifies one.
func (a *sweep) scenario(ctx context.Context, t *testing.T, s *scenarios.Scenario) {
	a.rows++
	before := *a
	defer func() {
		if ctx.Err() != nil {
			*a = before
			a.left++
		}
	}()
	r, err := catalogue().Resolve(s)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "certificate")
	search := func(reduce checker.Reduction) *world.Outcome {
		q := r.Case
		q.Proving = &world.Proving{File: file,
			Room: certificate.Room{Bytes: mostSorted, Folder: t.TempDir()}}
		out, err := world.Check(ctx, q, checker.Options{MaxStates: mostUnreduced, Reduce: reduce})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	began := usedTime()
	out := search(checker.Unreduced)
	whole := out.Verdict == spec.Holds
	if out.Verdict == spec.Unknown { // with symmetry there is no certificate
		out = search(verify.DefaultReduction &^ checker.Symmetry)
	}
	searched := usedTime()
	a.search += searched - began
	if out.Verdict != spec.Holds {
		a.unknown++
		t.Logf("no certificate: %v %s %s", out.Verdict, out.Bound, out.Reason)
		return
	}
	cert, err := certificate.Load(file, 0)
	if err != nil {
		t.Fatal(err)
	}
	a.states, a.transitions = a.states+out.States, a.transitions+out.Transitions
	a.bytes += int(cert.Size)
	begins := usedTime()
	a.inTheWorld(ctx, t, r, cert, out, whole)
	inWorld := usedTime() - begins
	begins = usedTime()
	level := a.recheck(ctx, t, r, cert, out)
	apart := usedTime() - begins
	a.inWorld, a.apart = a.inWorld+inWorld, a.apart+apart
	t.Logf("%d states, %d transitions, %d bytes, %s; search %.2f s, in the world %.2f s, "+
		"apart %.2f s", out.States, out.Transitions, cert.Size, level, (searched - began).Seconds(),
		inWorld.Seconds(), apart.Seconds())
}

// inTheWorld checks one in the world.
func (a *sweep) inTheWorld(ctx context.Context, t *testing.T, r *verify.Resolved,
	cert *certificate.Certificate, out *world.Outcome, whole bool) {
	closed, err := world.Recheck(ctx, r.Case, checker.Options{}, cert)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		t.Errorf("in the world: %v", err)
	case closed.States != out.States || whole && (closed.Transitions != out.Transitions ||
		closed.Terminals != out.Terminals):
		t.Errorf("in the world: %+v; the search has %+v", closed.Stats, out.Stats)
	case whole:
		a.closed++
	default:
		a.reduced++
	}
}

// recheck checks one apart, and returns what came of it.
func (a *sweep) recheck(ctx context.Context, t *testing.T, r *verify.Resolved,
	cert *certificate.Certificate, out *world.Outcome) string {
	w, _, err := world.Open(ctx, r.Case, checker.Options{})
	if err != nil {
		return fmt.Sprint(err)
	}
	n, err := recheck.Check(ctx, subjectOf(&r.Case, w.Facts), cert)
	switch {
	case ctx.Err() != nil:
		return "not tried"
	case errors.Is(err, recheck.ErrBeyond) && cert.Complete():
		return fmt.Sprintf("%s (%v)", closedLevel, err)
	case errors.Is(err, recheck.ErrBeyond):
		return reducedLevel
	case err != nil:
		t.Errorf("apart: %v", err)
		return "refused"
	case n != recheck.Counts{States: out.States, Transitions: out.Transitions,
		Ends: out.Terminals}:
		t.Errorf("apart: %+v; the search has %+v", n, out.Stats)
		return "differs"
	}
	a.rechecked++
	return recheckedLevel
}
