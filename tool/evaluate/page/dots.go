// A figure of one number of each model: a dot with its interval in a row of the model's own, so that many models and
// long names have room.

package page

import (
	"fmt"
	"html/template"
	"math"
	"strings"
	"unicode/utf8"

	"repscope/plots"
	"repscope/report"
)

// Lengths of the figure in pixels of its own size.
const (
	dotsWidth  = 440.0
	dotsLeft   = 158.0 // of the names
	dotsRight  = 14.0
	dotsRow    = 18.0
	dotsTop    = 6.0
	dotsBottom = 26.0
	dotsName   = 25 // characters
	dotsText   = 11 // size of texts
	dotsUp     = 8  // of exponents
	dotsGap    = 8  // between a name and the figure
)

// dots draws a column.
func (b *builder) dots(t *Table, column int, rows []int) figure {
	c := t.Columns[column]
	f := titled(report.Label(c.Path), c)
	low, high := math.Inf(1), math.Inf(-1)
	intervals := false
	for _, r := range rows {
		cell := t.Rows[r][column]
		if !cell.Value.Defined() {
			continue
		}
		low, high = min(low, cell.Value.V), max(high, cell.Value.V)
		if l, h, ok := endsOf(cell); ok {
			low, high, intervals = min(low, l), max(high, h), true
		}
	}
	if !intervals {
		f.Note = strings.TrimPrefix(f.Note+"; no intervals", "; ")
	}
	low, high = widened(low, high)
	x := func(v float64) float64 { return dotsLeft + (dotsWidth-dotsLeft-dotsRight)*(v-low)/(high-low) }
	bottom := dotsTop + dotsRow*float64(len(rows))
	var out strings.Builder
	fmt.Fprintf(&out, `<svg class="dots" viewBox="0 0 %s %s" role="img" aria-label="%s" tabindex="0">`,
		px(dotsWidth), px(bottom+dotsBottom), template.HTMLEscapeString(f.Title))
	axis(&out, low, high, x, bottom)
	for i, r := range rows {
		b.dot(&out, t.Models[r], t.Rows[r][column], x, dotsTop+dotsRow*float64(i))
	}
	out.WriteString("</svg>")
	f.SVG = template.HTML(out.String())
	return f
}

// endsOf are the ends of an interval that a figure can show.
func endsOf(c Cell) (low, high float64, ok bool) {
	i := c.Interval
	return i.Low, i.High, i.Defined() && !math.IsInf(i.Low, 0) && !math.IsInf(i.High, 0)
}

// widened is a range with a margin, and one of its own for a single value or none.
func widened(low, high float64) (float64, float64) {
	switch {
	case low > high:
		return 0, 1
	case low == high:
		margin := max(math.Abs(low)/10, 1e-12)
		return low - margin, high + margin
	}
	margin := (high - low) / 25
	return low - margin, high + margin
}

// px is a length in tenths of a pixel.
func px(v float64) string {
	text := fmt.Sprintf("%.1f", v)
	return strings.TrimSuffix(text, ".0")
}

// axis draws the lines and numbers of the axis.
func axis(out *strings.Builder, low, high float64, x func(float64) float64, bottom float64) {
	for _, tick := range (plots.LinearTicks{Most: 5}).Ticks(low, high) {
		if tick.IsMinor() {
			continue
		}
		label, width := superscript(tick.Label)
		middle := min(x(tick.Value), dotsWidth-width/2) // the last one ends with the figure
		at := px(x(tick.Value))
		fmt.Fprintf(out, `<path d="M%s %sV%s" stroke="#e4e4e4"/><text class="tick" x="%s" y="%s" fill="#555555"%s>%s</text>`,
			at, px(dotsTop), px(bottom), px(middle), px(bottom+14), plots.InlineLength(width, tick.Label), label)
	}
}

// superscript shows the markup of exponents; width is the width of the text.
func superscript(label string) (text string, width float64) {
	before, rest, ok := strings.Cut(label, "^{")
	if !ok {
		return template.HTMLEscapeString(label), plots.InlineWidth(label, dotsText, false)
	}
	exponent, after, _ := strings.Cut(rest, "}")
	width = plots.InlineWidth(before+after, dotsText, false) + plots.InlineWidth(exponent, dotsUp, false)
	return template.HTMLEscapeString(before) + `<tspan dy="-4" class="up">` + template.HTMLEscapeString(exponent) + `</tspan>` + template.HTMLEscapeString(after), width
}

// widest is how much wider than in the font of figures a text may be in another, and letterWidth the width of a
// letter of fonts in which all are alike, in units of the size.
const widest, letterWidth = 1.5, 0.65

// fitted is a name that is not wider than its room in a figure, and the attributes that keep it so in wider fonts.
func fitted(name string, bold bool) (text, length string) {
	const room = dotsLeft - dotsGap - 2
	for letters := dotsName; ; letters-- {
		text = shorten(name, letters)
		width := plots.InlineWidth(text, dotsText, bold)
		if width > room && letters > 3 {
			continue
		}
		if max(widest*width, letterWidth*dotsText*float64(utf8.RuneCountInString(text))) > room {
			length = plots.InlineLength(min(width, room), text)
		}
		return text, length
	}
}

// dot draws the row of a model.
func (b *builder) dot(out *strings.Builder, name string, c Cell, x func(float64) float64, y float64) {
	e := b.view.Entries[b.model[name]]
	escaped := template.HTMLEscapeString(name)
	tip := "n/a, " + c.Value.Reason
	if c.Value.Defined() {
		tip = number(c.Value.V)
		if i := interval(c.Interval); i != "" {
			tip += " " + i
		}
		if c.Best {
			tip += ", may be the best"
		}
	}
	fmt.Fprintf(out, `<g class="v" data-m="%d" transform="translate(0 %s)"`, e.Index, px(y+dotsRow/2))
	if name != e.Name {
		fmt.Fprintf(out, ` data-name="%s"`, escaped)
	}
	label := "nm"
	if c.Best {
		label = "nm best"
	}
	text, length := fitted(name, c.Best)
	fmt.Fprintf(out, `><title>%s: %s</title><path class="h" d="M0-9H%sV9H0Z"/><text class="%s" x="%s" y="4"%s>%s</text>`,
		escaped, template.HTMLEscapeString(tip), px(dotsWidth), label, px(dotsLeft-dotsGap), length,
		template.HTMLEscapeString(text))
	if !c.Value.Defined() {
		fmt.Fprintf(out, `<text class="na" x="%s" y="4" fill="#555555">n/a</text></g>`, px(dotsLeft+4))
		return
	}
	if low, high, ok := endsOf(c); ok {
		fmt.Fprintf(out, `<path d="M%s 0H%s" stroke="%s"/>`, px(x(low)), px(x(high)), lineColor(e.Index))
	}
	fmt.Fprintf(out, `<use href="#k%d" x="%s"/></g>`, e.Index, px(x(c.Value.V)))
}

// lineColor is the color of lines of a series.
func lineColor(i int) string {
	c := plots.SeriesStyle(i).Line
	return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
}
