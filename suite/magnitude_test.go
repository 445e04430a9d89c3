// A property of every analysis of latents: the unit of float64 latents changes no score that
// has none, whatever it is, or the latents are refused.

package suite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/run"
	"repscope/internal/runtest"
)

// numbersOf flattens the numbers of a model by path.
func numbersOf(v any, path string, to map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for key, item := range v {
			numbersOf(item, path+"."+key, to)
		}
	case []any:
		for i, item := range v {
			numbersOf(item, fmt.Sprintf("%s[%d]", path, i), to)
		}
	case json.Number:
		to[path] = string(v)
	case nil:
		to[path] = "null"
	}
}

// closeTo reports whether two numbers are the same but for the rounding of logarithms.
func closeTo(got, want string) bool {
	if got == want {
		return true
	}
	a, errA := strconv.ParseFloat(got, 64)
	b, errB := strconv.ParseFloat(want, 64)
	return errA == nil && errB == nil && math.Abs(a-b) <= 1e-10*max(math.Abs(a), math.Abs(b))
}

func TestMagnitudes(t *testing.T) {
	runtest.Long(t, "it runs every program many times")
	t.Parallel()
	dir := t.TempDir()
	writeUnmeasured(t, dir)
	const n, dim = 60, 4
	z := make([]float64, n*dim)
	state := uint32(7)
	for i := range z {
		state = state*1664525 + 1013904223
		z[i] = float64(int32(state))/(1<<31) + 0.1*float64(i/40%3)
	}
	// Powers of two: 0 and 1 tell which numbers have no unit.
	exponents := []int{0, 1, -600, -300, -240, -100, 100, 240, 300, 600}
	for _, e := range exponents {
		scaled := make([]float64, len(z))
		for i, v := range z {
			scaled[i] = math.Ldexp(v, e)
		}
		if err := dataset.WriteNPY(filepath.Join(dir, fmt.Sprintf("z%d.npy", e)), []int{n, dim}, scaled); err != nil {
			t.Fatal(err)
		}
	}
	for name, args := range map[string]string{
		"smoothness":   "--frames {}/f.npy --horizons 1,2",
		"neighborhood": "--frames {}/f.npy --k 3,5 --permutations 2",
		"manifold":     "--gride 2,4,8 --neighbors 5,10",
		"similarity":   "--permutations 0 --measures all --latents c={}/b.npy --reference b",
		"geometry":     "--clusters 2,3 --labels {}/e.npy",
		"reward":       "--rewards {}/r.npy --probes ridge,knn --latent-scale rms",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := commandNamed(t, name)
			measure := func(e int) (numbers map[string]string, measured bool) {
				out := t.TempDir()
				line := fmt.Sprintf("%s --episodes {}/e.npy --latents b={}/b.npy --latents z={}/z%d.npy --format none --quiet --bootstrap 1 --out %s", args, e, out)
				var stdout, stderr bytes.Buffer
				if code := run.Run(t.Context(), command, strings.Fields(strings.ReplaceAll(line, "{}", dir)), &stdout, &stderr); code != 0 {
					t.Fatalf("%s: exit %d: %s", line, code, stderr.String())
				}
				data, err := os.ReadFile(filepath.Join(out, name+".json"))
				if err != nil {
					t.Fatal(err)
				}
				decoder := json.NewDecoder(bytes.NewReader(data))
				decoder.UseNumber()
				var result struct{ Models map[string]map[string]any }
				if err := decoder.Decode(&result); err != nil {
					t.Fatal(err)
				}
				model := result.Models["z"]
				numbers = map[string]string{}
				numbersOf(model, "", numbers)
				return numbers, model["skipped"] != true
			}
			base, _ := measure(0)
			twice, _ := measure(1)
			without := map[string]string{}
			for path, v := range base {
				if twice[path] == v {
					without[path] = v
				}
			}
			if len(without) < 10 {
				t.Fatalf("%d numbers have no unit", len(without))
			}
			for _, e := range exponents[2:] {
				got, measured := measure(e)
				if refused := e < -250 || e > 250; measured == refused {
					t.Errorf("times 2^%d: measured is %v", e, measured)
					continue
				}
				if !measured {
					continue
				}
				for path, want := range without {
					if !closeTo(got[path], want) {
						t.Errorf("times 2^%d: %s is %s, want %s", e, path, got[path], want)
					}
				}
			}
		})
	}
}
