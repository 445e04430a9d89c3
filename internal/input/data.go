// What an analysis of states is given to work with.

package input

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"repscope/dataset"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/latent"
	"repscope/model"
	"repscope/points"
	"repscope/stat"
)

// Data is the loaded input. States are named by their index in States (or, without
// frames, by their row in the latents); index lists are ascending and shared by all
// models.
type Data struct {
	// Options are the values of the flags of this package.
	Options Options
	// States are the original states, nil when only latents are given. Where models
	// have windows of their own, states have the longest; see [Model.Seen].
	States *dataset.States
	// Models in the order of the command line, without those that cannot be measured: some
	// turn out so when they are encoded.
	Models []*Model

	inputs *Inputs
	env    *run.Env
	plan   *run.Plan // of a dry run, else nil

	count    int   // states, or rows of the latents
	index    []int // admissible states
	episodes []int // of every row of given latents without frames; nil: one episode
	window   int   // frames of a state; 0: one, or a clip that is a row by itself
	recorded int   // the window of a published dataset, else 0

	trying   bool           // other states are tried, and nothing is left out for them
	frames   *dataset.Array // what States are made of
	cache    *latent.Cache  // nil: off
	held     atomic.Int64   // bytes of inputs, see hold
	uncached bool           // it was said that latents are not kept
	device   *model.Backend // nil until it is asked for

	processors map[string]string // by model: the file of its folder that tells its preprocessing
}

// Index returns all states that may be analyzed: those without NaN, in time
// order.
func (d *Data) Index() []int { return slices.Clone(d.index) }

// Sample returns the states to analyze: all of Index, or --samples of them drawn
// with the seed.
func (d *Data) Sample() []int {
	return draw(d.index, d.Options.Samples, stat.StreamSample.Key(d.env.Options.Seed))
}

// Pairs returns pairs of states whose beginnings are horizon frames apart in one
// episode: all of them, or --samples drawn with the seed. Without frames, rows
// of the latents count as frames. There may be none.
func (d *Data) Pairs(horizon int) []points.Pair {
	return draw(d.admissiblePairs(horizon), d.Options.Samples, stat.StreamPairs.Key(d.env.Options.Seed, uint64(horizon)))
}

// admissiblePairs are all pairs of states that may be analyzed.
func (d *Data) admissiblePairs(horizon int) []points.Pair {
	var pairs []points.Pair
	if d.States != nil {
		pairs = d.States.Pairs(horizon)
	} else {
		for i := range d.count - horizon {
			if d.episode(i) == d.episode(i+horizon) {
				pairs = append(pairs, points.Pair{Now: i, Next: i + horizon})
			}
		}
	}
	admissible := make([]bool, d.count)
	for _, i := range d.index {
		admissible[i] = true
	}
	return slices.DeleteFunc(slices.Clone(pairs), func(p points.Pair) bool {
		return !admissible[p.Now] || !admissible[p.Next]
	})
}

// Successors returns, for each of the states, the state that follows it in its episode:
// the one that begins a frame later. −1 where there is none, or none that may be analyzed:
// after the last state of an episode, and at gaps of --skip-nan. A published dataset ends
// its episodes by its own rule; see [dataset.StateOptions].
func (d *Data) Successors(index []int) []int {
	after := map[int]int{}
	for _, p := range d.admissiblePairs(1) {
		after[p.Now] = p.Next
	}
	next := make([]int, len(index))
	for i, state := range index {
		next[i] = -1
		if j, ok := after[state]; ok {
			next[i] = j
		}
	}
	return next
}

// draw returns all elements, or n of them in their order.
func draw[T any](all []T, n int, key stat.Key) []T {
	if n == 0 || n >= len(all) {
		return slices.Clone(all)
	}
	chosen, err := stat.NewRandom(key).SampleWithoutReplacement(len(all), n)
	if err != nil {
		panic(err) // 0 < n < len(all) was checked
	}
	out := make([]T, n)
	for i, j := range chosen {
		out[i] = all[j]
	}
	return out
}

// PairStates returns the states that occur in the pairs, ascending, and the
// pairs as positions in that list: what to load, and where to find each pair in
// the points loaded.
func PairStates(pairs ...[]points.Pair) (index []int, local [][]points.Pair) {
	for _, list := range pairs {
		for _, p := range list {
			index = append(index, p.Now, p.Next)
		}
	}
	slices.Sort(index)
	index = slices.Compact(index)
	position := make(map[int]int, len(index))
	for i, state := range index {
		position[state] = i
	}
	local = make([][]points.Pair, len(pairs))
	for i, list := range pairs {
		local[i] = make([]points.Pair, len(list))
		for j, p := range list {
			local[i][j] = points.Pair{Now: position[p.Now], Next: position[p.Next]}
		}
	}
	return index, local
}

