// Heads: models of latents, such as predictors, decoders and reward heads.

package latent

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"repscope/model"
	"repscope/model/graph"
	"repscope/points"
)

// The names of inputs of heads; see [Head.Run].
const (
	HeadLatent = "latent" // the latent z_t of a state
	HeadAction = "action" // the action taken there
	HeadNext   = "next"   // the latent z_{t+1} of its successor
	HeadGrid   = "grid"   // a sample itself, for the encoder of a generator
	HeadLabel  = "label"  // the label that a sample has or is made for
)

// headNames are the names that model files use for each of them, in lower case and without characters other than
// letters and digits: "z_{t+1}" is "zt1".
var headNames = map[string][]string{
	HeadLatent: {"latent", "latents", "z", "zt", "zs", "znow", "zcurrent", "currentlatent", "latentt", "current", "embedding", "embeddings",
		"feature", "features", "hidden", "h", "state", "states", "x"},
	HeadAction: {"action", "actions", "a", "at", "act", "actiont", "actionids", "control", "u"},
	HeadNext: {"next", "nextlatent", "latentnext", "znext", "nextz", "zt1", "zt+1", "ztp1", "zprime", "latentt1", "latenttp1", "nextembedding",
		"nextstate", "nextfeatures", "predicted"},
	HeadGrid:  {"grid", "grids", "board", "boards", "problem", "problems", "x", "input", "inputs", "image", "images", "sample", "samples", "data"},
	HeadLabel: {"label", "labels", "grade", "grades", "condition", "conditions", "cond", "c", "y", "class", "classes", "target"},
}

// HeadInput is an input of a head with its name: N rows of numbers, or one integer each.
type HeadInput struct {
	// Name is [HeadLatent], [HeadAction], [HeadNext], or the name of an input of the model.
	Name string
	// Rows are N points. Shape is the shape of one row, such as [64] or [6 64], with product Rows.Dim; nil:
	// [Rows.Dim].
	Rows  points.Points
	Shape []int
	// Ints, if not nil, are N integers from 0 instead of Rows, such as actions. An input with one value per row (of
	// integers or floats) gets them unchanged; an input whose last axis has a fixed size A > 1 gets them one-hot, and
	// integers from A on are then an error.
	Ints []int64
}

func (in *HeadInput) count() int {
	if in.Ints != nil {
		return len(in.Ints)
	}
	return in.Rows.N
}

// shape is the shape of one row.
func (in *HeadInput) shape() []int {
	switch {
	case in.Ints != nil:
		return nil
	case in.Shape == nil:
		return []int{in.Rows.Dim}
	}
	return in.Shape
}

// Head is a model of latents in an ONNX file. It may not be used concurrently: it
// uses all its threads itself.
type Head struct {
	Path   string
	SHA256 string // of the file, in hex
	Opset  int
	// Parameters is the number of weights.
	Parameters int

	model *model.Model
}

// OpenHead opens an ONNX file with latents as inputs, and actions if it has such an input. It uses the options for
// the output, threads and backend. Files of weights are refused, because they contain no graph. Errors name the file.
func OpenHead(path string, o OpenOptions) (*Head, error) {
	fail := func(err error) (*Head, error) { return nil, fmt.Errorf("head %w", err) }
	f, err := model.Read(path, model.ReadOptions{})
	if err != nil {
		return fail(exportHint(path, err))
	}
	fail = func(err error) (*Head, error) {
		return nil, fmt.Errorf("head %s: %w", path, errors.Join(err, f.Close()))
	}
	if f.Format != "onnx" {
		return fail(exportHint(path, fmt.Errorf("is a file of weights (%s), want an ONNX file", f.Architecture)))
	}
	output, err := chooseOutput(f.Outputs(), o.preferred(f.Outputs()))
	if err != nil {
		return fail(err)
	}
	sums, err := f.Sums()
	if err != nil {
		return fail(err)
	}
	m, err := f.Model(model.Options{Outputs: []string{output}, Threads: o.Threads, Backend: o.Backend, Batched: true})
	if err != nil {
		return fail(err)
	}
	return &Head{Path: path, SHA256: hex.EncodeToString(sums[0]), Opset: f.Opset, Parameters: f.Parameters, model: m}, nil
}

