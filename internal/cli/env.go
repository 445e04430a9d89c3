// This file is for what an analysis is given to work with.

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"repscope/dataset"
	"repscope/latent"
	"repscope/model"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// Env is what an analysis works with: the loaded input, the shared options, the
// result to fill and the files to write. States are named by their index in
// States (or, without frames, by their row in the latents); index lists are
// ascending and shared by all models.
type Env struct {
	Command *Command
	Options Options

	// States are the original states, nil when only latents are given. With
	// windows they include the states that follow the last valid window of an
	// episode; Index and Pairs leave those out unless the Command asks for them.
	States *dataset.States
	// Models in the order of the command line.
	Models []*Model
	// Result has everything but the numbers filled in; put each model's part
	// under its name in Result.Models.
	Result *report.Result
	// Files takes CSV files and anything else to be written. The result file is
	// added, and all are renamed, after the analysis.
	Files *report.Transaction

	count    int   // states, or rows of the latents
	index    []int // admissible states
	episodes []int // of every state; nil: one episode
	rows     []int // frame at which every state begins; nil: the state's own index

	frames      *dataset.Array // what States are made of
	afterCommit func() error
	cache       *latent.Cache // nil: off
	closers     []io.Closer
	device      *model.Backend // nil until it is asked for
	console     *bytes.Buffer
	stderr      io.Writer
	progress    *progress
}

// The streams of random numbers drawn here; analyses start theirs at other
// coordinates of the seed.
const (
	streamSample uint64 = 0x73616d706c65 // "sample"
	streamPairs  uint64 = 0x7061697273   // "pairs"
)

// Index returns all states that may be analysed: those without NaN, in time
// order.
func (e *Env) Index() []int { return slices.Clone(e.index) }

// Sample returns the states to analyse: all of Index, or --samples of them drawn
// with the seed.
func (e *Env) Sample() []int {
	return draw(e.index, e.Options.Samples, e.Options.Seed, streamSample)
}

// Pairs returns pairs of states whose beginnings are horizon frames apart in one
// episode: all of them, or --samples drawn with the seed. Without frames, rows
// of the latents count as frames. There may be none.
func (e *Env) Pairs(horizon int) []points.Pair {
	var pairs []points.Pair
	if e.States != nil {
		pairs = e.States.Pairs(horizon)
	} else {
		for i := range e.count - horizon {
			if e.episodes == nil || e.episodes[i] == e.episodes[i+horizon] {
				pairs = append(pairs, points.Pair{Now: i, Next: i + horizon})
			}
		}
	}
	admissible := make([]bool, e.count)
	for _, i := range e.index {
		admissible[i] = true
	}
	pairs = slices.DeleteFunc(slices.Clone(pairs), func(p points.Pair) bool {
		return !admissible[p.Now] || !admissible[p.Next]
	})
	return draw(pairs, e.Options.Samples, e.Options.Seed, streamPairs, uint64(horizon))
}

// draw returns all elements, or n of them in their order.
func draw[T any](all []T, n int, seed uint64, stream ...uint64) []T {
	if n == 0 || n >= len(all) {
		return slices.Clone(all)
	}
	chosen, err := stat.NewRandom(stat.NewKey(seed, stream...)).SampleWithoutReplacement(len(all), n)
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
func (e *Env) Episodes(index []int) []int {
	out := make([]int, len(index))
	if e.episodes != nil {
		for i, state := range index {
			out[i] = e.episodes[state]
		}
	}
	return out
}

// Frame returns the frame (row of the input array) at which each of the states
// begins: its time, to be compared inside an episode.
func (e *Env) Frame(index []int) []int {
	out := slices.Clone(index)
	if e.rows != nil {
		for i, state := range index {
			out[i] = e.rows[state]
		}
	}
	return out
}

// Frames returns the last frame of each of the states as points of their own
// type, and Clips whole states. For vectors and single frames they are the same.
func (e *Env) Frames(ctx context.Context, index []int) (points.Points, error) {
	return e.framePoints(ctx, index, true)
}

// Clips returns each of the states as a point of its own type.
func (e *Env) Clips(ctx context.Context, index []int) (points.Points, error) {
	return e.framePoints(ctx, index, false)
}

func (e *Env) framePoints(ctx context.Context, index []int, last bool) (points.Points, error) {
	if e.States == nil {
		return points.Points{}, e.needFrames("the original states")
	}
	if err := ctx.Err(); err != nil {
		return points.Points{}, err
	}
	states := e.States.Subset(index)
	if last {
		states = states.LastFrame()
	}
	return states.Points()
}

// Latents returns the pooled latents of the states, one set of points per model
// in the order of Models. Encoded latents are float32, given ones keep float64.
// They are not scaled: --latent-scale is the analysis's own business.
func (e *Env) Latents(ctx context.Context, index []int) ([]points.Points, error) {
	out := make([]points.Points, len(e.Models))
	for i, m := range e.Models {
		pts, err := m.Latents(ctx, index)
		if err != nil {
			return nil, err
		}
		out[i] = pts
	}
	return out, nil
}

// Names returns the names of the models.
func (e *Env) Names() []string {
	names := make([]string, len(e.Models))
	for i, m := range e.Models {
		names[i] = m.Name
	}
	return names
}

// Warn adds a warning to the result and prints it, once.
func (e *Env) Warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if slices.Contains(e.Result.Warnings, text) {
		return
	}
	e.Result.Warn(text)
	e.message("warning: %s", text)
}