// Episodes returns the episode number of each of the states.
func (d *Data) Episodes(index []int) []int {
	out := make([]int, len(index))
	for i, state := range index {
		out[i] = d.episode(state)
	}
	return out
}

// episode is the episode number of a state.
func (d *Data) episode(state int) int {
	switch {
	case d.States != nil:
		return d.States.Episode(state)
	case d.episodes != nil:
		return d.episodes[state]
	}
	return 0
}

// Frame returns the frame (row of the input array) at which each of the states
// begins: its time, to be compared inside an episode.
func (d *Data) Frame(index []int) []int {
	out := slices.Clone(index)
	if d.States != nil {
		for i, state := range index {
			out[i] = d.States.Start(state)
		}
	}
	return out
}

// Frames returns the last frame of each of the states as points of their own
// type, and Clips whole states. For vectors and single frames they are the same.
func (d *Data) Frames(ctx context.Context, index []int) (points.Points, error) {
	return d.framePoints(ctx, index, true)
}

// Clips returns each of the states as a point of its own type.
func (d *Data) Clips(ctx context.Context, index []int) (points.Points, error) {
	return d.framePoints(ctx, index, false)
}

func (d *Data) framePoints(ctx context.Context, index []int, last bool) (points.Points, error) {
	if d.States == nil {
		return points.Points{}, d.needFrames("the original states")
	}
	if err := ctx.Err(); err != nil {
		return points.Points{}, err
	}
	states := d.States.Subset(index)
	if last {
		states = states.LastFrame()
	}
	if err := d.hold(int64(len(index))*int64(states.Size())*int64(states.Array().DType().Size()), "frames "+states.Array().Name()); err != nil {
		return points.Points{}, err
	}
	return states.Points()
}

// Latents returns the pooled latents of the states, one set of points per model
// in the order of Models. Encoded latents are float32, given ones keep float64.
// They are not scaled: --latent-scale is the analysis's own business. A model whose
// encoder fails is taken out of Models.
func (d *Data) Latents(ctx context.Context, index []int) ([]points.Points, error) {
	var out []points.Points
	var measured []*Model
	for _, m := range d.Models {
		pts, err := m.Latents(ctx, index)
		if err != nil {
			if err := d.leave(ctx, m.Name, err); err != nil {
				return nil, err
			}
			continue
		}
		out, measured = append(out, pts), append(measured, m)
	}
	d.Models = measured
	return out, d.settle()
}

// Window is how many frames make a state; 0: one, or a clip that is a row by itself.
func (d *Data) Window() int { return d.window }

// Names returns the names of the models.
func (d *Data) Names() []string {
	names := make([]string, len(d.Models))
	for i, m := range d.Models {
		names[i] = m.Name
	}
	return names
}

// needFrames is the error for something that only frames can give.
func (d *Data) needFrames(what string) error {
	return run.Hint(run.Usage("%s: frames are missing", what),
		"give them with --frames FILE[:key]", "or run the built-in example: "+d.env.Command.Name+" --example")
}

// describe prints the analyzed states to the console.
func (d *Data) describe() {
	d.describeFrames()
	if len(d.Models) > 0 {
		d.env.Detail("models %s\n", strings.Join(d.Names(), ", "))
	}
	for _, m := range d.Models {
		d.env.Detail("%s\n", m.describeInput())
	}
	d.env.Print("\n")
}

// describeFrames says what the states are made of.
func (d *Data) describeFrames() {
	for _, in := range d.env.Result.Inputs {
		if in.Role != "frames" {
			continue
		}
		values := "pixel range"
		if layout := d.States.Layout(); layout == "D" || layout == "TD" {
			values = "values"
		}
		d.env.Print("frames %s: %s %v, %s %.6g to %.6g (%s), %s in %s", in.Path, in.DType, in.Shape, values,
			in.PixelRange.Low, in.PixelRange.High, in.PixelRange.Source, text.Count(in.States, "state"),
			text.Count(in.Episodes, "episode"))
		if d.States.ChannelsLast() {
			d.env.Print(", channels last")
		}
		if in.Skipped > 0 {
			d.env.Print(", %d dropped for NaN or Inf", in.Skipped)
		}
		d.env.Print("\n")
	}
	for _, in := range d.env.Result.Inputs {
		if in.Role == "episodes" {
			d.env.Print("episodes %s: %s of %s\n", in.Path, in.Kind, text.Count(in.Episodes, "episode"))
		}
	}
}
