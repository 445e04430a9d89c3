// Tests of windows: where they begin, and which rows of other arrays are theirs.

package dataset

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The rules of windows and pairs against their definitions, on random episodes given
// as numbers and as flags: the same states and pairs whatever form they have.
func TestWindowRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		ends := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "ends")
		window := rapid.IntRange(1, 6).Draw(t, "window")
		numbers := make([]int64, n)
		for i := range n - 1 {
			numbers[i+1] = numbers[i]
			if ends[i] {
				numbers[i+1]++
			}
		}
		var states, published, successors []int
		for i := 0; i+window <= n; i++ {
			if !slices.Contains(ends[i:i+window-1], true) {
				states = append(states, i)
			}
			if i+window < n && !slices.Contains(ends[i:i+window+1], true) {
				published = append(published, i)
			}
		}
		for i := range n {
			if slices.Contains(published, i) || slices.Contains(published, i-1) {
				successors = append(successors, i)
			}
		}
		run := boundaries{ends: ends}.runs(n)
		if got := windowStarts(run, window); !slices.Equal(got, states) {
			t.Fatalf("windows %v, want %v", got, states)
		}
		if got := windowStarts(boundaries{numbers: numbers}.runs(n), window); !slices.Equal(got, states) {
			t.Fatalf("windows by numbers %v, want %v", got, states)
		}
		if got := followedStarts(run, ends, window); !slices.Equal(got, published) {
			t.Fatalf("followed windows %v, want %v", got, published)
		}
		if got := withSuccessors(published); !slices.Equal(got, successors) {
			t.Fatalf("with successors %v, want %v", got, successors)
		}
		a, err := NewArray("frames", []int{n, 1}, make([]float32, n))
		if err != nil {
			t.Fatal(err)
		}
		if len(states) == 0 {
			return
		}
		firsts := func(o StateOptions) (out []int) {
			o.Window = window
			s, err := NewStates(a, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range s.Pairs(1) {
				if s.Start(p.Next) != s.Start(p.Now)+1 {
					t.Fatalf("pair %v of starts %d and %d", p, s.Start(p.Now), s.Start(p.Next))
				}
				out = append(out, s.Start(p.Now))
			}
			return out
		}
		if got := firsts(StateOptions{Ends: ends, PairsBeforeEnd: true}); !slices.Equal(got, published) {
			t.Fatalf("published pairs begin at %v, want %v", got, published)
		}
		byEnds, byNumbers := firsts(StateOptions{Ends: ends}), firsts(StateOptions{Episodes: numbers})
		want := slices.DeleteFunc(slices.Clone(states), func(i int) bool { return !slices.Contains(states, i+1) || ends[i+window-1] })
		if !slices.Equal(byEnds, want) || !slices.Equal(byNumbers, want) {
			t.Fatalf("pairs begin at %v and, by numbers, %v, want %v", byEnds, byNumbers, want)
		}
	})
}

// 6000 rows in 12 episodes make 6000 − 12·3 windows of four, given by numbers or flags,
// and one of exactly four rows makes one.
func TestWindowCount(t *testing.T) {
	t.Parallel()
	lengths := []int{300, 700, 500, 500, 450, 550, 600, 400, 480, 520, 996, 4}
	a, err := NewArray("frames", []int{6000, 1}, make([]uint8, 6000))
	if err != nil {
		t.Fatal(err)
	}
	numbers, ends := make([]int64, 0, 6000), make([]bool, 6000)
	for e, n := range lengths {
		numbers = append(numbers, slices.Repeat([]int64{int64(e)}, n)...)
		ends[len(numbers)-1] = true
	}
	for _, o := range []StateOptions{{Episodes: numbers}, {Ends: ends}, {Ends: ends, PairsBeforeEnd: true}} {
		o.Window = 4
		s := mustStates(t, a, o)
		if last := s.Start(s.Len() - 1); s.Len() != 5964 || last != 5996 || s.Episode(s.Len()-1) != 11 {
			t.Errorf("%d states, the last begins at %d", s.Len(), last)
		}
		want := 5964 - 12
		if o.PairsBeforeEnd {
			want -= 11 // except for the episode of four rows, which has no pair
		}
		if got := len(s.Pairs(1)); got != want {
			t.Errorf("%d pairs, want %d", got, want)
		}
	}
}

// windowStates are states over n rows; some rows hold NaN.
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

