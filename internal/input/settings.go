// Settings of an analysis.

package input

import (
	"repscope/analysis"
	"repscope/internal/run"
)

// Settings returns the settings of an analysis, from the flags; doing names the work in the display of progress, empty
// for none. It opens no GPU: see [Data.SettingsOnGPUs].
func (d *Data) Settings(env *run.Env, doing string) analysis.Settings {
	s := &Statistics{Block: d.Options.Block, Family: d.Options.Family}
	return s.Settings(env, doing)
}

// SettingsOnGPUs returns Settings with the GPUs for neighbor searches. Errors: GPUs that cannot be opened.
func (d *Data) SettingsOnGPUs(env *run.Env, doing string) (analysis.Settings, error) {
	s := d.Settings(env, doing)
	opened, err := d.Device()
	if err == nil {
		s.Device = opened.Device
	}
	return s, err
}

// Settings returns the settings of an analysis that takes no states: see [Data.Settings].
func (s *Statistics) Settings(env *run.Env, doing string) analysis.Settings {
	o := analysis.Settings{
		Intervals: env.Options.Bootstrap > 0, Block: s.Block, Seed: env.Options.Seed, Family: s.Family,
		Threads: env.Options.Threads, Memory: env.Options.Memory,
	}
	if doing != "" {
		o.Progress = env.Progress(doing)
	}
	return o
}
