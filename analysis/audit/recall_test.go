// How large a change of a copied frame may be until the copy is no longer called near: the table of
// docs/analyses/audit.md.

package audit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"repscope/internal/example"
	"repscope/points"
)

const side, pixels = example.Width, example.Width * example.Height

// changes are ways to change a copy, with sizes.
var changes = []struct {
	name   string
	sizes  []float64
	change func(r *rand.Rand, frame []uint8, size float64) []uint8
}{
	{"noise of standard deviation (gray levels)", []float64{0, 4, 16, 32, 48, 64}, func(r *rand.Rand, frame []uint8,
		size float64) []uint8 {
		return mapped(frame, func(v float64) float64 { return v + size*r.NormFloat64() })
	}},
	{"brightness (gray levels)", []float64{4, 8, 16, 24, 32, 48}, func(_ *rand.Rand, frame []uint8, size float64) []uint8 {
		return mapped(frame, func(v float64) float64 { return v + size })
	}},
	{"shift (pixels)", []float64{1, 2, 3, 4, 6, 8}, func(_ *rand.Rand, frame []uint8, size float64) []uint8 {
		return moved(frame, func(x, y int) (int, int) { return x - int(size), y })
	}},
	{"crop (pixels on each side)", []float64{1, 2, 3, 4, 6, 8}, func(_ *rand.Rand, frame []uint8, size float64) []uint8 {
		scale := (side - 2*size) / side
		return moved(frame, func(x, y int) (int, int) { return int(size + scale*float64(x)), int(size + scale*float64(y)) })
	}},
}

func mapped(frame []uint8, f func(v float64) float64) []uint8 {
	out := make([]uint8, len(frame))
	for i, v := range frame {
		out[i] = uint8(min(255, max(0, f(float64(v)))))
	}
	return out
}

func moved(frame []uint8, from func(x, y int) (int, int)) []uint8 {
	out := make([]uint8, len(frame))
	for i := range out {
		x, y := from(i%side, i/side)
		x, y = min(side-1, max(0, x)), min(side-1, max(0, y))
		out[i] = frame[y*side+x]
	}
	return out
}

func TestRecall(t *testing.T) {
	if testing.Short() {
		t.Skip("it searches 24 times among frames")
	}
	t.Parallel()
	set := example.Example()
	var in Input
	var training, tested []int
	for i, e := range set.Episode {
		in.Episode = append(in.Episode, int(e))
		if e < 12 {
			in.Split, training = append(in.Split, "train"), append(training, i)
		} else {
			in.Split, tested = append(in.Split, "test"), append(tested, i)
		}
	}
	frame := func(i int) []uint8 { return set.Frames[i*pixels : (i+1)*pixels] }
	var table strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&table, "\n%s:", c.name)
		for k, size := range c.sizes {
			r := rand.New(rand.NewPCG(1, uint64(k)))
			frames := append([]uint8(nil), set.Frames...)
			for _, i := range tested {
				copy(frames[i*pixels:], c.change(r, frame(training[r.IntN(len(training))]), size))
			}
			var recall [2]float64
			for kind, states := range []points.Points{points.Uint8(frames, pixels), blocks(frames)} {
				in.States = states
				result, err := Analyze(t.Context(), in, Options{})
				if err != nil {
					t.Fatal(err)
				}
				recall[kind] = result.Tests[0].Leaking.V
			}
			fmt.Fprintf(&table, " %g: %.2f, %.2f;", size, recall[0], recall[1])
			if size == 0 && (recall[0] < 1 || recall[1] < 1) {
				t.Errorf("copies: recall %v, want 1", recall)
			}
		}
	}
	t.Log(table.String())
}

// blocks are means of 8 × 8 pixels.
func blocks(frames []uint8) points.Points {
	const cells = side / 8
	out := make([]float32, len(frames)/64)
	for i, v := range frames {
		frame, x, y := i/pixels, i%side, i/side%side
		out[(frame*cells+y/8)*cells+x/8] += float32(v) / 64
	}
	return points.Float32(out, cells*cells)
}
