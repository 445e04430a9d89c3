// Objects beside those that SciPy finds and matches, and beside the best of all matches.

package reconstruction

import (
	"context"
	_ "embed"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/measure/box"
	"repscope/measure/image"
	"repscope/measure/object"
)

//go:embed testdata/objects.json
var objectsJSON []byte

// goldenObjects is a case of testdata/objects.json: an episode and predictions of all its
// frames but the first.
type goldenObjects struct {
	Shape            []int // channels, height, width
	Truth, Predicted []float64
	Background       []float64
	Objects          []struct {
		Areas     []int
		Hits      []bool
		Predicted int
		Distance  float64
	}
	Motion []struct{ Truth, Predicted, Cosine float64 }
}

func readObjects(t *testing.T) []goldenObjects {
	t.Helper()
	var out struct{ Cases []goldenObjects }
	if err := json.Unmarshal(objectsJSON, &out); err != nil || len(out.Cases) == 0 {
		t.Fatal(len(out.Cases), err)
	}
	return out.Cases
}

func (g goldenObjects) shape() image.Shape {
	return image.Shape{Channels: g.Shape[0], Height: g.Shape[1], Width: g.Shape[2]}
}

// held are frames in memory.
func held(values []float64, size int) Frames {
	return Frames{Read: func(_ context.Context, dst []float64, index []int) error {
		for i, k := range index {
			copy(dst[i*size:(i+1)*size], values[k*size:])
		}
		return nil
	}}
}

func TestGoldenObjects(t *testing.T) {
	t.Parallel()
	for _, g := range readObjects(t) {
		size, n := g.shape().Size(), len(g.Objects)
		b := object.NewBackgrounds(held(g.Truth, size).Read, size, make([]int, n+1), 2)
		background, err := b.Of(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range background {
			if math.Abs(v-g.Background[i]) > 1e-15 {
				t.Fatalf("background %d: %v, want %v", i, v, g.Background[i])
			}
		}
		f := object.NewFinder(g.shape(), 0.1, 4)
		for i, want := range g.Objects {
			truth, err := f.Find(g.Truth[(i+1)*size:(i+2)*size], background)
			if err != nil {
				t.Fatal(err)
			}
			predicted, err := f.Find(g.Predicted[i*size:(i+1)*size], background)
			if err != nil {
				t.Fatal(err)
			}
			var areas []int
			for _, o := range truth.Objects {
				areas = append(areas, o.Area)
			}
			got, err := matchObjects(truth, predicted)
			if err != nil || !slices.Equal(areas, want.Areas) || !slices.Equal(got.hits, want.Hits) || got.predicted != want.Predicted ||
				math.Abs(got.distance-want.Distance) > 1e-12 {
				t.Errorf("frame %d: areas %v, %+v, %v, want %+v", i, areas, got, err, want)
			}
		}
	}
}

// TestMatchObjects compares the sum of overlaps with that of all ways to match.
func TestMatchObjects(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 5))
	for range 300 {
		const n = 40
		draw := func() *object.Found {
			f := &object.Found{Labels: make([]int32, n), Objects: make([]box.Component, 1+rng.IntN(5))}
			label := int32(0)
			for i := range f.Labels {
				if rng.IntN(5) == 0 {
					label = int32(rng.IntN(len(f.Objects) + 1))
				}
				if f.Labels[i] = label; label > 0 {
					f.Objects[label-1].Area++
				}
			}
			for i := range f.Objects {
				f.Objects[i].X = rng.Float64()
			}
			return f
		}
		truth, predicted := draw(), draw()
		all := overlaps(truth, predicted)
		total, matched := 0.0, 0
		for _, g := range groups(all, len(truth.Objects)) {
			pairs, err := g.assign()
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range pairs {
				total += p.iou
				matched++
			}
		}
		if want := mostOf(all, 0, 0); math.Abs(total-want) > 1e-12 {
			t.Fatalf("overlaps %v: sum %v, want %v", all, total, want)
		}
		got, err := matchObjects(truth, predicted)
		if err != nil || got.matched() != matched || got.predicted != len(predicted.Objects) {
			t.Fatalf("%+v, %v, want %d matched", got, err, matched)
		}
	}
}

// mostOf is the largest sum of overlaps that have no object in common; used are true
// objects in the low bits and predicted ones above.
func mostOf(all []overlap, k, used int) float64 {
	if k == len(all) {
		return 0
	}
	most := mostOf(all, k+1, used)
	if bits := 1<<all[k].truth | 1<<(8+all[k].predicted); used&bits == 0 {
		most = max(most, all[k].iou+mostOf(all, k+1, used|bits))
	}
	return most
}

// TestMatchNothing: without objects nothing is matched.
func TestMatchNothing(t *testing.T) {
	t.Parallel()
	empty := &object.Found{Labels: make([]int32, 4)}
	one := &object.Found{Labels: []int32{1, 1, 0, 0}, Objects: []box.Component{{Area: 2}}}
	for _, c := range []struct {
		truth, predicted *object.Found
		matched          int
	}{{empty, empty, 0}, {one, empty, 0}, {empty, one, 0}, {one, one, 1}} {
		got, err := matchObjects(c.truth, c.predicted)
		if err != nil || got.matched() != c.matched || len(got.hits) != len(c.truth.Objects) || got.predicted != len(c.predicted.Objects) || got.distance != 0 {
			t.Errorf("%+v, %v, want %d matched", got, err, c.matched)
		}
	}
}

func TestTerciles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		areas     []int
		low, high int
	}{
		{nil, 0, 0}, {[]int{7}, 7, 7}, {[]int{9, 4}, 4, 9}, {[]int{3, 1, 2}, 1, 2},
		{[]int{6, 5, 4, 3, 2, 1}, 2, 4}, {[]int{5, 5, 5, 5, 9}, 5, 5}, {[]int{4, 8, 8, 8, 8, 8}, 8, 8},
	} {
		if low, high := terciles(c.areas); low != c.low || high != c.high {
			t.Errorf("terciles of %v: %d, %d, want %d, %d", c.areas, low, high, c.low, c.high)
		}
	}
}

// BenchmarkObjects is one predicted frame of 84 × 84 pixels with a dozen objects.
func BenchmarkObjects(b *testing.B) {
	rng := rand.New(rand.NewPCG(4, 5))
	shape := image.Shape{Channels: 1, Height: 84, Width: 84}
	truth, predicted, background := make([]float64, shape.Size()), make([]float64, shape.Size()), make([]float64, shape.Size())
	for range 12 {
		y, x := rng.IntN(76), rng.IntN(76)
		for i := range 36 {
			truth[(y+i/6)*84+x+i%6], predicted[(y+1+i/6)*84+x+1+i%6] = 1, 1
		}
	}
	f := object.NewFinder(shape, 0.1, 4)
	for b.Loop() {
		t, err := f.Find(truth, background)
		if err != nil {
			b.Fatal(err)
		}
		p, err := f.Find(predicted, background)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := matchObjects(t, p); err != nil {
			b.Fatal(err)
		}
	}
}

// matched is the number of true objects with a predicted one.
func (s objectScores) matched() (n int) {
	for _, hit := range s.hits {
		if hit {
			n++
		}
	}
	return n
}
