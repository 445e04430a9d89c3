// What the flags name, read and put together.

package command

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/analysis/surprise"
	"repscope/dataset"
	"repscope/internal/input"
	"repscope/internal/run"
	"repscope/latent"
	"repscope/measure/image"
	"repscope/points"
	"repscope/report"
)

// loaded are the states of a run.
type loaded struct {
	data   *input.Data
	states *points.Selection
}

// leaveOut leaves models out that could not encode violated states.
func (l *loaded) leaveOut(ctx context.Context, lost []report.Unmeasured) error {
	for _, u := range lost {
		if err := l.data.LeaveOut(ctx, u.Name, errors.New(u.Reason)); err != nil {
			return err
		}
	}
	return nil
}

// load reads states, latents and predictions.
func (f *options) load(ctx context.Context, env *run.Env, data *input.Data) (*surprise.Input, *points.Selection,
	error) {
	if data.Options.Samples > 0 {
		env.Warn("--samples is ignored, because predictions need consecutive states; remove it")
	}
	index := data.Index()
	space := input.NoFrames
	if f.frames.Any() {
		space = input.LastFrames
	}
	states, err := data.Select(ctx, index, space)
	if err != nil {
		return nil, nil, err
	}
	in := &surprise.Input{Episode: states.Episode, Time: states.Time, Next: rowsOf(data.Successors(index), index),
		Window: data.Window()}
	if s := data.States; s != nil {
		chosen := s.Subset(index)
		in.Last, in.States = chosen.LastFrame(), chosen
		if data.Window() <= 1 {
			in.States, in.Window = nil, 1
		}
		in.Low, in.High = s.Range().Low, s.Range().High
		if shape := in.Last.Shape(); len(shape) > 1 && !s.Vectors() {
			n := len(shape)
			in.Shape = image.Shape{Channels: 1, Height: shape[n-2], Width: shape[n-1]}
			for _, d := range shape[:n-2] {
				in.Shape.Channels *= d
			}
		}
	}
	if in.Actions, err = f.dynamics.Actions.Ints(data, index); err != nil {
		return nil, nil, err
	}
	predicted, err := f.predicted.Open(env)
	if err != nil {
		return nil, nil, err
	}
	for i, m := range data.Models {
		if data.LeftOut(m.Name) {
			continue
		}
		model, err := f.model(ctx, data, m, index, states.Models[i].Latents, predicted)
		if err == nil {
			model.Predicted, err = predictedBy(ctx, model, in)
		}
		if err == nil {
			in.Models = append(in.Models, *model)
		} else if err := data.LeaveOut(ctx, m.Name, err); err != nil {
			return nil, nil, err
		}
	}
	return in, states, f.predictedFrames(env, data, states, in)
}

// rowsOf are successors as positions in index.
func rowsOf(next, index []int) []int {
	for i, s := range next {
		if s >= 0 {
			row, ok := slices.BinarySearch(index, s)
			if next[i] = row; !ok {
				next[i] = -1
			}
		}
	}
	return next
}

// predictedBy are the predictions from all states: given ones, or made by the predictor.
func predictedBy(ctx context.Context, m *surprise.Model, in *surprise.Input) (points.Points, error) {
	if m.Predict == nil {
		return m.Predicted, nil
	}
	return m.Predict(ctx, m.Inputs, in.Actions)
}

