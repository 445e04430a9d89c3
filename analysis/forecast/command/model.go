// Forecasts that a model makes of the input fields: --model NAME=FILE.onnx.

package command

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"repscope/analysis/forecast"
	"repscope/internal/input"
	"repscope/internal/run"
	"repscope/model"
	"repscope/report"
	"repscope/shard"
	"repscope/stat"
)

// modelMembers is the number of members that a model makes unless another is asked for.
const modelMembers = 100

// The roles of a model's inputs and outputs, with the names that tell them, in lower case
// and without characters other than letters and digits.
var (
	noiseNames = []string{"noise", "z", "eps", "epsilon", "xi", "latentnoise", "randomnoise", "random"}
	leadNames  = []string{"lead", "leads", "leadtime", "leadhours", "horizon", "time", "t", "dt"}
	meanNames  = []string{"mean", "mu", "loc", "prediction", "forecast", "output", "y", "member", "sample"}
	// spreads are the outputs that say how wide a Gaussian is, and how to make a standard
	// deviation of each.
	spreads = []struct {
		name string
		of   func(float64) float64
	}{
		{"sd", identity}, {"std", identity}, {"stddev", identity}, {"sigma", identity}, {"scale", identity}, {"spread", identity}, {"standarddeviation", identity},
		{"variance", math.Sqrt}, {"var", math.Sqrt}, {"sigma2", math.Sqrt},
		{"logsd", math.Exp}, {"logstd", math.Exp}, {"logsigma", math.Exp}, {"logscale", math.Exp},
		{"logvar", halfExp}, {"logvariance", halfExp},
	}
)

func identity(v float64) float64 { return v }

func halfExp(v float64) float64 { return math.Exp(v / 2) }

// plainName is a name in lower case, of letters and digits alone.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
}

// generator makes the members of a forecast by a model: an [Array] whose samples are
// computed when they are read. The members of a sample depend on the model, its fields,
// the seed and the sample's number alone.
type generator struct {
	name, path string
	digest     string
	fields     forecast.Array
	leads      []float64
	seed       uint64
	shape      []int // [N,S,V,H,W]

	mutex sync.Mutex // a model runs one batch at a time
	model *model.Model
	// Places of the inputs and outputs; −1: there is none.
	fieldsAt, noiseAt, leadAt, meanAt, spreadAt int
	deviation                                   func(float64) float64
	noise                                       []int     // shape of the noise of one member
	weights                                     []float64 // of cells; some may be 0
	values                                      []float64
}

// addModels adds the forecasts of the models that the flags name, but for those that cannot
// be run.
func (s *settings) addModels(ctx context.Context, env *run.Env, in *forecast.Input, losses *input.Losses) error {
	for _, f := range s.models.All() {
		g, info, err := openGenerator(f.Name, f.Path, in, s.o.Members, env.Options.Seed, env.Options.Threads)
		if err != nil {
			if err := losses.Leave(ctx, f.Name, fmt.Errorf("model %s: %w", f.Name, err)); err != nil {
				return err
			}
			continue
		}
		env.CloseLater(g.model)
		env.Result.Inputs = append(env.Result.Inputs, info)
		in.Forecasts = append(in.Forecasts, forecast.Forecast{Name: f.Name, Members: g, From: g.about()})
	}
	run.InOrder(s.flags, in.Forecasts, func(f forecast.Forecast) string { return f.Name }, "forecast", "model")
	return nil
}

