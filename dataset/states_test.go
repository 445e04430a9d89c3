// Tests of states: layouts, windows, episodes, NaN, published datasets.

package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
	"repscope/internal/torchfile"
	"repscope/points"
)

// counting returns an array whose element at a flat index is that index.
func counting(t testing.TB, shape ...int) *Array {
	t.Helper()
	n := 1
	for _, k := range shape {
		n *= k
	}
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(i)
	}
	a, err := NewArray("counting", shape, data)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func mustStates(t testing.TB, a *Array, o StateOptions) *States {
	t.Helper()
	s, err := NewStates(a, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func allValues(t testing.TB, s *States) []float32 {
	t.Helper()
	dst := make([]float32, s.Len()*s.Size())
	if err := s.Float32(dst, 0, s.Len()); err != nil {
		t.Fatal(err)
	}
	return dst
}

func startsOf(s *States) []int {
	starts := make([]int, s.Len())
	for i := range starts {
		starts[i] = s.Start(i)
	}
	return starts
}

// floats is an array of a shape.
func floats(t testing.TB, shape []int, values []float32) *Array {
	t.Helper()
	a, err := NewArray("floats", shape, values)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Channels that come last equal the same frames with channels first, whatever part of a state is read. They are found
// by the shape if nothing else is likely.
func TestChannelsLast(t *testing.T) {
	t.Parallel()
	// Element (i, c, y, x) of n frames with channels first.
	value := func(n, c, h, w int) func(i, k, y, x int) float32 {
		return func(i, k, y, x int) float32 { return float32(((i*c+k)*h+y)*w + x) }
	}
	frames := func(n, c, h, w int, last bool) []float32 {
		source, out := value(n, c, h, w), []float32(nil)
		for i := range n {
			if last {
				for y := range h {
					for x := range w {
						for k := range c {
							out = append(out, source(i, k, y, x))
						}
					}
				}
				continue
			}
			for k := range c {
				for y := range h {
					for x := range w {
						out = append(out, source(i, k, y, x))
					}
				}
			}
		}
		return out
	}
	const n, h, w = 12, 4, 5
	for _, c := range []struct {
		channels, clip int
		layout         string
		window         int
	}{{3, 0, "", 0}, {1, 0, "", 0}, {4, 0, "HWC", 0}, {3, 0, "auto", 3}, {3, 4, "", 0}, {2, 3, "THWC", 0}} {
		row := []int{c.channels, h, w}
		other := []int{h, w, c.channels}
		rows, named := n, c.layout
		if c.clip > 0 {
			row, other, rows = append([]int{c.clip}, row...), append([]int{c.clip}, other...), n/c.clip
		}
		first := floats(t, append([]int{rows}, row...), frames(n, c.channels, h, w, false))
		last := floats(t, append([]int{rows}, other...), frames(n, c.channels, h, w, true))
		layout := "CHW"
		if c.clip > 0 {
			layout = "TCHW"
		}
		want := mustStates(t, first, StateOptions{Layout: layout, Window: c.window})
		got := mustStates(t, last, StateOptions{Layout: named, Window: c.window})
		if !got.ChannelsLast() || want.ChannelsLast() || got.Layout() != want.Layout() || !slices.Equal(got.Shape(), want.Shape()) || !slices.Equal(got.Row(), row) {
			t.Errorf("%v: layout %s, shape %v, row %v, want %s, %v, %v", other, got.Layout(), got.Shape(), got.Row(), want.Layout(), want.Shape(), row)
			continue
		}
		for what, change := range map[string]func(s *States) *States{
			"states": func(s *States) *States { return s }, "last frames": (*States).LastFrame,
			"some": func(s *States) *States { return s.Subset([]int{2, 0}) },
		} {
			if !slices.Equal(allValues(t, change(got)), allValues(t, change(want))) {
				t.Errorf("%v: %s are others with channels last", other, what)
			}
		}
		p, err := got.Points()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(p.F32, allValues(t, want)) {
			t.Errorf("%v: points are others with channels last", other)
		}
		a, err := got.Fingerprint()
		if b, _ := mustStates(t, last, StateOptions{Layout: map[bool]string{true: "CTHW", false: "THW"}[c.clip > 0]}).Fingerprint(); err != nil || a == b {
			t.Errorf("%v: the layouts have one fingerprint", other)
		}
	}
}

func TestRowsAsStates(t *testing.T) {
	for _, c := range []struct {
		shape  []int
		layout string
		last   []int
	}{
		{[]int{5, 7}, "D", []int{7}},
		{[]int{5}, "D", []int{1}},
		{[]int{5, 4, 6}, "HW", []int{4, 6}},
		{[]int{5, 1, 4, 6}, "CHW", []int{1, 4, 6}},
		{[]int{5, 3, 4, 6}, "CHW", []int{3, 4, 6}},
		{[]int{5, 4, 4, 6}, "THW", []int{4, 6}},
		{[]int{5, 1, 2, 4, 6}, "CTHW", []int{1, 4, 6}},
		{[]int{5, 3, 2, 4, 6}, "CTHW", []int{3, 4, 6}},
		{[]int{5, 2, 3, 4, 6}, "TCHW", []int{3, 4, 6}},
		{[]int{5, 2, 4, 6, 7}, "CTHW", []int{2, 6, 7}},
	} {
		a := counting(t, c.shape...)
		s := mustStates(t, a, StateOptions{})
		want := c.shape[1:]
		if len(want) == 0 {
			want = []int{1}
		}
		if s.Layout() != c.layout || s.Len() != 5 || !slices.Equal(s.Shape(), want) {
			t.Errorf("%v: layout %s, %d states of shape %v", c.shape, s.Layout(), s.Len(), s.Shape())
		}
		values := allValues(t, s)
		for i, v := range values {
			if v != float32(i) {
				t.Fatalf("%v: value %d is %v", c.shape, i, v)
			}
		}
		last := s.LastFrame()
		if !slices.Equal(last.Shape(), c.last) {
			t.Errorf("%v: last frame %v, want %v", c.shape, last.Shape(), c.last)
		}
		// The last frame by its definition, from the whole state.
		size := s.Size()
		var frame []float32
		for i := range 5 {
			state := values[i*size : (i+1)*size]
			switch c.layout {
			case "THW", "TCHW":
				frame = append(frame, state[size-last.Size():]...)
			case "CTHW":
				hw := s.Shape()[2] * s.Shape()[3]
				t := s.Shape()[1]
				for ch := range s.Shape()[0] {
					frame = append(frame, state[(ch*t+t-1)*hw:(ch*t+t)*hw]...)
				}
			default:
				frame = append(frame, state...)
			}
		}
		if !slices.Equal(allValues(t, last), frame) {
			t.Errorf("%v: wrong last frames", c.shape)
		}
	}
}

func TestLayoutGiven(t *testing.T) {
	s := mustStates(t, counting(t, 5, 3, 4, 6), StateOptions{Layout: "THW"})
	if got := s.LastFrame().Shape(); !slices.Equal(got, []int{4, 6}) {
		t.Errorf("last frame %v", got)
	}
	s = mustStates(t, counting(t, 5, 3, 4), StateOptions{Layout: "TD"})
	if got := allValues(t, s.LastFrame().Subset([]int{1})); !slices.Equal(got, []float32{20, 21, 22, 23}) {
		t.Errorf("last vector %v", got)
	}
}

func TestWindows(t *testing.T) {
	a := counting(t, 10, 2)
	ends := make([]bool, 10)
	ends[4] = true
	for _, c := range []struct {
		o      StateOptions
		starts []int
		pairs  []points.Pair
	}{
		{StateOptions{Window: 3}, []int{0, 1, 2, 3, 4, 5, 6, 7}, []points.Pair{{Now: 0, Next: 1}, {Now: 1, Next: 2}, {Now: 2, Next: 3}, {Now: 3, Next: 4}, {Now: 4, Next: 5}, {Now: 5, Next: 6}, {Now: 6, Next: 7}}},
		// rows 0..4 and 5..9 are the episodes
		{StateOptions{Window: 2, Ends: ends}, []int{0, 1, 2, 3, 5, 6, 7, 8}, []points.Pair{{Now: 0, Next: 1}, {Now: 1, Next: 2}, {Now: 2, Next: 3}, {Now: 4, Next: 5}, {Now: 5, Next: 6}, {Now: 6, Next: 7}}},
		// the pair that holds row 4 is left out
		{StateOptions{Window: 2, Ends: ends, PairsBeforeEnd: true}, []int{0, 1, 2, 3, 5, 6, 7, 8}, []points.Pair{{Now: 0, Next: 1}, {Now: 1, Next: 2}, {Now: 4, Next: 5}, {Now: 5, Next: 6}, {Now: 6, Next: 7}}},
		{StateOptions{Window: 2, Episodes: []int64{7, 7, 7, 7, 7, 3, 3, 3, 3, 3}}, []int{0, 1, 2, 3, 5, 6, 7, 8}, []points.Pair{{Now: 0, Next: 1}, {Now: 1, Next: 2}, {Now: 2, Next: 3}, {Now: 4, Next: 5}, {Now: 5, Next: 6}, {Now: 6, Next: 7}}},
		// episodes of as many rows as the window have one state
		{StateOptions{Window: 5, Ends: ends}, []int{0, 5}, nil},
		{StateOptions{Ends: ends}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, []points.Pair{{Now: 0, Next: 1}, {Now: 1, Next: 2}, {Now: 2, Next: 3}, {Now: 3, Next: 4}, {Now: 5, Next: 6}, {Now: 6, Next: 7}, {Now: 7, Next: 8}, {Now: 8, Next: 9}}},
		// an episode that is interrupted: 1,1,2,2,1,1,…
		{StateOptions{Episodes: []int64{1, 1, 2, 2, 1, 1, 1, 1, 1, 2}}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, []points.Pair{{Now: 0, Next: 1}, {Now: 2, Next: 3}, {Now: 4, Next: 5}, {Now: 5, Next: 6}, {Now: 6, Next: 7}, {Now: 7, Next: 8}}},
	} {
		s := mustStates(t, a, c.o)
		if got := startsOf(s); !slices.Equal(got, c.starts) {
			t.Errorf("%+v: starts %v, want %v", c.o, got, c.starts)
		}
		if got := s.Pairs(1); !slices.Equal(got, c.pairs) {
			t.Errorf("%+v: pairs %v, want %v", c.o, got, c.pairs)
		}
		if got := s.LastFrame().Pairs(1); !slices.Equal(got, c.pairs) {
			t.Errorf("%+v: pairs of last frames %v, want %v", c.o, got, c.pairs)
		}
		size := s.Size()
		values := allValues(t, s)
		last := allValues(t, s.LastFrame())
		for i := range s.Len() {
			for k := range size {
				if want := float32(2*s.Start(i) + k); values[i*size+k] != want {
					t.Fatalf("state %d value %d = %v, want %v", i, k, values[i*size+k], want)
				}
			}
			if last[2*i] != values[(i+1)*size-2] {
				t.Fatalf("last frame of state %d is %v", i, last[2*i:2*i+2])
			}
		}
	}
	s := mustStates(t, a, StateOptions{Episodes: []int64{9, 9, 4, 4, 9, 9, 5, 5, 5, 5}})
	if got := s.Episodes(); !slices.Equal(got, []int{0, 0, 1, 1, 0, 0, 2, 2, 2, 2}) {
		t.Errorf("episodes %v", got)
	}
	if s.Pairs(0) != nil || len(s.Pairs(3)) != 1 {
		t.Errorf("pairs at horizon 3: %v", s.Pairs(3))
	}
}

// Any selection in any order reads the same values as all at once.
func TestGatherAndSubset(t *testing.T) {
	a := counting(t, 400, 3, 2)
	rapid.Check(t, func(t *rapid.T) {
		s, err := NewStates(a, StateOptions{Window: rapid.IntRange(0, 4).Draw(t, "window")})
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "last") {
			s = s.LastFrame()
		}
		size := s.Size()
		all := make([]float32, s.Len()*size)
		if err := s.Float32(all, 0, s.Len()); err != nil {
			t.Fatal(err)
		}
		index := rapid.SliceOfN(rapid.IntRange(0, s.Len()-1), 0, 30).Draw(t, "index")
		got := make([]float32, len(index)*size)
		if err := s.Gather(got, index); err != nil {
			t.Fatal(err)
		}
		p, err := s.Subset(index).Points()
		if err != nil {
			t.Fatal(err)
		}
		if p.N != len(index) || p.Dim != size {
			t.Fatalf("points %d×%d", p.N, p.Dim)
		}
		for k, i := range index {
			want := all[i*size : (i+1)*size]
			if !slices.Equal(got[k*size:(k+1)*size], want) || !slices.Equal(p.F32[k*size:(k+1)*size], want) {
				t.Fatalf("state %d differs", i)
			}
		}
	})
}

func TestPointsKeepTheirType(t *testing.T) {
	for spec, want := range map[string]string{"frames.npy": "u8", "bool.npy": "u8", "i4.npy": "f64", "i8.npy": "f64", "f8.npy": "f64", "f4.npy": "f32", "f2.npy": "f32", "u2.npy": "f32", "fortran2.npy": "u8"} {
		a, err := Open(filepath.Join("testdata", spec))
		if err != nil {
			t.Fatal(err)
		}
		s := mustStates(t, a, StateOptions{})
		p, err := s.Points()
		if err != nil {
			t.Fatal(err)
		}
		got := map[bool]string{p.U8 != nil: "u8", p.F32 != nil: "f32", p.F64 != nil: "f64"}[true]
		if got != want || p.N != s.Len() || p.Dim != s.Size() {
			t.Errorf("%s: points %d×%d in %s, want %s", spec, p.N, p.Dim, got, want)
		}
		values := allValues(t, s)
		for i := range p.N {
			for k, v := range p.Row(i, nil) {
				if float32(v) != values[i*p.Dim+k] {
					t.Fatalf("%s: point %d coordinate %d is %v, want %v", spec, i, k, v, values[i*p.Dim+k])
				}
			}
		}
		a.Close()
		p.Row(p.N-1, nil) // points outlive the file
	}
}

func TestPixelRange(t *testing.T) {
	for _, c := range []struct {
		data  []float32
		given string
		want  string
	}{
		{[]float32{0, 0.5, 1}, "", "0..1"},
		{[]float32{0, 0.5, 1}, "auto", "0..1"},
		{[]float32{0, 1.2, 1.5}, "", "0..1"},
		{[]float32{0, 1.6}, "", "0..255"},
		{[]float32{0, 255}, "", "0..255"},
		{[]float32{-0.9, 0.9}, "", "-1..1"},
		{[]float32{-3, 4}, "", "-3..4"},
		{[]float32{0, 1000}, "", "0..1000"},
		{[]float32{0, 255}, "0,1", "0..1 (given)"},
		{[]float32{0, 255}, "-1..1", "-1..1 (given)"},
	} {
		a, err := NewArray("a", []int{len(c.data), 1, 1}, c.data)
		if err != nil {
			t.Fatal(err)
		}
		r := mustStates(t, a, StateOptions{PixelRange: c.given}).Range()
		if !strings.HasPrefix(r.String(), c.want) || r.Source == "" {
			t.Errorf("%v, %q: %v, want %s", c.data, c.given, r, c.want)
		}
	}
	// Vectors have no pixels: their extremes, as single rows and in windows.
	for data, want := range map[float32]string{7: "0..7 (from the data, which span 0..7: vectors have no pixel range)", 0.5: "0..0.5"} {
		a, err := NewArray("a", []int{2, 1}, []float32{0, data})
		if err != nil {
			t.Fatal(err)
		}
		for window := range 2 {
			if r := mustStates(t, a, StateOptions{Window: window}).Range(); !strings.HasPrefix(r.String(), strings.TrimSuffix(want, ")")) {
				t.Errorf("vectors in 0..%v: %v, want %s", data, r, want)
			}
		}
	}
	u8, err := Open("testdata/frames.npy")
	if err != nil {
		t.Fatal(err)
	}
	defer u8.Close()
	if r := mustStates(t, u8, StateOptions{}).Range(); r.High != 255 || !strings.Contains(r.Source, "uint8") {
		t.Errorf("%v", r)
	}
	if r := mustStates(t, u8, StateOptions{PixelRange: "0,1"}).Range(); r.High != 1 {
		t.Errorf("%v", r)
	}
	for _, bad := range []string{"1", "1,0", "a,b", "0,Inf", "NaN,1"} {
		if _, err := NewStates(u8, StateOptions{PixelRange: bad}); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestNaN(t *testing.T) {
	data := make([]float32, 10*2*3)
	data[4*6+5] = float32(math.NaN())
	data[7*6+1] = float32(math.Inf(-1))
	a, err := NewArray("latents.npy", []int{10, 2, 3}, data)
	if err != nil {
		t.Fatal(err)
	}
	_, err = NewStates(a, StateOptions{})
	if err == nil || !strings.Contains(err.Error(), "latents.npy: the value at index [4 1 2] is NaN") {
		t.Errorf("got %v", err)
	}
	if index, value, err := a.NonFinite(7); err != nil || !slices.Equal(index, []int{7, 0, 1}) ||
		!math.IsInf(value, -1) {
		t.Errorf("row 7: %v at %v, error %v", value, index, err)
	}
	if index, _, err := a.NonFinite(5); err != nil || index != nil {
		t.Errorf("row 5: %v, error %v", index, err)
	}
	s := mustStates(t, a, StateOptions{SkipNaN: true})
	if s.Skipped() != 2 || !slices.Equal(startsOf(s), []int{0, 1, 2, 3, 5, 6, 8, 9}) {
		t.Errorf("skipped %d, starts %v", s.Skipped(), startsOf(s))
	}
	if got := s.Pairs(1); !slices.Equal(got, []points.Pair{{Now: 0, Next: 1}, {Now: 1, Next: 2}, {Now: 2, Next: 3}, {Now: 4, Next: 5}, {Now: 6, Next: 7}}) {
		t.Errorf("pairs %v", got)
	}
	w := mustStates(t, a, StateOptions{SkipNaN: true, Window: 2})
	if w.Skipped() != 4 || !slices.Equal(startsOf(w), []int{0, 1, 2, 5, 8}) {
		t.Errorf("skipped %d, starts %v", w.Skipped(), startsOf(w))
	}
	for i := range data {
		data[i] = float32(math.NaN())
	}
	a, _ = NewArray("latents.npy", []int{10, 6}, data)
	if _, err := NewStates(a, StateOptions{SkipNaN: true}); err == nil || !strings.Contains(err.Error(), "all 10 states") {
		t.Error(err)
	}
}

func TestStateErrors(t *testing.T) {
	a := counting(t, 6, 4, 5)
	for want, o := range map[string]StateOptions{
		"window of -1 rows":                 {Window: -1},
		"no window of 7 rows fits":          {Window: 7},
		"5 episode numbers for the 6 rows":  {Episodes: make([]int64, 5)},
		"7 end-of-episode flags for the 6":  {Ends: make([]bool, 7)},
		"both episode numbers":              {Episodes: make([]int64, 6), Ends: make([]bool, 6)},
		`layout "XY"`:                       {Layout: "XY"},
		"layout CHW has 3 axes, the states": {Layout: "CHW"},
	} {
		if _, err := NewStates(a, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", o, err, want)
		}
	}
	if _, err := NewStates(counting(t, 6, 4, 5, 5), StateOptions{Window: 2}); err == nil || !strings.Contains(err.Error(), "clips already") {
		t.Error(err)
	}
	for _, shape := range [][]int{{}, {0, 4}, {4, 0}, {2, 1, 1, 1, 1, 1}} {
		if _, err := NewStates(counting(t, shape...), StateOptions{}); err == nil {
			t.Errorf("states of shape %v", shape)
		}
	}
	s := mustStates(t, a, StateOptions{})
	if err := s.Float32(make([]float32, 20), 6, 7); err == nil {
		t.Error("state 6 of 6 was read")
	}
	if err := s.Gather(make([]float32, 20), []int{-1}); err == nil {
		t.Error("state -1 was read")
	}
	if err := s.Float32(make([]float32, 19), 0, 1); err == nil {
		t.Error("a state of 20 values was read into 19")
	}
}

func TestFingerprint(t *testing.T) {
	a := counting(t, 8, 2, 3)
	seen := map[string]string{}
	for name, s := range map[string]*States{
		"rows":    mustStates(t, a, StateOptions{}),
		"subset":  mustStates(t, a, StateOptions{}).Subset([]int{1, 2}),
		"order":   mustStates(t, a, StateOptions{}).Subset([]int{2, 1}),
		"windows": mustStates(t, a, StateOptions{Window: 2}),
		"last":    mustStates(t, a, StateOptions{Window: 2}).LastFrame(),
		"other":   mustStates(t, counting(t, 8, 3, 2), StateOptions{}),
	} {
		f, err := s.Fingerprint()
		if err != nil {
			t.Fatal(err)
		}
		if twin, ok := seen[f]; ok {
			t.Errorf("%s and %s have one fingerprint", name, twin)
		}
		seen[f] = name
	}
	x, _ := mustStates(t, a, StateOptions{}).Fingerprint()
	y, _ := mustStates(t, counting(t, 8, 2, 3), StateOptions{}).Fingerprint()
	if x != y {
		t.Error("equal states have different fingerprints")
	}
}

const experienceFile = "../internal/torchfile/testdata/experience.pth"

func TestExperience(t *testing.T) {
	text, err := os.ReadFile("../internal/torchfile/testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var files struct {
		E struct {
			Val struct {
				States, Actions, Rewards description
				Stop                     []bool
				Starts                   []int
			}
			TrainStarts []int `json:"train_starts"`
		} `json:"experience.pth"`
	}
	if err := json.Unmarshal(text, &files); err != nil {
		t.Fatal(err)
	}
	want := files.E.Val
	e, err := openExperience(experienceFile)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	checkArray(t, e.Frames, want.States)
	checkArray(t, e.Actions, want.Actions)
	checkArray(t, e.Rewards, want.Rewards)
	if !slices.Equal(e.Stop, want.Stop) || !slices.Equal(e.ValidStart, want.Starts) || e.SequenceLength != 3 || e.Split != "val" {
		t.Errorf("stop %v, starts %v, length %d, split %s", e.Stop, e.ValidStart, e.SequenceLength, e.Split)
	}
	s, err := e.States(StateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	firsts := func(s *States) (out []int) {
		for _, p := range s.Pairs(1) {
			out = append(out, s.Start(p.Now))
		}
		return out
	}
	if !slices.Equal(firsts(s), want.Starts) || !slices.Equal(s.Shape(), []int{3, 5, 4}) || s.Layout() != "THW" {
		t.Errorf("pairs begin at %v, shape %v, layout %s", firsts(s), s.Shape(), s.Layout())
	}
	train, err := openExperience(experienceFile + ":train")
	if err != nil {
		t.Fatal(err)
	}
	defer train.Close()
	if s, err = train.States(StateOptions{}); err != nil || !slices.Equal(firsts(s), files.E.TrainStarts) {
		t.Errorf("train: pairs begin at %v, %v", firsts(s), err)
	}
	if _, err := train.States(StateOptions{Ends: e.Stop}); err == nil {
		t.Error("other end flags were taken")
	}
	plain, err := openExperience("../internal/torchfile/testdata/experience_plain.pth:train")
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	checkArray(t, plain.Frames, want.States)
	if !slices.Equal(plain.Stop, want.Stop) {
		t.Errorf("stop %v", plain.Stop)
	}
}

func TestTorchArrays(t *testing.T) {
	dir := "../internal/torchfile/testdata/"
	for spec, want := range map[string]string{
		dir + "experience.pth":                             "float32 [12 5 4]",
		dir + "experience.pth:train":                       "float32 [20 5 4]",
		dir + "experience.pth:val.stop_episodes":           "bool [12]",
		dir + "experience.pth:train.valid_start_indices":   "int64 [9]",
		dir + "experience.pth:val.actions":                 "int32 [12]",
		dir + "tensor_only.pt":                             "int64 [5]",
		dir + "list.pt:4":                                  "float32 [2]",
		dir + "checkpoint.pth:encoder_state_dict.0.weight": "float32 [3 4]",
		dir + "checkpoint.pth:mean":                        "float32 [2 3]",
		dir + "checkpoint.pth:config.channels":             "int64 [2]",
		dir + "state_dict.pth:2.bias":                      "float32 [3]",
		dir + "tensors_legacy.pt:permuted":                 "float32 [4 2 3]",
		dir + "tensors.pt:transposed":                      "float32 [6 4]",
	} {
		a, err := Open(spec)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := fmt.Sprint(a.DType(), a.Shape()); got != want {
			t.Errorf("%s is %s, want %s", spec, got, want)
		}
		if d, err := a.SHA256(); err != nil || len(d) != 64 {
			t.Errorf("%s: digest %q, %v", spec, d, err)
		}
		if err := a.ReadFloat64(make([]float64, a.Len()*a.RowLen()), 0, a.Len()); err != nil {
			t.Error(err)
		}
		a.Close()
	}
	for spec, want := range map[string]string{
		dir + "experience.pth:test":          `no split "test", want val or train`,
		dir + "experience.pth:val.pixels":    `no attribute "pixels"`,
		dir + "checkpoint.pth:encoder_state": `did you mean "encoder_state_dict"?`,
		dir + "checkpoint.pth":               `contains 2 arrays`,
		dir + "checkpoint.pth:config":        "want a tensor",
		dir + "checkpoint.pth:epoch":         "is a int, want a tensor",
		dir + "list.pt:9":                    `no item "9"`,
		dir + "state_dict.pth":               "contains 4 arrays",
		dir + "evil.pt":                      "posix.system",
	} {
		a, err := Open(spec)
		if err == nil {
			a.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant it to contain %s", spec, err, want)
		}
	}
	if _, err := openExperience(dir + "state_dict.pth"); err == nil || !strings.Contains(err.Error(), "not an experience dataset") {
		t.Error(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.pth")
	data, err := os.ReadFile(experienceFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cut, data[:len(data)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openExperience(cut); !errors.Is(err, ErrTruncated) || !strings.Contains(err.Error(), cut) {
		t.Errorf("cut: %v", err)
	}
}

func ExampleNewStates() {
	frames := make([]uint8, 6*2*2)
	for i := range frames {
		frames[i] = uint8(i)
	}
	array, _ := NewArray("frames", []int{6, 2, 2}, frames)
	states, _ := NewStates(array, StateOptions{Window: 2, Episodes: []int64{0, 0, 0, 1, 1, 1}})
	fmt.Println(states.Len(), states.Shape(), states.Layout(), states.Range())
	fmt.Println(states.LastFrame().Shape(), states.Episodes())
	// Output:
	// 4 [2 2 2] THW 0..255 (from the type uint8)
	// [2 2] [0 0 1 1]
}

// The list of layouts names all that are known, once.
func TestLayouts(t *testing.T) {
	t.Parallel()
	names := Layouts()
	for _, name := range names {
		if layouts[name] == 0 {
			t.Errorf("layout %s has no axes", name)
		}
	}
	if slices.Sort(names); len(slices.Compact(names)) != len(layouts) {
		t.Errorf("layouts %v, want the names of %v", names, layouts)
	}
}

// openExperience opens "FILE", "FILE:val" (the default) or "FILE:train".
func openExperience(spec string) (*experience, error) {
	path, split := SplitSpec(spec)
	file, err := torchfile.Open(path)
	if err != nil {
		return nil, err
	}
	e, err := readExperience(file, split)
	if err != nil {
		file.Close()
		return nil, err
	}
	return e, nil
}
