package app

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/proofs/recheck"
	"github.com/domino-check/domino/spec"
)

// BenchmarkCertificate measures what certificates cost, in processor time by that of the search
// without reductions whose states they are, all with one worker: to search and write one, to check
// it in the world, and to check it apart. What each costs is the least of some rounds, taken in
// turns.
//
//	go test ./cmd/domino/app -run '^$' -bench Certificate -benchtime 1x
//	DOMINO_TESTS=huge go test ./cmd/domino/app -run '^$' -bench Certificate/s1-two -benchtime 1x
func BenchmarkCertificate(b *testing.B) {
	for _, name := range strings.Fields("camel-left causal-s10 coordinated m28 hmpl-ring h20-log " +
		"cluster3 camel-groups causal-s12 ping-three s1-two") {
		b.Run(name, func(b *testing.B) {
			if name == "s1-two" && !effort.Huge() {
				b.Skip("a minute: run with DOMINO_TESTS=huge")
			}
			for range b.N {
				measureCertificate(b, name)
			}
		})
	}
}

// measureCertificate does so with a scenario.
func measureCertificate(b *testing.B, name string) {
	s, err := catalogue().Scenario(name)
	if err != nil {
		b.Fatal(err)
	}
	r, err := catalogue().Resolve(s)
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(b.TempDir(), "certificate")
	var cert *certificate.Certificate
	load := func() (err error) {
		cert, err = certificate.Load(file, 0)
		return err
	}
	out := &world.Outcome{}
	check := func(p *world.Proving) (err error) {
		q := r.Case
		q.Proving = p
		if out, err = world.Check(b.Context(), q, checker.Options{}); err == nil &&
			out.Verdict != spec.Holds {
			b.Fatal(out.Verdict)
		}
		return err
	}
	subjects := []struct {
		unit string
		do   func() error
		took time.Duration
	}{
		{unit: "search-s", do: func() error { return check(nil) }},
		{unit: "written/search", do: func() error {
			return check(&world.Proving{File: file, Room: certificate.Room{Bytes: mostSorted}})
		}},
		{unit: "closed/search", do: func() error {
			if err := load(); err != nil {
				return err
			}
			_, err := world.Recheck(b.Context(), r.Case, checker.Options{}, cert)
			return err
		}},
		{unit: "rechecked/search", do: func() error {
			if err := load(); err != nil {
				return err
			}
			w, _, err := world.Open(b.Context(), r.Case, checker.Options{})
			if err == nil {
				_, err = recheck.Check(b.Context(), subjectOf(&r.Case, w.Facts), cert)
			}
			return err
		}},
	}
	for range effort.Of(3, 5) {
		for i := range subjects {
			before := usedTime()
			if err := subjects[i].do(); err != nil {
				b.Fatal(err)
			}
			took := usedTime() - before
			if subjects[i].took == 0 || took < subjects[i].took {
				subjects[i].took = took
			}
		}
	}
	b.ReportMetric(float64(cert.States.Len()), "states")
	b.ReportMetric(float64(cert.Size)/float64(cert.States.Len()), "B/state")
	b.ReportMetric(subjects[0].took.Seconds(), subjects[0].unit)
	for _, s := range subjects[1:] {
		b.ReportMetric(s.took.Seconds()/subjects[0].took.Seconds(), s.unit)
	}
	b.ReportMetric(0, "ns/op") // of several rounds of several things: it says nothing
}
