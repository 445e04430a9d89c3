// How large a change of a copied frame may be until the copy is no longer called near: the table of
// docs/analyses/audit.md.

package audit

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/dataset"
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
	episode := make([]int, len(set.Episode))
	for i, e := range set.Episode {
		episode[i] = int(e)
	}
	recall(t, set.Frames, episode, func(e int) bool { return e >= 12 })
}

// TestRecall_Photographs is the same with the patches that testdata/natural.py makes.
func TestRecall_Photographs(t *testing.T) {
	folder := os.Getenv("REPSCOPE_AUDIT_IMAGES")
	if folder == "" {
		t.Skip("REPSCOPE_AUDIT_IMAGES is not set; testdata/natural.py makes its files")
	}
	var images []uint8
	var episode []int
	for _, name := range []string{"frames.npy", "episodes.npy"} {
		a, err := dataset.Open(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		if name == "frames.npy" {
			images = make([]uint8, a.Len()*pixels)
			err = a.ReadUint8(images, 0, a.Len())
		} else {
			numbers := make([]int64, a.Len())
			err = a.ReadInt64(numbers, 0, a.Len())
			for _, e := range numbers {
				episode = append(episode, int(e))
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	recall(t, images, episode, func(e int) bool { return e%3 == 0 })
}

// recall logs the recall of changed copies of training frames in test episodes, over pixels and over means, and checks
// that equal copies are found.
func recall(t *testing.T, images []uint8, episode []int, isTest func(episode int) bool) {
	t.Helper()
	in := Input{Episode: episode}
	var training, tested []int
	for i, e := range episode {
		if isTest(e) {
			in.Split, tested = append(in.Split, "test"), append(tested, i)
		} else {
			in.Split, training = append(in.Split, "train"), append(training, i)
		}
	}
	leaking := func(frames []uint8) (recall [2]float64) {
		for kind, states := range []points.Points{points.Uint8(frames, pixels), blocks(frames)} {
			in.States = states
			result, err := Analyze(t.Context(), in, Options{})
			if err != nil {
				t.Fatal(err)
			}
			recall[kind] = result.Tests[0].Leaking.V
		}
		return recall
	}
	var table strings.Builder
	none := leaking(images)
	fmt.Fprintf(&table, "\nnothing copied: %.3f, %.3f;", none[0], none[1])
	for _, c := range changes {
		fmt.Fprintf(&table, "\n%s:", c.name)
		for k, size := range c.sizes {
			r := rand.New(rand.NewPCG(1, uint64(k)))
			frames := slices.Clone(images)
			for _, i := range tested {
				from := training[r.IntN(len(training))]
				copy(frames[i*pixels:], c.change(r, images[from*pixels:(from+1)*pixels], size))
			}
			found := leaking(frames)
			fmt.Fprintf(&table, " %g: %.2f, %.2f;", size, found[0], found[1])
			if size == 0 && (found[0] < 1 || found[1] < 1) {
				t.Errorf("copies: recall %v, want 1", found)
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