// exportError is the error for a file of weights, with the way to make a graph of it.
type exportError struct {
	error
	path string
}

func (e *exportError) Unwrap() error { return e.error }

// Hints describes how to export a module.
func (e *exportError) Hints() []string {
	onnx := strings.TrimSuffix(e.path, filepath.Ext(e.path)) + ".onnx"
	return []string{`export the module to ONNX: torch.onnx.export(module.eval(), (latent, action), "` + onnx + `", opset_version=17, ` +
		`input_names=["latent", "action"], output_names=["output"], dynamic_axes={n: {0: "batch"} for n in ["latent", "action", "output"]}); ` +
		`omit the action for a decoder`}
}

// exportHint adds the way to export a file of weights to an error.
func exportHint(path string, err error) error {
	switch filepath.Ext(path) {
	case ".pth", ".pt", ".ckpt", ".bin", ".safetensors":
		return &exportError{err, path}
	}
	return err
}

// Inputs describes the inputs; free axes have the size −1.
func (h *Head) Inputs() []model.Port { return h.model.Inputs() }

// Outputs describes the output, as far as the file tells.
func (h *Head) Outputs() []model.Port { return h.model.Outputs() }

// Wants reports whether an input of the head has a usual name for a kind of value, such as [HeadAction]. Heads with
// other input names take their inputs by order.
func (h *Head) Wants(name string) bool {
	_, ok := h.Input(name)
	return ok
}

// Input returns the input with a usual name for a kind of value, and whether there is one.
func (h *Head) Input(name string) (model.Port, bool) {
	for _, p := range h.model.Inputs() {
		if means(p.Name, name) {
			return p, true
		}
	}
	return model.Port{}, false
}

// Close ends the model and releases its file.
func (h *Head) Close() error { return h.model.Close() }

// means reports whether an input's name is a synonym of another name.
func means(port, name string) bool {
	if port == name {
		return true
	}
	return slices.Contains(headNames[name], plain(port))
}

// plain is a name in lower case, of letters, digits and plus signs alone.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '+' {
			return r
		}
		return -1
	}, strings.ToLower(name))
}

// preferred is the output to take: Output, else the first of Prefer, else the first.
func (o OpenOptions) preferred(outputs []model.Port) string {
	if o.Output != "" || len(o.Prefer) == 0 || len(outputs) == 0 {
		return o.Output
	}
	for _, name := range o.Prefer {
		for _, p := range outputs {
			if plain(p.Name) == plain(name) {
				return p.Name
			}
		}
	}
	return outputs[0].Name
}

// match finds the input of the model for each HeadInput: by name if all names are known, else by their order.
func (h *Head) match(inputs []HeadInput) ([]int, error) {
	ports := h.model.Inputs()
	names := make([]string, len(inputs))
	for i, in := range inputs {
		names[i] = in.Name
	}
	if len(inputs) != len(ports) {
		return nil, fmt.Errorf("has %d inputs (%s), want %d: %s",
			len(ports), model.Names(ports), len(inputs), strings.Join(names, ", "))
	}
	chosen := make([]int, len(inputs))
	taken := make([]bool, len(ports))
	for i, in := range inputs {
		chosen[i] = slices.IndexFunc(ports, func(p model.Port) bool { return p.Name == in.Name })
		if chosen[i] < 0 {
			chosen[i] = slices.IndexFunc(ports, func(p model.Port) bool { return means(p.Name, in.Name) })
		}
		if chosen[i] < 0 || taken[chosen[i]] {
			for i := range chosen {
				chosen[i] = i
			}
			return chosen, nil
		}
		taken[chosen[i]] = true
	}
	return chosen, nil
}

