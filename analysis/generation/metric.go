// What a metric is: the inputs that it needs, how it is computed, and by which numbers
// generators are compared.

package generation

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"repscope/shard"
)

// Metric is a row of the registry.
type Metric struct {
	Name    string
	Aliases []string // published names
	Needs   []Need
	Reads   []string // inputs of the program that its numbers follow from, such as "generated"
	// Estimates are the numbers by which generators are compared; none where the metric was
	// not computed.
	Estimates func(m *Model) []Estimate

	// compute sets the metric's field of m, or returns a skipped error with the reason why
	// there is nothing to set.
	compute func(ctx context.Context, a *analyzer, g *Generator, m *Model) error
}

// Need is an input that a metric cannot do without.
type Need struct {
	Option string // of the program that gives it; NAME stands for the generator
	has    func(in *Input, g *Generator) bool
}

// The inputs that metrics need.
var (
	needReconstruction = Need{"--reconstruction NAME=FILE", func(_ *Input, g *Generator) bool { return g.Reconstruction != nil }}
	needGenerated      = Need{"--generated NAME=FILE", func(_ *Input, g *Generator) bool { return g.Generated != nil }}
	needLatents        = Need{"--latents NAME=FILE", func(_ *Input, g *Generator) bool { return g.Latents != nil }}
	needReference      = Need{"--generated NAME=FILE and --real FILE", func(in *Input, g *Generator) bool { return g.Generated != nil && in.Real != nil }}
	needPredictions    = Need{"--predictions NAME=FILE or --classifier FILE.onnx", func(_ *Input, g *Generator) bool { return g.Predictions != nil }}
)

// needs begins the reason of a metric whose input is not given.
const needs = "needs "

// Missing says which inputs a metric of a generator lacks; empty if it has all.
func (m *Metric) Missing(in *Input, g *Generator) string {
	var options []string
	for _, need := range m.Needs {
		if !need.has(in, g) {
			options = append(options, need.Option)
		}
	}
	if len(options) == 0 {
		return ""
	}
	return needs + strings.ReplaceAll(strings.Join(options, " and "), "NAME", g.Name)
}

// skipped is why a metric is not computed, as an error.
type skipped struct{ reason string }

func (s *skipped) Error() string { return s.reason }

// skip is an error that leaves a metric out, with its reason.
func skip(format string, args ...any) error { return &skipped{fmt.Sprintf(format, args...)} }

// analyzer is one analysis.
type analyzer struct {
	in Input
	o  Options
	// related inputs have no groups, and their neighboring samples are alike.
	related []related

	lock   sync.Mutex // of what follows
	done   int
	shared func() shard.Identity // without the generators
}
