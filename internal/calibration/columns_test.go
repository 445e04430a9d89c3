// Columns of tables that are computed again, and strained designs.

package main

import (
	"context"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/internal/calibration/celltable"
	"repscope/stat"
)

// Columns that are computed again are those of one run over all designs, and the others stay.
func TestColumns_SameAsAllAtOnce(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	designs := []Design{grid()[1], others()[0], strained()[1]}
	render := func(designs ...Design) string {
		var tallies []*Tally
		for _, d := range designs {
			d.N = 160
			got, err := tally(context.Background(), Analysis{"smoothness", smooth}, d, 2, 42, 2)
			if err != nil {
				t.Fatal(err)
			}
			tallies = append(tallies, got)
		}
		var b strings.Builder
		write(&b, tallies, nil)
		return b.String()
	}
	save := func(text string, before *celltable.File) *celltable.File {
		tables, err := celltable.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for i := range tables {
			if before != nil {
				tables[i] = celltable.Joined(before.Table(tables[i].Name), &tables[i], designNames())
			}
		}
		f := &celltable.File{Name: "smoothness", Command: "go run ./internal/calibration -analyses smoothness -draws 2 -seed 42", Tables: tables}
		if err := f.Save(folder); err != nil {
			t.Fatal(err)
		}
		read, err := celltable.Read(folder)
		if err != nil || len(read) != 1 {
			t.Fatal(len(read), err)
		}
		return read[0]
	}
	text := func(f *celltable.File) string {
		var b strings.Builder
		for i := range f.Tables {
			f.Tables[i].WriteText(&b)
		}
		return b.String()
	}
	whole := text(save(render(designs...), nil))
	stale := save(strings.ReplaceAll(render(designs[0], designs[2]), "(1.", "(7."), nil)
	again := save(render(designs[1], designs[2]), stale)
	again = save(render(designs[0]), again)
	// Rows without a cell are left out of joined tables.
	var want []string
	for _, line := range strings.Split(whole, "\n") {
		if !strings.Contains(strings.Trim(line, "| –"), " ") && strings.HasSuffix(line, "– | – | – |") {
			continue
		}
		want = append(want, line)
	}
	if got := text(again); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	for _, c := range []struct {
		draws int
		seed  uint64
		fails bool
	}{{0, 0, false}, {2, 42, false}, {3, 0, true}, {0, 1, true}} {
		draws, seed, err := again.Drawn(c.draws, c.seed)
		if (err != nil) != c.fails || err == nil && (draws != 2 || seed != 42) {
			t.Errorf("%+v: %d draws, seed %d, error %v", c, draws, seed, err)
		}
	}
	var none *celltable.File
	if _, _, err := none.Drawn(0, 0); err == nil {
		t.Error("no tables have draws")
	}
}

