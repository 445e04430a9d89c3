// Package fuse rewrites graphs and programs into fewer, larger steps with the same result up to rounding. It joins its
// rewrites with the operators of package operator to the rules for preparing a graph:
//
//	err := g.Prepare(fuse.Rules(cpu.Evaluate)) // checked, ordered, constants folded
package fuse

import (
	"repscope/model/graph"
	"repscope/model/operator"
)

// Rules are the operators of package operator and the rewrites of this package; eval computes constants.
func Rules(eval graph.Evaluator) graph.Rules {
	return graph.Rules{Lookup: operator.Lookup, Evaluate: eval, Rewrite: operator.Rewrite, Simplify: simplify,
		Fuse: func(p *graph.Program) { program(p, false, eval) }}
}

// simplify changes the constants of a graph for fewer nodes.
func simplify(g *graph.Graph) error {
	if err := foldBatchNorm(g); err != nil {
		return err
	}
	return addBranches(g)
}

// ProcessorRules are [Rules] with the rewrites that package cpu alone has kernels for.
func ProcessorRules(eval graph.Evaluator) graph.Rules {
	r := Rules(eval)
	r.Rewrite = func(g *graph.Graph) {
		operator.Rewrite(g)
		unquantize(g)
	}
	r.Fuse = func(p *graph.Program) { program(p, true, eval) }
	return r
}
