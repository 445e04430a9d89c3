// Package canvas scores generated interface designs against references: pixels, node
// hierarchies, texts, saliency, captions, and the tools that were called.
//
//	cases := []canvas.Case{{ID: "a-m", Sample: "a", Model: "m", Snapshot: -1,
//		Reference: canvas.Side{Image: "a.png"}, Generated: canvas.Side{Image: "a-m.png"}}}
//	in := canvas.Input{Cases: cases, Read: os.ReadFile}
//	result, err := canvas.Analyze(ctx, in, canvas.Options{Setting: &canvas.Setting{}})
//
// Package command is its program. What lies below it in internal reads designs, texts, screens,
// saliency maps and captions; the metrics are here.
package canvas

import (
	"cmp"
	"context"
	"image"
	"math"
	"slices"

	"repscope/analysis"
	"repscope/analysis/canvas/internal/saliencymap"
	"repscope/analysis/canvas/internal/screenshot"
	"repscope/analysis/canvas/internal/semantic"
	"repscope/analysis/canvas/internal/source"
	"repscope/report"
)

// The values of --definition: see [Kind].
const (
	DefinitionDefault    = "default"
	DefinitionDocumented = "documented"
	DefinitionPublished  = "published"
)

// Cases, and the reader of their files.
type (
	// Case is one generated design and what it is scored against.
	Case = source.Case
	// Side are the files of one design.
	Side = source.Side
	// Reader returns the content of a file of a case.
	Reader = source.Reader
	// Absent is why a metric has no number where nothing is wrong.
	Absent = source.Absent
)

// Needs is a set of inputs of a metric.
type Needs uint16

// What metrics read. A result is kept for as long as these are the same: see [Kind.Inputs].
const (
	NeedDesigns       Needs = 1 << iota // both designs
	NeedGenerated                       // the generated design
	NeedImages                          // both images
	NeedTrace                           // the trace of the tools
	NeedExpectedTrace                   // the expected trace
	NeedSemantic                        // captions, embeddings, or models that make them
	NeedSaliency                        // saliency maps, or a model that makes them
	NeedFixations                       // fixations
	NeedPerceptual                      // a model of how far apart screens look
)

// Kind is a row of the registry: a metric, or several that are computed together.
type Kind struct {
	Name  string // "layout"
	About string // one line for the help
	Needs Needs
	// Optional says that it is computed only where it is asked for by name, since it takes long.
	Optional bool
	Keys     []Key
	// Definition describes the meaning of the numbers with these settings, apart from the inputs: equal texts
	// are equal definitions. Such as "gaussian window, alpha on white". It begins with the
	// version of the metric: "1; …".
	Definition func(o *Setting) string
	// Score enters the numbers of a case with [Row.Set] and [Row.Undefined]. An error is why
	// the keys that were not entered are null; unless it is [Absent] the case counts as failed.
	Score func(p *Pair, row *Row) error
}

// Key is a number of a case, and its mean over the cases of a model.
type Key struct {
	Name      string // as in the result file
	About     string // what it measures, in a line; empty: the line of its kind
	Unit      string
	Direction report.Direction
	Low, High float64 // what it can be, where intervals end; ±Inf for no end
	Log       bool    // intervals are computed on a log scale, unless a deletion is 0
	Compared  bool    // models are compared by it
	// Improved says that a modification has it for the base too: <name>_improvement.
	Improved bool
}

// sign is 1 where higher is better and −1 where lower is; false without a better direction.
func (k *Key) sign() (sign float64, ok bool) {
	switch k.Direction {
	case report.Higher:
		return 1, true
	case report.Lower:
		return -1, true
	}
	return 0, false
}

// noDirection is why a metric without a better direction has no agreement with people.
const noDirection = "the metric has no better direction"

// headlines are the numbers that stand for a comparison of designs.
var headlines = []string{"canvas_fill_difference", "ssim", "semantic_match", "saliency_cc", "element_ratio_symmetric",
	"layout_iou", "alignment_f1", "block_match", "text_similarity", "tree_edit_similarity", "visual_completeness", "struct_completeness"}

// Headlines are the numbers that stand for a comparison of designs, in the order of the result.
func Headlines() []string { return slices.Clone(headlines) }

