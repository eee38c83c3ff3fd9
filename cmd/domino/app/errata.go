package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/shard/campaign"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

func runErrata(ctx context.Context, args []string, std streams) (int, error) {
	f := flags("errata", "[PROTOCOL] [ID ...]", std, "errata", "errata hydee",
		"errata hydee H10 --show", "errata --json", "errata --html catalogue")
	var sf searchFlags
	show := f.Bool("show", false, "print the run of each erratum")
	f.StringVar(&sf.html, "html", "",
		"write the catalogue as pages into this folder: a matrix of errata and properties, a page "+
			"for each protocol, a page for each run")
	sf.register(f, std)
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	sf.order = "bfs"
	o, err := sf.options()
	if err != nil {
		return 0, err
	}
	name, ids := "", f.Args()
	if len(ids) > 0 {
		name, ids = ids[0], ids[1:]
	}
	findings, err := std.Errata(name, ids...)
	if err != nil {
		return 0, err
	}
	if len(findings) == 0 {
		fmt.Fprintf(std.err, "%s has no errata\n", cmp.Or(name, "no protocol here"))
	}
	pages, err := sf.openErrata(findings, std)
	if err != nil {
		return 0, err
	}
	return exploreErrata(ctx, findings, o, &sf, pages, *show, std)
}

// exploreErrata looks at the errata, prints them in order and returns the exit code.
func exploreErrata(ctx context.Context, findings []*verify.Erratum, o checker.Options,
	sf *searchFlags, pages *errataPages, show bool, std streams) (int, error) {
	p := newProgress(std.err, len(findings), sf.json)
	var failed error
	code, left := 0, 0
	err := sf.lookedAt(ctx, findings, o, pages, p, std, func(job int, g explored) {
		if g.Erratum == nil { // nobody has looked at it
			left++
			sf.out.left(findings[job].Asked())
			return
		}
		if ctx.Err() != nil && g.Scenario != "" && !g.decided() {
			left++
			sf.out.left(g.Asked())
			return
		}
		if g.err != nil {
			pages.miss(g)
			sf.out.failed(g.Asked(), g.err)
			failed = errors.Join(failed, g.err)
			return
		}
		pages.add(g.Erratum, g.shown)
		defer g.forget()
		var run json.RawMessage
		if g.Broken != nil {
			broken := &row{Answer: g.Broken}
			broken.save(sf.save, std.err)
			sf.out.row(broken, g.Quote)
			if g.Repaired != nil {
				sf.out.row(&row{Answer: g.Repaired}, g.Quote)
			}
			run = sf.evidenceOf(broken, &failed)
			switch {
			case g.Confirmed:
			case g.decided():
				code = worse(code, 1)
			default: // a limit came first
				code = worse(code, exitCode(spec.Unknown))
			}
		}
		if sf.json {
			// a closed pipe shows on the next write of the shell
			_ = printJSON(std.out, erratumAnswer{as("erratum"), g.Erratum, run})
			return
		}
		g.print(std, show, sf.control)
	})
	return leftOver(std, left, len(findings), "errata", code), errors.Join(failed, err,
		pages.finish(left > 0, std.err))
}

// lookedAt has all errata looked at, here or elsewhere, and hands them over in their order.
func (sf *searchFlags) lookedAt(ctx context.Context, findings []*verify.Erratum,
	o checker.Options, pages *errataPages, p *progress, std streams,
	done func(job int, g explored)) error {
	f, err := sf.farm.open(ctx, std, sf.workers)
	if err != nil {
		return err
	}
	f.hear(p.hear)
	err = distribute(ctx, f, sf.workers, len(findings), "erratum",
		func(job int) any { return erratumOf(findings[job], o) },
		func(job int, a *campaign.Answer) explored {
			e := findings[job]
			err := std.confirm(ctx, e, o, a)
			p.finished(e.Scenario)
			return explored{e, pages.witness(ctx, e), err}
		}, func(ctx context.Context, job int) explored {
			e := findings[job]
			if ctx.Err() != nil {
				return explored{e, nil, nil}
			}
			err := e.Explore(o, func(s *scenarios.Scenario, o checker.Options) (*verify.Answer,
				error) {
				r := checkOne(ctx, s, o, std, p)
				return r.Answer, r.err
			})
			if e.Broken != nil {
				p.finished(e.Scenario)
			}
			return explored{e, pages.witness(ctx, e), err}
		}, done)
	return errors.Join(err, f.close(ctx))
}

// decided reports whether both searches have come to an end by themselves.
func (g explored) decided() bool {
	return g.err == nil && g.Broken != nil && g.Repaired != nil &&
		g.Broken.Verdict != spec.Unknown && g.Repaired.Verdict != spec.Unknown
}

// erratumAnswer is an erratum with what came of it, as JSON.
type erratumAnswer struct {
	versioned
	*verify.Erratum
	// the run that breaks a property, where --evidence asks for it
	Evidence json.RawMessage `json:"evidence,omitempty"`
}

// explored is an erratum with what came of it.
type explored struct {
	*verify.Erratum
	shown *witnessed
	err   error
}

// forget lets go of what the searches have found, which is much more than what is said of it.
func (g explored) forget() {
	for _, a := range []*verify.Answer{g.Broken, g.Repaired} {
		if a != nil {
			a.Outcome = nil
		}
	}
}

// source is the place of an erratum and its class, without which nobody can tell whether it is an
// error of the authors.
func source(e core.Erratum) string {
	if e.Class == "" {
		return e.Place
	}
	return fmt.Sprintf("%s (%s)", e.Place, e.Class)
}

func (g explored) print(std streams, show, control bool) {
	fmt.Fprintf(std.out, "%-5s %s: %s\n", g.ID, source(g.Erratum.Erratum), g.Switched)
	if g.Quote != "" {
		fmt.Fprintf(std.out, "      text: %q\n", g.Quote)
	} else if text := g.Erratum.Erratum.Text(); text != "" {
		fmt.Fprintf(std.out, "      text: %s\n", text)
	}
	if g.Other != "" {
		fmt.Fprintf(std.out, "      other reading: %s\n", g.Other)
	}
	fmt.Fprintf(std.out, "      repaired: %s\n", g.Erratum.Erratum.Repaired)
	if g.Broken == nil {
		fmt.Fprintf(std.out, "      no scenario shows it; shown %s\n\n", g.Shown)
		return
	}
	r := g.Broken
	if r.Verdict == spec.Violated {
		fmt.Fprintf(std.out, "      %s: breaks %s in %d steps (%s; %s states, %s)\n      %s\n",
			g.Scenario, r.Violation.Property, r.Length, r.Bounds,
			count(r.States), seconds(r.Seconds), r.Violation.Message)
	} else {
		fmt.Fprintf(std.out, "      %s: NOT CONFIRMED: %s %s (%s states, %s)\n", g.Scenario,
			r.Verdict, r.Why, count(r.States), seconds(r.Seconds))
	}
	note := ""
	if !g.Repaired.AsExpected {
		note = "NOT AS EXPECTED: " + g.Repaired.Why
	} else if g.Repaired.Verdict != spec.Holds {
		note = strings.SplitN(g.Repaired.Why, "\n", 2)[0]
	}
	fmt.Fprintf(std.out, "      repaired protocol at the same scope: %s, %s states, %s %s\n\n",
		g.Repaired.Verdict, count(g.Repaired.States),
		seconds(g.Repaired.Seconds), note)
	if show && r.Story() != nil {
		(&row{Answer: r}).show(std.out, control)
		fmt.Fprintln(std.out)
	}
}
