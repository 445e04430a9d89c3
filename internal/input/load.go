// Loading what the flags name.

package input

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"repscope/internal/run"
	"repscope/latent"
)

// Load opens what the flags name, fills the input part of the result and says on
// the console which states are analyzed. Files that it opens are closed when the run ends.
func (in *Inputs) Load(ctx context.Context, env *run.Env) (*Data, error) {
	d := &Data{Options: in.Options, inputs: in, env: env}
	// A GPU that is asked for by name must be there, whether or not it is needed.
	if strings.HasPrefix(in.Device, "cuda") {
		if _, err := d.Device(); err != nil {
			return nil, err
		}
	}
	if err := d.load(ctx); err != nil {
		return nil, err
	}
	d.describe()
	d.digestFrames()
	return d, nil
}

func (d *Data) load(ctx context.Context) error {
	if err := d.inputs.expandWeights(); err != nil {
		return err
	}
	if err := d.inputs.exist(); err != nil {
		return err
	}
	if err := d.openCache(); err != nil {
		return err
	}
	var latents []givenLatents
	for _, s := range d.inputs.sources {
		if s.kind != "latents" {
			continue
		}
		g, err := d.loadLatents(ctx, s)
		if err != nil {
			if err := d.leave(ctx, s.name, err); err != nil {
				return err
			}
			continue
		}
		latents = append(latents, g)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if err := d.settle(); err != nil {
		return err
	}
	var err error
	if d.inputs.frames != "" || d.inputs.example {
		err = d.loadStates(ctx, latents)
	} else {
		err = d.loadWithoutFrames(ctx, latents)
	}
	if err != nil {
		return err
	}
	if err := d.dropBadLatents(ctx, latents); err != nil {
		return err
	}
	if err := d.settle(); err != nil {
		return err
	}
	if len(d.index) == 0 {
		return errors.New("no state is left to analyze")
	}
	if err := d.checkSizes(); err != nil {
		return err
	}
	return d.openModels(ctx, latents)
}

// checkSizes holds the flags of the command against the states.
func (d *Data) checkSizes() error {
	for _, check := range d.inputs.sized {
		if err := check(d); err != nil {
			return err
		}
	}
	return nil
}

func (d *Data) openCache() error {
	if d.plan != nil {
		return d.checkCache()
	}
	switch dir := d.inputs.cache; dir {
	case "off":
	case "":
		cache, err := latent.OpenCache("")
		if err != nil {
			// No home or a read-only one: results are the same, only slower.
			d.cacheFailed(err)
			return nil
		}
		d.cache = cache
	default:
		cache, err := latent.OpenCache(dir)
		if err != nil {
			return err
		}
		d.cache = cache
	}
	return nil
}

// cacheFailed says, once, that latents are not kept for another run, or that some are not taken from an earlier one.
func (d *Data) cacheFailed(err error) {
	if errors.Is(err, latent.ErrForeign) {
		d.env.Warn("%v", err)
		return
	}
	if !d.uncached {
		d.env.Message("note: encoded latents are not cached: %v", err)
	}
	d.uncached = true
}

// digestFrames begins to compute the digest of the frames, which takes as long as many an
// analysis; a file that turns out to be damaged ends the run.
func (d *Data) digestFrames() {
	if d.frames == nil {
		return
	}
	var sum string
	d.env.Beside(func() (err error) {
		if sum, err = d.frames.SHA256(); err != nil {
			err = fmt.Errorf("frames: %w", err)
		}
		return err
	}, func() {
		for i := range d.env.Result.Inputs {
			if d.env.Result.Inputs[i].Role == "frames" {
				d.env.Result.Inputs[i].SHA256 = sum
			}
		}
	})
}