// Described describes the numbers of metrics, in their order. improves reports whether some model has an improvement
// of a number.
func Described(kinds []Kind, improves func(key string) bool) []report.Described {
	var out []report.Described
	for _, k := range kinds {
		for _, key := range k.Keys {
			out = append(out, report.Described{Name: key.Name, Better: key.Better(), Unit: key.Unit, Low: key.Low, High: key.High,
				Headline: slices.Contains(headlines, key.Name), About: cmp.Or(key.About, k.About)})
			if improves(key.Name) {
				out = append(out, report.Described{Name: key.Name + "_improvement", Better: key.Better(), Unit: key.Unit,
					About: "improvement of " + key.Name + " by a modification"})
			}
		}
	}
	return out
}

// unbounded is the end of a range that has none.
var unbounded = math.Inf(1)

// Setting are what metrics know of a run. Each part is filled by its own flags.
type Setting struct {
	Definition string // DefinitionDefault, …
	Reports    bool   // see [Row.Reports]
	Seed       uint64
	Images     screenshot.Options
	Layout     LayoutSettings
	Content    ContentSettings
	Saliency   saliencymap.Options
	Semantic   semantic.Options
	// Picture draws the saliency maps of a case, which becomes its report [SaliencyPicture]; nil: there is none.
	Picture func(p *Pair) (image.Image, error)
}

// Documented reports whether the definitions of the publication are asked for.
func (o *Setting) Documented() bool {
	return o.Definition == DefinitionDocumented || o.Definition == DefinitionPublished
}

// Better is the direction of a key; Neither where it says none.
func (k *Key) Better() report.Direction {
	if k.Direction == "" {
		return report.Neither
	}
	return k.Direction
}

// Input are the cases to score.
type Input struct {
	// Cases in the order of the result. Their IDs are unique but for snapshots.
	Cases []Case
	Read  Reader
	// Ratings are what people think of cases; nil: see [Agreement].
	Ratings []Rating
	// Preferences are which of two cases people prefer; nil: see [Preferences].
	Preferences []Preference
}

// Options are the options of a run.
type Options struct {
	// Settings has a Block that chooses the units that intervals delete in turn: samples, or with a length, that many
	// consecutive samples. Draws come from the seed of Setting.
	analysis.Settings
	Setting *Setting
	// Kinds are the metrics that are computed, in the order of the registry; nil: all.
	Kinds []Kind
	// Models is the order of models, by name; others follow in the order in which their cases
	// begin.
	Models []string
	// Workers is how many cases are scored at a time, and so how many are held; 0: one for each
	// processor. It changes no number.
	Workers int
	// Done is told the row of a case when it is finished, with [Row.Reports], which are not kept;
	// it may be nil. It is called in any order, but never twice at a time. An error ends the run.
	Done func(i int, row *CaseRow) error
	// Known returns rows of earlier runs by the name of a kind, used instead of computing them;
	// base asks for the rows of the design that a modification began with. It may be nil,
	// and is called from several goroutines.
	Known func(i int, base bool) map[string]*Row
}

// CaseRow is a case with its numbers.
type CaseRow struct {
	Case *Case
	Row  *Row
	// Base are the numbers of the design that a modification began with, against the same
	// reference: of kinds that have a key with Improved, and of the kinds before them that these
	// read; nil if there is none.
	Base *Row
}

// Result is the result of all cases.
type Result struct {
	Rows        []CaseRow // in the order of the input
	Models      []ModelResult
	Comparisons []report.Comparison
	Agreement   *Agreement   // with ratings; nil without
	Preferences *Preferences // with preferences; nil without
	Warnings    []string

	// Blocks says what intervals delete in turn; empty without intervals.
	Blocks string
}

// Analyze scores all cases and summarizes them by model. Errors of one case are in its
// row; errors of Analyze: no cases, no metrics, two cases of one ID and snapshot, a row that Done
// refuses, and the end of the context.
func Analyze(ctx context.Context, in Input, o Options) (*Result, error) {
	work, err := Work(in, o)
	if err != nil {
		return nil, err
	}
	return work.Run(ctx)
}
