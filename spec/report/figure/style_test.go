package figure

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

// luminance is that of WCAG 2.2 of a colour #rrggbb.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil || len(hex) != 7 {
		t.Fatalf("colour %q", hex)
	}
	sum := 0.0
	for i, weight := range []float64{0.0722, 0.7152, 0.2126} {
		c := float64(n>>(8*i)&255) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

func contrast(t *testing.T, a, b string) float64 {
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// TestContrast: on every ground, words have a contrast of 4.5:1 and lines one of 3:1, light and
// dark.
func TestContrast(t *testing.T) {
	if got := contrast(t, "#000000", "#ffffff"); math.Abs(got-21) > 1e-9 {
		t.Fatalf("black on white has %g", got)
	}
	grounds := []string{"paper", "band", "band2", "fold", "here"}
	words := []string{"ink", "soft", "faded", "care", "good", "alarm"}
	lines := []string{"fade", "life0", "life1", "life2", "life3"}
	for _, theme := range []func(colour) string{
		func(c colour) string { return c.light }, func(c colour) string { return c.dark }} {
		value := map[string]string{}
		for _, c := range palette {
			value[c.name] = theme(c)
		}
		check := func(names []string, least float64) {
			for _, name := range names {
				for _, ground := range grounds {
					if got := contrast(t, value[name], value[ground]); got < least {
						t.Errorf("%s %s on %s %s: %.2f:1, want %g:1", name, value[name], ground,
							value[ground], got, least)
					}
				}
			}
		}
		check(words, 4.5)
		check(lines, 3)
	}
}

// TestSheets: each colour that the rules use exists, and each of the palette is used.
func TestSheets(t *testing.T) {
	for _, css := range []string{CSS(), plainCSS()} {
		if strings.Contains(css, "%") {
			t.Errorf("a colour that the palette lacks: %s", css)
		}
	}
	for _, c := range palette {
		if !strings.Contains(rules, "%"+c.name+"%") {
			t.Errorf("nothing uses %s", c.name)
		}
	}
	if strings.Contains(plainCSS(), "var(") {
		t.Error("the style of a document has variables, which converters do not know")
	}
}
