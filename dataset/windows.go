// Windows: the rows at which states may begin, and which row of an array that has a
// row per window belongs to which state.

package dataset

import "slices"

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

// windowStarts returns the valid starts of windows of the given length.
func windowStarts(run []int32, ends []bool, n, window int) []int {
	var starts []int
	lastEnd := -1 // the last flagged row up to i+window
	for j := range window {
		if j < n && ends != nil && ends[j] {
			lastEnd = j
		}
	}
	for i := 0; i+window < n; i++ {
		if ends != nil && ends[i+window] {
			lastEnd = i + window
		}
		if lastEnd < i && run[i] == run[i+window] {
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

// windows are the rows at which states may begin, ascending, whatever the rows hold:
// those of valid windows, and these with the ones that follow the last valid window
// of a run. Where every row is a state, both are all rows.
type windows struct{ valid, extended []int }

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

// Windows is the number of valid windows, including those that SkipNaN dropped.
func (s *States) Windows() int { return len(s.windows.valid) }

// Valid returns the states, ascending, that are valid windows themselves: all but
// those that StateOptions.Successors adds.
func (s *States) Valid() []int {
	var index []int
	for i, start := range s.starts {
		if _, ok := slices.BinarySearch(s.windows.valid, start); ok {
			index = append(index, i)
		}
	}
	return index
}

// RowsOf tells which of n rows of another array, such as latents computed elsewhere,
// belongs to each state. There is a row per window, as windows were before SkipNaN
// dropped any: one for every valid window or, if successors is true, also for the
// ones that StateOptions.Successors adds. row is -1 for a state without one; ok is
// false when n is neither number.
func (s *States) RowsOf(n int) (row []int, successors, ok bool) {
	starts := s.windows.extended
	switch n {
	case len(s.windows.extended):
		successors = true
	case len(s.windows.valid):
		starts = s.windows.valid
	default:
		return nil, false, false
	}
	row = make([]int, len(s.starts))
	for i, start := range s.starts {
		place, found := slices.BinarySearch(starts, start)
		if !found {
			place = -1
		}
		row[i] = place
	}
	return row, successors, true
}
