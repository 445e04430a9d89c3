// The states: frames, episodes and windows, or the rows of given latents.

package input

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"repscope/dataset"
	"repscope/internal/example"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/points"
	"repscope/report"
)

// loadStates opens the frames and episodes, and decides which states the given
// latents belong to.
func (d *Data) loadStates(ctx context.Context, latents []givenLatents) error {
	in, err := d.openFrames()
	if err != nil {
		return err
	}
	if len(d.inputs.sources) == 0 {
		d.window = d.windowOf("") // the window of all models
	}
	for _, source := range d.inputs.sources {
		if !d.inputs.left.Has(source.name) {
			d.window = max(d.window, d.windowOf(source.name))
		}
	}
	options := dataset.StateOptions{
		Window:         d.window,
		PairsBeforeEnd: in.published,
		Episodes:       in.numbers,
		Ends:           in.ends,
		Layout:         d.inputs.layout,
		PixelRange:     d.inputs.pixelRange,
		SkipNaN:        d.Options.SkipNaN,
		Unread:         d.plan != nil,
	}
	states, err := dataset.NewStates(in.frames, options)
	if err != nil {
		return fmt.Errorf("frames: %w", err)
	}
	d.States, d.frames = states, in.frames
	d.count = states.Len()
	if err := d.admit(ctx, latents, in); err != nil {
		return err
	}
	d.enterFrames(in)
	return d.checkRange(in)
}

// windowOf is the number of frames that a model sees of a state; 0: one, or a clip
// that is a row by itself.
func (d *Data) windowOf(model string) int {
	if n := d.inputs.window.of(model); n > 0 {
		return n
	}
	return d.recorded
}

// statesOf are the states as a model sees them, before they are preprocessed.
func (d *Data) statesOf(model string) *dataset.States {
	narrow, err := d.States.Narrow(d.windowOf(model))
	if err != nil {
		panic(err) // states have the longest window of all models
	}
	return narrow
}

// admit decides which states are analyzed and which row of the given latents belongs
// to each: a state without a row in some latents is left out for all models. Latents whose
// rows do not match the states are left out themselves.
func (d *Data) admit(ctx context.Context, latents []givenLatents, in *frameInput) error {
	d.index = make([]int, 0, d.count)
	missing := make([]bool, d.count)
	for i := range latents {
		g := &latents[i]
		window := d.windowOf(g.source.name)
		rows, err := d.States.RowsOf(g.points.N, window)
		if err != nil {
			if err := d.leave(ctx, g.source.name, d.mismatch(g, in, window, err)); err != nil {
				return err
			}
			continue
		}
		g.row, g.rule, g.input.Window = rows.Row, rows.Rule, window
		for state, row := range rows.Row {
			missing[state] = missing[state] || row < 0
		}
		if rows.Missing > 0 {
			d.env.Warn("latents %s: %s has %d rows, %s, as earlier versions of encode wrote them: the %d states without a row are dropped for all models",
				g.source.name, g.array, g.points.N, rows.Rule, rows.Missing)
		}
	}
	for state := range d.count {
		if !missing[state] {
			d.index = append(d.index, state)
		}
	}
	return nil
}

// unfilled is the share of a guessed pixel range below which the data are too few for it.
const unfilled = 0.4

// checkRange warns where the data lie in a small part of a pixel range that was guessed, and
// is an error where they cannot be computed with.
func (d *Data) checkRange(in *frameInput) error {
	if d.plan != nil {
		return nil // it takes reading the frames
	}
	if d.States.DType() == dataset.Float64 {
		low, high, err := d.States.Extremes()
		if err == nil {
			err = points.CheckMagnitude(max(-low, high, 0))
		}
		if err != nil {
			return fmt.Errorf("frames %s: %w", in.path, err)
		}
	}
	low, high, yes, err := d.States.Unfilled(unfilled)
	if err != nil {
		return fmt.Errorf("frames: %w", err)
	}
	if r := d.States.Range(); yes {
		d.env.Warn("frames %s: values span %.6g..%.6g, a small part of the pixel range %.6g..%.6g (%s); give the range of the data with --pixel-range LOW,HIGH",
			in.path, low, high, r.Low, r.High, r.Source)
	}
	return nil
}