// feed is the tensor of one HeadInput for an input of the model.
type feed struct {
	in    *HeadInput
	port  model.Port
	shape []int // of a batch; the first axis is set for each
	hot   int   // classes of one-hot rows; 0: as they are
	batch model.Tensor
	row   []float64
}

// feeds prepares the inputs for the model.
func (h *Head) feeds(inputs []HeadInput) ([]feed, error) {
	order, err := h.match(inputs)
	if err != nil {
		return nil, err
	}
	feeds := make([]feed, len(inputs))
	for i := range inputs {
		in := &inputs[i]
		f := feed{in: in, port: h.model.Inputs()[order[i]]}
		if f.port.Dims != nil && len(f.port.Dims) == 0 {
			return nil, fmt.Errorf("input %q has no axis for the batch", f.port.Name)
		}
		if in.Ints != nil {
			err = f.fitInts()
		} else {
			err = f.fitRows()
		}
		if err != nil {
			return nil, err
		}
		f.batch.DType, f.batch.Shape = f.port.DType, f.shape
		feeds[order[i]] = f
	}
	return feeds, nil
}

// fitRows finds the shape of rows of numbers.
func (f *feed) fitRows() error {
	state := f.in.shape()
	if graph.Count(state) != f.in.Rows.Dim {
		return fmt.Errorf("rows of %s have %d numbers, want shape %v", f.in.Name, f.in.Rows.Dim, state)
	}
	if f.port.Dims == nil {
		f.shape = append([]int{0}, state...)
		return nil
	}
	dims := f.port.Shape()[1:]
	shape, ok := fit(state, dims)
	flattened := len(dims) == 1 && len(squeeze(state)) > 1
	if !ok || flattened && dims[0] < 0 {
		return &HeadShapeError{Given: slices.Clone(state), Input: dims, Name: f.in.Name, input: f.port.Name}
	}
	f.shape = append([]int{0}, shape...)
	return nil
}

// fitInts decides how integers go in: as they are, or one-hot.
func (f *feed) fitInts() error {
	f.shape = []int{0}
	if f.port.Dims == nil {
		return nil
	}
	dims := f.port.Shape()[1:]
	for i, d := range dims {
		switch {
		case d == 1:
		case d > 1 && i == len(dims)-1:
			f.hot = d
		case d < 0 && f.port.DType == model.Int64: // one step, one value
			d = 1
		default:
			return fmt.Errorf("input %q has shape %v: want one %s per row, [N] or [N 1], or one-hot [N A] with a fixed A",
				f.port.Name, f.port.Shape(), f.in.Name)
		}
		f.shape = append(f.shape, max(d, 1))
	}
	return nil
}

// fill takes the rows lo ≤ i < hi.
func (f *feed) fill(lo, hi int) error {
	f.shape[0] = hi - lo
	if f.in.Ints == nil {
		return f.fillRows(lo, hi)
	}
	f.batch.I64, f.batch.F32 = f.batch.I64[:0], f.batch.F32[:0]
	put := func(v int64) {
		if f.port.DType == model.Int64 {
			f.batch.I64 = append(f.batch.I64, v)
		} else {
			f.batch.F32 = append(f.batch.F32, float32(v))
		}
	}
	for i := lo; i < hi; i++ {
		v := f.in.Ints[i]
		switch {
		case v < 0:
			return fmt.Errorf("%s %d in row %d, want integers from 0", f.in.Name, v, i)
		case f.hot == 0:
			put(v)
			continue
		case v >= int64(f.hot):
			return fmt.Errorf("%s %d in row %d, but input %q takes %d classes, 0 to %d",
				f.in.Name, v, i, f.port.Name, f.hot, f.hot-1)
		}
		for k := range f.hot {
			one := int64(0)
			if int64(k) == v {
				one = 1
			}
			put(one)
		}
	}
	return nil
}

