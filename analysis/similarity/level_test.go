// How often p is 0.05 or less for spaces that share nothing, and how often intervals hold the mean over draws of spaces
// that share a part:
//
//	REPSCOPE_DRAWS=200 go test ./analysis/similarity -run TestLevel$ -v -timeout 2h
//	REPSCOPE_DRAWS=200 go test ./analysis/similarity -run TestLevel_WideSpaces -v -timeout 2h
//	REPSCOPE_DRAWS=200 go test ./analysis/similarity -run TestLevel_Stitched -v -timeout 2h
//
// Without the variable a few draws of one design run.

package similarity

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"repscope/analysis"
	"repscope/internal/runtest"
	"repscope/measure/similarity"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// simulated is a design: autoregressive states of two models in episodes of one length, or of half to one and a half.
type simulated struct {
	rho              float64
	episodes, length int
	uneven           bool
	dim              int // 0: 6
}

func (d simulated) String() string {
	lengths := fmt.Sprintf("%d", d.length)
	if d.uneven {
		lengths = fmt.Sprintf("%d to %d", d.length/2, d.length/2+d.length-1)
	}
	return fmt.Sprintf("ρ %g, %d episodes of %s states, %d dimensions", d.rho, d.episodes, lengths, max(d.dim, 6))
}

// draw are both models, which share a part or nothing.
func (d simulated) draw(seed uint64, shared bool) Input {
	dim := max(d.dim, 6)
	random := stat.NewRandom(stat.NewKey(seed, uint64(d.episodes), uint64(100*d.rho)))
	var in Input
	for e := range d.episodes {
		length := d.length
		if d.uneven {
			length = d.length/2 + random.Intn(d.length)
		}
		for range length {
			in.Episode = append(in.Episode, e)
		}
	}
	walk := func() []float64 {
		z := make([]float64, len(in.Episode)*dim)
		for i := range z {
			z[i] = random.Normal()
			if state := i / dim; state > 0 && in.Episode[state] == in.Episode[state-1] {
				z[i] = d.rho*z[i-dim] + math.Sqrt(1-d.rho*d.rho)*z[i]
			}
		}
		return z
	}
	a, b := walk(), walk()
	if shared {
		for i, v := range walk() {
			a[i] += v
			b[i] += v
		}
	}
	in.Models = []Encoded{{Name: "a", Latents: points.Float64(a, dim)}, {Name: "b", Latents: points.Float64(b, dim)}}
	return in
}

func TestLevel(t *testing.T) {
	runtest.Long(t, "it simulates many recordings")
	t.Parallel()
	draws, measures := 40, []string{"cka", "mutual_knn", "procrustes"}
	designs := []simulated{{rho: 0.95, episodes: 12, length: 12, uneven: true}}
	if text := os.Getenv("REPSCOPE_DRAWS"); text != "" {
		var err error
		if draws, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
		measures, designs = []string{"all"}, nil
		for _, rho := range []float64{0, 0.8, 0.95} {
			for _, episodes := range []int{5, 16, 60} {
				length := map[int]int{5: 48, 16: 15, 60: 8}[episodes]
				designs = append(designs, simulated{rho: rho, episodes: episodes, length: length},
					simulated{rho: rho, episodes: episodes, length: length, uneven: true})
			}
		}
	}
	for _, d := range designs {
		rejected, held := d.rates(t, draws, measures)
		for _, name := range rejected.names {
			level, coverage := rejected.percent(name), held.percent(name)
			t.Logf("%s: %s: p ≤ 0.05 in %.1f %%, intervals hold %.1f %%", d, name, level, coverage)
			if level > 20 {
				t.Errorf("%s: %s of unrelated spaces has p ≤ 0.05 in %.1f %%", d, name, level)
			}
		}
	}
}

// p values of spaces with more dimensions than states hold too.
func TestLevel_WideSpaces(t *testing.T) {
	runtest.Long(t, "it simulates many recordings")
	t.Parallel()
	draws, d := 40, simulated{rho: 0.8, episodes: 8, length: 8, dim: 100}
	if text := os.Getenv("REPSCOPE_DRAWS"); text != "" {
		var err error
		if draws, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
		d = simulated{rho: 0.8, episodes: 16, length: 15, dim: 512}
	}
	measures := slices.DeleteFunc(similarity.Names(), func(name string) bool { // their draws take seconds each
		return slices.Contains([]string{"svcca", "pwcca", "procrustes", "shape_angle", "unit_match", "predictivity"}, name)
	})
	var rejected tally
	d.apart(t, draws, measures, &rejected)
	for _, name := range rejected.names {
		level := rejected.percent(name)
		t.Logf("%s: %s: p ≤ 0.05 in %.1f %%", d, name, level)
		if level > 20 {
			t.Errorf("%s: %s of unrelated spaces has p ≤ 0.05 in %.1f %%", d, name, level)
		}
	}
}

