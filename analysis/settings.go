// Package analysis holds what all analyzes have in common. Each analysis is a package below it: arrays in,
// estimates out. Its program, with flags, files and figures, is the package command of the analysis.
package analysis

import (
	"repscope/internal/device"
	"repscope/shard"
	"repscope/stat"
)

// Settings are the options that all analyzes share. They stand in the Options of each:
//
//	smoothness.Options{Settings: analysis.Settings{Intervals: true, Seed: 42}}
//
// An analysis uses the ones that concern it; the zero value computes without intervals on all cores.
type Settings struct {
	Intervals bool           // 95 % intervals and comparisons of models
	Block     stat.BlockSpec // how observations are grouped for them
	Seed      uint64         // of all random draws
	Family    string         // of tests that Holm's correction is over: metric (or empty) or run
	Threads   int            // 0 or less: all cores
	Memory    int64          // bytes of working memory; 0: a default
	Device    *device.Device // GPUs; nil: the processor alone
	// Progress, if not nil, is told how much of the work is done.
	Progress func(done, total int)
}

// Identity lists the settings that change numbers, for the identity of shards.
func (s *Settings) Identity() []shard.Field {
	return []shard.Field{
		shard.Option("bootstrap", s.Intervals), shard.Option("block", s.Block),
		shard.Option("family", s.Family), shard.Option("seed", s.Seed),
	}
}
