// Tests of the JSON encoding.

package report

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func encode(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	if err := Encode(&b, v); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b.Bytes()) {
		t.Fatalf("not JSON: %s", b.String())
	}
	return b.String()
}

// compact takes the white space out, so that tables stay readable.
func compact(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestEncode(t *testing.T) {
	type inner struct {
		A int `json:"a"`
	}
	type model struct {
		inner
		Slope   Value    `json:"slope"`
		SlopeCI Interval `json:"slope_ci"`
		Skip    int      `json:"-"`
		Empty   []int    `json:"empty,omitempty"`
		Name    string
	}
	var ordered Object
	ordered.Set("z", 1)
	ordered.Set("a", 2)
	ordered.Set("z", 3)
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		name string
		in   any
		want string
	}{
		{"struct", model{inner: inner{7}, Slope: Number(0.1), SlopeCI: Between(-0.5, 1e-7), Name: "x<y"},
			`{"a":7,"slope":0.1,"slope_ci":[-0.5,1e-07],"Name":"x<y"}`},
		{"undefined value", model{Slope: Undefined("the latents are constant"), SlopeCI: Between(0, 1)},
			`{"a":0,"slope":null,"slope_ci":[0,1],"Name":"","reason":"the latents are constant"}`},
		{"equal reasons", model{Slope: Undefined("flat"), SlopeCI: NoInterval("flat")},
			`{"a":0,"slope":null,"slope_ci":null,"Name":"","reason":"flat"}`},
		{"different reasons", model{Slope: Undefined("flat"), SlopeCI: NoInterval("bootstrap %d", 0)},
			`{"a":0,"slope":null,"slope_ci":null,"Name":"","reason":"slope: flat; slope_ci: bootstrap 0"}`},
		{"zero interval", model{}, `{"a":0,"slope":0,"slope_ci":null,"Name":"","reason":"no interval was computed"}`},
		{"interval at zero", model{SlopeCI: Between(0, 0)}, `{"a":0,"slope":0,"slope_ci":[0,0],"Name":""}`},
		{"bare NaN", map[string]float64{"b": nan, "a": 1}, `{"a":1,"b":null,"reason":"the value is not defined (NaN)"}`},
		{"bare infinity", map[string]any{"x": inf, "y": -inf},
			`{"x":null,"y":null,"reason":"x: the value is positive infinity; y: the value is negative infinity"}`},
		{"NaN in an array", map[string]any{"x": []float64{1, nan, nan}}, `{"x":[1,null,null],"reason":"the value is not defined (NaN)"}`},
		{"inner object keeps its reason", map[string]any{"o": map[string]any{"x": Undefined("why")}, "p": 1}, `{"o":{"x":null,"reason":"why"},"p":1}`},
		{"own reason wins", map[string]any{"x": nan, "reason": "mine"}, `{"reason":"mine","x":null}`},
		{"ordered", ordered, `{"z":3,"a":2}`},
		{"pointer", &ordered, `{"z":3,"a":2}`},
		{"nil", map[string]any{"n": nil, "s": []int(nil), "p": (*int)(nil)}, `{"n":null,"p":null,"s":[]}`},
		{"integers", []any{int64(math.MaxInt64), uint64(math.MaxUint64), int8(-1)}, `[9223372036854775807,18446744073709551615,-1]`},
		{"float32", []float32{0.1, float32(inf)}, `[0.1,null]`},
		{"marshaler with a reason", map[string]any{"ci": foreign{Reason: "one block"}}, `{"ci":null,"reason":"one block"}`},
		{"marshaler", map[string]any{"ci": foreign{ok: true}}, `{"ci":[1,2]}`},
		{"bad text", "a\xffb\n", `"a\ufffdb\n"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := compact(t, encode(t, test.in)); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// foreign is a type with an encoding of its own, like those of package stat.
type foreign struct {
	ok     bool
	Reason string
}

func (f foreign) MarshalJSON() ([]byte, error) {
	if f.ok {
		return []byte("[1,2]"), nil
	}
	return []byte("null"), nil
}

func TestEncodeLayout(t *testing.T) {
	got := encode(t, map[string]any{"rows": []any{[]int{1, 2}, map[string]int{"k": 5}}, "none": map[string]int{}, "list": []float64{}})
	want := `{
  "list": [],
  "none": {},
  "rows": [
    [1, 2],
    {
      "k": 5
    }
  ]
}
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestEncodeErrors(t *testing.T) {
	for want, in := range map[string]any{
		"a.b[1]":   map[string]any{"a": map[string]any{"b": []any{1, make(chan int)}}},
		"map keys": map[int]int{1: 2},
		"a func":   map[string]any{"a func": func() {}},
	} {
		err := Encode(&bytes.Buffer{}, in)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
}

// Every float64 reads back to the same bits, and agrees with encoding/json in value.
func TestFloatRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
		if !finite(v) {
			t.Skip("not finite")
		}
		text := formatFloat(v)
		back, err := strconv.ParseFloat(text, 64)
		if err != nil || math.Float64bits(back) != math.Float64bits(v) {
			t.Fatalf("%v was written as %s and read as %v (%v)", v, text, back, err)
		}
		if !json.Valid([]byte(text)) {
			t.Fatalf("%s is not a JSON number", text)
		}
	})
}

func TestResultIsDeterministic(t *testing.T) {
	make := func() *Result {
		r := NewResult("smoothness")
		r.Started, r.Elapsed = "", 0
		r.Models.Set("jepa", map[string]any{"slope": 1.5, "r": Undefined("flat")})
		r.Models.Set("a", map[string]any{"slope": 2})
		r.Comparisons = append(r.Comparisons, Comparison{A: "jepa", B: "a", Metric: "slope", Difference: Number(-0.5), CI: Between(-1, 0), P: Number(0.03), PHolm: Number(0.03), T: new(Undefined("one block"))})
		r.Warn("same")
		r.Warn("same")
		return r
	}
	first, second := encode(t, make()), encode(t, make())
	if first != second {
		t.Errorf("two encodings differ:\n%s\n%s", first, second)
	}
	if strings.Index(first, `"jepa": {`) > strings.Index(first, `"a": {`) {
		t.Error("models are not in the order in which they were set")
	}
	var back map[string]any
	if err := json.Unmarshal([]byte(first), &back); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"schema", "analysis", "version", "seed", "device", "kernel", "go", "started", "elapsed_s", "inputs", "options", "models", "comparisons", "warnings"} {
		if _, ok := back[key]; !ok {
			t.Errorf("key %q is missing", key)
		}
	}
	if n := len(back["warnings"].([]any)); n != 1 {
		t.Errorf("%d warnings, want 1", n)
	}
}
