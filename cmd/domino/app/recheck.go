package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/proofs/recheck"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// registerProof adds the flag of a certificate.
func (s *searchFlags) registerProof(f *pflag.FlagSet) {
	f.StringVar(&s.proof, "certificate", "",
		"file for a certificate of what holds, for domino recheck; of one scenario, and with no "+
			"reductions but those that --reduce names")
}

// provable says what stands against a certificate before anything is explored.
func (s *searchFlags) provable(scenarios int) error {
	switch {
	case s.proof == "":
		return nil
	case scenarios != 1:
		return fmt.Errorf("--certificate is for one scenario, these are %d", scenarios)
	}
	if info, err := os.Stat(s.proof); err == nil && info.IsDir() {
		return fmt.Errorf("--certificate %s is a directory", s.proof)
	}
	if info, err := os.Stat(filepath.Dir(s.proof)); err != nil || !info.IsDir() {
		return fmt.Errorf("there is no directory for %s", s.proof)
	}
	return nil
}

// mostSorted is how much memory the states of a certificate are sorted in.
const mostSorted = 256 << 20

// proving asks for a certificate of a scenario.
func (s *searchFlags) proving(of *scenarios.Scenario, o checker.Options) (*world.Proving, error) {
	build, err := buildName()
	if err != nil {
		return nil, err
	}
	room := int64(mostSorted)
	if o.MaxBytes > 0 {
		room = min(room, o.MaxBytes/8)
	}
	return &world.Proving{File: s.proof,
		Room: certificate.Room{Bytes: room, Folder: cmp.Or(o.Disk, filepath.Dir(s.proof))},
		Header: certificate.Header{Scenario: of.Name, Variant: of.Variant,
			Build: build}}, nil
}

// proveOne is checkOne with a certificate, or a word that there is none.
func (s *searchFlags) proveOne(ctx context.Context, of *scenarios.Scenario, o checker.Options,
	std streams, p *progress) *row {
	o.Progress = p.report(of.Name)
	r := ask(std, of, func(q world.Case) (*world.Outcome, error) {
		var err error
		if q.Proving, err = s.proving(of, o); err != nil {
			return nil, err
		}
		return world.Check(ctx, q, o)
	})
	switch {
	case r.err != nil:
	case r.Verdict == spec.Holds:
		r.Certificate = s.proof
	default:
		fmt.Fprintf(std.err, "no certificate: %v\n", r.Verdict)
	}
	return r
}

// Levels of trust in what a certificate says.
const (
	closedLevel    = "closed"
	recheckedLevel = "rechecked"
	reducedLevel   = "closed under reduction"
	repeatedLevel  = "repeated"
)

// recheckedAnswer is what is known of one file.
type recheckedAnswer struct {
	versioned
	File     string `json:"file"`
	Scenario string `json:"scenario"`
	Variant  string `json:"variant"`
	Verdict  string `json:"verdict"` // what the file says, "" when it is refused
	// how far that was checked: "closed", "closed under reduction" or "rechecked"; of a violation
	// "repeated"
	Level  string `json:"level"`
	Bounds string `json:"bounds"` // within which the verdict holds, in words
	// there is a scenario of that name here, and it has another text: the one of the certificate
	// counts, which was changed when it was checked, or is older
	Differs bool    `json:"differs,omitempty"`
	Refused string  `json:"refused,omitempty"`
	Beyond  string  `json:"beyond,omitempty"`  // why it is not "rechecked"
	Reduced string  `json:"reduced,omitempty"` // which steps were left out, so nobody has looked
	States  int     `json:"states"`
	Steps   int     `json:"transitions"`
	Bytes   int64   `json:"bytes"` // of the file
	Seconds float64 `json:"seconds"`
}

// rechecking is what the command was asked for.
type rechecking struct {
	std      streams
	json     bool
	anyBuild bool
	level    string
	most     int64
	build    func() (string, error) // of this program; to find it out takes as long as a small file
}

