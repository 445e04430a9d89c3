// Stores that zarr-python wrote, through the reader of arrays: every codec, type and layout, and values as xarray decodes
// them.

package zarr_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"repscope/dataset"
)

// golden is an array as zarr-python reads it.
type golden struct {
	Shape  []int
	Values []any
	SHA256 string
}

// check compares values.
func (g *golden) check(t *testing.T, name string, got []float64) {
	t.Helper()
	if g.SHA256 != "" {
		var b bytes.Buffer
		if err := binary.Write(&b, binary.LittleEndian, got); err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(b.Bytes()); hex.EncodeToString(sum[:]) != g.SHA256 {
			t.Errorf("%s: other values", name)
		}
		return
	}
	for i, v := range g.Values {
		want := math.NaN()
		switch v := v.(type) {
		case float64:
			want = v
		case string:
			want, _ = strconv.ParseFloat(v, 64)
		}
		if got[i] != want && (got[i] == got[i] || want == want) {
			t.Errorf("%s: value %d is %v, want %v", name, i, got[i], v)
			return
		}
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/values.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Stores map[string]map[string]golden }
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	count := 0
	for store, arrays := range all.Stores {
		for name, want := range arrays {
			a, err := dataset.Open("testdata/" + store + ":" + name)
			if err != nil {
				t.Error(err)
				continue
			}
			if !slices.Equal(a.Shape(), want.Shape) {
				t.Errorf("%s: shape %v, want %v", a.Name(), a.Shape(), want.Shape)
			}
			got := make([]float64, a.Len()*a.RowLen())
			if err := a.ReadFloat64(got, 0, a.Len()); err != nil {
				t.Error(err)
			}
			want.check(t, a.Name(), got)
			clear(got)
			for lo := range a.Len() { // rows of chunks that are kept
				if err := a.ReadFloat64(got[lo*a.RowLen():][:a.RowLen()], lo, lo+1); err != nil {
					t.Error(err)
				}
			}
			want.check(t, a.Name(), got)
			a.Close()
			count++
		}
	}
	if count < 74 {
		t.Errorf("only %d arrays", count)
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string]string{
		"v2.zip":         "name one as testdata/v2.zip:a/b/nested",
		"v2.zip:scaler":  `did you mean "scalar"?`,
		"v2.zip:bzip2":   "stored with bz2, which is not supported; rewrite it: python -c",
		"v2.zip:complex": "elements are of type <c8",
		"v3.zip:../x":    `no array "../x"`,
	} {
		if _, err := dataset.Open("testdata/" + spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", spec, err, want)
		}
	}
	for _, store := range []string{"xarray_v2.zarr", "xarray_v3.zarr"} {
		a, err := dataset.Open("testdata/" + store + ":packed")
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(a.Notes(), " "); !strings.Contains(notes, "-32767 is NaN") {
			t.Errorf("%s: notes %q", store, notes)
		}
		l, err := dataset.List("testdata/" + store)
		if err != nil || len(l.Items) != 5 || len(l.Attributes) != 1 || l.Attributes[0].Value != "golden" {
			t.Errorf("%s: %+v, %v", store, l, err)
		}
		b, err := dataset.Open("testdata/" + store + "/packed") // the array itself is a store
		if err != nil || !slices.Equal(b.Shape(), a.Shape()) {
			t.Errorf("%s: %v", store, err)
		}
	}
}