// openGenerator opens a model and checks that it makes fields of the target's shape.
func openGenerator(name, path string, in *forecast.Input, members int, seed uint64,
	threads int) (*generator, report.Input, error) {
	var info report.Input
	d, err := in.Dims()
	if err != nil {
		return nil, info, err
	}
	if s := in.Fields.Shape(); len(s) != 4 || s[0] != d.N {
		return nil, info, fmt.Errorf("input: %s has shape %v, want [%d,Vin,H,W]", in.Fields.Name(), s, d.N)
	}
	f, err := model.Read(path, model.ReadOptions{})
	if err != nil {
		return nil, info, err
	}
	fail := func(err error) (*generator, report.Input, error) {
		return nil, info, fmt.Errorf("%s: %w", path, errors.Join(err, f.Close()))
	}
	if f.Format != "onnx" {
		return fail(run.Hint(fmt.Errorf("is a file of weights (%s) without a graph, want an ONNX file", f.Architecture),
			`export the module: torch.onnx.export(module.eval(), fields, "model.onnx", input_names=["fields"], output_names=["mean"], dynamic_axes={"fields": {0: "batch"}, "mean": {0: "batch"}})`))
	}
	sums, err := f.Sums()
	if err != nil {
		return fail(err)
	}
	m, err := f.Model(model.Options{Threads: threads, Batched: true})
	if err != nil {
		return fail(err)
	}
	weights, err := forecast.CellWeights("weights", in.Weights, d)
	if err != nil {
		return fail(errors.Join(err, m.Close()))
	}
	g := &generator{
		weights: weights,
		name:    name,
		path:    path,
		digest:  hex.EncodeToString(sums[0]),
		fields:  in.Fields,
		leads:   in.Leads,
		seed:    seed,
		model:   m,
	}
	if err := g.bind(d, members); err != nil {
		return nil, info, fmt.Errorf("%s: %w", path, errors.Join(err, m.Close()))
	}
	var details report.Object
	details.Set("parameters", f.Parameters)
	details.Set("opset", f.Opset)
	info = report.Input{Role: "model", Name: name, Path: path, SHA256: g.digest, Details: &details}
	return g, info, nil
}

// bind finds what the inputs and outputs are for, and checks their shapes.
func (g *generator) bind(d forecast.Dims, members int) error {
	if err := g.bindInputs(); err != nil {
		return err
	}
	if err := g.bindOutputs(); err != nil {
		return err
	}
	g.shape = []int{d.N, 1, d.V, d.H, d.W}
	if g.noiseAt >= 0 || g.spreadAt >= 0 {
		if g.shape[1] = members; members == 0 {
			g.shape[1] = modelMembers
		}
	}
	types, err := g.inputTypes()
	if err != nil {
		return err
	}
	out, err := g.model.Types(types...)
	if err != nil {
		return fmt.Errorf("it does not accept the fields %s of shape %v: %w", g.fields.Name(), g.fields.Shape(), err)
	}
	for _, k := range []int{g.meanAt, g.spreadAt} {
		if k < 0 {
			continue
		}
		want := []int{types[0].Shape[0], d.V, d.H, d.W}
		if out[k].DType != model.Float32 || !slices.Equal(withoutOnes(out[k].Shape[1:]), withoutOnes(want[1:])) || out[k].Shape[0] != want[0] {
			return fmt.Errorf("output %q has shape %v for the fields of one sample, want [%d,%d,%d] of floats: variables, rows and columns of the target",
				g.model.Outputs()[k].Name, out[k].Shape[1:], d.V, d.H, d.W)
		}
	}
	return nil
}

// withoutOnes is a shape without the axes of size one.
func withoutOnes(shape []int) []int {
	return slices.DeleteFunc(slices.Clone(shape), func(n int) bool { return n == 1 })
}

// bindInputs finds the fields, the noise and the lead: by name, else the fields first,
// then the noise.
func (g *generator) bindInputs() error {
	ports := g.model.Inputs()
	g.fieldsAt, g.noiseAt, g.leadAt = -1, -1, -1
	var rest []int
	for i, p := range ports {
		switch name := plainName(p.Name); {
		case slices.Contains(noiseNames, name) && g.noiseAt < 0:
			g.noiseAt = i
		case slices.Contains(leadNames, name) && g.leadAt < 0:
			g.leadAt = i
		default:
			rest = append(rest, i)
		}
	}
	if len(rest) > 0 {
		g.fieldsAt = rest[0]
	}
	switch {
	case len(rest) == 2 && g.noiseAt < 0:
		g.noiseAt = rest[1]
	case len(rest) != 1:
		return fmt.Errorf("has the inputs %s; want the fields, and optionally noise and lead", model.Names(ports))
	}
	if g.leadAt >= 0 && g.leads == nil {
		return run.Hint(fmt.Errorf("input %q needs the lead of a sample, but there is no --leads", ports[g.leadAt].Name),
			"give them with --leads FILE[:key]")
	}
	return nil
}

