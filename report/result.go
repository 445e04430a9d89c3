// This file is for the result file: its fields and their order.

package report

import (
	"slices"
	"time"
)

// Schema is the version of the result file's layout. A name inside a result
// never changes its meaning; a changed definition gets a new name.
const Schema = "repscope/1"

// Result is the result file of one run. Fields are written in this order.
// Started, Elapsed and Cached are the only things that differ between two runs over
// the same inputs with the same options; thread count and batch size are not
// recorded because they change nothing.
type Result struct {
	Schema     string  `json:"schema"`
	Analysis   string  `json:"analysis"`
	Definition int     `json:"definition,omitempty"` // of the numbers: one that changes makes another
	Version    string  `json:"version"`
	Revision   string  `json:"revision,omitempty"` // version control revision, "+modified" when the tree had changes
	Seed       uint64  `json:"seed"`
	Device     string  `json:"device"`    // cpu, or each GPU's ordinal and name
	Precision  string  `json:"precision"` // of the encoders' matrix products: fp32 on the processor
	Kernel     Kernel  `json:"kernel"`
	Go         string  `json:"go"` // Go version, operating system and architecture
	Started    string  `json:"started"`
	Elapsed    float64 `json:"elapsed_s"`
	Inputs     []Input `json:"inputs"`
	// Cached are the models some of whose latents were not computed but taken from the cache.
	Cached      []string     `json:"latents_from_cache,omitempty"`
	Options     Object       `json:"options"`
	Metrics     Object       `json:"metrics,omitempty"` // what the numbers of models are: see [Result.Describe]
	Blocks      string       `json:"blocks,omitempty"`  // what intervals delete in turn, in words: "12 episodes"; empty without intervals
	Samples     *Samples     `json:"samples,omitempty"` // the file of scores per sample, if there is one
	Layout      *Layout      `json:"layout,omitempty"`  // of a file that was read; otherwise it follows from the models
	Models      Object       `json:"models"`
	Extra       Object       `json:",inline"` // members that some analyses add next to the models
	Comparisons []Comparison `json:"comparisons"`
	Extremes    []Extremes   `json:"extremes,omitempty"` // which models may be the best: see [Result.ExtremesOf]
	Warnings    []string     `json:"warnings"`

	read bool // from a file
}

// Kernel names the matrix kernel and its depth block KC, both part of the
// numerical contract.
type Kernel struct {
	Name string `json:"name"`
	KC   int    `json:"kc"`
}

// Input describes one thing the run read.
type Input struct {
	Role       string  `json:"role"`                  // frames, episodes, model, latents, baseline
	Name       string  `json:"name,omitempty"`        // the model's name
	Path       string  `json:"path"`                  // as given; "example:arcade" for the built-in example
	SHA256     string  `json:"sha256,omitempty"`      // of the file's bytes; of the decoded content for a folder
	DType      string  `json:"dtype,omitempty"`       // element type, such as uint8
	Shape      []int   `json:"shape,omitempty"`       // array shape
	PixelRange *Range  `json:"pixel_range,omitempty"` // frames only
	Window     int     `json:"window,omitempty"`      // frames per state
	States     int     `json:"states,omitempty"`      // states the frames make
	Episodes   int     `json:"episodes,omitempty"`    // distinct episodes
	Skipped    int     `json:"skipped,omitempty"`     // states dropped for NaN or Inf
	Kind       string  `json:"kind,omitempty"`        // architecture or file kind of a model
	Pool       string  `json:"pool,omitempty"`        // pooling applied to a model's latents
	Details    *Object `json:"details,omitempty"`     // anything else worth keeping
	Extra      Object  `json:",inline"`               // keys that this version does not know, of a file that was read
}

// Range is the pixel range of frames and where it is known from.
type Range struct {
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Source string  `json:"source"`
}

