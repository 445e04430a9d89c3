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

// NumberEpisodes numbers the episodes of n rows 0, 1, … in order of appearance, like
// [States.Episodes]. Its arguments are the results of [ReadEpisodes].
func NumberEpisodes(n int, numbers []int64, ends []bool) []int {
	b := boundaries{numbers, ends}
	out := make([]int, n)
	for i, e := range b.episodes(b.runs(n)) {
		out[i] = int(e)
	}
	return out
}

// Rows maps each state to its row of another array.
type Rows struct {
	Row     []int  // −1 for a state without one
	Missing int    // states without one
	Rule    string // the meaning of the array's rows, e.g. "one per frame"
}

// rowRule is a possible meaning of an array's rows: the windows that end at these rows, ascending; nil for all rows.
type rowRule struct {
	n    int
	last []int
	text string
}

// newRule is the rule of windows with these starts.
func newRule(text string, starts []int, window int) rowRule {
	last := make([]int, len(starts))
	for i, start := range starts {
		last[i] = start + window - 1
	}
	return rowRule{len(last), last, text}
}

// same reports whether two rules are about the same windows.
func (r rowRule) same(other rowRule) bool {
	return r.n == other.n && (r.last == nil || other.last == nil || slices.Equal(r.last, other.last))
}

// windowRule is the rule of a row for every window.
func (s *States) windowRule(window int) rowRule {
	return newRule(fmt.Sprintf("one per window of %d frames", window), windowStarts(s.run, window), window)
}

// rowRules lists the possible meanings of an array's rows, for a model that sees windows of window rows (0: single
// rows). Rows dropped by SkipNaN count. All are about windows that end at rows of one set within the other, so that one
// number of rows is one set.
func (s *States) rowRules(window int) []rowRule {
	rules := []rowRule{{n: len(s.run), text: "one per frame"}}
	if window > 1 {
		rules[0] = s.windowRule(window)
	}
	if s.window > max(window, 1) {
		rules = append(rules, s.windowRule(s.window))
	}
	return rules
}

// earlierRules lists the possible meanings of an array's rows that was written for windows by earlier versions; and for
// a published dataset also the authors' choice.
func (s *States) earlierRules(window int) []rowRule {
	if window == 0 {
		return nil
	}
	valid := followedStarts(s.run, s.ends, window)
	rules := []rowRule{newRule(fmt.Sprintf("one per window of %d frames with a preceding or following frame, without flagged frames", window),
		withSuccessors(valid), window)}
	if s.unended {
		rules = append(rules, newRule(fmt.Sprintf("one per window of %d frames with a following frame, without flagged frames", window), valid, window))
	}
	return rules
}

// plausibleWindow is the longest window that can explain a number of rows: in one long episode any number fits some
// window.
const plausibleWindow = 32

// windowOf finds the window that makes n states; 0 if there is none.
func (s *States) windowOf(n int) int {
	lengths := make([]int, s.run[len(s.run)-1]+1)
	for _, r := range s.run {
		lengths[r]++
	}
	for window := 1; ; window++ {
		states := 0
		for _, length := range lengths {
			states += max(0, length-window+1)
		}
		switch {
		case states == n:
			return window
		case states < n || states == 0:
			return 0
		}
	}
}

// AmbiguousRowsError reports that an array's number of rows fits the windows of one length, and also earlier versions'
// windows of another.
type AmbiguousRowsError struct {
	Window int // that makes as many states
	text   string
}

func (e *AmbiguousRowsError) Error() string { return e.text }

// RowsOf maps each state to its row among n rows of another array, such as precomputed latents. The array belongs to a
// model that sees windows of window rows (0: single rows). It has, whatever SkipNaN dropped, a row for each window or
// for each state. Or it has one for each window that earlier versions of this package wrote, in which no row has an end
// flag and no window is the only one of its run. Or, for a published dataset, it has the rows that its authors chose:
// some states have no row then.
//
// It is an error if n is neither, naming the expected number, or if it can be the number of two different sets of
// windows (an AmbiguousRowsError): also of windows of another length that an array of earlier versions cannot be
// distinguished from. (A published dataset has the length in its file.)
func (s *States) RowsOf(n, window int) (Rows, error) {
	rules := s.rowRules(window)
	var matches []rowRule
	for _, r := range rules {
		if r.n == n {
			matches = append(matches, r)
		}
	}
	for _, r := range s.earlierRules(window) {
		if r.n != n || slices.ContainsFunc(matches, r.same) {
			continue
		}
		if other := s.windowOf(n); len(matches) == 0 && !s.unended && other > 0 {
			matches = append(matches, s.windowRule(other))
		}
		if len(matches) == 0 || !matches[0].same(r) {
			matches = append(matches, r)
		}
	}
	switch {
	case len(matches) > 1:
		return Rows{}, &AmbiguousRowsError{s.windowOf(n), fmt.Sprintf("%d rows can be %s or, as earlier versions of encode wrote them, %s", n, matches[0].text, matches[1].text)}
	case len(matches) == 0:
		want := fmt.Sprintf("want %d rows, %s", rules[0].n, rules[0].text)
		for _, r := range rules[1:] {
			want += fmt.Sprintf(", or %d, %s", r.n, r.text)
		}
		if other := s.windowOf(n); other > 1 && other <= plausibleWindow {
			want += fmt.Sprintf("; %d rows match windows of %d frames", n, other)
		}
		return Rows{}, errors.New(want)
	}
	out := Rows{Row: make([]int, len(s.starts)), Rule: matches[0].text}
	for i, start := range s.starts {
		row := start + s.span - 1
		if last := matches[0].last; last != nil {
			index, ok := slices.BinarySearch(last, row)
			if row = index; !ok {
				row = -1
				out.Missing++
			}
		}
		out.Row[i] = row
	}
	return out, nil
}
