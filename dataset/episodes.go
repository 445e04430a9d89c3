// Episodes as files hold them: numbers, or flags of the last or first frames.

package dataset

import (
	"fmt"
	"slices"
)

// Episodes assigns the rows of an array to episodes: Numbers or Ends is set.
type Episodes struct {
	Numbers []int64 // the number of each row's episode
	Ends    []bool  // row i is the last of its episode
	// Kind is the kind of values in the file: EpisodeNumbers, EpisodeEnds or EpisodeStarts.
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
)

// EpisodeKinds are the kinds that ReadEpisodes takes.
func EpisodeKinds() []string {
	return []string{EpisodesAuto, EpisodeNumbers, EpisodeEnds, EpisodeStarts}
}

// ReadEpisodes reads an array of one value per row: episode numbers, flags of the last rows of episodes, or flags of
// their first. EpisodesAuto (or "") takes a bool array for end flags and others for numbers. Values 0 and 1 are end
// flags if a 0 follows a 1 and the ones are isolated (runs of ones have a mean length below 2), or if the only 1 is in
// the last of several rows.
//
// Errors name the array: another shape, values that are no integers, flags other than 0 and 1.
func ReadEpisodes(a *Array, kind string) (*Episodes, error) {
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
	if auto := kind == "" || kind == EpisodesAuto; auto {
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
