package chart

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// newCanvas is where a figure of a format is drawn.
func newCanvas(format string, height vg.Length) (vg.CanvasWriterTo, error) {
	switch format {
	case "png":
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height),
			vgimg.UseDPI(resolution))}, nil
	case "svg":
		return &svgCanvas{Canvas: vgsvg.New(width, height)}, nil
	}
	return nil, fmt.Errorf("unknown format %q", format)
}

// svgCanvas writes SVG whose texts are as wide as the figure has been laid out for, in whatever
// font the reader has: wider letters, of who has neither Liberation Sans nor Arial, are narrowed
// and do not run into each other.
type svgCanvas struct {
	*vgsvg.Canvas
	widths []vg.Length // of the texts, in the order in which they are written
}

// FillString writes a text and remembers its width.
func (c *svgCanvas) FillString(face font.Face, at vg.Point, text string) {
	c.widths = append(c.widths, face.Width(text))
	c.Canvas.FillString(face, at, text)
}

// textElement begins a text of an SVG: in a text itself the bracket would be escaped.
const textElement = "<text "

// WriteTo writes the picture.
func (c *svgCanvas) WriteTo(w io.Writer) (int64, error) {
	var picture bytes.Buffer
	if _, err := c.Canvas.WriteTo(&picture); err != nil {
		return 0, err
	}
	parts := strings.Split(strings.ReplaceAll(picture.String(), "font-family:Liberation Sans;",
		"font-family:Liberation Sans,Arial,Helvetica,sans-serif;"), textElement)
	if len(parts) != len(c.widths)+1 {
		return 0, fmt.Errorf("%d texts are written, %d were asked for", len(parts)-1,
			len(c.widths))
	}
	var b strings.Builder
	for i, part := range parts {
		if i > 0 {
			b.WriteString(textElement)
			if width := c.widths[i-1]; width > 0 {
				fmt.Fprintf(&b, `textLength="%.5g" lengthAdjust="spacingAndGlyphs" `,
					width.Points())
			}
		}
		b.WriteString(part)
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}
