// Scores of small arrays in files.

package repscope

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/points"
)

// npy writes a file of float64 rows.
func npy(t *testing.T, name string, rows int, values ...float64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, npyBytes(rows, values), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func npyBytes(rows int, values []float64) []byte {
	head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", rows, len(values)/rows)
	head += strings.Repeat(" ", 117-len(head)) + "\n"
	out := append([]byte("\x93NUMPY\x01\x00\x76\x00"), head...)
	for _, v := range values {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out
}

func TestScore(t *testing.T) {
	t.Parallel()
	// On a line: 0 and 1 change places with 5 and 6 in the embedding.
	x := npy(t, "x.npy", 7, 0, 1, 2.1, 3.3, 4.6, 6, 7.5)
	z := npy(t, "z.npy", 7, 6, 7.5, 2.1, 3.3, 4.6, 0, 1)
	short := npy(t, "short.npy", 3, 1, 2, 3)
	nan := npy(t, "nan.npy", 7, 1, 2, math.NaN(), 4, 5, 6, 7)
	flat := npy(t, "flat.npy", 7, 2, 2, 2, 2, 2, 2, 2)
	for _, c := range []struct {
		args        string
		code        int
		out, stderr string
	}{
		{"trustworthiness " + x + " " + x + " --k 2", 0, `{"trustworthiness":1}`, ""},
		{"continuity " + x + " " + z + " --k=2", 0, `{"continuity":` + lineScore(z, x) + "}", ""},
		{"--k 2 trustworthiness --metric euclidean " + x + " " + z, 0, `{"trustworthiness":` + lineScore(x, z) + "}", ""},
		{"trustworthiness " + x + " " + flat, 0, `{"trustworthiness":null}`, ""},
		{"continuity " + flat + " " + x, 0, `{"continuity":null}`, ""},
		{"trustworthiness " + x, 2, "", "two arrays, 2 arguments"},
		{"trust " + x + " " + x, 2, "", "want trustworthiness or continuity"},
		{"trustworthiness " + x + " " + x + " --k 6", 2, "", "--k 6: want 1 to 5"},
		{"trustworthiness " + x + " " + x + " --k 0", 2, "", "--k 0: want 1 to 5"},
		{"trustworthiness " + x + " " + x + " --metric far", 2, "", "want euclidean, cosine or precomputed"},
		{"trustworthiness " + x + " " + x + " --fast", 2, "", "not defined: -fast"},
		{"trustworthiness " + x + " " + short + " --k 2", 1, "", "short.npy has 3"},
		{"trustworthiness " + nan + " " + x, 1, "", "nan.npy: point 2, coordinate 0 is NaN"},
		{"trustworthiness " + x + " nowhere.npy", 1, "", "nowhere.npy"},
		{"trustworthiness " + x + " " + x + " --metric precomputed", 1, "", "x.npy: "},
	} {
		var out, stderr bytes.Buffer
		code := Run(commands(), append([]string{"score"}, strings.Fields(c.args)...), &out, &stderr)
		if code != c.code || !strings.Contains(stderr.String(), c.stderr) || (c.stderr == "") != (stderr.Len() == 0) {
			t.Errorf("%s: exit code %d, %q, want %d, %q", c.args, code, stderr.String(), c.code, c.stderr)
		}
		if got := strings.Join(strings.Fields(out.String()), ""); got != c.out {
			t.Errorf("%s: %s, want %s", c.args, got, c.out)
		}
	}
}

// Rows of zeros are at the cosine distance 1 from all others and from each other, as scikit-learn has it, and small
// distances of points from themselves are none.
func TestScoreZeroRows(t *testing.T) {
	t.Parallel()
	const n = 9
	x := []float64{1, 2, 0, 0, 3, 1, -1, 4, 0, 0, 2, 2.5, -2, -1, 5, 1, 1, -3}
	z := npy(t, "z.npy", n, 1, 4, 2, 8.5, 5, 7.2, 9.9, 3, 6.1)
	distances := make([]float64, n*n)
	for i := range n {
		for j := range n {
			a, b := x[2*i:2*i+2], x[2*j:2*j+2]
			distances[i*n+j] = 1
			if norms := math.Hypot(a[0], a[1]) * math.Hypot(b[0], b[1]); i == j {
				distances[i*n+j] = 1e-9 * float64(i)
			} else if norms > 0 {
				distances[i*n+j] = 1 - (a[0]*b[0]+a[1]*b[1])/norms
			}
		}
	}
	similar := slices.Clone(distances)
	similar[3*n+3] = 2
	for _, name := range []string{"trustworthiness", "continuity"} {
		var out [3]string
		for at, args := range [][]string{{npy(t, "x.npy", n, x...), "--metric=cosine"}, {npy(t, "d.npy", n, distances...), "--metric=precomputed"},
			{npy(t, "s.npy", n, similar...), "--metric=precomputed"}} {
			var stdout, stderr bytes.Buffer
			if code := Run(commands(), []string{"score", name, args[0], z, "--k=3", args[1]}, &stdout, &stderr); code != 0 {
				t.Fatalf("%v: exit code %d, %s", args, code, stderr.String())
			}
			out[at] = stdout.String()
		}
		if out[0] != out[1] || out[1] != out[2] || !strings.Contains(out[0], ":") || strings.Contains(out[0], "null") {
			t.Errorf("%s: %s by the cosine, %s by the distances, %s with another diagonal", name, out[0], out[1], out[2])
		}
	}
	for want, args := range map[string][]string{
		"null": {npy(t, "zeros.npy", n, make([]float64, 2*n)...), "--metric=cosine"},
	} {
		var out bytes.Buffer
		Run(commands(), []string{"score", "trustworthiness", args[0], z, "--k=3", args[1]}, &out, &out)
		if !strings.Contains(out.String(), want) {
			t.Errorf("%v: %s, want %s", args, out.String(), want)
		}
	}
	for _, p := range []points.Points{points.Uint8([]uint8{1, 2, 0, 0, 3, 4}, 2), points.Float32([]float32{1, 2, 0, 0, 3, 4}, 2)} {
		if q := apart(p, zeroRows(p)); q.Dim != 3 || q.N != 3 || !slices.Equal(q.Row(1, make([]float64, 3)), []float64{0, 0, 1}) {
			t.Errorf("got %v", q)
		}
	}
}

// lineScore is the score at k = 2 of two files of seven points on lines, by the definition.
func lineScore(original, embedded string) string {
	read := func(path string) (x [7]float64) {
		data, _ := os.ReadFile(path)
		for i := range x {
			x[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[128+8*i:]))
		}
		return x
	}
	x, z := read(original), read(embedded)
	rank := func(x [7]float64, i, j int) int {
		r := 1
		for l := range x {
			if l != i && math.Abs(x[l]-x[i]) < math.Abs(x[j]-x[i]) {
				r++
			}
		}
		return r
	}
	penalty := 0
	for i := range x {
		for j := range x {
			if i != j && rank(z, i, j) <= 2 {
				penalty += max(0, rank(x, i, j)-2)
			}
		}
	}
	value, _ := json.Marshal(1 - float64(penalty)/float64(7*2*(14-6-1)/2))
	return string(value)
}
