// Windows: the rows at which states begin, and which row of an array that has a row
// per window belongs to which state.

package dataset

import (
	"errors"
	"fmt"
	"slices"
)

// boundaries are episodes as numbers or flags, or neither.
type boundaries struct {
	numbers []int64
	ends    []bool
}

// runs numbers the uninterrupted stretches of one episode, row by row.
func (b boundaries) runs(n int) []int32 {
	run := make([]int32, n)
	current := int32(0)
	for i := range n {
		if i > 0 && (b.ends != nil && b.ends[i-1] || b.numbers != nil && b.numbers[i] != b.numbers[i-1]) {
			current++
		}
		run[i] = current
	}
	return run
}

// episodes numbers the episodes in order of appearance, row by row.
func (b boundaries) episodes(run []int32) []int32 {
	if b.numbers == nil {
		return run
	}
	episode := make([]int32, len(run))
	seen := map[int64]int32{}
	for i, v := range b.numbers {
		e, ok := seen[v]
		if !ok {
			e = int32(len(seen))
			seen[v] = e
		}
		episode[i] = e
	}
	return episode
}

// windowStarts returns the starts of the windows whose rows are one run.
func windowStarts(run []int32, window int) []int {
	var starts []int
	for i := 0; i+window <= len(run); i++ {
		if run[i] == run[i+window-1] {
			starts = append(starts, i)
		}
	}
	return starts
}

// followedStarts returns the starts of the windows that another row follows in
// their run, none of these rows with an end flag: the states of earlier versions.
func followedStarts(run []int32, ends []bool, window int) []int {
	var starts []int
	for i := 0; i+window < len(run); i++ {
		// A flagged row is the last of its run.
		if run[i] == run[i+window] && !(ends != nil && ends[i+window]) {
			starts = append(starts, i)
		}
	}
	return starts
}

// withSuccessors adds start+1 for every start.
func withSuccessors(starts []int) []int {
	out := make([]int, 0, len(starts)+1)
	for k, i := range starts {
		out = append(out, i)
		if k+1 == len(starts) || starts[k+1] != i+1 {
			out = append(out, i+1)
		}
	}
	return out
}

// NumberEpisodes returns the number of the episode of each of n rows, 0, 1, … in order
// of appearance, as [States.Episodes] does, from what [ReadEpisodes] read.
func NumberEpisodes(n int, numbers []int64, ends []bool) []int {
	b := boundaries{numbers, ends}
	out := make([]int, n)
	for i, e := range b.episodes(b.runs(n)) {
		out[i] = int(e)
	}
	return out
}

// Rows tells which row of another array belongs to each state.
type Rows struct {
	Row     []int  // −1 for a state without one
	Missing int    // states without one
	Rule    string // what the array has a row for, e.g. "one per frame"
}

// rowRule is what an array may have rows for: the windows that end at the given rows,
// ascending; nil for all rows.
type rowRule struct {
	n    int
	last []int
	text string
}

// rowRules lists what an array of a model that sees windows of the given number of
// rows (0: single rows) may have rows for, the usual ones first, each number once
// unless it stands for different windows. Rows dropped by SkipNaN count.
func (s *States) rowRules(window int) []rowRule {
	var rules []rowRule
	add := func(text string, starts []int, span int) {
		last := make([]int, len(starts))
		for i, start := range starts {
			last[i] = start + span - 1
		}
		for _, r := range rules {
			if r.n == len(last) && (r.last == nil || slices.Equal(r.last, last)) {
				return
			}
		}
		rules = append(rules, rowRule{len(last), last, text})
	}
	if window <= 1 {
		rules = []rowRule{{n: len(s.run), text: "one per frame"}}
	} else {
		add(fmt.Sprintf("one per window of %d frames", window), windowStarts(s.run, window), window)
	}
	if s.window > 0 {
		add(fmt.Sprintf("one per window of %d frames", s.window), windowStarts(s.run, s.window), s.window)
	}
	if window > 0 {
		valid := followedStarts(s.run, s.ends, window)
		add(fmt.Sprintf("one per window of %d frames and per successor of one, without terminal frames", window), withSuccessors(valid), window)
		add(fmt.Sprintf("one per window of %d frames that another frame follows", window), valid, window)
	}
	return rules
}

// RowsOf tells which of n rows of another array, such as latents computed elsewhere,
// belongs to each state. The array is that of a model that sees windows of the given
// number of rows (0: single rows), and has, whatever SkipNaN dropped, a row for each
// of them, or for each state, or for each of those windows that earlier versions of
// this package took for states: the windows that another row of their episode follows,
// with or without the successors of these; with end flags none that holds a flagged row.
// Some states have no row then.
//
// It is an error if n is neither, naming what was expected, or if it is the number of
// two different sets of windows.
func (s *States) RowsOf(n, window int) (Rows, error) {
	rules := s.rowRules(window)
	var found []rowRule
	for _, r := range rules {
		if r.n == n {
			found = append(found, r)
		}
	}
	if len(found) > 1 {
		return Rows{}, fmt.Errorf("%d rows can be %s or %s", n, found[0].text, found[1].text)
	}
	if len(found) == 0 {
		want := fmt.Sprintf("want %d rows, %s", rules[0].n, rules[0].text)
		for _, r := range rules[1:] {
			want += fmt.Sprintf(", or %d, %s", r.n, r.text)
		}
		return Rows{}, errors.New(want)
	}
	out := Rows{Row: make([]int, len(s.starts)), Rule: found[0].text}
	for i, start := range s.starts {
		place := start + s.span - 1
		if last := found[0].last; last != nil {
			at, ok := slices.BinarySearch(last, place)
			if place = at; !ok {
				place = -1
				out.Missing++
			}
		}
		out.Row[i] = place
	}
	return out, nil
}