// Two episodes of ten rows in windows of three: starts 0..7 and 10..17; 7 and 17 are followed by no row.
func TestRowsOf(t *testing.T) {
	t.Parallel()
	numbers, three, ends := make([]int64, 20), make([]int64, 20), make([]bool, 20)
	for i := range numbers {
		numbers[i] = int64(i / 10)
		if i >= 10 {
			three[i] = 1
		}
		if i >= 13 {
			three[i] = 2
		}
	}
	ends[9], ends[19] = true, true
	o := StateOptions{Window: 3, Episodes: numbers}
	flags := StateOptions{Window: 3, Ends: ends}
	published := StateOptions{Window: 3, Ends: ends, PairsBeforeEnd: true}
	cut := StateOptions{Window: 3, Ends: slices.Concat(ends[:19], []bool{false})}
	short := StateOptions{Window: 3, Episodes: three}
	const windows = "one per window of 3 frames"
	followed := windows + " with a following frame, without flagged frames"
	earlier := windows + " with a preceding or following frame, without flagged frames"
	for _, test := range []struct {
		name      string
		states    *States
		n, window int
		row, rule string
	}{
		{"a row per window", windowStates(t, 20, nil, o), 16, 3, "[0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]", windows},
		{"by flags", windowStates(t, 20, nil, flags), 16, 3, "[0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]", windows},
		// What earlier versions wrote, where it can be told from windows of another length.
		{"a recording cut short", windowStates(t, 20, nil, cut), 15, 3, "[0 1 2 3 4 5 6 -1 7 8 9 10 11 12 13 14]", earlier},
		{"an episode of one window", windowStates(t, 20, nil, short), 13, 3, "[0 1 2 3 4 5 6 7 -1 8 9 10 11 12]", earlier},
		{"and dropped windows", windowStates(t, 20, []int{4}, short), 13, 3, "[0 1 5 6 7 -1 8 9 10 11 12]", earlier},
		// The window of a published dataset is in its file.
		{"published", windowStates(t, 20, nil, published), 12, 3, "[0 1 2 3 4 5 -1 -1 6 7 8 9 10 11 -1 -1]", followed},
		{"published, and successors", windowStates(t, 20, nil, published), 14, 3, "[0 1 2 3 4 5 6 -1 7 8 9 10 11 12 13 -1]", earlier},
		{"published, all", windowStates(t, 20, nil, published), 16, 3, "[0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]", windows},
		// Row 4 drops the windows that begin at 2, 3 and 4; the rows of others stay theirs.
		{"windows dropped", windowStates(t, 20, []int{4}, o), 16, 3, "[0 1 5 6 7 8 9 10 11 12 13 14 15]", windows},
		{"a subset", windowStates(t, 20, nil, o).Subset([]int{1, 7, 8}), 16, 3, "[1 7 8]", windows},
		{"single rows", windowStates(t, 5, []int{1}, StateOptions{}), 5, 0, "[0 2 3 4]", "one per frame"},
		// A model that sees fewer frames than the states have.
		{"one frame of three", windowStates(t, 20, nil, o), 20, 1, "[2 3 4 5 6 7 8 9 12 13 14 15 16 17 18 19]", "one per frame"},
		{"one frame, a row per state", windowStates(t, 20, nil, o), 16, 0, "[0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]", windows},
		{"two frames of three", windowStates(t, 20, nil, o), 18, 2, "[1 2 3 4 5 6 7 8 10 11 12 13 14 15 16 17]", "one per window of 2 frames"},
		{"two frames, a row per state", windowStates(t, 20, nil, o), 16, 2, "[0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]", windows},
	} {
		got, err := test.states.RowsOf(test.n, test.window)
		missing := 0
		for _, r := range got.Row {
			if r < 0 {
				missing++
			}
		}
		if err != nil || fmt.Sprint(got.Row) != test.row || got.Rule != test.rule || got.Missing != missing {
			t.Errorf("%s: %+v, %v; want %s, %s", test.name, got, err, test.row, test.rule)
		}
	}
	a, err := NewArray("frames", []int{200, 1}, make([]float32, 200))
	if err != nil {
		t.Fatal(err)
	}
	long, err := NewStates(a, StateOptions{Window: 3}) // 150 would be windows of 51 frames
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		states    *States
		n, window int
		want      string
	}{
		{windowStates(t, 20, []int{4}, o), 20, 3, "want 16 rows, one per window of 3 frames"},
		{windowStates(t, 20, nil, o), 14, 3, "want 16 rows, one per window of 3 frames; 14 rows match windows of 4 frames"},
		{long, 150, 3, "want 198 rows, one per window of 3 frames"},
		{windowStates(t, 20, nil, o), 13, 1, "want 20 rows, one per frame, or 16, one per window of 3 frames"},
		// Windows of four frames, or of three as they were: one frame apart.
		{windowStates(t, 20, nil, flags), 14, 3, "14 rows can be one per window of 4 frames or, as earlier versions of encode wrote them, " + earlier},
		// The states, or windows of two frames as they were.
		{windowStates(t, 20, nil, flags), 16, 2, "16 rows can be one per window of 3 frames or, as earlier versions of encode wrote them, " +
			"one per window of 2 frames with a preceding or following frame, without flagged frames"},
	} {
		if _, err := test.states.RowsOf(test.n, test.window); err == nil || err.Error() != test.want {
			t.Errorf("%d rows of windows of %d: %v, want %s", test.n, test.window, err, test.want)
		}
	}
}

