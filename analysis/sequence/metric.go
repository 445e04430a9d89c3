// The protocol of metrics, and their registry.

package sequence

import (
	"cmp"
	"context"
	"encoding"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/report"
	"repscope/stat"
)

// Needs is a set of what a metric cannot do without.
type Needs uint16

// What metrics need.
const (
	NeedMasked        Needs = 1 << iota // Item.Predictions
	NeedRegional                        // Item.Regional
	NeedSingle                          // Item.Single
	NeedSingleLogits                    // Item.SingleLogits
	NeedCleanLogits                     // Item.Clean.Logits
	NeedHidden                          // Item.Clean.Hidden
	NeedAttentions                      // Item.Clean.Attentions
	NeedContactScores                   // Item.Clean.ContactScores
	NeedRegions                         // Record.CDR and Record.Regions
	NeedGermline                        // Record.NonTemplated
	NeedCoordinates                     // Record.Coordinates
	NeedChains                          // two chains
	NeedConfidence                      // Prediction.Confidence, Entropy, Brier and Rank, which a positions table lacks
)

// Metric accumulates one metric of one model over sequences in their order. Any split into
// parts that are merged in order gives the bytes of one pass. One with a method EndGroup is told where the sequences
// of a group end.
type Metric interface {
	// Update adds the sequences of a batch.
	Update(ctx context.Context, b *Batch) error
	// Merge adds what another metric of the same kind accumulated over sequences that follow.
	Merge(other Metric) error
	// Result computes the numbers.
	Result(ctx context.Context, s *Summary) error
	// Reset forgets all sequences.
	Reset()
	// The state is what shards write.
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// Kind is a row of the registry.
type Kind struct {
	Name    string
	Aliases []string
	About   string // one line for the help
	// Needs are all needed. Of Either, if it is not empty, one is.
	Needs, Either Needs
	Keys          []Key
	Options       []Option
	Files         []CSVFile
	// Lacks says what the metric lacks besides Needs, such as a file; empty if nothing. nil: never
	// anything.
	Lacks func(s *Setting) string
	// Wants names the sequences, by index, whose answers are needed; nil: all.
	Wants func(s *Setting, sequence int) bool
	// OwnGroups says that intervals delete other groups than groups of sequences, and say themselves where these are few.
	OwnGroups bool
	// Holds says that the state grows with the sequences: such metrics share the memory.
	Holds bool
	New   func(s *Setting) Metric
}

// CSVFile is a file of a metric: see [Summary.Table].
type CSVFile struct {
	Name    string   // "sequence_positions.csv"
	Columns []string // after dataset and model
}

// Key is a number of the result.
type Key struct {
	Name      string // as in the result file
	About     string // what it measures, in a line; empty: the line of its kind
	Unit      string
	Direction report.Direction
	Low, High float64 // what it can be, where intervals end; ±Inf for no end
	Log       bool    // intervals are taken on the logarithm
	Compared  bool    // models are compared by it
	// Paired numbers are functions of sums that are kept for every sequence (see
	// [NewSequenceSums]): other runs are compared by them, sequence by sequence.
	Paired bool
}

// Described describes the numbers of metrics, in their order.
func Described(kinds ...*Kind) []report.Described {
	var out []report.Described
	for _, k := range kinds {
		for _, key := range k.Keys {
			out = append(out, report.Described{Name: key.Name, Better: key.Direction, Unit: key.Unit, Low: key.Low, High: key.High,
				Headline: slices.Contains([]string{"mask_acc", "ppl", "p_at_l", "cdr_probe"}, key.Name),
				About:    cmp.Or(key.About, k.About)})
		}
	}
	return out
}

// Option is a key of --set metric.key=value.
type Option struct {
	Name    string
	Alias   string // another name, as published configurations have it; empty: none
	Default any    // of the type of the values; nil: what About says
	About   string
	Check   func(value any) error // nil: any value of the type
}

// Interval is the interval of a jackknife as the result file holds it, cut at the range of a key.
func (k *Key) Interval(j *stat.Jackknifed) report.Interval {
	if j == nil {
		return results.IntervalOf(nil)
	}
	return results.IntervalOf(results.Ranged(j, k.Low, k.High, k.Log))
}
