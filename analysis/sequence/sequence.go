// Package sequence evaluates masked language models of sequences: what they predict at
// hidden positions, by region; what their attention knows of contacts; what can be read out
// of their hidden states; and how their scores of substitutions agree with measurements.
//
//	dump, err := source.OpenDump("dump.npz", token.Antibody(), nil)
//	data := sequence.Dataset{Name: "val", Models: []sequence.Model{{Name: "mine", Sequences: dump, Source: dump}}}
//	in := sequence.Input{Registry: metrics.All(), Datasets: []sequence.Dataset{data}}
//	result, err := sequence.Analyze(ctx, in, sequence.Options{Settings: analysis.Settings{Intervals: true, Seed: 42}})
//
// Package metrics has the metrics, package source opens files of sequences and answers, and package command is the
// binary.
package sequence

import (
	"context"

	"repscope/measure/token"
)

// Record is a sequence with its annotations. All lists have the length L of Tokens.
type Record struct {
	Index   int    // in its dataset
	ID      string // unique in its dataset
	Cluster int    // sequences of one cluster are not independent of each other
	Tokens  []int32
	// Chains is the chain of each token, 0 (heavy) or 1 (light).
	Chains []int8
	// Special marks tokens that are no residues: [CLS], [EOS].
	Special []bool
	// CDR is 1, 2 or 3 inside a CDR, else 0; nil where that is not known.
	CDR []int8
	// NonTemplated is 1 at residues that differ from the germline, 0 at residues that do not,
	// and −1 where that is not known of one chain alone; nil where it is not known at all.
	NonTemplated []int8
	// Coordinates [L, 3] are in ångström; NaN for special tokens and for residues that were
	// not resolved. nil where there are none.
	Coordinates []float32
	// Regions are the regions of each token; nil without CDR.
	Regions []token.Region
	// Masked are the positions that the standard mask hides, ascending.
	Masked []int
	// Held is what its source keeps with the record, so that it is read once.
	Held any
}

// Residues are the positions of tokens that are not special.
func (r *Record) Residues() []int {
	var out []int
	for i, special := range r.Special {
		if !special {
			out = append(out, i)
		}
	}
	return out
}

// Sequences are the sequences of a dataset, read as they are needed. Read may be called
// from several goroutines.
type Sequences interface {
	Len() int
	// Read fills r with sequence i; Regions and Masked are filled by the analysis, but for
	// a dump, which names the masked positions.
	Read(i int, r *Record) error
	// Clusters is the cluster of every sequence.
	Clusters() []int
	// Knows lists the annotations that the dataset has: NeedRegions, NeedGermline,
	// NeedCoordinates, NeedChains.
	Knows() Needs
}

// PassKind is what a model is shown of a sequence.
type PassKind int

// The kinds of passes.
const (
	// MaskedPass hides the positions of the standard mask together.
	MaskedPass PassKind = iota
	// CleanPass hides nothing.
	CleanPass
	// SinglePass hides one position.
	SinglePass
	// RegionPass hides all positions of a region.
	RegionPass
)

// Pass is one look of a model at one sequence.
type Pass struct {
	Record *Record
	Kind   PassKind
	Hidden []int        // the positions that are replaced by the mask token, ascending
	Region token.Region // of a RegionPass
}

// Outputs is a set of outputs of a model.
type Outputs uint8

// The outputs of a model.
const (
	Logits Outputs = 1 << iota
	HiddenStates
	Attentions
	ContactScores
	// Predicted are predictions of the hidden positions where the logits are not known.
	Predicted
)

// Output is what a model answers to a pass, for the L tokens of the sequence without padding.
// Slices are valid during the visit.
type Output struct {
	Logits        []float32 // [L, V]
	Hidden        []float32 // [L, D] of the last layer
	Attentions    []float32 // [Layers, Heads, L, L]: from query (row) to key
	ContactScores []float32 // [L, L]
	Layers, Heads int
	// Predictions are the predictions of the hidden positions in their order, in the place of Logits:
	// see Predicted.
	Predictions []token.Prediction
}

// Source answers passes: a model that is run, or a dump of what one answered. One with a method
// Concurrent() bool that returns true is asked from several goroutines at a time; one with a method Runs() bool that
// returns true computes its answers when it is asked, which takes long where every residue is hidden alone.
type Source interface {
	// Has are the outputs that there are for passes of a kind.
	Has(kind PassKind) Outputs
	// Answer visits the outputs that are wanted of the passes, pass by pass in any order
	// that does not depend on threads, from one goroutine.
	Answer(ctx context.Context, passes []Pass, want Outputs, visit func(pass int, out *Output) error) error
}

// Item is a sequence with what a model said of it.
type Item struct {
	*Record
	// Group is the block of the sequence, which intervals delete as a whole: sequences of one
	// cluster are of one block. See [Summary.Jackknife].
	Group int
	// Predictions are the predictions of the positions that the standard mask hides, in their order: see
	// NeedMasked.
	Predictions []token.Prediction
	// Regional are the predictions that score regions, in the order of positions: with
	// --region-mode standard Predictions, per-position Single, region-level the ones
	// of every region hidden as a whole. See NeedRegional.
	Regional []token.Prediction
	// Single are the predictions of every residue hidden alone, in their order, and SingleLogits [n, V]
	// their logits, nil where only predictions are known. See NeedSingle.
	Single       []token.Prediction
	SingleLogits []float32
	// Clean is the output of the sequence as it is; nil unless needed.
	Clean *Output
}

// Batch is what a metric is updated with: sequences that follow each other, all of one group.
// Slices of outputs are valid during the update.
type Batch struct{ Items []*Item }

// Setting is what metrics know of a run.
type Setting struct {
	Alphabet *token.Alphabet
	// Mode is RegionStandard, RegionPerPosition or RegionLevel.
	Mode string
	// Regions are the names of the regions and aggregates that are reported; nil: all.
	Regions []string
	// Options are the options of --set and of a configuration, by metric and key.
	Options map[string]map[string]any
	// Sequences is the number of sequences of the dataset, from which metrics may choose some.
	Sequences int
	// Substitutions are the measured variants of the dataset; nil where there are none.
	Substitutions *Substitutions
	Seed          uint64
	Threads       int
	Memory        int64 // bytes that a metric may hold: see [Kind.Holds]
}

// The values of --region-mode.
const (
	RegionStandard    = "standard"
	RegionPerPosition = "per-position"
	RegionLevel       = "region-level"
)

// RegionModes are all of them.
func RegionModes() []string { return []string{RegionStandard, RegionPerPosition, RegionLevel} }