// enterFrames enters frames and episodes into the inputs of the result.
func (d *Data) enterFrames(in *frameInput) {
	pixels := d.States.Range()
	distinct := map[int]bool{}
	for _, state := range d.index {
		distinct[d.episode(state)] = true
	}
	skipped := d.States.Skipped()
	d.env.Result.Inputs = append(d.env.Result.Inputs, report.Input{
		Role: "frames", Path: in.path, DType: in.frames.DType().String(), Shape: slices.Clone(in.frames.Shape()),
		PixelRange: &report.Range{Low: pixels.Low, High: pixels.High, Source: pixels.Source},
		Window:     d.window, States: len(d.index), Episodes: len(distinct), Skipped: skipped,
	})
	if in.episodes != nil {
		d.env.Result.Inputs = append(d.env.Result.Inputs, *in.episodes)
	}
	if skipped > 0 {
		d.env.Warn("frames %s: %s dropped for NaN or Inf", in.path, text.Count(skipped, "state"))
	}
}

// mismatch is the error for latents whose rows are not the states.
func (d *Data) mismatch(g *givenLatents, in *frameInput, window int, err error) error {
	hint := ""
	if g.points.N == in.frames.Len() && window > 1 {
		hint = fmt.Sprintf("there is one row per frame, but the model takes windows of %d frames; give latents of the windows, or --window %s=1 if it takes one frame",
			window, g.source.name)
	}
	if window > 1 && in.numbers == nil && in.ends == nil && g.points.N < d.States.Len()+d.States.Skipped() {
		hint = "without --episodes windows cross the ends of episodes; give --episodes if the latents were computed with them"
	}
	var ambiguous *dataset.AmbiguousRowsError
	if errors.As(err, &ambiguous) {
		hint = fmt.Sprintf("encode them again, or, if they are windows of %d frames, say --window %s=%d",
			ambiguous.Window, g.source.name, ambiguous.Window)
	}
	return run.Hint(fmt.Errorf("latents %s: %s has shape %v, but frames %s of shape %v give %d states: %w",
		g.source.name, g.array, g.shape, in.path, in.frames.Shape(), d.States.Len()+d.States.Skipped(), err), hint)
}

// frameInput is an opened --frames.
type frameInput struct {
	frames    *dataset.Array
	path      string // as given
	numbers   []int64
	ends      []bool
	published bool // the ends come from a published dataset
	episodes  *report.Input
}

func (d *Data) openFrames() (*frameInput, error) {
	if d.inputs.example {
		set := example.Example()
		frames, err := dataset.NewArray(exampleInput, []int{set.Len(), example.Height, example.Width}, set.Frames)
		if err != nil {
			return nil, err
		}
		d.env.CloseLater(frames)
		return &frameInput{frames: frames, path: exampleInput, numbers: set.Episode}, nil
	}
	in := &frameInput{path: d.inputs.frames}
	images, err := d.inputs.imageSize()
	if err != nil {
		return nil, err
	}
	recording, err := dataset.OpenRecording(in.path, images)
	if err != nil {
		return nil, fmt.Errorf("frames: %w", err)
	}
	d.env.CloseLater(recording)
	for _, note := range recording.Frames.Notes() {
		d.env.Note("note: frames %s: %s", in.path, note)
	}
	in.frames, in.ends, in.published = recording.Frames, recording.Ends, recording.Ends != nil
	d.recorded = recording.Window
	if d.inputs.episodes == "" {
		in.takeFolders(recording)
		return in, nil
	}
	episodes, input, err := d.openEpisodes(in.frames.Len())
	if err == nil && episodes.Rows() != in.frames.Len() {
		err = fmt.Errorf("episodes: %s has shape %v, but frames %s have shape %v: want %d rows",
			input.Path, input.Shape, in.path, in.frames.Shape(), in.frames.Len())
	}
	if err != nil {
		return nil, err
	}
	if recording.Episodes != nil {
		if err := in.agree(recording, episodes, input.Path); err != nil {
			return nil, err
		}
	}
	in.numbers, in.ends, in.published, in.episodes = episodes.Numbers, episodes.Ends, false, &input
	return in, nil
}

