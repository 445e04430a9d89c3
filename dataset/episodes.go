// Episodes as files hold them: numbers, or flags of the last or first frames.

package dataset

import (
	"fmt"
	"math"
	"slices"
)

// Episodes assigns the rows of an array to episodes: Numbers or Ends is set.
type Episodes struct {
	Numbers []int64 // the number of each row's episode
	Ends    []bool  // row i is the last of its episode
	// Kind is the kind of values in the file, one of [EpisodeKinds] but EpisodesAuto.
	Kind string
	// Doubts are reasons why a guessed Kind may be wrong.
	Doubts []string
}

// The kinds of episodes that a file can hold, and EpisodesAuto to decide by its values.
const (
	EpisodesAuto   = "auto"
	EpisodeNumbers = "numbers"
	EpisodeEnds    = "ends"
	EpisodeStarts  = "starts"
	EpisodeLengths = "lengths"
	EpisodeOffsets = "offsets"
)

// EpisodeKinds are the kinds that ReadEpisodes takes.
func EpisodeKinds() []string {
	return []string{EpisodesAuto, EpisodeNumbers, EpisodeEnds, EpisodeStarts, EpisodeLengths, EpisodeOffsets}
}

// Rows is the number of rows that have an episode.
func (e *Episodes) Rows() int { return max(len(e.Numbers), len(e.Ends)) }

// ReadEpisodes reads an array of one value per row: episode numbers, flags of the last rows of episodes, or flags of
// their first; or of one value per episode: its number of rows, or its first row. EpisodesAuto (or "") takes a bool
// array for end flags and others for numbers. Values 0 and 1 are end flags if a 0 follows a 1 and the ones are isolated
// (runs of ones have a mean length below 2), or if the only 1 is in the last of several rows. Where rows are given, the
// numbers of rows that there may be, an array of another length is lengths if its sum is one of them, and offsets if it
// rises from 0 and stays below. An array that joins several (see [Array.Joined]) has an episode for each.
//
// Errors name the array: another shape, values that are no integers, flags other than 0 and 1, negative lengths,
// offsets that do not rise from 0.
func ReadEpisodes(a *Array, kind string, rows ...int) (*Episodes, error) {
	if numbers, _ := a.Joined(); numbers != nil && (kind == "" || kind == EpisodesAuto) {
		return &Episodes{Kind: EpisodeNumbers, Numbers: numbers}, nil
	}
	if len(a.shape) == 0 || a.rowLen != 1 {
		return nil, fmt.Errorf("%s: shape %v, want one episode number or flag per row", a.name, a.shape)
	}
	if kind != "" && !slices.Contains(EpisodeKinds(), kind) {
		return nil, fmt.Errorf("kind of episodes %q, want one of %v", kind, EpisodeKinds())
	}
	values := make([]int64, a.rows)
	if err := a.ReadInt64(values, 0, a.rows); err != nil {
		return nil, err
	}
	e := &Episodes{Kind: kind}
	if kind == "" || kind == EpisodesAuto {
		if e.Kind = perEpisode(values, rows); e.Kind == "" {
			e.Kind = kind
		}
	}
	if e.Kind == EpisodeLengths || e.Kind == EpisodeOffsets {
		return e, e.expand(a, values, rows)
	}
	if kind == "" || kind == EpisodesAuto {
		e.Kind = EpisodeNumbers
		if a.dtype == Bool || looksLikeFlags(values) {
			e.Kind = EpisodeEnds
		}
		e.Doubts = doubts(values, e.Kind, a.time != "")
	}
	if e.Kind == EpisodeNumbers {
		e.Numbers = values
		return e, nil
	}
	e.Ends = make([]bool, len(values))
	for i, v := range values {
		if v != 0 && v != 1 {
			return nil, fmt.Errorf("%s: element %d is %d, want a flag 0 or 1", a.name, i, v)
		}
		switch {
		case e.Kind == EpisodeEnds:
			e.Ends[i] = v == 1
		case i > 0:
			e.Ends[i-1] = v == 1
		}
	}
	return e, nil
}