// model is one model with its predictor or predictions.
func (f *options) model(ctx context.Context, data *input.Data, m *input.Model, index []int, latents points.Points,
	predicted []input.Array,
) (*surprise.Model, error) {
	out := &surprise.Model{Name: m.Name, Latents: latents, Inputs: latents, Content: m.Content()}
	encode := func(ctx context.Context, states latent.Source) (z, inputs points.Points, err error) {
		z, err = m.Encode(ctx, states, "")
		return z, z, err
	}
	if f.dynamics.Files.Has(m.Name) {
		inputs, err := m.HeadLatents(ctx, index)
		if err != nil {
			return nil, err
		}
		predictor, err := f.dynamics.Open(data, m, inputs.Shape)
		if err != nil {
			return nil, err
		}
		pool := func(rows points.Points) (points.Points, error) {
			z, err := m.PoolHeadRows(rows.F32, inputs.Shape)
			if err == nil && z.Dim != latents.Dim {
				err = fmt.Errorf("predictor %s: predictions have %d dimensions, but the latents of %s have %d", m.Name, z.Dim,
					m.Name, latents.Dim)
			}
			return z, err
		}
		out.Inputs = inputs.Rows
		out.Predict = func(ctx context.Context, rows points.Points, actions []int64) (points.Points, error) {
			next, err := predictor.Step(ctx, rows, actions)
			if err != nil {
				return next, err
			}
			return pool(next)
		}
		encode = func(ctx context.Context, states latent.Source) (z, rows points.Points, err error) {
			if rows, err = m.EncodeForHeads(ctx, states, ""); err != nil {
				return z, rows, err
			}
			z, err = pool(rows)
			return z, rows, err
		}
	}
	if m.Encoder != nil {
		out.Encode = encode
	}
	for _, a := range predicted {
		if a.Name != m.Name {
			continue
		}
		var err error
		if out.Predicted, err = readRows(f.predicted, data, a, index); err != nil {
			return nil, err
		}
		if out.Predicted.Dim != latents.Dim {
			return nil, fmt.Errorf("predicted %s: %s has shape %v, but the latents of %s have %d dimensions", a.Name,
				a.Array.Name(), a.Shape(), a.Name, latents.Dim)
		}
	}
	return out, nil
}

// readRows reads the rows of an array that belong to the states.
func readRows(g *input.Given, data *input.Data, a input.Array, index []int) (points.Points, error) {
	rows, err := g.Rows(data, a, index)
	if err != nil {
		return points.Points{}, err
	}
	all := make([]float32, a.Len()*a.RowLen())
	if err := a.ReadFloat32(all, 0, a.Len()); err != nil {
		return points.Points{}, fmt.Errorf("%s %s: %w", g.Role(), a.Name, err)
	}
	return points.Float32(all, a.RowLen()).Select(rows), nil
}

// predictedFrames adds models whose latents are the frames themselves.
func (f *options) predictedFrames(env *run.Env, data *input.Data, states *points.Selection, in *surprise.Input) error {
	arrays, err := f.frames.Open(env)
	if err != nil {
		return err
	}
	for _, a := range arrays {
		predicted, err := readRows(f.frames, data, a, states.Index)
		if err != nil {
			return err
		}
		if predicted.Dim != states.Frames.Dim {
			return fmt.Errorf("predicted-frames %s: %s has shape %v, but a frame has %d values", a.Name, a.Array.Name(),
				a.Shape(), states.Frames.Dim)
		}
		in.Models = append(in.Models, surprise.Model{Name: a.Name, Latents: states.Frames, Inputs: states.Frames,
			Predicted: predicted,
			Encode: func(_ context.Context, source latent.Source) (z, inputs points.Points, err error) {
				z, err = lastFrames(source, states.Frames.Dim)
				return z, z, err
			}})
	}
	return nil
}

// lastFrames are the last frames of states, with dim values each.
func lastFrames(source latent.Source, dim int) (points.Points, error) {
	size := 1
	for _, d := range source.Shape() {
		size *= d
	}
	row, out := make([]float32, size), make([]float32, 0, source.Len()*dim)
	for i := range source.Len() {
		if err := source.Float32(row, i, i+1); err != nil {
			return points.Points{}, err
		}
		out = append(out, row[size-dim:]...)
	}
	return points.Float32(out, dim), nil
}

