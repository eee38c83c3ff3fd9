package page_test

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/report/page"
	"github.com/domino-check/domino/spec/trace"
)

// TestWrite: the same page is the same bytes, and has every text of the run.
func TestWrite(t *testing.T) {
	first := written(t, made(30, 4, plain))
	if again := written(t, made(30, 4, plain)); !bytes.Equal(first, again) {
		t.Error("the same page twice is not the same bytes")
	}
	for _, want := range []string{"m7 overtakes m5.", `href="#step=30"`, "messages do not overtake",
		"[Paper] 2", "send at once", "[Paper] p. 3", "It sends at once.", "It waits.",
		"one failure", "domino replay ring.txtar", "because", "nothing smaller", "m5 comes twice",
		`id="step=30"`, "program.pc", "Content-Security-Policy"} {
		if !strings.Contains(string(first), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if found := regexp.MustCompile(`(src|href)="(https?:|//)[^"]*"`).Find(first); found != nil {
		t.Errorf("the page loads %s", found)
	}
}

// TestNothing writes pages of which most is absent.
func TestNothing(t *testing.T) {
	if err := page.Write(io.Discard, nil); !errors.Is(err, page.ErrNoRun) {
		t.Errorf("no page: %v", err)
	}
	if err := page.Write(io.Discard, &page.Page{}); !errors.Is(err, page.ErrNoRun) {
		t.Errorf("no run: %v", err)
	}
	empty := written(t, &page.Page{Model: report.Understand(&report.Run{})})
	if !strings.Contains(string(empty), "This run breaks no property.") {
		t.Errorf("an empty run is not calm:\n%s", empty)
	}
	events := []trace.Event{{Step: 3, Kind: trace.Crashed, Proc: 7}, {Step: 1, Kind: trace.Told},
		{Step: 900, Kind: trace.Delivered, Proc: 2, Peer: 9}}
	written(t, &page.Page{Model: report.Understand(&report.Run{Trace: trace.Trace{
		Events: events}})})
}

// mostLong is how many bytes a page of 10,000 steps and 64 procs may have.
const mostLong = 4_000_000

// TestLong holds the pages of long runs to what a browser can take, those included in which as many
// protocol messages come with the messages of the programs. The short form leaves the largest one
// with them to TestNeeds.
func TestLong(t *testing.T) {
	for _, tt := range []struct{ steps, procs, most int }{{1000, 16, 600_000},
		{10_000, 64, mostLong}} {
		if tt.most == mostLong && !effort.Long() {
			t.Log("10,000 steps: " + effort.More)
			break
		}
		p := made(tt.steps, tt.procs, plain)
		if tt.steps == 10_000 {
			p.Repaired, p.Free = nil, nil
		}
		for _, words := range []string{"", " with protocol messages"} {
			began := time.Now()
			n := len(written(t, p))
			t.Logf("%d bytes in %s", n, time.Since(began))
			if n > tt.most {
				t.Errorf("a page of %d steps and %d procs%s has %d bytes, want at most %d",
					tt.steps, tt.procs, words, n, tt.most)
			}
			p.Model = talkative(p.Model)
		}
	}
}
