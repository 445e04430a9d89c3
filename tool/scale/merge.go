// scale merge: what the shards of an analysis make together.

package scale

import (
	"context"
	"errors"
	"io"

	"repscope/internal/run"
)

const mergeManual = `scale merge makes of the shards of an analysis what one process would have written.`

// newMerge is the command.
func newMerge([]run.Command) run.Command {
	return run.Command{
		Name:      "merge",
		Summary:   "the result of an analysis from its shards",
		Manual:    mergeManual,
		Out:       "evaluation_plots",
		Arguments: "FILES…",
		Omit:      []string{"seed", "bootstrap", "format", "config"},
		Setup: func(*run.Flags) run.Job {
			return run.Job{
				Check: func(o *run.Options) error {
					if len(o.Args) == 0 {
						return run.Usage("no shards: want the files that --shard has written")
					}
					return nil
				},
				Direct: func(context.Context, *run.Options, io.Writer, io.Writer) error { return errors.New("not written yet") },
			}
		},
	}
}
