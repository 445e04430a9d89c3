// Settings of an analysis.

package input

import (
	"repscope/analysis"
	"repscope/internal/run"
)

// Settings are those of the flags; doing names the work in the display of progress, empty for none. The device is
// left to those who use one: see [Data.GPUs].
func (d *Data) Settings(env *run.Env, doing string) analysis.Settings {
	s := analysis.Settings{
		Intervals: env.Options.Bootstrap > 0, Block: d.Options.Block, Seed: env.Options.Seed, Family: d.Options.Family,
		Threads: env.Options.Threads, Memory: env.Options.Memory,
	}
	if doing != "" {
		s.Progress = env.Progress(doing)
	}
	return s
}