// perEpisode is the kind of values that come once per episode: of n values where none of the numbers of rows is n;
// empty if there is one per row.
func perEpisode(values []int64, rows []int) string {
	if len(values) == 0 || len(rows) == 0 || slices.Contains(rows, len(values)) {
		return ""
	}
	sum, rises := int64(0), values[0] == 0
	for i, v := range values {
		if v < 0 {
			return ""
		}
		sum += v
		rises = rises && (i == 0 || v > values[i-1])
	}
	switch last := values[len(values)-1]; {
	case slices.ContainsFunc(rows, func(n int) bool { return int64(n) == sum }):
		return EpisodeLengths
	case rises && slices.ContainsFunc(rows, func(n int) bool { return int64(n) > last }):
		return EpisodeOffsets
	}
	return ""
}

// expand numbers the rows of episodes with given lengths or first rows; the last one ends with the
// rows that there are.
func (e *Episodes) expand(a *Array, values []int64, rows []int) error {
	if len(rows) == 0 || len(values) == 0 {
		return fmt.Errorf("%s: %d values for unknown rows, want %s of episodes and the number of rows", a.name, len(values),
			e.Kind)
	}
	lengths := values
	if e.Kind == EpisodeOffsets {
		last := values[len(values)-1]
		n := slices.IndexFunc(rows, func(n int) bool { return int64(n) > last })
		if n < 0 || values[0] != 0 {
			return fmt.Errorf("%s: offsets that begin with %d and end with %d, want offsets that rise from 0 to less than %d",
				a.name, values[0], last, rows[0])
		}
		lengths = make([]int64, len(values))
		for i, v := range append(values[1:len(values):len(values)], int64(rows[n])) {
			if lengths[i] = v - values[i]; lengths[i] < 1 {
				return fmt.Errorf("%s: offset %d is %d after %d, want offsets that rise", a.name, i+1, v, values[i])
			}
		}
	}
	sum := int64(0)
	for i, v := range lengths {
		if v < 0 || v > math.MaxInt32 {
			return fmt.Errorf("%s: element %d is %d, want the number of rows of an episode", a.name, i, v)
		}
		sum += v
	}
	if !slices.ContainsFunc(rows, func(n int) bool { return int64(n) == sum }) {
		return fmt.Errorf("%s: %d lengths of episodes with the sum %d, want %d rows", a.name, len(lengths), sum, rows[0])
	}
	for i, v := range lengths {
		for range v {
			e.Numbers = append(e.Numbers, int64(i))
		}
	}
	return nil
}

// looksLikeFlags is the rule of ReadEpisodes for values that are no bool.
func looksLikeFlags(values []int64) bool {
	ones, runs, falls := 0, 0, false
	for i, v := range values {
		if v != 0 && v != 1 {
			return false
		}
		ones += int(v)
		if v == 1 && (i == 0 || values[i-1] == 0) {
			runs++
		}
		falls = falls || i > 0 && v < values[i-1]
	}
	n := len(values)
	return falls && ones < 2*runs || n > 1 && ones == 1 && values[n-1] == 1
}

// doubts finds properties that contradict numbers or end flags.
func doubts(values []int64, kind string, times bool) []string {
	n := len(values)
	if n == 0 {
		return nil
	}
	if kind == EpisodeEnds {
		if n > 1 && values[0] != 0 && values[n-1] == 0 {
			return []string{"read as flags of the last frames of episodes, but the first frame is flagged and the last frame is not, " +
				"as if the flags marked first frames"}
		}
		return nil
	}
	var out []string
	if i := slices.IndexFunc(values, func(v int64) bool { return v < 0 }); i >= 0 && !times {
		out = append(out, fmt.Sprintf("read as episode numbers, but row %d is %d", i, values[i]))
	}
	seen, stretches := map[int64]bool{}, 0
	for i, v := range values {
		if i == 0 || v != values[i-1] {
			stretches++
		}
		seen[v] = true
	}
	if stretches > len(seen) {
		out = append(out, fmt.Sprintf("read as episode numbers, but numbers return after others (%d runs of %d numbers); "+
			"all frames with one number count as one episode", stretches, len(seen)))
	}
	return out
}