func runRecheck(ctx context.Context, args []string, std streams) (int, error) {
	f := flags("recheck", "FILE ...", std, "recheck s1.cert", "recheck *.cert",
		"recheck .domino/h1-repaired-H1.txtar", "recheck s1.cert --json")
	r := rechecking{std: std, build: sync.OnceValues(buildName)}
	f.BoolVar(&r.json, "json", false, "print JSON, one object a line")
	f.BoolVar(&r.anyBuild, "any-build", false,
		"take certificates of other builds of domino, too: what they say is checked all the same")
	f.StringVar(&r.level, "level", "",
		"closed or rechecked: how far to check; by default as far as possible")
	most := f.Int64("max-memory", 8192,
		"refuse a certificate that takes more MiB of memory; 0 = no limit")
	workers := f.Int("workers", runtime.GOMAXPROCS(0), "files that are checked at a time")
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	if err := within(f, notNegative("max-memory"), ofWorkers()); err != nil {
		return 0, err
	}
	if r.level != "" && r.level != closedLevel && r.level != recheckedLevel {
		return 0, fmt.Errorf("unknown level %q, want %s or %s", r.level, closedLevel,
			recheckedLevel)
	}
	if f.NArg() == 0 {
		return 0, errors.New("want a certificate, as domino check --certificate writes it, or a " +
			"replay file")
	}
	r.most = *most << 20
	return r.all(ctx, f.Args(), *workers)
}