// episodeKinds are what the result calls the kinds of episodes.
var episodeKinds = map[string]string{
	dataset.EpisodeNumbers: "episode numbers", dataset.EpisodeEnds: "end-of-episode flags",
	dataset.EpisodeStarts: "start-of-episode flags", dataset.EpisodeLengths: "lengths of episodes",
	dataset.EpisodeOffsets: "first rows of episodes",
}

// openEpisodes reads --episodes for one of these numbers of rows.
func (d *Data) openEpisodes(rows ...int) (*dataset.Episodes, report.Input, error) {
	fail := func(err error) (*dataset.Episodes, report.Input, error) {
		return nil, report.Input{}, fmt.Errorf("episodes: %w", err)
	}
	a, err := dataset.OpenColumn(d.inputs.episodes)
	if err != nil {
		return fail(err)
	}
	defer a.Close()
	episodes, err := dataset.ReadEpisodes(a, d.inputs.episodesKind, rows...)
	if err != nil {
		return fail(err)
	}
	for _, doubt := range episodes.Doubts {
		d.env.Warn("episodes %s: %s; state their kind with --episodes-kind", d.inputs.episodes, doubt)
	}
	sum, err := a.SHA256()
	if err != nil {
		return fail(err)
	}
	count := 0
	for _, number := range dataset.NumberEpisodes(episodes.Rows(), episodes.Numbers, episodes.Ends) {
		count = max(count, number+1)
	}
	return episodes, report.Input{Role: "episodes", Path: d.inputs.episodes, SHA256: sum, DType: a.DType().String(),
		Shape: slices.Clone(a.Shape()), Kind: episodeKinds[episodes.Kind], Episodes: count}, nil
}

// loadWithoutFrames takes the rows of the latents as states: as many as there are episode
// labels, else as most of the latents have, the first of equally many. Other latents are
// left out.
func (d *Data) loadWithoutFrames(ctx context.Context, latents []givenLatents) error {
	if text := d.inputs.window.String(); text != "0" {
		return run.Usage("--window %s: windows need frames; give --frames FILE[:key], or leave --window out", text)
	}
	reference := usual(latents)
	var episodes *dataset.Episodes
	var input report.Input
	if d.inputs.episodes != "" {
		var err error
		counts := []int{reference.points.N}
		for _, g := range latents {
			counts = append(counts, g.points.N)
		}
		if episodes, input, err = d.openEpisodes(counts...); err != nil {
			return err
		}
		if i := slices.IndexFunc(latents, func(g givenLatents) bool { return g.points.N == episodes.Rows() }); i >= 0 {
			reference = &latents[i]
		} else {
			return fmt.Errorf("episodes: %s has shape %v, but latents %s: %s has shape %v: want %d rows",
				input.Path, input.Shape, reference.source.name, reference.array, reference.shape, reference.points.N)
		}
	}
	for _, g := range latents {
		if g.points.N == reference.points.N {
			continue
		}
		err := fmt.Errorf("latents %s: %s has shape %v, but latents %s: %s has shape %v: want the same number of rows",
			g.source.name, g.array, g.shape, reference.source.name, reference.array, reference.shape)
		if err := d.leave(ctx, g.source.name, err); err != nil {
			return err
		}
	}
	d.count = reference.points.N
	d.index = make([]int, d.count)
	for i := range d.index {
		d.index[i] = i
	}
	if episodes == nil && reference.parts != nil {
		d.episodes = dataset.NumberEpisodes(d.count, reference.parts, nil)
		d.env.Note("note: episodes are the arrays that latents %s joins", reference.source.name)
	}
	if episodes != nil {
		d.episodes = dataset.NumberEpisodes(d.count, episodes.Numbers, episodes.Ends)
		d.env.Result.Inputs = append(d.env.Result.Inputs, input)
	}
	return nil
}

// usual are the first of the latents that have as many rows as most.
func usual(latents []givenLatents) *givenLatents {
	count := map[int]int{}
	for _, g := range latents {
		count[g.points.N]++
	}
	best := &latents[0]
	for i := range latents {
		if g := &latents[i]; count[g.points.N] > count[best.points.N] {
			best = g
		}
	}
	return best
}
