// Pairs that decide a line: frames of games whose episodes begin with a blank one.

package smoothness

import (
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/dataset"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// blankStarts are so many episodes of 60 frames with 6 pixels that move by noise. Where blank, the
// first frame of each is far off, and so are its latents in "noise", which else do not follow the frames;
// those of "follows" do, and hardly see the blank frame.
func blankStarts(episodes int, blank bool) Input {
	random := stat.NewRandom(stat.NewKey(11))
	in := Input{PixelRange: dataset.PixelRange{High: 255}, Pairs: map[int][]points.Pair{}}
	var frames, follows, noise []float64
	for e := range episodes {
		for t := range 60 {
			step := 1 + 3*random.Float64()
			for k := range 6 {
				v, bump := 100+step*random.Normal(), 0.0
				if t == 0 && blank {
					v, bump = 0, 1
				}
				frames = append(frames, v)
				follows = append(follows, v/10+0.05*random.Normal()+9*bump)
				noise = append(noise, 0.1*random.Normal()+float64(6+k)*bump)
			}
			in.Episode = append(in.Episode, e)
			in.Time = append(in.Time, 1000*e+t)
			if i := len(in.Episode) - 1; t > 0 {
				in.Pairs[1] = append(in.Pairs[1], points.Pair{Now: i - 1, Next: i})
			}
		}
	}
	in.Frames = points.Float64(frames, 6)
	in.Models = []Encoded{{Name: "follows", Latents: points.Float64(follows, 6)}, {Name: "noise", Latents: points.Float64(noise, 6)}}
	return in
}

// naive is the least-squares slope and R² of raw distances over pairs that are kept, by its textbook
// formulas.
func naive(in Input, m int, keep func(points.Pair) bool) (slope, square float64) {
	var n, sx, sy, sxx, syy, sxy float64
	for _, pair := range in.Pairs[1] {
		if keep(pair) {
			x, y := distanceOf(in.Frames, pair), distanceOf(in.Models[m].Latents, pair)
			n, sx, sy, sxx, syy, sxy = n+1, sx+x, sy+y, sxx+x*x, syy+y*y, sxy+x*y
		}
	}
	xx, yy, xy := sxx-sx*sx/n, syy-sy*sy/n, sxy-sx*sy/n
	return xy / xx, xy * xy / xx / yy
}

// Twelve of 708 pairs decide the line: the noise has the higher R², and no episode can be deleted
// that shows it. The pairs are named, the numbers without them are those of a line through
// the others, and nothing is called better by slopes and R².
func TestPairsThatDecide(t *testing.T) {
	t.Parallel()
	in := blankStarts(12, true)
	r, err := Analyze(t.Context(), in, Options{Settings: analysis.Settings{Intervals: true}, Scale: "raw"})
	if err != nil {
		t.Fatal(err)
	}
	follows, noise := r.Models[0], r.Models[1]
	if noise.RSquared.V < 0.98 || follows.RSquared.V > noise.RSquared.V {
		t.Fatalf("R² %v and %v: the input is not what the test is about", follows.RSquared, noise.RSquared)
	}
	var want []int
	for i, pair := range in.Pairs[1] {
		if pair.Now%60 == 0 {
			want = append(want, i)
		}
	}
	if !slices.Equal(r.Decisive, want) || r.DecisiveShare < 0.9 {
		t.Errorf("%v decide with %v, want %v", r.Decisive, r.DecisiveShare, want)
	}
	if !slices.ContainsFunc(r.Warnings, func(w string) bool {
		return strings.HasPrefix(w, "12 of 708 pairs have 9") && strings.Contains(w, "(frames 0→1, 1000→1001, 2000→2001, 3000→3001, 4000→4001, 5000→5001, 6 more)")
	}) {
		t.Errorf("warnings %q", r.Warnings)
	}
	for i, m := range r.Models {
		slope, square := naive(in, i, func(p points.Pair) bool { return p.Now%60 != 0 })
		if w := m.Leverage.Without; math.Abs(w.Slope.V-slope) > 1e-9 || math.Abs(w.RSquared.V-square) > 1e-9 || !w.Slope.CI.Defined() || !w.Spearman.CI.Defined() {
			t.Errorf("%s without the pairs: %+v, want slope %v and R² %v", m.Name, w, slope, square)
		}
		if m.Leverage.Pairs != 12 || m.Leverage.TopShare.V < 0.4 || m.Rest == nil {
			t.Errorf("%s: %+v", m.Name, m.Leverage)
		}
	}
	if follows.Leverage.Without.RSquared.V < 0.8 || noise.Leverage.Without.RSquared.V > 0.02 {
		t.Errorf("R² without the pairs %v and %v", follows.Leverage.Without.RSquared, noise.Leverage.Without.RSquared)
	}
	p := map[string]report.Value{}
	for _, c := range r.Comparisons {
		p[c.Metric] = c.P
		if c.PHolm.Defined() != c.P.Defined() {
			t.Errorf("%s: p %v, Holm %v", c.Metric, c.P, c.PHolm)
		}
	}
	for _, metric := range []string{"slope", "r_squared"} {
		if p[metric].Defined() || !strings.Contains(p[metric].Reason, "12 of 708 pairs have") {
			t.Errorf("%s: p %+v, want the reason", metric, p[metric])
		}
	}
	for _, metric := range []string{"theil_sen", "spearman"} {
		if !(p[metric].V < 0.001) {
			t.Errorf("%s: p %+v, want less than 0.001", metric, p[metric])
		}
	}
}

// Without blank frames nothing decides, and nothing is withdrawn; numbers without pairs say why.
func TestNoPairsThatDecide(t *testing.T) {
	t.Parallel()
	r, err := Analyze(t.Context(), blankStarts(12, false), Options{Settings: analysis.Settings{Intervals: true}})
	if err != nil {
		t.Fatal(err)
	}
	m := r.Models[0]
	if r.Decisive != nil || m.Rest != nil || m.Leverage.Without.Slope.Reason == "" || !(m.Leverage.TopShare.V > 0.01 && m.Leverage.TopShare.V < 0.3) || len(r.Warnings) != 0 {
		t.Errorf("%v, %+v, warnings %q", r.Decisive, m.Leverage, r.Warnings)
	}
	for _, c := range r.Comparisons {
		if !c.P.Defined() {
			t.Errorf("%s: %s", c.Metric, c.P.Reason)
		}
	}
}

// Two numbers of one kind that tell the models apart in opposite order take each other's p values.
func TestContradiction(t *testing.T) {
	t.Parallel()
	row := func(metric string, difference, p float64) report.Comparison {
		return report.Comparison{A: "a", B: "b", Metric: metric, Difference: report.Number(difference), P: report.Number(p), PHolm: report.Number(p)}
	}
	for _, c := range []struct {
		line, robust report.Comparison
		kept         bool
	}{
		{row("slope", 1, 0.01), row("theil_sen", -1, 0.01), false}, {row("slope", 1, 0.01), row("theil_sen", 1, 0.01), true}, {row("slope", 1, 0.01), row("theil_sen", -1, 0.2), true},
	} {
		rows := map[string][]report.Comparison{"slope": {c.line}, "theil_sen": {c.robust}}
		(&leverage{}).withdraw(rows, nil)
		if a, b := rows["slope"][0].P, rows["theil_sen"][0].P; a.Defined() != c.kept || b.Defined() != c.kept {
			t.Errorf("%+v and %+v: %v and %v", c.line, c.robust, a, b)
		}
	}
}