// all checks files, so many at a time, and prints the answers in their order.
func (r *rechecking) all(ctx context.Context, files []string, workers int) (code int, err error) {
	type checked struct {
		*recheckedAnswer
		err error
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var failed, broken error // refused; what ends the command
	pool(ctx, workers, len(files), func(ctx context.Context, i int) checked {
		if ctx.Err() != nil {
			return checked{err: errInterrupted}
		}
		a, err := r.file(ctx, files[i])
		if ctx.Err() != nil {
			err = errInterrupted
		}
		return checked{a, err}
	}, func(_ int, c checked) {
		refused := errors.Is(c.err, certificate.ErrRefused) || errors.Is(c.err, recheck.ErrBeyond)
		switch {
		case broken != nil:
			return
		case c.err != nil && !refused:
			broken = c.err
		case refused:
			c.Refused, c.Verdict, c.Level = c.err.Error(), "", ""
			failed = errors.Join(failed, c.err)
		case c.Verdict == spec.Violated.String():
			code = exitCode(spec.Violated)
		}
		if broken == nil {
			broken = r.print(c.recheckedAnswer, c.err)
		}
		if broken != nil {
			stop()
		}
	})
	if broken != nil {
		return 0, broken
	}
	return code, failed
}

// file checks one file.
func (r *rechecking) file(ctx context.Context, file string) (a *recheckedAnswer, err error) {
	a = &recheckedAnswer{versioned: as("recheck"), File: file}
	began := time.Now()
	defer func() { a.Seconds = time.Since(began).Seconds() }()
	info, err := os.Stat(file)
	if err == nil && info.Mode()&os.ModeNamedPipe != 0 { // to open it may take for ever
		return a, fmt.Errorf("%s is a pipe: want a file", file)
	}
	first := make([]byte, 64)
	if f, err := os.Open(file); err == nil {
		n, _ := io.ReadFull(f, first) // what is shorter is no certificate
		first = first[:n]
		_ = f.Close() // it was only read
	}
	if !certificate.Is(first) {
		return a, r.replay(ctx, a)
	}
	c, err := certificate.Load(file, r.most)
	if err != nil {
		return a, err
	}
	a.Scenario, a.Variant, a.Bytes, a.Reduced = c.Scenario, c.Variant, c.Size, c.Reduced
	refuse := func(err error) error { return fmt.Errorf("%s: %w", file, err) }
	build, err := r.build()
	if err != nil {
		return a, err
	}
	if build != c.Build && !r.anyBuild {
		return a, refuse(fmt.Errorf("%w: it was written by another build of domino, %q; this is "+
			"%q; --any-build checks it all the same", certificate.ErrRefused, c.Build, build))
	}
	s, err := scenarios.Parse(c.Scenario+".txtar", []byte(c.Text))
	if err != nil || s.Variant != c.Variant || string(scenarios.Format(s)) != c.Text {
		err = cmp.Or(err, errors.New("the variant or the form is another one"))
		return a, refuse(fmt.Errorf("%w: its header is not of a scenario: %w",
			certificate.ErrRefused, err))
	}
	resolved, err := r.std.Resolve(s)
	if err != nil {
		return a, refuse(fmt.Errorf("%w: %w", certificate.ErrRefused, err))
	}
	a.Bounds, a.Differs = s.Within(), r.differs(s)
	if err := r.judge(ctx, resolved.Case, c, a); err != nil {
		return a, refuse(err)
	}
	a.Verdict = spec.Holds.String()
	return a, nil
}

// judge checks what a certificate says, as far as it can be.
func (r *rechecking) judge(ctx context.Context, q world.Case, c *certificate.Certificate,
	a *recheckedAnswer) error {
	if r.level != closedLevel {
		n, err := r.apart(ctx, q, c)
		switch {
		case err == nil:
			a.Level, a.States, a.Steps = recheckedLevel, n.States, n.Transitions
			return nil
		case !errors.Is(err, recheck.ErrBeyond) || r.level == recheckedLevel:
			return err
		}
		a.Beyond = strings.TrimPrefix(err.Error(), recheck.ErrBeyond.Error()+": ")
	}
	out, err := world.Recheck(ctx, q, checker.Options{MaxBytes: r.most}, c)
	if err != nil {
		return err
	}
	a.Level, a.States, a.Steps = closedLevel, out.States, out.Transitions
	if !c.Complete() {
		a.Level = reducedLevel
	}
	return nil
}

// apart checks a certificate without the world.
func (r *rechecking) apart(ctx context.Context, q world.Case, c *certificate.Certificate) (
	n recheck.Counts, err error) {
	refuse := func(why string, args ...any) (recheck.Counts, error) {
		return n, fmt.Errorf("%w: "+why, append([]any{certificate.ErrRefused}, args...)...)
	}
	w, reason, err := world.Open(ctx, q, checker.Options{MaxBytes: r.most})
	switch {
	case err != nil:
		return n, err
	case reason != "" && !q.Force:
		return refuse("%v: %s", spec.OutOfModel, reason)
	case !slices.Equal(c.Judged, w.Judged()):
		return refuse("it is judged by %q, here by %q", c.Judged, w.Judged())
	case !slices.Equal(c.MustSee, q.MustSee):
		return refuse("its runs show %q, here they must show %q", c.MustSee, q.MustSee)
	}
	return recheck.Check(ctx, subjectOf(&q, w.Facts), c)
}

// differs reports whether the scenarios of the name that there are here all have another text.
func (r *rechecking) differs(s *scenarios.Scenario) (differs bool) {
	for _, here := range r.std.Scenarios() { // copies
		if here.Name != s.Name {
			continue
		}
		here.Variant, here.States, differs = s.Variant, s.States, true
		if bytes.Equal(scenarios.Format(here), scenarios.Format(s)) {
			return false
		}
	}
	return differs
}

// replay takes a replay file as a certificate of what it breaks.
func (r *rechecking) replay(ctx context.Context, a *recheckedAnswer) error {
	s, err := loadReplay(ctx, a.File)
	if err != nil {
		return err
	}
	a.Scenario, a.Variant, a.Bounds = s.Name, s.Variant, s.Within()
	w, run, stale, err := r.std.repeat(ctx, s)
	if err != nil {
		return err
	}
	code, why := verdictOf(s, w, run, stale)
	if code != exitCode(spec.Violated) || run.Violation.Property != s.Breaks {
		return fmt.Errorf("%s %w: %s", a.File, certificate.ErrRefused, why)
	}
	a.Verdict, a.Level, a.Steps = spec.Violated.String(), repeatedLevel, len(run.Schedule)
	return nil
}

// print prints an answer; that a file is refused is an error, which is printed in any case.
func (r *rechecking) print(a *recheckedAnswer, refused error) error {
	switch {
	case r.json:
		return printJSON(r.std.out, a)
	case refused != nil:
		return nil
	case a.Level == repeatedLevel:
		fmt.Fprintf(r.std.out, "%s: %s %s: violated, %s in %s steps\n", a.File, a.Scenario,
			a.Variant, a.Level, count(a.Steps))
		return nil
	}
	fmt.Fprintf(r.std.out, "%s: %s %s: holds, %s\n  %s states, %s transitions, %s bytes, %s\n"+
		"  within %s\n", a.File, a.Scenario, a.Variant, a.Level, count(a.States), count(a.Steps),
		count(int(a.Bytes)), seconds(a.Seconds), a.Bounds)
	if a.Beyond != "" {
		fmt.Fprintf(r.std.out, "  not checked without the world: %s\n", a.Beyond)
	}
	if a.Differs {
		fmt.Fprintf(r.std.out, "  of another text than the scenario %s has here\n", a.Scenario)
	}
	if a.Level == reducedLevel {
		fmt.Fprintf(r.std.out, "  not certified: that the steps that %s leave out lead nowhere "+
			"else\n", a.Reduced)
	}
	return nil
}
