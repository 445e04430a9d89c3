// Units of shards computed again.

package repscope

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"

	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
	"repscope/shard"
)

// drawn is a unit of a shard that is computed again.
type drawn struct {
	file *shardFile
	part int
}

// sample computes n units of all shards again and compares them.
func (v *verifier) sample(n int, seed uint64) error {
	var all []drawn
	for i := range v.shards {
		for k := range v.shards[i].state.Parts {
			all = append(all, drawn{&v.shards[i], k})
		}
	}
	if len(all) == 0 {
		return run.Hint(run.Usage("--sample %d: there are no shards with units to compute again", n),
			"ANALYSIS --shard i/n writes shards; scale keeps them in the folder shards of a result")
	}
	random := rand.New(rand.NewPCG(seed, uint64(len(all))))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:min(n, len(all))]
	for len(all) > 0 {
		var same []drawn // of one work, which is prepared once
		first := all[0]
		all = slices.DeleteFunc(all, func(d drawn) bool {
			if !alike(first.file.state, d.file.state) {
				return false
			}
			same = append(same, d)
			return true
		})
		if err := v.again(same); err != nil {
			return err
		}
	}
	return nil
}

// alike reports whether two shards are made by the same call.
func alike(a, b *shard.State) bool {
	if a == b {
		return true
	}
	return a.Origin != nil && b.Origin != nil && a.Identity.Difference(b.Identity) == "" && a.Origin.Folder == b.Origin.Folder &&
		slices.Equal(a.Origin.Settings, b.Origin.Settings) && a.Origin.Config == b.Origin.Config
}

// again computes units of one work.
func (v *verifier) again(units []drawn) error {
	first := units[0].file
	i := slices.IndexFunc(v.commands, func(c run.Command) bool { return c.Name == first.state.Identity.Analysis })
	if i < 0 {
		return fmt.Errorf("%s: a shard of %s, which is not an analysis of this program",
			first.path, first.state.Identity.Analysis)
	}
	var ranges []shard.Range
	for _, u := range units {
		if r := u.file.state.Parts[u.part].Range; !slices.Contains(ranges, r) {
			ranges = append(ranges, r)
		}
	}
	v.say("computing %s of %s again", text.Count(len(ranges), "unit"), first.path)
	state, err := v.inFolder(first.state.Origin, func() (*shard.State, error) {
		return run.Recompute(v.ctx, v.commands[i], first.state.Origin, ranges, v.stderr)
	})
	if v.ctx.Err() != nil {
		return errors.New("interrupted")
	}
	if err == nil {
		if different := first.state.Identity.Difference(state.Identity); different != "" {
			err = fmt.Errorf("its work differs now: %s", different)
		}
	}
	if err != nil {
		for _, u := range units {
			v.add(difference{State: stateChanged, Path: u.file.path, What: "units to compute again", Found: err.Error()})
		}
		return nil
	}
	for _, u := range units {
		v.compare(u, state)
	}
	return nil
}

// compare holds a unit against the one that was computed again.
func (v *verifier) compare(u drawn, state *shard.State) {
	was := u.file.state.Parts[u.part]
	v.checked.Units++
	for _, now := range state.Parts {
		if now.Range != was.Range {
			continue
		}
		if now.SHA256 != was.SHA256 {
			v.add(difference{State: stateChanged, Path: u.file.path, What: was.Range.String() + ", computed again", Recorded: was.SHA256, Found: now.SHA256})
			if was, now := u.file.state.Origin.Version, report.ReadBuild().Version; was != now {
				v.note("%s was written by version %s, this is %s", u.file.path, was, now)
			}
		}
		return
	}
}

// say tells of what takes time.
func (v *verifier) say(format string, args ...any) {
	_, _ = fmt.Fprintf(v.stderr, Name+" verify: "+format+"\n", args...)
}

// inFolder does something in the folder from which the paths of a shard count, if that is there.
func (v *verifier) inFolder(origin *shard.Origin, do func() (*shard.State, error)) (*shard.State, error) {
	if origin == nil || origin.Folder == "" {
		return do()
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if here == origin.Folder || os.Chdir(origin.Folder) != nil {
		return do() // paths from the root, or a folder that was moved
	}
	state, err := do()
	return state, errors.Join(err, os.Chdir(here))
}
