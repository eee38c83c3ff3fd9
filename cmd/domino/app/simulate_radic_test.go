package app

import (
	"math"
	"strings"
	"testing"
)

// TestSimulateRADIC: images of a declared size take time without a failure and in its recovery,
// whose stages add up to the time until all are protected again; without a size they are not
// counted. An image of 100 MB takes .02 s to copy and .8 s on a card of 1 Gb/s.
func TestSimulateRADIC(t *testing.T) {
	args := []string{"heat n=24 iterations=39 checkpoint=20", "--protocol", "radic-rbml",
		"--options", "spares=1", "--ranks", "6", "--work", "400ms", "--machine", "ethernet-1g",
		"--fail", "r2@14s"}
	small, _ := simulated(t, args...)
	args = append(args, "--image", "100000000")
	large, _ := simulated(t, args...)
	if a, b := small.Points[0], large.Points[0]; a.Images != 0 || b.Carried != 100_000_000*6 ||
		b.Images != 6 || b.CPU-a.CPU < .0199 || b.CPU-a.CPU > .0201 {
		t.Errorf("%+v\nwithout a size of images %+v", b, a)
	}
	f := large.Points[0].Struck.Failures[0]
	if i := f.Image; i == nil || math.Abs(i.Made-i.Began-.02) > 1e-9 || i.Stored-i.Made < .82 ||
		i.Stored-i.Made > .83 || f.Fetched < .82 || f.Fetched > .83 {
		t.Errorf("%+v, image %+v", f, i)
	}
	if s := large.Points[0].Struck; s.Recovery != f.Protected || f.Protected < f.Takes ||
		math.Abs(f.Down+f.Restore+f.Again-f.Takes) > 1e-12 || f.Placed <= 0 || f.Placed > f.Down ||
		f.Fetched > f.Restore {
		t.Errorf("%+v, recovery %v", f, s.Recovery)
	}
	_, out, _ := domino(t.Context(), append([]string{"simulate"}, args...)...)
	if !strings.Contains(out, " protect ") {
		t.Errorf("no column of protection:\n%s", out)
	}
}