// Every row that is taken for a window belongs to its state: over random episodes, rows written by one rule are read by
// it, or refused.
func TestRowsAreNeverShifted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "n")
		ends := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "ends")
		longest := rapid.IntRange(1, 5).Draw(t, "longest")
		window := rapid.IntRange(1, longest).Draw(t, "window")
		a, err := NewArray("frames", []int{n, 1}, make([]float32, n))
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewStates(a, StateOptions{Window: longest, Ends: ends})
		if err != nil {
			return
		}
		run := boundaries{ends: ends}.runs(n)
		// Arrays whose rows are the last rows of the windows that they are for.
		written := [][]int{}
		for w := 1; w <= 7; w++ {
			var last []int
			for _, start := range windowStarts(run, w) {
				last = append(last, start+w-1)
			}
			written = append(written, last)
		}
		var earlier []int
		for _, start := range withSuccessors(followedStarts(run, ends, window)) {
			earlier = append(earlier, start+window-1)
		}
		for i, last := range append(written, earlier) {
			rows, err := s.RowsOf(len(last), window)
			if err != nil || len(last) == 0 {
				continue
			}
			for state, row := range rows.Row {
				if row >= 0 && last[row] != s.Start(state)+longest-1 {
					t.Fatalf("array %d of %d rows, window %d of %d: state %d is given row %d, which is of frame %d", i, len(last), window, longest, state, row, last[row])
				}
			}
		}
	})
}

// What a model with a shorter window sees are the last frames of the states.
func TestNarrow(t *testing.T) {
	t.Parallel()
	for _, shape := range [][]int{{12, 5}, {12, 2, 3}, {12, 3, 2, 2}} {
		s := mustStates(t, counting(t, shape...), StateOptions{Window: 4, Ends: []bool{11: true, 6: true}})
		whole, size := allValues(t, s), s.Size()
		for n := range 5 {
			v, err := s.Narrow(n)
			if err != nil {
				t.Fatal(err)
			}
			row := append([]int{n}, s.Shape()[1:]...)
			if n == 0 {
				row = row[1:]
			}
			if !slices.Equal(v.Shape(), row) || v.Len() != s.Len() || !slices.Equal(startsOf(v), startsOf(s)) || len(v.Layout()) != len(row) {
				t.Errorf("%v: last %d frames have shape %v, layout %s, want %v", shape, n, v.Shape(), v.Layout(), row)
			}
			var want []float32
			for i := range s.Len() {
				want = append(want, whole[(i+1)*size-v.Size():(i+1)*size]...)
			}
			if !slices.Equal(allValues(t, v), want) {
				t.Errorf("%v: last %d frames are wrong", shape, n)
			}
			points, err := v.Subset([]int{2, 1}).Points()
			if err != nil || !slices.Equal(points.F32[v.Size():], want[v.Size():2*v.Size()]) {
				t.Errorf("%v: last %d frames of a subset are wrong (%v)", shape, n, err)
			}
			if again, err := v.Narrow(n); err == nil && n > 0 && n < 4 && again.Size() != v.Size() {
				t.Errorf("%v: narrowed twice: %v", shape, again.Shape())
			}
		}
		for _, n := range []int{-1, 5} {
			if _, err := s.Narrow(n); err == nil {
				t.Errorf("the last %d of 4 frames", n)
			}
		}
	}
	s := mustStates(t, counting(t, 6, 5), StateOptions{})
	if _, err := s.Narrow(1); err == nil {
		t.Error("a window of single frames")
	}
	if v, err := s.Narrow(0); err != nil || v != s {
		t.Errorf("single frames: %v, %v", v, err)
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