// bindOutputs finds the mean and the spread: by name, else in this order.
func (g *generator) bindOutputs() error {
	ports := g.model.Outputs()
	g.meanAt, g.spreadAt = -1, -1
	for i, p := range ports {
		name := plainName(p.Name)
		for _, s := range spreads {
			if s.name == name && g.spreadAt < 0 {
				g.spreadAt, g.deviation = i, s.of
			}
		}
	}
	for i, p := range ports {
		if i != g.spreadAt && (g.meanAt < 0 || slices.Contains(meanNames, plainName(p.Name)) && !slices.Contains(meanNames, plainName(ports[g.meanAt].Name))) {
			g.meanAt = i
		}
	}
	if g.meanAt < 0 || len(ports) > 2 && (g.spreadAt < 0 || !slices.Contains(meanNames, plainName(ports[g.meanAt].Name))) {
		return fmt.Errorf("has the outputs %s; want the mean, or the mean and the standard deviation (mean, sd)",
			model.Names(ports))
	}
	if len(ports) == 2 && g.spreadAt < 0 {
		g.spreadAt, g.deviation = 1-g.meanAt, identity
	}
	return nil
}

// inputTypes are the types of the inputs for one run.
func (g *generator) inputTypes() ([]model.Type, error) {
	ports, rows := g.model.Inputs(), max(g.model.Rows(), 1)
	types := make([]model.Type, len(ports))
	for i, p := range ports {
		shape := []int{rows}
		switch i {
		case g.fieldsAt:
			shape = append(shape, g.fields.Shape()[1:]...)
			if p.Dims != nil && !fits(p.Shape(), shape) {
				return nil, fmt.Errorf("input %q has shape %v (−1: any size), but the fields %s have shape "+
					"%v", p.Name, p.Shape(), g.fields.Name(), g.fields.Shape())
			}
		case g.leadAt:
			if n := len(p.Dims); n == 2 {
				shape = append(shape, 1)
			} else if n > 2 {
				return nil, fmt.Errorf(
					"input %q has shape %v, want one lead per sample: [N] or [N 1]", p.Name, p.Shape())
			}
		case g.noiseAt:
			dims := p.Shape()
			if p.Dims == nil || len(dims) < 2 {
				return nil, fmt.Errorf(
					"input %q has shape %v, want noise of a fixed shape after the batch axis", p.Name, dims)
			}
			g.noise = slices.Clone(dims[1:])
			for axis, n := range g.noise {
				if back := len(g.noise) - axis; n < 0 && len(g.noise) == 3 && back <= 2 { // as large as the fields
					g.noise[axis] = g.fields.Shape()[4-back]
				} else if n < 0 {
					return nil, fmt.Errorf(
						"input %q has shape %v: export the model with a fixed noise shape per member", p.Name, dims)
				}
			}
			shape = append(shape, g.noise...)
		}
		if p.DType != model.Float32 {
			return nil, fmt.Errorf("input %q has the type %v, want float32", p.Name, p.DType)
		}
		types[i] = model.Type{DType: model.Float32, Shape: shape}
	}
	return types, nil
}

// fits says whether a shape is one of a port, whose free axes are −1. The batch is free.
func fits(port, shape []int) bool {
	if len(port) != len(shape) {
		return false
	}
	for i, n := range port {
		if i > 0 && n >= 0 && n != shape[i] {
			return false
		}
	}
	return true
}

// about says how members are made.
func (g *generator) about() string {
	switch {
	case g.noiseAt >= 0 && g.spreadAt >= 0:
		return "model output for fields and noise, plus Gaussian noise of the predicted standard deviation"
	case g.noiseAt >= 0:
		return "model output for fields and noise"
	case g.spreadAt >= 0:
		return "predicted mean, plus Gaussian noise of the predicted standard deviation"
	}
	return "predicted mean"
}

// Name is the path of the model's file.
func (g *generator) Name() string { return g.path }

// Shape is [N,S,V,H,W].
func (g *generator) Shape() []int { return g.shape }

// SHA256 identifies the members: by model, fields, leads and seed.
func (g *generator) SHA256() (string, error) {
	fields, err := g.fields.SHA256()
	if err != nil {
		return "", err
	}
	leads := make([]string, len(g.leads))
	for i, v := range g.leads {
		leads[i] = strconv.FormatFloat(v, 'g', -1, 64)
	}
	return shard.Option("", []string{g.digest, fields, strings.Join(leads, ","), strconv.FormatUint(g.seed, 10), fmt.Sprint(g.shape)}).Value, nil
}