// fillRows is fill for rows of numbers, which are rounded to float32.
func (f *feed) fillRows(lo, hi int) error {
	width := f.in.Rows.Dim
	f.batch.I64, f.batch.F32 = f.batch.I64[:0], f.batch.F32[:0]
	if f.in.Rows.F32 != nil && f.port.DType == model.Float32 {
		f.batch.F32 = f.in.Rows.F32[lo*width : hi*width : hi*width]
		return nil
	}
	for i := lo; i < hi; i++ {
		f.row = f.in.Rows.Row(i, slices.Grow(f.row[:0], width)[:width])
		for _, v := range f.row {
			if f.port.DType == model.Float32 {
				f.batch.F32 = append(f.batch.F32, float32(v))
				continue
			}
			if v != float64(int64(v)) {
				return fmt.Errorf("%s is %g in row %d, but input %q takes integers", f.in.Name, v, i, f.port.Name)
			}
			f.batch.I64 = append(f.batch.I64, int64(v))
		}
	}
	return nil
}

// HeadShapeError reports that a head does not take rows of a shape.
type HeadShapeError struct {
	Given []int  // shape of one row of the input Name
	Input []int  // of the model's input, without the batch; −1: any size
	Name  string // e.g. [HeadLatent]
	input string
}

func (e *HeadShapeError) Error() string {
	return fmt.Sprintf("each %s has shape %v, input %q wants %v without the batch", e.Name, e.Given, e.input, e.Input)
}

// HeadOutputError reports that the output of a head has the wrong shape.
type HeadOutputError struct {
	Output, Want []int // of one row
}

func (e *HeadOutputError) Error() string {
	if len(squeeze(e.Want)) == 0 {
		return fmt.Sprintf("the output has shape %v for one row, want one number", e.Output)
	}
	return fmt.Sprintf("the output has shape %v for one row, want %v", e.Output, e.Want)
}

// Check checks the number and shapes of the inputs and the shape of the output before anything is run; values can be
// missing. want is the shape of one output row up to axes of size one; nil: any. It returns the output shape of the
// file.
func (h *Head) Check(inputs []HeadInput, want []int) ([]int, error) {
	shape, err := h.check(inputs, want)
	if err != nil {
		return nil, h.errorf(err)
	}
	return shape, nil
}

func (h *Head) check(inputs []HeadInput, want []int) ([]int, error) {
	feeds, err := h.feeds(inputs)
	if err != nil {
		return nil, err
	}
	n := max(h.model.Rows(), 1)
	types := make([]model.Type, len(feeds))
	for k, f := range feeds {
		types[k] = model.Type{DType: f.port.DType, Shape: slices.Clone(f.shape)}
		types[k].Shape[0] = n
	}
	out, err := h.model.Types(types...)
	if err != nil {
		return nil, err
	}
	return h.outputShape(out[0].DType, out[0].Shape, n, want)
}

// outputShape checks the output of n rows and returns the shape of one.
func (h *Head) outputShape(d model.DType, shape []int, n int, want []int) ([]int, error) {
	switch {
	case d == model.Bool:
		return nil, fmt.Errorf("the output is of type %v, want numbers", d)
	case len(shape) == 0 || shape[0] != n:
		return nil, fmt.Errorf("the output has shape %v for a batch of %d: want the batch as the first axis", shape, n)
	}
	row := slices.Clone(shape[1:])
	if want == nil {
		return row, nil
	}
	if !slices.Equal(squeeze(row), squeeze(want)) {
		return nil, &HeadOutputError{row, slices.Clone(want)}
	}
	return slices.Clone(want), nil
}

// squeeze leaves axes of size one out.
func squeeze(shape []int) []int {
	return slices.DeleteFunc(slices.Clone(shape), func(n int) bool { return n == 1 })
}

func (h *Head) errorf(err error) error { return fmt.Errorf("head %s: %w", h.Path, err) }

// Run computes the output for N rows of each input, and its shape for one row, which must be want if that is not nil;
// see [Head.Stream].
func (h *Head) Run(ctx context.Context, inputs []HeadInput, want []int, o EncodeOptions) ([]float32, []int, error) {
	var out []float32
	shape, err := h.Stream(ctx, inputs, want, o, func(_, _ int, rows []float32) error {
		if out == nil {
			out = make([]float32, 0, len(rows)/max(1, min(rowsPerBatch(o), inputs[0].count()))*inputs[0].count())
		}
		out = append(out, rows...)
		return nil
	})
	return out, shape, err
}