// p values of stitched models that share nothing, and intervals of models that share a part.
func TestLevel_Stitched(t *testing.T) {
	runtest.Long(t, "it simulates many recordings")
	t.Parallel()
	draws, designs := 30, []simulated{{rho: 0.95, episodes: 12, length: 12, uneven: true}}
	if text := os.Getenv("REPSCOPE_DRAWS"); text != "" {
		var err error
		if draws, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
		designs = []simulated{{rho: 0.95, episodes: 16, length: 15, dim: 64}}
		for _, rho := range []float64{0, 0.95} {
			for _, episodes := range []int{5, 16, 60} {
				length := map[int]int{5: 48, 16: 15, 60: 8}[episodes]
				designs = append(designs, simulated{rho: rho, episodes: episodes, length: length, uneven: episodes == 16})
			}
		}
	}
	for _, d := range designs {
		var rejected, held tally
		values := map[string][]report.Estimate{}
		for draw := range uint64(draws) {
			apart, shared := stitchedDraw(t, d.draw(draw, false), draw), stitchedDraw(t, d.draw(draw, true), draw)
			rejected.add("error", apart.Error.Null.P.Float() <= 0.05)
			rejected.add("agreement", apart.Agreement.Null.P.Float() <= 0.05)
			values["error"] = append(values["error"], shared.Error.Value)
			values["agreement"] = append(values["agreement"], shared.Agreement.Value)
		}
		for _, name := range rejected.names {
			mean := 0.0
			for _, v := range values[name] {
				mean += v.Float() / float64(draws)
			}
			for _, v := range values[name] {
				held.add(name, v.CI.Defined() && v.CI.Low <= mean && mean <= v.CI.High)
			}
			level := rejected.percent(name)
			t.Logf("%s: %s: p ≤ 0.05 in %.1f %%, intervals hold %.1f %%", d, name, level, held.percent(name))
			if level > 20 {
				t.Errorf("%s: %s of unrelated models has p ≤ 0.05 in %.1f %%", d, name, level)
			}
		}
	}
}

// stitchedDraw stitches the first of two models to the second.
func stitchedDraw(t *testing.T, in Input, seed uint64) Stitch {
	t.Helper()
	rest := &linearRest{classes: true, weights: [][]float64{{1, 0, 2, 0, 0, 1}, {0, 1, 0, -1, 2, 0}, {1, -1, 0, 0, 1, 1}}}
	for _, m := range in.Models {
		values := make([]float32, len(m.Latents.F64))
		for i, v := range m.Latents.F64 {
			values[i] = float32(v)
		}
		in.Layers = append(in.Layers, Layered{Name: m.Name, Layers: []Encoded{m},
			Stages: []Stage{stageOf(values, 0, rest, m.Latents.Dim)}})
	}
	o := stitchOptions()
	o.Permutations, o.StitchPermutations = 39, 39
	o.Settings = analysis.Settings{Intervals: true, Seed: seed, Threads: 1}
	return analyzed(t, in, o).Stitches[0]
}

// apart counts p values of spaces that share nothing.
func (d simulated) apart(t *testing.T, draws int, measures []string, rejected *tally) {
	t.Helper()
	o := Options{Measures: measures, K: []int{5}, Pairs: 5_000, Permutations: 39}
	for draw := range uint64(draws) {
		o.Settings = analysis.Settings{Seed: draw, Threads: 1}
		r := analyzed(t, d.draw(draw, false), o)
		for _, name := range r.Scores {
			rejected.add(name, r.Pairs[0].Score(name).Null.P.Float() <= 0.05)
		}
	}
}

// tally counts draws by score.
type tally struct {
	names      []string
	count, all map[string]int
}

func (c *tally) add(name string, counts bool) {
	if c.all == nil {
		c.all, c.count = map[string]int{}, map[string]int{}
	}
	if c.all[name] == 0 {
		c.names = append(c.names, name)
	}
	c.all[name]++
	if counts {
		c.count[name]++
	}
}

func (c *tally) percent(name string) float64 {
	return 100 * float64(c.count[name]) / float64(c.all[name])
}

// rates counts p values of spaces that share nothing and intervals of spaces that share a part.
func (d simulated) rates(t *testing.T, draws int, measures []string) (rejected, held tally) {
	t.Helper()
	o := Options{Measures: measures, K: []int{5}, Pairs: 5_000}
	scores := map[string][]PairScore{}
	d.apart(t, draws, measures, &rejected)
	for draw := range uint64(draws) {
		o.Settings = analysis.Settings{Seed: draw, Threads: 1}
		o.Intervals = true
		r := analyzed(t, d.draw(draw, true), o)
		for _, name := range r.Scores {
			scores[name] = append(scores[name], r.Pairs[0].Score(name))
		}
	}
	for name, all := range scores {
		mean := 0.0
		for _, s := range all {
			mean += s.Value.V / float64(len(all))
		}
		for _, s := range all {
			held.add(name, s.Value.CI.Defined() && s.Value.CI.Low <= mean && mean <= s.Value.CI.High)
		}
	}
	return rejected, held
}
