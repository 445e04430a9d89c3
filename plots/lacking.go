// Series that a figure lacks altogether: models that could not be measured.

package plots

import (
	"math"
	"slices"
	"strings"
)

const (
	// lackingRows is the maximum number of lacking series with a slot of their own in panels of bars, boxes and rows; more
	// would push the others aside.
	lackingRows = 4
	// lackingReasons is the most different reasons that a footnote gives, and
	// lackingLetters the most letters of each.
	lackingReasons, lackingLetters = 4, 110
)

// lacking is a series without any number in a figure, and why.
type lacking struct{ name, reason string }

// Lack records that a series is absent, and why. The footnote names it; up to four such series have "n/a" in the panels
// that have a bar, box or row for each of Series. The styles of the others do not change.
func (f *Figure) Lack(name, reason string) {
	if f == nil {
		return
	}
	reason, _, _ = strings.Cut(reason, "; ") // hints are for the console
	if letters := []rune(reason); len(letters) > lackingLetters {
		reason = string(letters[:lackingLetters-1]) + "…"
	}
	f.lacking = append(f.lacking, lacking{name, Escape(reason)})
}

// lack adds the lacking series to the footnote and, if they are few, to the panels; the figure itself does not change.
func (f *Figure) lack(prep *preparation) []Tile {
	if len(f.lacking) == 0 {
		return f.Tiles
	}
	reasons := map[string]bool{}
	for _, l := range f.lacking {
		reasons[l.reason] = true
	}
	tiles := slices.Clone(f.Tiles)
	for _, l := range f.lacking {
		reason := "not measured: " + l.reason
		if len(reasons) > lackingReasons {
			reason = "not measured; see the warnings of the result file"
		}
		prep.lack(l.name, reason)
		if len(f.lacking) > lackingRows {
			continue
		}
		for i := range tiles {
			tiles[i].Panel = f.withLacking(tiles[i].Panel, l.name, reason)
		}
	}
	return tiles
}

// withLacking is a panel with a slot for a lacking series, if it has one for each of the series of the figure.
func (f *Figure) withLacking(panel Panel, name, reason string) Panel {
	complete := func(n int, series func(i int) string) bool {
		for i := range n {
			if series(i) == name || !slices.Contains(f.Series, series(i)) && !f.lacks(series(i)) {
				return false
			}
		}
		return n > 0
	}
	switch p := panel.(type) {
	case *Bars:
		if complete(len(p.Bars), func(i int) string { return p.Bars[i].Name }) {
			more := *p
			more.Bars = append(slices.Clone(p.Bars),
				Bar{Name: name, Value: math.NaN(), Low: math.NaN(), High: math.NaN(), Reason: reason})
			return &more
		}
	case *BoxPlot:
		if complete(len(p.Boxes), func(i int) string { return p.Boxes[i].Name }) {
			more := *p
			more.Boxes = append(slices.Clone(p.Boxes), Box{Name: name, Reason: reason})
			return &more
		}
	case *Table:
		if p.Keys && complete(len(p.Rows), func(i int) string { return p.Rows[i][0] }) {
			more, row := *p, []string{name}
			for range p.Header[1:] {
				row = append(row, "n/a")
			}
			more.Rows = append(slices.Clone(p.Rows), row)
			return &more
		}
	}
	return panel
}

// lacks reports whether the figure lacks a series.
func (f *Figure) lacks(name string) bool {
	return slices.ContainsFunc(f.lacking, func(l lacking) bool { return l.name == name })
}
