// Critical-difference diagrams: names that keep apart, bars over the right places,
// groups with gaps.

package plots

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/recorder"
)

// rankedFigure has models with random ranks, many of them near each other, and a group
// of every three neighbors.
func rankedFigure(n int, names []string) Figure {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	p := &CriticalDifference{X: Axis{Label: "Average rank over 20 tasks (1 is best)"}}
	var ranks []float64
	for range n {
		ranks = append(ranks, 1+float64(n-1)*r.Float64()*r.Float64())
	}
	slices.Sort(ranks)
	for i, rank := range ranks {
		p.Models = append(p.Models, RankedModel{Name: names[i], Rank: rank})
		if i >= 2 {
			p.Groups = append(p.Groups, slices.Clone(names[i-2:i+1]))
		}
	}
	return Figure{WidthMM: SingleColumnMM, HeightMM: 30 + 2.5*float64(n), Tiles: []Tile{{Title: "Ranks", Panel: p}}}
}

func TestCriticalDifferenceGeometry(t *testing.T) {
	t.Parallel()
	long := slices.Concat(longNames, shortNames(8))
	for n := 1; n <= 20; n++ {
		for _, names := range [][]string{long, shortNames(20)} {
			f := rankedFigure(n, names)
			t.Run(fmt.Sprint(n, names[0]), func(t *testing.T) { checkGeometry(t, &f) })
		}
	}
	// The names stand in the order of the ranks, down the left side and up the right.
	f := rankedFigure(7, shortNames(7))
	s, err := f.compose(&recorder.Canvas{}, false)
	if err != nil {
		t.Fatal(err)
	}
	var entries []mark
	for _, m := range s.marks {
		if m.kind == "entry" {
			entries = append(entries, m)
		}
	}
	if len(entries) != 7 {
		t.Fatalf("%d names, want 7", len(entries))
	}
	for i, m := range entries {
		if want := fmt.Sprint("m", i+1); !strings.Contains(m.text, want) {
			t.Errorf("entry %d is %q, want %s", i, m.text, want)
		}
		if i > 0 && i != 4 && (m.corners[0].Y < entries[i-1].corners[0].Y) != (i < 4) {
			t.Errorf("entry %q is not below (left) or above (right) of the one before", m.text)
		}
	}
}

// Bars do not touch: of one level they are apart, and every bar has its dots.
func TestCriticalDifferenceBars(t *testing.T) {
	t.Parallel()
	f := rankedFigure(20, shortNames(20))
	s, err := f.compose(&recorder.Canvas{}, false)
	if err != nil {
		t.Fatal(err)
	}
	var bars []mark
	for _, m := range s.marks {
		if m.kind == "bar" {
			bars = append(bars, m)
		}
	}
	if len(bars) != 18 {
		t.Fatalf("%d bars, want 18", len(bars))
	}
	for i, m := range bars {
		for _, other := range bars[i+1:] {
			if overlap(m.corners, other.corners, 0) && math.Abs(float64(m.corners[0].Y-other.corners[0].Y)) < 1 {
				t.Errorf("bars overlap: %v and %v", m.corners, other.corners)
			}
		}
	}
}

// A group with a gap says so, one without does not; equal ranks make no gap; models
// without a rank are left out with their reason.
func TestCriticalDifferenceNotes(t *testing.T) {
	t.Parallel()
	models := []RankedModel{{Name: "a", Rank: 1.2}, {Name: "b", Rank: 2}, {Name: "c", Rank: 2.8}, {Name: "d", Rank: 2.8}, {Name: "e", Rank: math.NaN(), Reason: "no scores"}}
	for _, c := range []struct {
		group []string
		want  string
	}{
		{[]string{"a", "b", "c", "d"}, ""},
		{[]string{"c", "a"}, "a and c do not differ; b ranks between them and differs from some."},
		{[]string{"a", "b", "d"}, ""},
		{[]string{"a", "e"}, ""},
	} {
		prep, err := newPreparation(nil)
		if err != nil {
			t.Fatal(err)
		}
		prep.panel = "panel a"
		if _, err := (&CriticalDifference{Models: models, Groups: [][]string{c.group}}).prepare(prep); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(prep.notes, " "); got != c.want {
			t.Errorf("%v: %q, want %q", c.group, got, c.want)
		}
		if got := prep.footer("", nil); !strings.Contains(got, "e (no scores)") {
			t.Errorf("the footer %q lacks the model without a rank", got)
		}
	}
	f := one(&CriticalDifference{Models: []RankedModel{{Name: "e", Rank: math.NaN(), Reason: "no scores"}}})
	s, err := f.compose(&recorder.Canvas{}, false)
	if err != nil || !slices.ContainsFunc(s.marks, func(m mark) bool { return strings.Contains(m.text, "no scores") }) {
		t.Errorf("nothing to rank: %v", err)
	}
	f = rankedFigure(20, shortNames(20))
	f.HeightMM = 40
	if _, err := f.compose(&recorder.Canvas{}, false); err == nil || !strings.Contains(err.Error(), "does not fit its tile") {
		t.Errorf("20 models in 40 mm: %v", err)
	}
}
