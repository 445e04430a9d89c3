// Package scale is the scale binary: analyses over many processes and machines.
//
//	command := scale.New(analyses, studies)
//
// [New] makes the command for the analyses and the reader of suites that it is given; it knows none itself.
package scale

import "repscope/internal/run"

const manual = `scale divides the work of an analysis over processes and machines. Each does a part of it
(ANALYSIS --shard i/n) and leaves a file; "scale merge" makes of these files what one process
would have written. "scale plan" says what that takes; "scale slurm" and "scale k8s" have it done
on a cluster, for an analysis or all of a suite, and "scale status" says what is missing.`

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
