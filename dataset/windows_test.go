// Tests of windows: where they begin, and which rows of other arrays are theirs.

package dataset

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The window rule against its definition, on random flags.
func TestWindowRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		ends := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "ends")
		window := rapid.IntRange(1, 6).Draw(t, "window")
		var want []int
		for i := 0; i+window < n; i++ {
			if !slices.Contains(ends[i:i+window+1], true) {
				want = append(want, i)
			}
		}
		if got := windowStarts(boundaries{ends: ends}.runs(n), ends, n, window); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

// windowStates are states over n rows of which some hold NaN.
func windowStates(t *testing.T, n int, bad []int, o StateOptions) *States {
	t.Helper()
	values := make([]float32, n)
	for _, i := range bad {
		values[i] = float32(math.NaN())
	}
	a, err := NewArray("frames", []int{n, 1}, values)
	if err != nil {
		t.Fatal(err)
	}
	o.SkipNaN = true
	s, err := NewStates(a, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Two episodes of ten rows in windows of three: starts 0..6 and 10..16, with
// successors 7 and 17 too.
func TestRowsOf(t *testing.T) {
	t.Parallel()
	numbers := make([]int64, 20)
	for i := range numbers {
		numbers[i] = int64(i / 10)
	}
	o := StateOptions{Window: 3, Successors: true, Episodes: numbers}
	for _, test := range []struct {
		name       string
		states     *States
		n          int
		row        string
		successors bool
	}{
		{"a row per window", windowStates(t, 20, nil, o), 14, "[0 1 2 3 4 5 6 -1 7 8 9 10 11 12 13 -1]", false},
		{"and per successor", windowStates(t, 20, nil, o), 16, "[0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]", true},
		// Row 4 drops the windows that begin at 2, 3 and 4; the rows of others stay theirs.
		{"windows dropped", windowStates(t, 20, []int{4}, o), 14, "[0 1 5 6 -1 7 8 9 10 11 12 13 -1]", false},
		{"and per successor", windowStates(t, 20, []int{4}, o), 16, "[0 1 5 6 7 8 9 10 11 12 13 14 15]", true},
		{"a subset", windowStates(t, 20, nil, o).Subset([]int{1, 7, 8}), 14, "[1 -1 7]", false},
		{"single rows", windowStates(t, 5, []int{1}, StateOptions{}), 5, "[0 2 3 4]", true},
	} {
		row, successors, ok := test.states.RowsOf(test.n)
		if !ok || fmt.Sprint(row) != test.row || successors != test.successors {
			t.Errorf("%s: %v, %v, %v; want %s, %v", test.name, row, successors, ok, test.row, test.successors)
		}
	}
	s := windowStates(t, 20, []int{4}, o)
	if _, _, ok := s.RowsOf(20); ok || s.Windows() != 14 {
		t.Errorf("a row per frame was taken for one per window; %d windows", s.Windows())
	}
	if valid := s.Valid(); fmt.Sprint(valid) != "[0 1 2 3 5 6 7 8 9 10 11]" {
		t.Errorf("valid states %v", valid)
	}
	o.Successors = false
	if s := windowStates(t, 20, nil, o); s.Len() != 14 || len(s.Valid()) != 14 {
		t.Errorf("%d states, %d valid, want 14", s.Len(), len(s.Valid()))
	}
}

func TestNumberEpisodes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		numbers []int64
		ends    []bool
		want    []int
	}{
		{nil, nil, []int{0, 0, 0, 0}},
		{[]int64{7, 7, 3, 7}, nil, []int{0, 0, 1, 0}},
		{nil, []bool{false, true, false, false}, []int{0, 0, 1, 1}},
	} {
		if got := NumberEpisodes(4, test.numbers, test.ends); !slices.Equal(got, test.want) {
			t.Errorf("%v, %v: got %v, want %v", test.numbers, test.ends, got, test.want)
		}
	}
}
