package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/domino-check/domino/spec/report/page"
)

// compared is the page of a run with another one beside it.
func (std streams) compared(ctx context.Context, names []string, changed overrides,
	rf *reportFlags, form *format) (*exhibited, error) {
	if !form.page {
		return nil, fmt.Errorf("two runs beside each other are a page, no %s: report each of them",
			form.name)
	}
	if rf.small {
		return nil, fmt.Errorf("--small makes one run small, not two")
	}
	var both [2]*exhibited
	for i, name := range names {
		var err error
		if both[i], err = std.reported(ctx, name, changed, rf, std.stepped); err != nil {
			return nil, err
		}
	}
	one, other := both[0], both[1]
	a, b := one.Model.Run, other.Model.Run
	if !page.SameProcs(a, b) {
		return nil, fmt.Errorf("%s and %s have other procs (%s; %s): they can not be compared",
			names[0], names[1], strings.Join(a.Trace.Layout.Names, " "),
			strings.Join(b.Trace.Layout.Names, " "))
	}
	same, blind := page.Agree(a, b)
	title := other.Name
	if other.Variant != "" {
		title += ", " + other.Variant
	}
	one.Other = &page.Beside{Name: title, Model: other.Model, Same: same,
		Words: likeness(other, same, page.LastStep(a), page.LastStep(b), blind)}
	return one, nil
}

// likeness says how far two runs agree, and what becomes of the second one.
func likeness(other *exhibited, same, steps, others int, blind bool) string {
	words := fmt.Sprintf("The first %d steps are the same", same)
	switch {
	case same == steps && same == others:
		words = "All steps are the same"
	case same == 0:
		words = "The first step already differs"
	case same == 1 && same != others && same != steps:
		words = "Only the first step is the same"
	case same == others:
		words = fmt.Sprintf("It ends after %d steps, which are the same", same)
	case same == steps:
		words = fmt.Sprintf("All %d steps are the same, and it goes on", same)
	}
	if blind {
		words += ", as far as is seen from outside"
	}
	if v := other.Model.Run.Violation; v != nil {
		return words + "; it breaks " + v.Property + ": " + v.Message + "."
	}
	return words + "; it breaks nothing."
}
