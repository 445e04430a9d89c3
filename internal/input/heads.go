// Heads: models of latents that a command takes next to each model, such as predictors and
// decoders, and the latents that go into them.

package input

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"repscope/dataset"
	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/latent"
	"repscope/model"
	"repscope/points"
	"repscope/report"
)

// HeadRole is a model of latents that a command takes by a flag of its own, one for each
// model: --predictor NAME=FILE.onnx.
type HeadRole struct {
	Name  string // of the flag and of the role in the result file
	Usage string // of the flag
	// Example, if it is given, makes the file of an encoder of the built-in example, which
	// --example takes for those that the flag does not name. It stands here so that the
	// files are in no binary but those that take them.
	Example func(model string) ([]byte, error)
	// Variants, if there are any, makes the flag NAME:VARIANT=FILE.
	Variants []string
}

// GivenHeads is what the flag of a head names.
type GivenHeads struct {
	role   HeadRole
	inputs *Inputs
	named  []source
}

// Heads adds the flag of a head to a command's, and, with the first, --decoder-pool, which
// says how latents go into all of them.
func (in *Inputs) Heads(flags *run.Flags, role HeadRole) *GivenHeads {
	g := &GivenHeads{role: role, inputs: in}
	flags.Declare(option.Of(option.Func(func(l *option.List) {
		if len(in.heads) == 0 {
			in.headPool.check = func(s string) error { _, err := latent.ParsePool(s); return err }
			l.Var(&in.headPool, "decoder-pool", "`[NAME=]MODE` of pooling for the inputs of decoders, predictors and other heads, as for --pool: "+
				"last, mean, cls, flatten, index:K; default: unchanged outputs (repeats)")
		}
		l.Var(&headFlag{g}, role.Name, role.Usage).Reads()
	})))
	in.heads = append(in.heads, g)
	flags.Check(func(*run.Options) error { return g.check() })
	return g
}

// headFlag is the value of the flag of a head.
type headFlag struct{ given *GivenHeads }

func (h *headFlag) String() string {
	if h.given == nil {
		return ""
	}
	var parts []string
	for _, s := range h.given.named {
		parts = append(parts, run.JoinName(s.name, s.path))
	}
	return strings.Join(parts, ",")
}

// Repeats says that the flag may be given several times.
func (h *headFlag) Repeats() bool { return true }

func (h *headFlag) Set(text string) error {
	name, path, err := cutName(text)
	if err == nil {
		_, _, err = cutVariant(name, h.given.role.Variants)
	}
	if err != nil {
		return err
	}
	h.given.named = append(h.given.named, source{kind: h.given.role.Name, name: name, path: path})
	return nil
}

// check finds names that stand twice.
func (g *GivenHeads) check() error {
	for i, s := range g.named {
		if slices.ContainsFunc(g.named[:i], func(other source) bool { return other.name == s.name }) {
			return run.Usage("two --%s are for %q", g.role.Name, s.name)
		}
	}
	return nil
}

// checkModels finds heads of models that are not there.
func (g *GivenHeads) checkModels(models []string) error {
	for _, s := range g.named {
		model, _, _ := cutVariant(s.name, g.role.Variants) // checked when it was set
		if err := checkModel(g.role.Name, s, model, models); err != nil {
			return err
		}
	}
	return nil
}

// find is the file of a model's head, empty if there is none; content is the content of the example.
func (g *GivenHeads) find(model, variant string) (s source, content []byte) {
	name := model
	if variant != "" {
		name += ":" + variant
	}
	for _, s := range g.named {
		if s.name == name {
			return s, nil
		}
	}
	open := g.role.Example
	if open == nil || !g.inputs.example || variant != "" {
		return source{}, nil
	}
	ofExample := func(s source) bool { return s.kind == "example" && s.name == model }
	if !slices.ContainsFunc(g.inputs.sources, ofExample) {
		return source{}, nil
	}
	content, err := open(model)
	if err != nil {
		return source{}, nil
	}
	return source{kind: g.role.Name, name: model, path: exampleInput + "/" + model + "/" + g.role.Name + ".onnx"}, content
}

// Names are those that the flag names, in the order of the command line.
func (g *GivenHeads) Names() []string {
	names := make([]string, len(g.named))
	for i, s := range g.named {
		names[i] = s.name
	}
	return names
}

// Any reports whether there is a head of any model. With --example it is known once the
// flags have been checked.
func (g *GivenHeads) Any() bool {
	return len(g.named) > 0 || slices.ContainsFunc(g.inputs.sources, func(s source) bool { return g.Has(s.name) })
}

