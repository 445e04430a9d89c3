// scale merge: what the shards of an analysis make together.

package scale

import (
	"context"
	"fmt"
	"io"

	"repscope/internal/run"
)

const mergeManual = `merge combines the shards of an analysis (ANALYSIS --shard i/n) into the files of a
single-process run, byte for byte except for time stamps. FILES are shards, in any order, or
folders with shards. Shards of different n can be mixed, and equal shards can occur twice;
together they must cover all units.

merge reads the inputs of the analysis from the paths recorded in the shards, but computes no
unit again: run it in the folder in which the shards were computed. Latents come from the
cache if it has them. merge refuses, by name: damaged files and files that are not shards;
shards of other inputs, options or definitions; shards that differ on a unit; changed inputs;
and incomplete sets, for which it prints the missing commands.

Files are written to --out, or to the default folder of the analysis. --memory and --threads
work as in the analysis.`

// defaultOut stands for the folder into which the analysis writes by itself.
const defaultOut = "evaluation_plots"

// newMerge is the command.
func newMerge(analyses []run.Command) run.Command {
	return run.Command{
		Name:      "merge",
		Summary:   "combines the shards of an analysis into its result",
		Manual:    mergeManual,
		Out:       defaultOut,
		Arguments: "FILES…",
		Omit:      []string{"seed", "bootstrap", "format", "width", "config"},
		Setup: func(*run.Flags) run.Job {
			return run.Job{
				Check: func(o *run.Options) error {
					if len(o.Args) == 0 {
						return run.Usage("no shards: want files written by --shard, or folders with such files")
					}
					return nil
				},
				Direct: func(ctx context.Context, o *run.Options, stdout, stderr io.Writer) error {
					return Merge(ctx, analyses, o.Args, mergeArguments(o), stdout, stderr)
				},
			}
		},
	}
}

// mergeArguments are the options of merge as options of the analysis.
func mergeArguments(o *run.Options) []string {
	var args []string
	if o.Out != defaultOut {
		args = append(args, "--out="+o.Out)
	}
	if o.Quiet {
		args = append(args, "--quiet")
	}
	if o.JSON {
		args = append(args, "--json")
	}
	return append(args, fmt.Sprintf("--threads=%d", o.Threads), fmt.Sprintf("--memory=%dB", o.Memory))
}

// Merge writes the result that the shards of some files and folders make together. args are
// options of the analysis besides the options of the shards, such as --out=folder.
// Errors: of [Open], [Set.Complete] and the analysis.
func Merge(ctx context.Context, analyses []run.Command, paths, args []string, stdout, stderr io.Writer) error {
	set, err := Open(analyses, paths)
	if err != nil {
		return err
	}
	if err := set.Complete(); err != nil {
		return err
	}
	task, err := run.Merged(set.Command, set.States[0].Origin, set.States, args...)
	if err != nil {
		return fmt.Errorf("%s: %w", set.States[0].Source, err)
	}
	if err := task.Run(ctx, stdout, stderr); err != nil {
		return fmt.Errorf("%s: %w", set.Command.Name, err)
	}
	return nil
}
