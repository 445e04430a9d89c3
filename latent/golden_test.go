// Encoders against PyTorch's outputs; see testdata/README.md.

package latent

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"repscope/dataset"
)

type golden struct {
	File            string
	Input           string
	Expected        string
	State           string
	Activation      string
	FinalActivation string `json:"final_activation"`
	Heads           int
}

func (g golden) options() OpenOptions {
	return OpenOptions{State: g.State, Activation: g.Activation, FinalActivation: g.FinalActivation, Heads: g.Heads}
}

func goldens(t testing.TB) []golden {
	t.Helper()
	var all []golden
	for _, name := range []string{"testdata/golden.json", "testdata/golden_transformers.json", "testdata/golden_recurrent.json"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var list []golden
		if err := json.Unmarshal(data, &list); err != nil {
			t.Fatal(err)
		}
		all = append(all, list...)
	}
	return all
}

// array reads an .npy file of testdata.
func array(t testing.TB, name string) ([]float32, []int) {
	t.Helper()
	a, err := dataset.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	values := make([]float32, a.Len()*a.RowLen())
	if err := a.ReadFloat32(values, 0, a.Len()); err != nil {
		t.Fatal(err)
	}
	return values, slices.Clone(a.Shape())
}

// relative is the largest difference, relative to the largest element.
func relative(got, want []float32) float64 {
	difference, scale := 0.0, 0.0
	for i, w := range want {
		d := math.Abs(float64(got[i]) - float64(w))
		if !(d <= difference) { // NaN counts
			difference = d
		}
		scale = max(scale, math.Abs(float64(w)))
	}
	return difference / scale
}

func TestGolden(t *testing.T) {
	for _, g := range goldens(t) {
		name := g.File + g.State + g.Activation + g.FinalActivation
		if g.Heads > 0 {
			name += fmt.Sprint(g.Heads)
		}
		t.Run(name, func(t *testing.T) {
			e, err := Open(filepath.Join("testdata", g.File), g.options())
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			x, shape := array(t, g.Input)
			want, wantShape := array(t, g.Expected)
			z, err := e.Encode(context.Background(), Array{shape, x})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(z.Shape, wantShape) {
				t.Fatalf("shape %v, want %v", z.Shape, wantShape)
			}
			r := relative(z.Values, want)
			t.Logf("relative error %.1e", r)
			if !(r <= 1e-5) {
				t.Errorf("relative error %.1e, want at most 1e-5", r)
			}
			if info := e.Info(); len(info.Output) != len(wantShape) || info.Identity == "" || info.Parameters == 0 {
				t.Errorf("info %+v", info)
			}
		})
	}
}

// memorySource serves states from memory.
type memorySource struct {
	values []float32
	shape  []int // of all states
	reads  atomic.Int64
}

func (s *memorySource) Len() int     { return s.shape[0] }
func (s *memorySource) Shape() []int { return s.shape[1:] }
func (s *memorySource) Float32(dst []float32, lo, hi int) error {
	width := len(s.values) / s.shape[0]
	s.reads.Add(1)
	copy(dst, s.values[lo*width:hi*width])
	return nil
}
func (s *memorySource) Fingerprint() (string, error) {
	return hashFloats("source", s.shape, [][]float32{s.values}), nil
}

// Latents have the same bits for any batch size and number of threads.
func TestBatchesAndThreads(t *testing.T) {
	options := []EncodeOptions{{Batch: 1, Threads: 1}, {Batch: 64, Threads: 3}, {Batch: 7, Threads: 2}, {Batch: 64, Threads: 1},
		{Batch: 1000, Threads: 5}}
	if testing.Short() {
		options = options[:3]
	}
	for _, g := range goldens(t) {
		if strings.HasSuffix(g.File, "_legacy.pt") || g.Activation != "" || g.State != "" || filepath.Ext(g.File) == ".safetensors" {
			continue // the same graph as of another file
		}
		x, shape := array(t, g.Input)
		// More states than a row block of the products, in a batch that does not divide them.
		const copies = 27
		src := &memorySource{shape: slices.Clone(shape)}
		src.shape[0] *= copies
		for k := range copies {
			for _, v := range x {
				src.values = append(src.values, v*float32(k+1)/copies)
			}
		}
		var want []float32
		for _, o := range options {
			e, err := Open(filepath.Join("testdata", g.File), g.options())
			if err != nil {
				t.Fatal(err)
			}
			o.Pool = PoolFlatten
			z, err := Latents(context.Background(), e, src, o)
			e.Close()
			if err != nil {
				t.Fatalf("%s: %v", g.File, err)
			}
			got := z.F32
			if want == nil {
				want = got
			}
			for i := range want {
				if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
					t.Errorf("%s: batch %d, %d threads: element %d is %g, want %g", g.File, o.Batch, o.Threads, i, got[i], want[i])
					break
				}
			}
		}
	}
}