// Has reports whether a model has a head, of any variant.
func (g *GivenHeads) Has(model string) bool {
	for _, variant := range append([]string{""}, g.role.Variants...) {
		if s, _ := g.find(model, variant); s.path != "" {
			return true
		}
	}
	return false
}

// Open opens the head of a model and enters it, with its digest, into the inputs of the
// result; nil if there is none. variant is empty where the role has none. The head is
// closed at the end of the run.
func (g *GivenHeads) Open(data *Data, model, variant string) (*latent.Head, error) {
	s, content := g.find(model, variant)
	if s.path == "" {
		return nil, nil
	}
	fail := func(err error) (*latent.Head, error) {
		return nil, fmt.Errorf("%s %s: %w", g.role.Name, s.name, err)
	}
	path := s.path
	if content != nil {
		cache := g.inputs.cache
		if data.plan != nil {
			cache = "off" // nothing is kept
		}
		unpacked, remove, err := unpack(content, g.role.Name+".onnx", cache)
		if remove != nil {
			data.env.CloseLater(closerFunc(remove))
		}
		if err != nil {
			return fail(err)
		}
		path = unpacked
	}
	backend, err := data.Device()
	if err != nil {
		return nil, err
	}
	head, err := latent.OpenHead(path, latent.OpenOptions{Threads: data.env.Options.Threads, Backend: backend})
	if err != nil {
		return fail(err)
	}
	if content != nil {
		head.Path = s.path
	}
	data.env.CloseLater(head)
	if data.plan != nil {
		data.env.Print("%s %s %s: %s to %s\n", g.role.Name, s.name, s.path, ports(head.Inputs()), ports(head.Outputs()))
	}
	var details report.Object
	details.Set("parameters", head.Parameters)
	details.Set("opset", head.Opset)
	data.env.Result.Inputs = append(data.env.Result.Inputs, report.Input{Role: g.role.Name, Name: s.name, Path: s.path, SHA256: head.SHA256,
		Pool: g.inputs.headPool.of(model), Details: &details})
	return head, nil
}

// ports lists inputs or outputs with their shapes; −1 is any size.
func ports(list []model.Port) string {
	parts := make([]string, len(list))
	for i, p := range list {
		if parts[i] = p.Name; p.Dims != nil {
			parts[i] += fmt.Sprintf(" %v", p.Shape())
		}
	}
	return strings.Join(parts, ", ")
}

// PoolHeadRows makes of rows of a head, of the given shape each, latents as [Model.Latents]
// are: pooled as the model's own output is, where it is not pooled before heads already.
func (m *Model) PoolHeadRows(values []float32, shape []int) (points.Points, error) {
	dim := points.Size(shape)
	rows := points.Float32(values, max(dim, 1))
	if want := m.dimension(); dim == want || m.data.inputs.headPool.of(m.Name) != "" {
		return rows, nil
	}
	fallback := latent.PoolNone
	pool := latent.Pool(m.data.inputs.pool.of(m.Name))
	if m.Encoder != nil {
		fallback, pool = m.Encoder.Info().DefaultPool, m.Pool
	}
	pool, dim, err := pool.Resolve(append([]int{rows.N}, shape...), fallback)
	if err != nil {
		return points.Points{}, fmt.Errorf("model %s: its predicted latents: %w", m.Name, err)
	}
	out := make([]float32, rows.N*dim)
	for i := range rows.N {
		latent.ApplyPool(pool, out[i*dim:(i+1)*dim], values[i*rows.Dim:(i+1)*rows.Dim])
	}
	return points.Float32(out, dim), nil
}

// Hint adds what may help to an error of a head that does not take a model's latents.
func (g *GivenHeads) Hint(model string, err error) error {
	var shape *latent.HeadShapeError
	if errors.As(err, &shape) && shape.Name != latent.HeadAction && len(shape.Given) > 1 {
		return run.Hint(err, "pool its input with --decoder-pool "+model+"=MODE: last, mean, cls, flatten or index:K")
	}
	return err
}

