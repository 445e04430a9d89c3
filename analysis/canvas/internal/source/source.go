// Package source has the scored cases: the files of a benchmark, how they are read, and the files that several cases
// share.
package source

import "fmt"

// Side are the files of one design; a path is empty where there is none.
type Side struct{ Image, Design string }

// Case is one generated design and what it is scored against. Paths are as the [Reader] takes
// them.
type Case struct {
	ID      string // "gid6-27-gpt-4o-image_only": unique but for snapshots
	Sample  string // "gid6-27": cases of several models with one sample are paired
	Model   string
	Variant string
	// Snapshot is the number of a step on the way, −1 of the final design.
	Snapshot             int
	Reference, Generated Side
	// Base is the design that a modification began with; empty in other tasks.
	Base                 Side
	Trace, ExpectedTrace string
	// StepTraces are the tool calls of each step up to this one, in order.
	StepTraces []string
	// Saliency maps and fixations that were made elsewhere.
	ReferenceSaliency, GeneratedSaliency, Fixations string
}

// Reader returns the content of a file of a case. It may be called from several goroutines.
type Reader func(path string) ([]byte, error)

// Files are the paths of all files of a case.
func (c *Case) Files() []string {
	return append([]string{c.Reference.Image, c.Reference.Design, c.Generated.Image, c.Generated.Design, c.Base.Image, c.Base.Design,
		c.Trace, c.ExpectedTrace, c.ReferenceSaliency, c.GeneratedSaliency, c.Fixations}, c.StepTraces...)
}

// BaseSuffix ends the name of the case of the design that the modifications of a sample began
// with, after the name of the sample: captions and scores of it go by that name.
const BaseSuffix = "-base"

// BaseCase is the case of the design that a modification began with.
func (c *Case) BaseCase() Case {
	return Case{ID: c.Sample + BaseSuffix, Sample: c.Sample, Model: "base", Variant: c.Variant, Snapshot: -1,
		Reference: c.Reference, Generated: c.Base, ReferenceSaliency: c.ReferenceSaliency, Fixations: c.Fixations}
}

// FileName is the name of a case in files of maps, captions, scores and embeddings: its own, and
// <case>-snapshot-<N> of a step on the way, as its files are called. The design that a
// modification began with is a case of its own: see [BaseSuffix].
func (c *Case) FileName() string {
	if c.Snapshot >= 0 {
		return fmt.Sprintf("%s-snapshot-%d", c.ID, c.Snapshot)
	}
	return c.ID
}

// Name is the case with its step.
func (c *Case) Name() string {
	if c.Snapshot < 0 {
		return c.ID
	}
	return fmt.Sprintf("%s, snapshot %d", c.ID, c.Snapshot)
}

// CompareSteps orders steps by number; −1, the end, is the last.
func CompareSteps(a, b int) int {
	if (a < 0) != (b < 0) {
		return b - a
	}
	return a - b
}
