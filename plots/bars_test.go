// Bars and their intervals.

package plots

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot/vg/recorder"
)

// The record of draw calls: a bar's interval is drawn at the bar's center, and the
// legend's entries come in the order of Series.
func TestRecordedDrawing(t *testing.T) {
	t.Parallel()
	f := Figure{WidthMM: SingleColumnMM, HeightMM: 60, Series: []string{"b", "a"}, Tiles: []Tile{{Panel: &GroupedBars{
		Groups: []string{"5", "10"},
		Series: []BarSeries{{Name: "a", Values: []float64{1, 2}, Low: []float64{0.5, 1.5}, High: []float64{1.5, 2.5}},
			{Name: "b", Values: []float64{3, 4}, Low: []float64{2.5, 3.5}, High: []float64{3.5, 4.5}}}}}}}
	canvas := &recorder.Canvas{}
	s, err := f.compose(canvas, false)
	if err != nil {
		t.Fatal(err)
	}
	var bars, intervals []mark
	var entries []string
	for _, m := range s.marks {
		switch m.kind {
		case "bar":
			bars = append(bars, m)
		case "interval":
			intervals = append(intervals, m)
		case "legend":
			entries = append(entries, m.text)
		}
	}
	if len(bars) != 4 || len(intervals) != 4 {
		t.Fatalf("%d bars and %d intervals, want 4 and 4", len(bars), len(intervals))
	}
	for i := range bars {
		center := (bars[i].corners[0].X + bars[i].corners[2].X) / 2
		if c := (intervals[i].corners[0].X + intervals[i].corners[2].X) / 2; math.Abs(float64(c-center)) > 1e-9 {
			t.Errorf("interval %d at %v, its bar at %v", i, c, center)
		}
		if !(intervals[i].corners[0].Y < bars[i].corners[2].Y && bars[i].corners[2].Y < intervals[i].corners[2].Y) {
			t.Errorf("interval %d does not enclose the end of its bar", i)
		}
	}
	if !slices.Equal(entries, []string{"b", "a"}) {
		t.Errorf("legend %q, want the order of Series", entries)
	}
	words := 0
	for _, action := range canvas.Actions {
		if call, ok := action.(*recorder.FillString); ok {
			words++
			if size := call.Size; size > letterSize || size < smallestSize*scriptScale {
				t.Errorf("text %q of %v pt", call.String, size)
			}
		}
	}
	if words == 0 {
		t.Error("no text was drawn")
	}
}