// HeadLatents are the latents of the given states as they go into heads: the model's
// output before it is pooled, or pooled as --decoder-pool says.
func (m *Model) HeadLatents(ctx context.Context, index []int) (latent.HeadInput, error) {
	pool := latent.Pool(m.data.inputs.headPool.of(m.Name)) // checked when it was set
	if m.Encoder == nil {
		return m.givenHeadLatents(index, pool)
	}
	shape, err := m.HeadShape(ctx)
	if err != nil {
		return latent.HeadInput{}, err
	}
	if pool == latent.PoolNone && points.Size(shape) == m.dimension() { // one vector per state, encoded anyway
		rows, err := m.Latents(ctx, index)
		return latent.HeadInput{Name: latent.HeadLatent, Rows: rows, Shape: shape}, err
	}
	defer m.poolForHeads(pool)()
	states := m.data.statesOf(m.Name)
	var rows points.Points
	if m.data.Options.Samples > 0 && len(index) < states.Len() {
		rows, err = m.encode(ctx, states.Subset(index), true, "encoding "+m.Name)
	} else if rows, err = m.encode(ctx, states, true, "encoding "+m.Name); err == nil && len(index) < rows.N {
		rows = rows.Select(index)
	}
	return latent.HeadInput{Name: latent.HeadLatent, Rows: rows, Shape: shape}, err
}

// poolForHeads makes the model pool its output as heads take it, until the function that it returns is called.
func (m *Model) poolForHeads(pool latent.Pool) func() {
	before := m.Pool
	if m.Pool = pool; pool == latent.PoolNone {
		m.Pool = latent.PoolFlatten
	}
	return func() { m.Pool = before }
}

// EncodeForHeads is [Model.HeadLatents] of other inputs than the states, which are encoded as [Model.Encode] does.
func (m *Model) EncodeForHeads(ctx context.Context, source latent.Source, label string) (points.Points, error) {
	pool := latent.Pool(m.data.inputs.headPool.of(m.Name))
	shape, err := m.HeadShape(ctx)
	if err != nil {
		return points.Points{}, err
	}
	if m.Encoder != nil && (pool != latent.PoolNone || points.Size(shape) != m.dimension()) {
		defer m.poolForHeads(pool)()
	}
	return m.Encode(ctx, source, label)
}

// HeadShape is the shape of one row of HeadLatents; nothing is encoded.
func (m *Model) HeadShape(ctx context.Context) ([]int, error) {
	pool := latent.Pool(m.data.inputs.headPool.of(m.Name))
	fail := func(err error) ([]int, error) {
		var wrong *latent.PoolError
		if errors.As(err, &wrong) {
			err = run.Hint(err, "choose with --decoder-pool "+m.Name+"=MODE")
		}
		return nil, fmt.Errorf("model %s: %w", m.Name, err)
	}
	switch {
	case m.unfitted > 0:
		return []int{m.unfitted}, nil
	case m.Encoder == nil && pool == latent.PoolNone:
		return rowShape(m.given.shape), nil
	case m.Encoder == nil:
		_, dim, err := pool.Resolve(m.given.shape, latent.PoolNone)
		if err != nil {
			return fail(err)
		}
		return []int{dim}, nil
	}
	if pool == latent.PoolNone {
		pool = latent.PoolKeep
	}
	o := m.EncodeOptions("")
	o.Pool = pool
	stream, err := latent.NewStream(ctx, m.Encoder, m.data.statesOf(m.Name), o)
	if err != nil {
		return fail(err)
	}
	return stream.Outputs()[0].Shape, nil
}

// givenHeadLatents is HeadLatents for latents computed elsewhere.
func (m *Model) givenHeadLatents(index []int, pool latent.Pool) (latent.HeadInput, error) {
	fail := func(err error) (latent.HeadInput, error) {
		return latent.HeadInput{}, fmt.Errorf("latents %s: %w", m.Name, err)
	}
	a, err := dataset.Open(m.given.source.path)
	if err != nil {
		return fail(err)
	}
	defer a.Close()
	shape, keep := rowShape(a.Shape()), pool
	if pool == latent.PoolNone {
		keep = latent.PoolFlatten
	}
	all, _, err := m.data.readLatents(a, keep)
	if err != nil {
		return fail(err)
	}
	if pool != latent.PoolNone {
		shape = []int{all.Dim}
	}
	rows := index
	if m.given.row != nil {
		rows = make([]int, len(index))
		for i, state := range index {
			rows[i] = m.given.row[state]
		}
	}
	return latent.HeadInput{Name: latent.HeadLatent, Rows: all.Select(rows), Shape: shape}, nil
}

// rowShape is the shape of one row of latents.
func rowShape(shape []int) []int {
	if len(shape) == 1 { // one number per state
		return []int{1}
	}
	return slices.Clone(shape[1:])
}
