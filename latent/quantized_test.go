// Quantized encoders against ONNX Runtime's outputs; see testdata/README.md.

package latent

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// A network whose result is quantized agrees except for the few numbers that lie in the middle between
// two steps, and those by one step. One that is quantized as it runs has no steps of its own: it agrees to the
// share of the largest value that stands with it.
func TestQuantized(t *testing.T) {
	data, err := os.ReadFile("testdata/golden_quantized.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		golden
		Step float64
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	within := map[string]float64{"small_dynamic.onnx": 1e-3, "small_dynamic_lstm.onnx": 1e-2}
	for _, c := range cases {
		t.Run(c.File, func(t *testing.T) {
			e, err := Open(filepath.Join("testdata", c.File), c.options())
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			x, shape := array(t, c.Input)
			want, _ := array(t, c.Expected)
			z, err := e.Encode(context.Background(), Array{shape, x})
			if err != nil {
				t.Fatal(err)
			}
			got := z.Values
			if c.Step == 0 {
				r := relative(got, want)
				t.Logf("relative error %.1e", r)
				if !(r <= within[c.File]) {
					t.Errorf("relative error %.1e, want at most %.0e", r, within[c.File])
				}
				return
			}
			others := 0
			for i, w := range want {
				steps := math.Abs(float64(got[i])-float64(w)) / c.Step
				if !(steps < 1.01) {
					t.Errorf("element %d is %g, want %g: %.2f steps away", i, got[i], w, steps)
				}
				if steps > 0.01 {
					others++
				}
			}
			t.Logf("%d of %d elements are one step away", others, len(want))
			if others*50 > len(want) {
				t.Errorf("%d of %d elements are one step away, want at most one in 50", others, len(want))
			}
		})
	}
}
