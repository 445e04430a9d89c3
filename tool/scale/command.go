// Package scale is the scale binary: analyses over many processes and machines.
//
//	command := scale.New(analyses, studies)
//
// [New] makes the command for the analyses and the reader of suites that it is given; it knows none itself.
package scale

import "repscope/internal/run"

const manual = `scale divides an analysis over processes and machines. Each task computes a part of it
(ANALYSIS --shard i/n) and writes a shard; "scale merge" combines the shards into the
single-process result. "scale plan" predicts time and memory. "scale slurm" and "scale k8s"
run one analysis, or all analyses of a suite, on a cluster. "scale status" lists missing tasks.`

// subcommands make the commands of the binary, in the order of the help, for the analyses.
var subcommands = []func(analyses []run.Command, studies Studies) run.Command{
	func(analyses []run.Command, _ Studies) run.Command { return newMerge(analyses) },
	newPlan,
	newSlurm,
	newK8s,
	newStatus,
	newTask,
	newFinish,
}

// New is the scale binary for the given analyses.
func New(analyses []run.Command, studies Studies) run.Command {
	c := run.Command{
		Name:    "scale",
		Summary: "divides an analysis over processes and machines, with the result of a single process",
		Manual:  manual,
		Out:     "evaluation_plots",
	}
	for _, sub := range subcommands {
		c.Commands = append(c.Commands, sub(analyses, studies))
	}
	return c
}
