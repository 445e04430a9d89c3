// The states: frames, episodes and windows, or the rows of given latents.

package input

import (
	"fmt"
	"slices"

	"repscope/dataset"
	"repscope/internal/example"
	"repscope/internal/run"
	"repscope/report"
)

// loadStates opens the frames and episodes, and decides which states the given
// latents belong to.
func (d *Data) loadStates(given []givenLatents) error {
	in, err := d.openFrames()
	if err != nil {
		return err
	}
	options := dataset.StateOptions{
		Window:     in.window,
		Successors: in.window > 0,
		Episodes:   in.numbers,
		Ends:       in.ends,
		Layout:     d.inputs.layout,
		PixelRange: d.inputs.pixelRange,
		SkipNaN:    d.Options.SkipNaN,
		Unread:     d.plan != nil,
	}
	states, err := dataset.NewStates(in.frames, options)
	if err != nil {
		return fmt.Errorf("frames: %w", err)
	}
	d.States, d.frames = states, in.frames
	d.count, d.window = states.Len(), in.window
	d.episodes = states.Episodes()
	d.rows = make([]int, d.count)
	for i := range d.rows {
		d.rows[i] = states.Start(i)
	}
	if err := d.admit(given, in); err != nil {
		return err
	}
	d.enterFrames(in)
	return nil
}

// admit decides which states are analysed and which row of the given latents belongs
// to each: latents without those that follow the last valid windows leave these out
// for all models.
func (d *Data) admit(given []givenLatents, in *frameInput) error {
	successors := d.inputs.needs.Successors
	for i := range given {
		g := &given[i]
		row, with, ok := d.States.RowsOf(g.points.N)
		if !ok {
			return d.mismatch(g, in, d.States.Windows())
		}
		g.row = row
		successors = successors && with
	}
	if successors {
		d.index = make([]int, d.count)
		for i := range d.index {
			d.index[i] = i
		}
	} else {
		d.index = d.States.Valid()
	}
	return nil
}

// enterFrames enters frames and episodes into the inputs of the result.
func (d *Data) enterFrames(in *frameInput) {
	pixels := d.States.Range()
	distinct := map[int]bool{}
	for _, state := range d.index {
		distinct[d.episodes[state]] = true
	}
	skipped := d.States.Skipped()
	d.env.Result.Inputs = append(d.env.Result.Inputs, report.Input{
		Role: "frames", Path: in.path, DType: in.frames.DType().String(), Shape: slices.Clone(in.frames.Shape()),
		PixelRange: &report.Range{Low: pixels.Low, High: pixels.High, Source: pixels.Source},
		Window:     in.window, States: len(d.index), Episodes: len(distinct), Skipped: skipped,
	})
	if in.episodes != nil {
		d.env.Result.Inputs = append(d.env.Result.Inputs, *in.episodes)
	}
	if skipped > 0 {
		d.env.Warn("frames %s: %d states dropped for NaN or Inf", in.path, skipped)
	}
}

// mismatch is the error for latents whose rows are not the states.
func (d *Data) mismatch(g *givenLatents, in *frameInput, want int) error {
	hint := ""
	if g.points.N == in.frames.Len() && in.window > 0 {
		hint = fmt.Sprintf("there is a row per frame, but states are windows of %d frames; give the latents of the windows, or --window 0", in.window)
	}
	return run.Hint(fmt.Errorf("latents %s: %s has shape %v, but frames %s of shape %v make %d states: want %d rows",
		g.source.name, g.array, g.shape, in.path, in.frames.Shape(), want, want), hint)
}

// frameInput is an opened --frames.
type frameInput struct {
	frames   *dataset.Array
	path     string // as given
	window   int
	numbers  []int64
	ends     []bool
	episodes *report.Input
}

func (d *Data) openFrames() (*frameInput, error) {
	if d.inputs.example {
		set := example.Example()
		frames, err := dataset.NewArray(exampleInput, []int{set.Len(), example.Height, example.Width}, set.Frames)
		if err != nil {
			return nil, err
		}
		d.env.CloseLater(frames)
		return &frameInput{frames: frames, path: exampleInput, window: d.inputs.window, numbers: set.Episode}, nil
	}
	in := &frameInput{path: d.inputs.frames, window: d.inputs.window}
	recording, err := dataset.OpenRecording(in.path)
	if err != nil {
		return nil, fmt.Errorf("frames: %w", err)
	}
	d.env.CloseLater(recording)
	in.frames, in.ends = recording.Frames, recording.Ends
	if in.window == 0 {
		in.window = recording.Window
	}
	if d.inputs.episodes == "" {
		return in, nil
	}
	numbers, ends, input, err := d.openEpisodes()
	if err == nil && len(numbers)+len(ends) != in.frames.Len() {
		err = fmt.Errorf("episodes: %s has shape %v, but frames %s have shape %v: want %d rows",
			input.Path, input.Shape, in.path, in.frames.Shape(), in.frames.Len())
	}
	if err != nil {
		return nil, err
	}
	in.numbers, in.ends, in.episodes = numbers, ends, &input
	return in, nil
}

func (d *Data) openEpisodes() (numbers []int64, ends []bool, input report.Input, err error) {
	a, err := dataset.Open(d.inputs.episodes)
	if err != nil {
		return nil, nil, input, fmt.Errorf("episodes: %w", err)
	}
	defer a.Close()
	numbers, ends, err = dataset.ReadEpisodes(a, "auto")
	if err != nil {
		return nil, nil, input, fmt.Errorf("episodes: %w", err)
	}
	sum, err := a.SHA256()
	if err != nil {
		return nil, nil, input, fmt.Errorf("episodes: %w", err)
	}
	kind := "episode numbers"
	if ends != nil {
		kind = "end-of-episode flags"
	}
	return numbers, ends, report.Input{Role: "episodes", Path: d.inputs.episodes, SHA256: sum,
		DType: a.DType().String(), Shape: slices.Clone(a.Shape()), Kind: kind}, nil
}

// loadWithoutFrames takes the rows of the latents as states.
func (d *Data) loadWithoutFrames(given []givenLatents) error {
	first := &given[0]
	for _, g := range given[1:] {
		if g.points.N != first.points.N {
			return fmt.Errorf("latents %s: %s has shape %v, but latents %s: %s has shape %v: want the same number of rows",
				g.source.name, g.array, g.shape, first.source.name, first.array, first.shape)
		}
	}
	d.count = first.points.N
	d.index = make([]int, d.count)
	for i := range d.index {
		d.index[i] = i
	}
	if d.inputs.window > 0 {
		return run.Usage("--window %d: windows are made of frames; give --frames FILE[:key], or leave --window out", d.inputs.window)
	}
	if d.inputs.episodes == "" {
		return nil
	}
	numbers, ends, input, err := d.openEpisodes()
	if err != nil {
		return err
	}
	if len(numbers)+len(ends) != d.count {
		return fmt.Errorf("episodes: %s has shape %v, but latents %s: %s has shape %v: want %d rows",
			input.Path, input.Shape, first.source.name, first.array, first.shape, d.count)
	}
	d.episodes = dataset.NumberEpisodes(d.count, numbers, ends)
	d.env.Result.Inputs = append(d.env.Result.Inputs, input)
	return nil
}