// rowsPerBatch is the number of rows of a batch.
func rowsPerBatch(o EncodeOptions) int {
	if o.Batch == 0 {
		return defaultBatch
	}
	return o.Batch
}

// Stream runs the head on N rows of each input and calls write with the outputs of the rows lo ≤ i < hi in order;
// they are valid during the call. It uses the options for batch, threads and progress.
//
// Inputs are bound to the model's inputs by name: the same name, or a usual one (z_t, z, state, … for [HeadLatent];
// a, act, … for [HeadAction]; z_next, … for [HeadNext]). If a name is missing, all are bound by order. Axes of size
// one are added and dropped. [HeadInput] describes the conversion of integers. float64 latents are rounded to
// float32.
//
// A row has the same bits for any batch size, including a fixed one, and any number of threads. NaN or infinity in an
// output row is an error that names the row. Stream returns the shape of one row, which must equal want up to axes of
// size one unless want is nil.
func (h *Head) Stream(ctx context.Context, inputs []HeadInput, want []int, o EncodeOptions,
	write func(lo, hi int, rows []float32) error) ([]int, error) {
	shape, err := h.stream(ctx, inputs, want, o, write)
	switch {
	case err == nil:
		return shape, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, h.errorf(err)
}

func (h *Head) stream(ctx context.Context, inputs []HeadInput, want []int, o EncodeOptions,
	write func(lo, hi int, rows []float32) error) ([]int, error) {
	shape, err := h.check(inputs, want)
	if err != nil {
		return nil, err
	}
	feeds, err := h.feeds(inputs)
	if err != nil {
		return nil, err
	}
	total := inputs[0].count()
	for _, in := range inputs {
		if n := in.count(); n != total {
			return nil, fmt.Errorf("%d rows of %s for %d of %s", n, in.Name, total, inputs[0].Name)
		}
	}
	switch {
	case total == 0:
		return nil, errors.New("no rows")
	case o.Batch < 0:
		return nil, fmt.Errorf("batch %d, want at least 1", o.Batch)
	}
	if o.Threads > 0 {
		h.model.SetThreads(o.Threads)
	}
	tensors := make([]*model.Tensor, len(feeds))
	var whole []float32
	for lo := 0; lo < total; lo += rowsPerBatch(o) {
		hi := min(lo+rowsPerBatch(o), total)
		for k := range feeds {
			if err := feeds[k].fill(lo, hi); err != nil {
				return nil, err
			}
			tensors[k] = &feeds[k].batch
			tensors[k].Shape = feeds[k].shape
		}
		out, err := h.model.RunInOrder(ctx, tensors...)
		if err != nil {
			return nil, err
		}
		if _, err := h.outputShape(out[0].DType, out[0].Shape, hi-lo, want); err != nil {
			return nil, err
		}
		rows := out[0].F32
		if out[0].DType == model.Int64 {
			whole = whole[:0]
			for _, v := range out[0].I64 {
				if out[0].Bits == model.Uint64 {
					whole = append(whole, float32(uint64(v)))
					continue
				}
				whole = append(whole, float32(v))
			}
			rows = whole
		}
		if i, v := firstBad(rows); i >= 0 {
			return nil, fmt.Errorf("row %d: output element %d is %g",
				lo+i/max(1, len(rows)/(hi-lo)), i%max(1, len(rows)/(hi-lo)), v)
		}
		if err := write(lo, hi, rows); err != nil {
			return nil, err
		}
		if o.Progress != nil {
			o.Progress(hi, total)
		}
	}
	return shape, nil
}

// firstBad is the first element that is not a number or infinite; −1 if there is none.
func firstBad(values []float32) (int, float32) {
	for i, v := range values {
		if v-v != 0 {
			return i, v
		}
	}
	return -1, 0
}
