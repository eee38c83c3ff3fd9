package figure

import (
	"strings"

	"github.com/domino-check/domino/spec/report/look"
)

// colour is a variable of the style sheet with its two values.
type colour struct{ name, light, dark string }

// palette is made of the colours of Okabe and Ito, darkened or lightened until lines keep a
// contrast of 3:1 and text one of 4.5:1 on every ground that they are drawn on.
var palette = []colour{
	{"paper", "#ffffff", "#14171c"},
	{"ink", "#1d2126", "#e8eaed"},
	{"soft", "#565d66", "#a9b0ba"},  // words and lines that stand back
	{"fade", "#82868c", "#7a828d"},  // what is undone
	{"faded", "#646970", "#9098a3"}, // its words
	{"life0", "#3c434b", "#c3c9d1"}, // incarnations
	{"life1", "#0068a5", "#56b4e9"},
	{"life2", "#a34a80", "#dc94bd"},
	{"life3", "#7d5a00", "#d9b13c"},
	{"good", "#007857", "#2fbf95"},  // what is saved or restored
	{"care", "#8a5a00", "#eda31d"},  // what needs a second look
	{"alarm", "#bd1a1a", "#ff7b72"}, // what is wrong
	{"band", "#f1f4f8", "#1c2129"},  // grounds: a cluster, every other one, a fold, the violation
	{"band2", "#f7f4ee", "#211f1c"},
	{"fold", "#e9ebee", "#262b33"},
	{"here", "#fdeaea", "#3a1d1f"},
	{"wait", "#b9c0c9", "#4d5661"}, // a bar beside a lane: a message waits
	{"host", "#dfe4ea", "#2e3540"},
}

// rules is the style sheet; %NAME% is a colour.
const rules = `.dmf{font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,` +
	`"Liberation Mono",monospace;font-size:11px;direction:ltr}
.dmf text{fill:%ink%;text-anchor:middle;unicode-bidi:isolate;paint-order:stroke;stroke:%paper%;` +
	`stroke-width:3px;stroke-linejoin:round}
.dmf .n{font-size:12px;font-weight:bold;stroke:none}
.dmf .e{text-anchor:end}
.dmf .st{text-anchor:start}
.dmf .x{font-size:9.5px;fill:%soft%;stroke:none}
.dmf .w{fill:%soft%}
.dmf .g0{fill:%band%}
.dmf .g1{fill:%band2%}
.dmf .gf{fill:%fold%}
.dmf .gh{fill:%here%}
.dmf .gw{fill:%wait%}
.dmf .gn{fill:%host%}
.dmf .l,.dmf .a,.dmf .k{fill:none;stroke:%ink%;stroke-width:1.2px}
.dmf .l0{stroke:%life0%;stroke-width:1.4px}
.dmf .l1{stroke:%life1%;stroke-width:2px}
.dmf .l2{stroke:%life2%;stroke-width:2.6px}
.dmf .l3{stroke:%life3%;stroke-width:3.2px}
.dmf .ls{stroke:%soft%;stroke-width:1px}
.dmf .lu{stroke-width:.8px}
.dmf .ld{stroke:%soft%;stroke-width:1.2px;stroke-dasharray:1.2 3.6;stroke-linecap:round}
.dmf .lh{stroke:%fade%;stroke-width:1px}
.dmf .lq{stroke:%fade%;stroke-width:7px;stroke-dasharray:.8 4.2}
.dmf .df{stroke:%soft%;stroke-width:1.6px;stroke-dasharray:.1 4;stroke-linecap:round}
.dmf .r{fill:none;stroke:%good%;stroke-width:1.6px;stroke-dasharray:6 3}
.dmf .rb{fill:none;stroke:%good%;stroke-width:.9px}
.dmf .h{fill:%ink%;stroke:none}
.dmf .o{fill:%paper%;stroke:%ink%;stroke-width:1.2px}
.dmf .c .a{stroke:%soft%;stroke-width:1px;stroke-dasharray:2 2}
.dmf .c .h{fill:%soft%}
.dmf .c .o{stroke:%soft%}
.dmf .or .a{stroke:%care%;stroke-width:1.7px;stroke-dasharray:6 3}
.dmf .or .h{fill:%care%}
.dmf .or .o{stroke:%care%}
.dmf .c .k{stroke:%soft%}
.dmf .or .k{stroke:%care%}
.dmf .u .a,.dmf .u .k{stroke:%fade%}
.dmf .u .h{fill:%fade%}
.dmf .u .o{stroke:%fade%}
.dmf .v .a,.dmf .v .k{stroke:%alarm%;stroke-width:2.2px}
.dmf .v .h{fill:%alarm%}
.dmf .v .o{stroke:%alarm%;stroke-width:2px}
.dmf .vr{fill:none;stroke:%alarm%;stroke-width:2.4px}
.dmf .vh{fill:none;stroke:%alarm%;stroke-width:1.1px}
.dmf .vm{fill:none;stroke:%alarm%;stroke-width:1.6px;stroke-dasharray:1.5 3;stroke-linecap:round}
.dmf .gd .k{stroke:%good%;stroke-width:1.6px}
.dmf .gd .h{fill:%good%}
.dmf .gd .o{stroke:%good%}
.dmf .cr .k{stroke:%alarm%;stroke-width:2.2px}
.dmf .cr .h{fill:%alarm%}
.dmf .ca .k{stroke:%care%;stroke-width:1.6px}
.dmf .ca .h{fill:%care%}
.dmf .ca .o{stroke:%care%}
.dmf .lw1 .o{stroke:%life1%;stroke-width:2px}
.dmf .lw2 .o{stroke:%life2%;stroke-width:2.2px}
.dmf .lw3 .o{stroke:%life3%;stroke-width:2.4px}
.dmf text.i{font-size:9.5px;font-weight:bold;stroke:none}
.dmf text.tu{fill:%faded%}
.dmf text.to{fill:%care%}
.dmf text.tg{fill:%good%}
.dmf text.tv{fill:%alarm%;font-weight:bold}
.dmf text.hh{stroke:%here%}
.dmf text.hf{stroke:%fold%;stroke-width:3px}
.dmf text.h0{stroke:%band%}
.dmf text.h1{stroke:%band2%}
`

// fill replaces the names of colours in the style sheet.
func fill(value func(colour) string) string {
	var pairs []string
	for _, c := range palette {
		pairs = append(pairs, "%"+c.name+"%", value(c))
	}
	return strings.NewReplacer(pairs...).Replace(rules)
}

// CSS is the style sheet for figures in a page: the palette as variables --dm-NAME, and the rules.
func CSS() string {
	var list []look.Colour
	for _, c := range palette {
		list = append(list, look.Colour{Name: "dm-" + c.name, Light: c.light, Dark: c.dark})
	}
	return look.Colours(list) + fill(func(c colour) string { return "var(--dm-" + c.name + ")" })
}

// plainCSS is the style sheet of a document that stands alone: light, and without variables, which
// converters to PDF do not know.
func plainCSS() string { return fill(func(c colour) string { return c.light }) }
