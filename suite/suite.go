// Package suite is the one list of binaries:
//
//	c, ok := suite.Find("manifold")
//	code := run.Run(ctx, c.Command, []string{"--example", "--out", dir}, os.Stdout, os.Stderr)
//
// Whoever deals with all of them reads it: the tests of package cmd, the Makefile,
// tools that run several analyses. No analysis and no main of one imports it, so
// that a binary links nothing but its own room.
package suite

import (
	"slices"

	audit "repscope/analysis/audit/command"
	canvas "repscope/analysis/canvas/command"
	forecast "repscope/analysis/forecast/command"
	generation "repscope/analysis/generation/command"
	geometry "repscope/analysis/geometry/command"
	manifold "repscope/analysis/manifold/command"
	neighborhood "repscope/analysis/neighborhood/command"
	reconstruction "repscope/analysis/reconstruction/command"
	reward "repscope/analysis/reward/command"
	robustness "repscope/analysis/robustness/command"
	sequence "repscope/analysis/sequence/command"
	similarity "repscope/analysis/similarity/command"
	smoothness "repscope/analysis/smoothness/command"
	surprise "repscope/analysis/surprise/command"
	"repscope/internal/run"
	"repscope/tool/compare"
	"repscope/tool/encode"
	"repscope/tool/evaluate"
	"repscope/tool/scale"
	"repscope/tool/validate"
)

// Entry is one binary.
type Entry struct {
	run.Command
	// Analysis tells one that measures and writes a result of numbers from a tool.
	Analysis bool
	// Figure are the flags, besides --example, for the figure of the
	// documentation.
	Figure []string
}

// entries are the analyses, then the tools, in the order of the documentation.
var entries = append(slices.Clone(analyses), []Entry{
	{Command: encode.Command},
	{Command: compare.Command},
	{Command: Validate()},
	{Command: evaluate.New(commandsOf(analyses), Validate())},
	{Command: scale.New(commandsOf(analyses), Studies())},
}...)

var analyses = []Entry{
	{Command: audit.Command, Analysis: true},
	{Command: smoothness.Command, Analysis: true},
	{Command: robustness.Command, Analysis: true},
	{Command: neighborhood.Command, Analysis: true},
	{Command: manifold.Command, Analysis: true},
	{Command: geometry.Command, Analysis: true, Figure: []string{"--exclude-window", "30"}},
	{Command: similarity.Command, Analysis: true},
	{Command: reconstruction.Command, Analysis: true, Figure: []string{"--rollout-steps", "8", "--samples-shown", "4"}},
	{Command: reward.Command, Analysis: true},
	{Command: surprise.Command, Analysis: true},
	{Command: generation.Command, Analysis: true},
	{Command: forecast.Command, Analysis: true},
	{Command: sequence.Command, Analysis: true},
	{Command: canvas.Command, Analysis: true},
}

// All returns every binary, the analyses first.
func All() []Entry { return slices.Clone(entries) }

// Commands returns the commands of every binary.
func Commands() []run.Command { return commandsOf(entries) }

// Analyses returns the commands that measure.
func Analyses() []run.Command { return commandsOf(analyses) }

// Validate returns the command that validates numbers of analyses.
func Validate() run.Command { return validate.New(commandsOf(analyses)) }

func commandsOf(entries []Entry) []run.Command {
	commands := make([]run.Command, len(entries))
	for i, e := range entries {
		commands[i] = e.Command
	}
	return commands
}

// Find returns the binary of a name.
func Find(name string) (Entry, bool) {
	i := slices.IndexFunc(entries, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return Entry{}, false
	}
	return entries[i], true
}