// Fractionally integrated noise has unit variance and the autocorrelation d/(1 − d) at lag 1 (Hosking 1981).
func TestFractional(t *testing.T) {
	t.Parallel()
	const d, n = 0.3, 20000
	x := fractional(stat.NewRandom(stat.NewKey(1)), n, d)
	rho, err := stat.Autocorrelation(x, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	mean, variance := stat.MeanVariance(x)
	if len(x) != n || math.Abs(variance+mean*mean-1) > 0.1 || math.Abs(rho[1]-d/(1-d)) > 0.05 {
		t.Errorf("%d values, mean %v, variance %v, autocorrelation %v; want 1 and %v", len(x), mean, variance, rho[1], d/(1-d))
	}
	// Naively: x_t is the sum of weighted innovations from the first one on.
	short := fractional(stat.NewRandom(stat.NewKey(2)), 3, d)
	e := normals(stat.NewRandom(stat.NewKey(2)), settled+3, 1)
	sum, weight := 0.0, math.Gamma(1-d)/math.Sqrt(math.Gamma(1-2*d))
	for k := 0; k <= settled+2; k++ {
		sum += weight * e[settled+2-k]
		weight *= (float64(k) + d) / float64(k+1)
	}
	if math.Abs(short[2]-sum) > 1e-9 {
		t.Errorf("x = %v, want %v", short[2], sum)
	}
}

// Strained designs are what their names say, and their models are equal in law.
func TestStrainedDesigns(t *testing.T) {
	t.Parallel()
	design := func(name string) Design {
		all := strained()
		return all[slices.IndexFunc(all, func(d Design) bool { return d.Name == name })]
	}
	lengths := func(s *Sample) []int {
		out := make([]int, s.Episode[len(s.Episode)-1]+1)
		for _, e := range s.Episode {
			out[e]++
		}
		return out
	}
	for _, d := range strained() {
		a, b := d.draw(1, 3), d.draw(1, 3)
		if !slices.Equal(a.States, b.States) || len(lengths(a)) != d.Episodes || len(a.Episode) != d.N || slices.Min(lengths(a)) < 3 {
			t.Errorf("%s: %d episodes of %v states", d, len(lengths(a)), lengths(a))
		}
		if again := lengths(d.draw(1, 4)); d.Redrawn == slices.Equal(again, lengths(a)) {
			t.Errorf("%s: lengths %v and %v", d, lengths(a), again)
		}
	}
	if n := lengths(design("dominant").draw(1, 0)); n[0] != 240 || slices.Max(n[1:]) > 60 {
		t.Errorf("dominant: %v", n)
	}
	repeated, count, together, levels := 0.0, 0.0, [3]float64{}, 0.0
	for rep := range uint64(60) {
		s := design("sticky").draw(1, rep)
		for i := 1; i < len(s.Episode); i++ {
			if s.Episode[i] == s.Episode[i-1] {
				if count++; slices.Equal(s.States[i*features:(i+1)*features], s.States[(i-1)*features:i*features]) {
					repeated++
				}
			}
		}
		// Longer episodes have higher levels.
		s = design("informative").draw(1, rep)
		n := lengths(s)
		sums := make([]float64, len(n))
		for i, e := range s.Episode {
			sums[e] += float64(s.States[i*features])
		}
		for e, v := range sums {
			x, y := math.Log(float64(n[e])), v/float64(n[e])
			together[0], together[1], together[2], levels = together[0]+x, together[1]+y, together[2]+x*y, levels+1
		}
		if z := design("coarse").draw(1, rep).Latents[2].Row(5, nil); math.Abs(4*z[0]-math.Round(4*z[0])) > 1e-12 {
			t.Fatalf("coarse: %v", z)
		}
	}
	if share := repeated / count; math.Abs(share-0.6) > 0.02 {
		t.Errorf("sticky: %v of the states repeat the one before", share)
	}
	if c := together[2]/levels - together[0]/levels*together[1]/levels; c < 0.1 {
		t.Errorf("informative: covariance %v of log length and level", c)
	}
	// Copies differ by their noise alone, which is a function of the state.
	s := design("copies").draw(1, 0)
	var squares float64
	for i := range s.Episode {
		a, b := s.Latents[0].Row(i, nil), s.Latents[3].Row(i, nil)
		for k := range a {
			squares += (a[k] - b[k]) * (a[k] - b[k]) / float64(latent*len(s.Episode))
		}
	}
	if want := 2 * 0.15 * 0.15; math.Abs(squares-want) > 0.1*want {
		t.Errorf("copies: mean squared difference %v, want %v", squares, want)
	}
	if z := s.encode(s.States[features:2*features], 3); !slices.Equal(z, s.Latents[3].Row(1, nil)) {
		t.Errorf("a state has two latents: %v and %v", z, s.Latents[3].Row(1, nil))
	}
}

// Counts of one series change only with -update.
func TestSeriesShort(t *testing.T) {
	t.Parallel()
	holdShort(t, "series.md", func(w io.Writer, threads int) error {
		return writeSeries(context.Background(), w, []seriesDesign{{N: 300, Rho: 0.8}, {N: 300, D: 0.4}, {N: 300, Rho: 0.5, Noise: true}}, 12, 42, threads)
	})
}
