// Settings of an analysis.

package input

import (
	"repscope/analysis"
	"repscope/internal/run"
)

// Settings are those of the flags; doing names the work in the display of progress, empty for none. The device is
// that of [Data.SettingsOnGPUs].
func (d *Data) Settings(env *run.Env, doing string) analysis.Settings {
	s := &Statistics{Block: d.Options.Block, Family: d.Options.Family}
	return s.Settings(env, doing)
}

// SettingsOnGPUs are the settings with the GPUs for neighbour searches. Errors: GPUs that cannot be opened.
func (d *Data) SettingsOnGPUs(env *run.Env, doing string) (analysis.Settings, error) {
	s := d.Settings(env, doing)
	opened, err := d.Device()
	if err == nil {
		s.Device = opened.Device
	}
	return s, err
}

// Settings are those of the flags, for an analysis that takes no states: see [Data.Settings].
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