// planModels opens predictors and checks that they fit, for --dry-run.
func (f *options) planModels(ctx context.Context, data *input.Data) error {
	if err := f.dynamics.Actions.Check(data); err != nil {
		return err
	}
	for _, m := range data.Models {
		if !f.dynamics.Files.Has(m.Name) {
			continue
		}
		err := func() error {
			shape, err := m.HeadShape(ctx)
			if err != nil {
				return err
			}
			predictor, err := f.dynamics.Open(data, m, shape)
			if err != nil {
				return err
			}
			return predictor.Check()
		}()
		if err != nil {
			if err := data.LeaveOut(ctx, m.Name, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// known reads errors that were computed elsewhere, and the table of their rows.
func (f *options) known(env *run.Env) (surprise.Input, error) {
	var in surprise.Input
	columns, err := dataset.ReadTable(f.table)
	if err != nil {
		return in, fmt.Errorf("violations-of: %w", err)
	}
	sum, err := report.FileSum(f.table)
	if err != nil {
		return in, fmt.Errorf("violations-of: %w", err)
	}
	n := columns[0].Len()
	env.Result.Inputs = append(env.Result.Inputs, report.Input{Role: "violations-of", Path: f.table, SHA256: sum,
		Kind: "table", Shape: []int{n}, States: n})
	t := table{path: f.table, columns: columns}
	e := &surprise.Errors{Episode: t.numbers("episode"), Pair: t.numbers("pair"), Step: t.numbers("step"),
		Violation: t.texts("violation"),
		Size:      t.sizes("size")}
	if t.err != nil {
		return in, fmt.Errorf("violations-of: %w", t.err)
	}
	arrays, err := f.errors.Open(env)
	if err != nil {
		return in, err
	}
	for _, a := range arrays {
		if a.Len() != n || a.RowLen() != 1 {
			return in, fmt.Errorf("errors %s: %s has shape %v, but %s has %d rows: want one error for each", a.Name,
				a.Array.Name(), a.Shape(), f.table, n)
		}
		values := make([]float64, n)
		if err := a.ReadFloat64(values, 0, n); err != nil {
			return in, fmt.Errorf("errors %s: %w", a.Name, err)
		}
		e.Names, e.Values = append(e.Names, a.Name), append(e.Values, values)
	}
	in.Errors = e
	return in, nil
}

// table are the columns of a table; err is the first that is not as wanted.
type table struct {
	path    string
	columns []dataset.Column
	err     error
}

func (t *table) column(name string) *dataset.Column {
	i := slices.IndexFunc(t.columns, func(c dataset.Column) bool { return c.Name == name })
	if i >= 0 {
		return &t.columns[i]
	}
	var names []string
	for _, c := range t.columns {
		names = append(names, c.Name)
	}
	if t.err == nil {
		t.err = run.Hint(fmt.Errorf("%s: no column %q, found %s", t.path, name, strings.Join(names, ", ")),
			"want episode, pair, step, violation and size")
	}
	return nil
}

// numbers is a column of whole numbers, or of texts, which are numbered.
func (t *table) numbers(name string) []int {
	c := t.column(name)
	if c == nil {
		return nil
	}
	if c.Ints == nil || c.Empty() >= 0 {
		if t.err == nil {
			row := "it has texts or fractions"
			if k := c.Empty(); k >= 0 {
				row = fmt.Sprintf("row %d is empty", k)
			}
			t.err = fmt.Errorf("%s: column %s: %s, want a whole number in every row", t.path, name, row)
		}
		return nil
	}
	out := make([]int, len(c.Ints))
	for i, v := range c.Ints {
		out[i] = int(v)
	}
	return out
}

// texts is a column of texts, some of them empty.
func (t *table) texts(name string) []string {
	c := t.column(name)
	switch {
	case c == nil:
		return nil
	case c.Texts != nil:
		return c.Texts
	}
	if t.err == nil {
		t.err = fmt.Errorf("%s: column %s: want names of violations, empty for untouched episodes", t.path, name)
	}
	return nil
}

// sizes is a column of numbers; an empty one is 0.
func (t *table) sizes(name string) []float64 {
	c := t.column(name)
	if c == nil {
		return nil
	}
	out := make([]float64, c.Len())
	for i := range out {
		switch {
		case c.Texts != nil && c.Texts[i] == "":
		case c.Texts != nil:
			if t.err == nil {
				t.err = fmt.Errorf("%s: column %s: row %d is %q, want numbers", t.path, name, i, c.Texts[i])
			}
			return nil
		case c.Floats != nil:
			if out[i] = c.Floats[i]; math.IsNaN(out[i]) {
				out[i] = 0
			}
		default:
			out[i] = float64(c.Ints[i])
		}
	}
	return out
}