// Comparison is the paired difference a − b of one metric between two models.
type Comparison struct {
	A      string `json:"a"`
	B      string `json:"b"`
	Metric string `json:"metric"`
	// Family names the tests over which PHolm is corrected.
	Family     string   `json:"family,omitempty"`
	Difference Value    `json:"difference"`
	CI         Interval `json:"ci"`
	// P is the two-sided p value of T = Difference/standard error with DF degrees of
	// freedom; below 0.05 exactly where CI leaves 0 out.
	P     Value `json:"p"`
	PHolm Value `json:"p_holm"`
	// Q is the false discovery rate of Benjamini and Yekutieli over all comparisons of the run. It and the fields
	// below are nil in files of old versions.
	Q  *Value `json:"q_by,omitempty"`
	T  *Value `json:"t,omitempty"`
	DF *Value `json:"df,omitempty"`
	// SignFlipP is the p value of the sign flips of Blocks blocks, Exact whether all
	// patterns of signs were tried.
	SignFlipP *Value `json:"sign_flip_p,omitempty"`
	Exact     *bool  `json:"exact,omitempty"`
	Blocks    *int   `json:"blocks,omitempty"`
	// EffectSD is Difference in standard deviations between observations of the paired
	// difference.
	EffectSD *Value    `json:"effect_sd,omitempty"`
	Warnings *[]string `json:"warnings,omitempty"`
	// Path is the path of the metric in the models ([Object.Number]); empty if Metric is.
	Path string `json:"path,omitempty"`
	// Extremes are the best and worst of all models compared on the metric, if their joint distribution is known. All
	// comparisons of a metric share them.
	Extremes *Extremes `json:"-"`
	Extra    Object    `json:",inline"` // keys that this version does not know, of a file that was read
}

// NewResult returns an empty result of the named analysis, started now, with
// the program's version filled in from its build information.
func NewResult(analysis string) *Result {
	build := ReadBuild()
	return &Result{
		Schema:      Schema,
		Analysis:    analysis,
		Version:     build.Version,
		Revision:    build.Revision,
		Go:          build.Go,
		Started:     time.Now().UTC().Format(time.RFC3339),
		Inputs:      []Input{},
		Comparisons: []Comparison{},
		Warnings:    []string{},
	}
}

// Warn adds a warning once.
func (r *Result) Warn(warning string) {
	if !slices.Contains(r.Warnings, warning) {
		r.Warnings = append(r.Warnings, warning)
	}
}

// FromCache records that the latents of a model came from the cache.
func (r *Result) FromCache(model string) {
	if i, known := slices.BinarySearch(r.Cached, model); !known {
		r.Cached = slices.Insert(r.Cached, i, model)
	}
}

// Unmeasured is why a model of the result could not be measured; empty where it was.
func (r *Result) Unmeasured(model string) string {
	part, err := r.Model(model)
	if err != nil {
		return ""
	}
	if skipped, _ := part.Get("skipped"); skipped != true {
		return ""
	}
	reason, _ := part.Get(reasonKey)
	text, _ := reason.(string)
	return text
}

// Object is a JSON object that keeps the order in which its keys were set. The
// zero Object is empty and ready to use.
type Object struct {
	keys   []string
	values map[string]any
	roles  roles
}

// Set stores a value under a key. A new key goes to the end; an old one keeps
// its place.
func (o *Object) Set(key string, value any) {
	if o.values == nil {
		o.values = map[string]any{}
	}
	if _, ok := o.values[key]; !ok {
		o.keys = append(o.keys, key)
	}
	o.values[key] = value
}

// SetParameter is Set for a member that is a parameter of the row of a list: see [Layout].
func (o *Object) SetParameter(key string, value any) {
	o.Set(key, value)
	o.roles.parameter(key)
}

// Get returns the value stored under a key.
func (o *Object) Get(key string) (any, bool) {
	v, ok := o.values[key]
	return v, ok
}

// Keys returns the keys in order.
func (o *Object) Keys() []string { return slices.Clone(o.keys) }

// Len returns the number of keys.
func (o *Object) Len() int { return len(o.keys) }