// Note prints a line on stderr, unless --quiet is set.
func (e *Env) Note(format string, args ...any) {
	if !e.Options.Quiet {
		e.message(format, args...)
	}
}

// message prints a line on stderr.
func (e *Env) message(format string, args ...any) {
	e.progress.message(e.stderr, e.Command.Name+": "+fmt.Sprintf(format, args...)+"\n")
}

// Progress starts a piece of work, such as "distances", and returns the function
// that reports how much of it is done; it may be called from any goroutine.
func (e *Env) Progress(label string) func(done, total int) {
	return e.progress.task(label)
}

// ProgressOf is Progress for work that is counted in the given unit, such as
// "frames", which the bar then names.
func (e *Env) ProgressOf(label, unit string) func(done, total int) {
	return e.progress.taskOf(label, " "+unit)
}

// AfterCommit sets a function that is called when all files of the run have
// their names.
func (e *Env) AfterCommit(do func() error) { e.afterCommit = do }

// Print writes text to the console, where it appears after the files are
// written, unless --json or --quiet is set.
func (e *Env) Print(format string, args ...any) {
	fmt.Fprintf(e.console, format, args...)
}

// Table writes a table and an empty line to the console; see Print.
func (e *Env) Table(t *report.Table) error {
	if err := t.Write(e.console); err != nil {
		return err
	}
	e.console.WriteByte('\n')
	return nil
}

// Figure writes a figure in every format of --format as name.png and so on.
// *plots.Figure is one; its warnings go to the result.
func (e *Env) Figure(name string, figure interface {
	Render(w io.Writer, format string) error
}) error {
	if f, ok := figure.(interface{ Warnings() ([]string, error) }); ok {
		warnings, err := f.Warnings()
		if err != nil {
			return fmt.Errorf("figure %s: %w", name, err)
		}
		for _, w := range warnings {
			e.Warn("figure %s: %s", name, w)
		}
	}
	for _, format := range e.Options.Formats {
		if err := e.Files.File(name+"."+format, func(w io.Writer) error { return figure.Render(w, format) }); err != nil {
			return err
		}
	}
	return nil
}

// needFrames is the error for something that only frames can give.
func (e *Env) needFrames(what string) error {
	return Hint(Usage("%s: frames are missing", what),
		"give them with --frames FILE[:key]", "or run the built-in example: "+e.Command.Name+" --example")
}

// work loads the input and runs the analysis.
func (e *Env) work(ctx context.Context, analyse func(context.Context, *Env) error) error {
	defer e.close()
	// A GPU that is asked for by name must be there, whether or not it is needed.
	if strings.HasPrefix(e.Options.Device, "cuda") {
		if _, err := e.Device(); err != nil {
			return err
		}
	}
	if err := e.load(ctx); err != nil {
		return err
	}
	e.describe()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	digest := e.digestFrames(ctx, stop)
	if err := analyse(ctx, e); err != nil {
		if errors.Is(err, context.Canceled) {
			return context.Cause(ctx)
		}
		return err
	}
	return digest()
}

// digestFrames begins to compute the digest of the frames, which takes as long as many an
// analysis; a file that turns out to be damaged stops the analysis. The function it
// returns waits for the digest and enters it into the result.
func (e *Env) digestFrames(ctx context.Context, stop context.CancelCauseFunc) func() error {
	if e.frames == nil {
		return func() error { return nil }
	}
	done := make(chan error, 1)
	var sum string
	go func() {
		var err error
		if sum, err = e.frames.SHA256(); err != nil {
			err = fmt.Errorf("frames: %w", err)
			stop(err)
		}
		done <- err
	}()
	return func() error {
		select {
		case err := <-done:
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		for i := range e.Result.Inputs {
			if e.Result.Inputs[i].Role == "frames" {
				e.Result.Inputs[i].SHA256 = sum
			}
		}
		return nil
	}
}

// describe says on the console what is analysed.
func (e *Env) describe() {
	for _, in := range e.Result.Inputs {
		if in.Role != "frames" {
			continue
		}
		e.Print("frames %s: %s %v, pixel range %g to %g (%s), %d states in %d episodes", in.Path, in.DType, in.Shape,
			in.PixelRange.Low, in.PixelRange.High, in.PixelRange.Source, in.States, in.Episodes)
		if in.Skipped > 0 {
			e.Print(", %d dropped for NaN or Inf", in.Skipped)
		}
		e.Print("\n")
	}
	e.Print("models %s\n\n", strings.Join(e.Names(), ", "))
}