// ReadFloat64 makes the members of the samples lo … hi−1.
func (g *generator) ReadFloat64(dst []float64, lo, hi int) error {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	size := len(dst) / (hi - lo)
	for i := lo; i < hi; i++ {
		if err := g.make(dst[(i-lo)*size:(i-lo+1)*size], i); err != nil {
			return fmt.Errorf("model %s: %s: sample %d: %w", g.name, g.path, i, err)
		}
	}
	return nil
}

// batchFloats bounds the numbers of the fields of a batch.
const batchFloats = 1 << 22

// make makes the members of a sample.
func (g *generator) make(dst []float64, sample int) error {
	in := g.fields.Shape()
	field := in[1] * in[2] * in[3]
	if cap(g.values) < field {
		g.values = make([]float64, field)
	}
	g.values = g.values[:field]
	if err := g.fields.ReadFloat64(g.values, sample, sample+1); err != nil {
		return fmt.Errorf("input: %w", err)
	}
	if err := forecast.CheckFinite("input", g.fields, sample, g.values); err != nil {
		return fmt.Errorf("%w: a model reads all cells, also cells of weight 0; fill them as in its training", err)
	}
	members, size := g.shape[1], len(dst)/g.shape[1]
	batch := 1 // a model without noise runs once
	if g.noiseAt >= 0 {
		batch = max(1, min(members, batchFloats/field))
	}
	for first := 0; first < members; first += batch {
		n := min(batch, members-first)
		mean, spread, err := g.run(sample, first, n)
		if err != nil {
			return err
		}
		if g.noiseAt >= 0 {
			for k := range n {
				if err := g.member(dst[(first+k)*size:(first+k+1)*size], mean[k*size:(k+1)*size], part(spread, k, size), sample, first+k); err != nil {
					return err
				}
			}
			continue
		}
		for k := range members {
			if err := g.member(dst[k*size:(k+1)*size], mean, spread, sample, k); err != nil {
				return err
			}
		}
		break
	}
	return nil
}

// part is the k-th part of values; nil of nil.
func part(values []float32, k, size int) []float32 {
	if values == nil {
		return nil
	}
	return values[k*size : (k+1)*size]
}

// run runs the model for members first … first+n−1 of a sample.
func (g *generator) run(sample, first, n int) (mean, spread []float32, err error) {
	ports := g.model.Inputs()
	inputs := make([]*model.Tensor, len(ports))
	for i, p := range ports {
		t := &model.Tensor{DType: model.Float32, Shape: []int{n}}
		switch i {
		case g.fieldsAt:
			t.Shape = append(t.Shape, g.fields.Shape()[1:]...)
			for range n {
				for _, v := range g.values {
					t.F32 = append(t.F32, float32(v))
				}
			}
		case g.leadAt:
			if len(p.Dims) == 2 {
				t.Shape = append(t.Shape, 1)
			}
			t.F32 = slices.Repeat([]float32{float32(g.leads[sample])}, n)
		case g.noiseAt:
			t.Shape = append(t.Shape, g.noise...)
			size := 1
			for _, d := range g.noise {
				size *= d
			}
			t.F32 = make([]float32, n*size)
			for k := range n {
				stat.FillNormal32(t.F32[k*size:(k+1)*size], stat.StreamForecast.Key(g.seed, uint64(sample), uint64(first+k)), 0)
			}
		}
		inputs[i] = t
	}
	out, err := g.model.RunInOrder(context.Background(), inputs...)
	if err != nil {
		return nil, nil, err
	}
	if g.spreadAt >= 0 {
		spread = out[g.spreadAt].F32
	}
	return out[g.meanAt].F32, spread, nil
}

// member writes a member: the mean, and noise of the standard deviation.
func (g *generator) member(dst []float64, mean, spread []float32, sample, number int) error {
	for i, v := range mean {
		dst[i] = float64(v)
	}
	if spread == nil {
		return nil
	}
	draws := make([]float32, len(mean))
	stat.FillNormal32(draws, stat.StreamForecast.Key(g.seed, uint64(sample), uint64(number), 1), 0)
	for i, v := range spread {
		sd := g.deviation(float64(v))
		if g.weights[i%len(g.weights)] == 0 {
			continue // whatever it is
		}
		if !(sd >= 0) {
			return fmt.Errorf("output %q is %v in cell %d, want a standard deviation (finite, at least "+
				"0)", g.model.Outputs()[g.spreadAt].Name, v, i)
		}
		dst[i] += sd * float64(draws[i])
	}
	return nil
}
