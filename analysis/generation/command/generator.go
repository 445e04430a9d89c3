// Running a generator: latents and reconstructions of given grids, draws for every label,
// and what a classifier takes them for.

package command

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/analysis/generation"
	"repscope/analysis/generation/climbing"
	"repscope/dataset"
	"repscope/internal/input"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/latent"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// mostRounds is how often draws that are invalid are drawn again at most.
const mostRounds = 50

// The outputs that heads with several are asked for, by preference.
var (
	encoderOutputs = []string{"mean", "mu", "z_mean", "latent_mean", "loc", "latent", "z"}
	decoderOutputs = []string{"logits", "recon_logits", "prob", "probs", "probability", "probabilities", "recon_prob", "reconstruction", "recon"}
)

// heads are the parts of a generator that is run; Encoder or Decoder may be nil.
type heads struct {
	Name             string
	Encoder, Decoder *latent.Head
}

// draws says how samples are drawn: z ~ N(0, I) × Temperature, that many for every label.
type draws struct {
	PerLabel    int
	Temperature float64
	Threshold   float64 // of the probability of a cell
	Seed        uint64
	// Rule says whether a grid is valid; those that are not are drawn again. nil: all are.
	Rule func(cells []uint8) bool
}

// Drawn counts how the samples of a generator came about.
type Drawn struct {
	Samples     int
	Temperature float64
	FirstValid  int // valid as they were drawn first
	Redrawn     int // draws that took the place of invalid ones
	Rounds      int // of drawing again
	Invalid     int // still invalid after the last round
}

// object is the part of a result file that says so.
func (d *Drawn) object() report.Object {
	var o report.Object
	o.Set("num_samples", d.Samples)
	o.Set("temperature", d.Temperature)
	o.Set("valid_first_draw", d.FirstValid)
	o.Set("redrawn", d.Redrawn)
	o.Set("rounds", d.Rounds)
	o.Set("still_invalid", d.Invalid)
	return o
}

// generatorRun runs the heads of one generator on grids.
type generatorRun struct {
	heads   heads
	grids   *generation.Samples
	options latent.EncodeOptions
	dim     []int // shape of one latent
	logits  bool  // the decoder makes logits, not probabilities
	dry     bool  // nothing is run: latents and draws are zeros, for a plan
	latents []float32
}

// prepare checks the heads against the grids before anything is run: shapes, and inputs
// that nothing is given for. Errors name the file.
func (h heads) prepare(ctx context.Context, grids *generation.Samples, o latent.EncodeOptions,
	dry bool) (*generatorRun, error) {
	r := &generatorRun{heads: h, grids: grids, options: o, dry: dry}
	if h.Encoder != nil {
		inputs, err := r.given(h.Encoder, "encoder", latent.HeadInput{Name: latent.HeadGrid,
			Rows: points.Points{Dim: grids.Rows.Dim}, Shape: grids.Shape}, []int64{}, grids.Labels != nil)
		if err != nil {
			return nil, err
		}
		if r.dim, err = h.Encoder.Check(inputs, nil); err != nil {
			return nil, fmt.Errorf("encoder %s: %w", h.Name, err)
		}
		if err := r.encode(ctx); err != nil {
			return nil, err
		}
	}
	if h.Decoder == nil {
		return r, nil
	}
	if err := r.latentShape(); err != nil {
		return nil, err
	}
	inputs, err := r.given(h.Decoder, "decoder", latent.HeadInput{Name: latent.HeadLatent,
		Rows: points.Points{Dim: size(r.dim)}, Shape: r.dim}, []int64{}, grids.Labels != nil)
	if err != nil {
		return nil, err
	}
	out, err := h.Decoder.Check(inputs, nil)
	if err != nil {
		return nil, fmt.Errorf("decoder %s: %w", h.Name, err)
	}
	if size(out) != grids.Rows.Dim {
		return nil, fmt.Errorf("decoder %s: %s produces grids of shape %v, but %s contains grids of shape "+
			"%v", h.Name, h.Decoder.Path, out, grids.Name, grids.Shape)
	}
	return r, r.scale(ctx)
}

// size is the number of values of a shape.
func size(shape []int) int {
	n := 1
	for _, k := range shape {
		n *= k
	}
	return n
}

// latentShape is the shape of a decoder without an encoder, by the file.
func (r *generatorRun) latentShape() error {
	if r.dim != nil {
		return nil
	}
	port, ok := r.heads.Decoder.Input(latent.HeadLatent)
	if !ok {
		port = r.heads.Decoder.Inputs()[0]
	}
	if len(port.Dims) < 2 || slices.Contains(port.Shape()[1:], -1) {
		return run.Hint(fmt.Errorf("decoder %s: %s does not specify the number of dimensions of its input "+
			"%q", r.heads.Name, r.heads.Decoder.Path, port.Name),
			"also give its encoder, with --encoder "+r.heads.Name+"=FILE.onnx")
	}
	r.dim = port.Shape()[1:]
	return nil
}

// given are the inputs of a head: rows, and labels if it takes them.
func (r *generatorRun) given(head *latent.Head, role string, rows latent.HeadInput, labels []int64,
	labeled bool) ([]latent.HeadInput, error) {
	switch n := len(head.Inputs()); {
	case n == 1:
		return []latent.HeadInput{rows}, nil
	case n == 2 && labeled:
		return []latent.HeadInput{rows, {Name: latent.HeadLabel, Ints: labels}}, nil
	case n == 2:
		return nil, run.Hint(fmt.Errorf("%s %s: %s needs labels (inputs %s), but %s has "+
			"none", role, r.heads.Name, head.Path, ports(head), r.grids.Name),
			"give the grids with an array of labels")
	default:
		return nil, fmt.Errorf("%s %s: %s has %s (%s), want %s and, if it is conditional, the label",
			role, r.heads.Name, head.Path,
			text.Count(n, "input"), ports(head), rows.Name)
	}
}

// ports lists the inputs of a head.
func ports(head *latent.Head) string {
	var names []string
	for _, p := range head.Inputs() {
		names = append(names, fmt.Sprintf("%q", p.Name))
	}
	return strings.Join(names, ", ")
}

// int64s are labels as heads take them.
func int64s(labels []int) []int64 {
	out := make([]int64, len(labels))
	for i, v := range labels {
		out[i] = int64(v)
	}
	return out
}

// encode takes the latents of all grids, at their mean.
func (r *generatorRun) encode(ctx context.Context) error {
	if r.dry {
		r.latents = make([]float32, r.grids.N()*size(r.dim))
		return nil
	}
	labels := int64s(r.grids.Labels)
	inputs, err := r.given(r.heads.Encoder, "encoder", latent.HeadInput{Name: latent.HeadGrid, Rows: r.grids.Rows,
		Shape: r.grids.Shape}, labels, r.grids.Labels != nil)
	if err != nil {
		return err
	}
	if r.latents, _, err = r.heads.Encoder.Run(ctx, inputs, nil, r.options); err != nil {
		return fmt.Errorf("encoder %s: %w", r.heads.Name, err)
	}
	return nil
}

// decode makes what the decoder has as output of latents, and labels if it takes them.
func (r *generatorRun) decode(ctx context.Context, latents []float32, labels []int,
	write func(lo, hi int, rows []float32) error) error {
	rows := latent.HeadInput{Name: latent.HeadLatent, Rows: points.Float32(latents, size(r.dim)), Shape: r.dim}
	inputs, err := r.given(r.heads.Decoder, "decoder", rows, int64s(labels), labels != nil)
	if err != nil {
		return err
	}
	if _, err := r.heads.Decoder.Stream(ctx, inputs, nil, r.options, write); err != nil {
		return fmt.Errorf("decoder %s: %w", r.heads.Name, err)
	}
	return nil
}

// scaleSamples is how many latents are decoded to see whether the output are logits.
const scaleSamples = 256

// scale decides whether the decoder makes logits: by the name of its output, else by
// values outside [0, 1].
func (r *generatorRun) scale(ctx context.Context) error {
	if r.dry {
		return nil
	}
	name := strings.ToLower(r.heads.Decoder.Outputs()[0].Name)
	if r.logits = strings.Contains(name, "logit"); r.logits || strings.Contains(name, "prob") {
		return nil
	}
	var z []float32
	var labels []int
	if r.latents != nil {
		n := min(r.grids.N(), scaleSamples)
		z = r.latents[:n*size(r.dim)]
		if r.grids.Labels != nil {
			labels = r.grids.Labels[:n]
		}
	} else {
		z = make([]float32, scaleSamples*size(r.dim))
		stat.FillNormal32(z, stat.StreamDraws.Key(0), 0)
		for i := 0; r.grids.Labels != nil && i < scaleSamples; i++ {
			labels = append(labels, r.grids.Labels[i%len(r.grids.Labels)])
		}
	}
	return r.decode(ctx, z, labels, func(_, _ int, rows []float32) error {
		r.logits = r.logits || slices.ContainsFunc(rows, func(v float32) bool { return v < 0 || v > 1 })
		return nil
	})
}

// probability of a value that the decoder made.
func (r *generatorRun) probability(v float32) float64 {
	if r.logits {
		return 1 / (1 + math.Exp(-float64(v)))
	}
	return float64(v)
}

// encoded are the latents of the grids with their labels.
func (r *generatorRun) encoded() *generation.Latents {
	return &generation.Latents{Name: "the latents of " + r.heads.Name, Points: points.Float32(r.latents, size(r.dim)),
		Labels: r.grids.Labels, Groups: r.grids.Groups}
}

// pairs are the grids and their reconstructions at the mean of the latent.
func (r *generatorRun) pairs() *generation.Pairs {
	g := r.grids
	d := size(r.dim)
	p := &generation.Pairs{Name: "the reconstructions of " + r.heads.Name, N: g.N(), Shape: g.Shape, Channels: g.Channels,
		Labels: g.Labels, Groups: g.Groups,
		Digest: fmt.Sprintf("encoder %s decoder %s %s", r.heads.Encoder.SHA256, r.heads.Decoder.SHA256, g.Identity()),
		Read: func(ctx context.Context, original, probability []float64, lo, hi int) error {
			for i, v := range g.Rows.U8[lo*g.Rows.Dim : hi*g.Rows.Dim] {
				original[i] = float64(v)
			}
			var labels []int
			if g.Labels != nil {
				labels = g.Labels[lo:hi]
			}
			return r.decode(ctx, r.latents[lo*d:hi*d], labels, func(from, _ int, rows []float32) error {
				for i, v := range rows {
					probability[from*g.Rows.Dim+i] = r.probability(v)
				}
				return nil
			})
		}}
	if !r.logits {
		p.Round = rounding(dataset.Float32)
	}
	return p
}

// draw makes grids from latents of the prior: that many for every label that the grids have,
// sample by sample from a stream of its own, so that neither batches nor other labels
// change one. A sample that is invalid is drawn again, in rounds, mostRounds at most.
func (r *generatorRun) draw(ctx context.Context, o draws) (cells []uint8, labels []int, counts *Drawn, err error) {
	asked := []int{0}
	if r.grids.Labels != nil {
		asked = generation.DistinctLabels(r.grids.Labels)
	}
	for _, label := range asked {
		labels = append(labels, slices.Repeat([]int{label}, o.PerLabel)...)
	}
	width, d := r.grids.Rows.Dim, size(r.dim)
	cells = make([]uint8, len(labels)*width)
	counts = &Drawn{Samples: len(labels), Temperature: o.Temperature}
	threshold := o.Threshold
	if !r.logits {
		threshold = rounding(dataset.Float32)(threshold)
	}
	var open []int // samples that are still to be drawn
	for i := range labels {
		if !r.dry {
			open = append(open, i)
		}
	}
	for round := 0; len(open) > 0 && round <= mostRounds; round++ {
		z, conditions := make([]float32, len(open)*d), make([]int, len(open))
		for k, i := range open {
			conditions[k] = labels[i]
			to := z[k*d : (k+1)*d]
			stat.FillNormal32(to, stat.StreamDraws.Key(o.Seed, uint64(labels[i]), uint64(i%o.PerLabel), uint64(round)), 0)
			for x := range to {
				to[x] *= float32(o.Temperature)
			}
		}
		if r.grids.Labels == nil {
			conditions = nil
		}
		err := r.decode(ctx, z, conditions, func(lo, _ int, rows []float32) error {
			for k, v := range rows {
				bit := uint8(0)
				if r.probability(v) > threshold {
					bit = 1
				}
				cells[open[lo+k/width]*width+k%width] = bit
			}
			return nil
		})
		if err != nil {
			return nil, nil, nil, err
		}
		if round > 0 {
			counts.Redrawn, counts.Rounds = counts.Redrawn+len(open), round
		}
		if o.Rule == nil {
			open = nil
		}
		open = slices.DeleteFunc(open, func(i int) bool { return o.Rule(cells[i*width : (i+1)*width]) })
		if round == 0 {
			counts.FirstValid = len(labels) - len(open)
		}
	}
	counts.Invalid = len(open)
	if r.grids.Labels == nil {
		labels = nil
	}
	return cells, labels, counts, nil
}

// classify says for samples which label a classifier takes each for. Its classes are the
// labels 0, 1, …, or the known ones, ascending, if it has as many as these: the labels of all
// samples that it looks at, so that a class is one label for all of them.
func classify(
	ctx context.Context, head *latent.Head, s *generation.Samples, labels []int, o latent.EncodeOptions,
) (*generation.Predictions, error) {
	inputs := []latent.HeadInput{{Name: latent.HeadGrid, Rows: s.Rows, Shape: s.Shape}}
	shape, err := head.Check(inputs, nil)
	if err != nil {
		return nil, fmt.Errorf("classifier: %w", err)
	}
	classes, largest := size(shape), labels[len(labels)-1]
	label := func(class int) int { return class }
	switch {
	case classes > largest:
	case classes == len(labels):
		label = func(class int) int { return labels[class] }
	default:
		return nil, fmt.Errorf("classifier %s has %d classes, but the samples have %d labels up to %d: want one "+
			"class per label, or classes 0 to %d",
			head.Path, classes, len(labels), largest, largest)
	}
	out := &generation.Predictions{Name: fmt.Sprintf("%s by %s", s.Name, head.Path), Generated: map[int]int{}}
	_, err = head.Stream(ctx, inputs, nil, o, func(lo, hi int, rows []float32) error {
		for i := lo; i < hi; i++ {
			out.Generated[s.Labels[i]]++
			if !s.IsValid(i) {
				continue
			}
			row := rows[(i-lo)*classes : (i-lo+1)*classes]
			best := slices.Index(row, slices.Max(row))
			out.Target, out.Predicted = append(out.Target, s.Labels[i]), append(out.Predicted, label(best))
			if s.Groups != nil {
				out.Groups = append(out.Groups, s.Groups[i])
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("classifier: %w", err)
	}
	return out, nil
}

// defaultDraws is the number of samples that are drawn for each label.
const defaultDraws = 100

// run runs the generators whose heads are given, and the classifier on the samples of all.
func (l *loader) run(ctx context.Context, in *generation.Input) error {
	f := &l.f.generator
	if f.grids == "" && f.classifier == "" {
		return nil
	}
	o := latent.EncodeOptions{Threads: l.env.Options.Threads}
	if f.grids != "" {
		grids, err := l.samples("grids", "", f.grids)
		if err != nil {
			return fmt.Errorf("grids: %w", err)
		}
		if !grids.Binary() {
			return fmt.Errorf("grids: %s contains %s, want grids", grids.Name, grids.Kind())
		}
		for i := range in.Generators {
			g := &in.Generators[i]
			if l.left.Has(g.Name) {
				continue
			}
			if err := l.runHeads(ctx, g, grids, o); err != nil {
				if err := l.left.Leave(ctx, g.Name, err); err != nil {
					return err
				}
			}
		}
	}
	if f.classifier == "" {
		return nil
	}
	return l.runClassifier(ctx, in, o)
}

// open opens the head of a role and enters it into the inputs of the result.
func (l *loader) open(role, name, path string, prefer []string) (*latent.Head, error) {
	head, err := latent.OpenHead(path, latent.OpenOptions{Threads: l.env.Options.Threads, Prefer: prefer})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.TrimSpace(role+" "+name), err)
	}
	l.env.CloseLater(head)
	var details report.Object
	details.Set("parameters", head.Parameters)
	details.Set("opset", head.Opset)
	details.Set("output", head.Outputs()[0].Name)
	l.env.Result.Inputs = append(l.env.Result.Inputs,
		report.Input{Role: role, Name: name, Path: path, SHA256: head.SHA256, Details: &details})
	return head, nil
}

// pathOfName is the file of a name that a flag gives; empty: none.
func pathOfName(files *input.Files, name string) string {
	for _, file := range files.All() {
		if file.Name == name {
			return file.Path
		}
	}
	return ""
}

// runHeads runs the encoder and the decoder of a generator, if it has any.
func (l *loader) runHeads(ctx context.Context, g *generation.Generator, grids *generation.Samples,
	o latent.EncodeOptions) error {
	f := &l.f.generator
	h := heads{Name: g.Name}
	var err error
	if path := pathOfName(f.encoders, g.Name); path != "" {
		if h.Encoder, err = l.open("encoder", g.Name, path, encoderOutputs); err != nil {
			return err
		}
	}
	if path := pathOfName(f.decoders, g.Name); path != "" {
		if h.Decoder, err = l.open("decoder", g.Name, path, decoderOutputs); err != nil {
			return err
		}
	}
	if h.Encoder == nil && h.Decoder == nil {
		return nil
	}
	r, err := h.prepare(ctx, grids, o, l.env.Plan != nil)
	if err != nil {
		return err
	}
	if h.Encoder != nil {
		g.Latents = r.encoded()
	}
	if h.Encoder != nil && h.Decoder != nil {
		g.Reconstruction = r.pairs()
	}
	if h.Decoder == nil {
		return nil
	}
	return l.draw(ctx, g, r)
}

// draw draws the samples of a generator.
func (l *loader) draw(ctx context.Context, g *generation.Generator, r *generatorRun) error {
	f := &l.f.generator
	o := draws{PerLabel: f.samples, Temperature: f.temperature, Threshold: l.f.o.Threshold, Seed: l.env.Options.Seed}
	if o.PerLabel == 0 {
		o.PerLabel = defaultDraws
	}
	board := climbing.IsBoard(r.grids.Shape)
	if board {
		o.Rule = func(cells []uint8) bool { return climbing.BoardOf(cells).Valid() }
	}
	cells, labels, counts, err := r.draw(ctx, o)
	if err != nil {
		return err
	}
	g.Generated = &generation.Samples{Name: "the draws of " + g.Name, Rows: points.Uint8(cells, r.grids.Rows.Dim),
		Shape: r.grids.Shape, Channels: r.grids.Channels, Labels: labels}
	l.drawn[g.Name] = counts
	if board {
		l.board(g.Generated, nil)
	}
	if invalid := counts.Samples - counts.FirstValid; invalid > 0 && !r.dry {
		l.env.Warn("%s: %d of %d draws were invalid and were drawn again, %s; %d are still invalid. Validity is "+
			"reported after redrawing",
			g.Name, invalid, counts.Samples, text.Count(counts.Rounds, "round"), counts.Invalid)
	}
	return nil
}

// runClassifier classifies the samples of all generators that have no predictions yet, and
// real samples.
func (l *loader) runClassifier(ctx context.Context, in *generation.Input, o latent.EncodeOptions) error {
	head, err := l.open("classifier", "", l.f.generator.classifier, nil)
	if err != nil {
		return err
	}
	real := in.HoldOut
	if real == nil {
		real = in.Real
	}
	seen := func(s *generation.Samples) bool { return s != nil && s.Binary() && s.Labels != nil }
	var labels []int
	for i := range in.Generators {
		if g := &in.Generators[i]; seen(g.Generated) && g.Predictions == nil {
			labels = generation.DistinctLabels(labels, g.Generated.Labels)
		}
	}
	if seen(real) && in.RealPredictions == nil {
		labels = generation.DistinctLabels(labels, real.Labels)
	}
	predict := func(s *generation.Samples, to **generation.Predictions) error {
		if *to != nil || !seen(s) {
			return nil
		}
		if l.env.Plan != nil {
			*to = &generation.Predictions{Name: head.Path, Target: s.Labels, Predicted: s.Labels}
			return nil
		}
		p, err := classify(ctx, head, s, labels, o)
		*to = p
		return err
	}
	some := false
	for i := range in.Generators {
		g := &in.Generators[i]
		if l.left.Has(g.Name) {
			continue
		}
		if err := predict(g.Generated, &g.Predictions); err != nil {
			return err
		}
		some = some || g.Predictions != nil
	}
	if !some {
		return run.Hint(fmt.Errorf("classifier: no generator has grids with labels for %s", head.Path),
			"give --generated with labels, or --decoder and --grids")
	}
	return predict(real, &in.RealPredictions)
}

// check finds wrong values of the flags of generators that are run here.
func (g *generatorFlags) check(inputs ...*input.Files) error {
	if !(g.temperature > 0) {
		return run.Usage("--temperature %v: want a number above 0", g.temperature)
	}
	if err := checkExport("classifier", g.classifier); err != nil {
		return err
	}
	for _, group := range []struct {
		flag  string
		files *input.Files
	}{{"encoder", g.encoders}, {"decoder", g.decoders}} {
		for _, file := range group.files.All() {
			if err := checkExport(group.flag, file.Path); err != nil {
				return err
			}
		}
	}
	heads := slices.Concat(g.encoders.Names(), g.decoders.Names())
	switch {
	case len(heads) > 0 && g.grids == "":
		return run.Hint(run.Usage("--encoder and --decoder need input grids"),
			"give real grids with their labels with --grids FILE[:key]")
	case len(heads) == 0 && g.grids != "":
		return run.Hint(run.Usage("--grids needs a generator to run"),
			"give --encoder NAME=FILE.onnx and --decoder NAME=FILE.onnx, or give real samples with --real")
	case g.classifier != "" && len(g.decoders.Names()) == 0 && len(inputs[1].Names()) == 0:
		return run.Hint(run.Usage("--classifier needs generated grids"),
			"give --generated NAME=FILE with labels, or --decoder and --grids")
	}
	for _, part := range []struct {
		heads *input.Files
		flag  string
		given []*input.Files
	}{{g.encoders, "encoder", inputs[:1]}, {g.decoders, "decoder", inputs[1:]}} {
		for _, name := range part.heads.Names() {
			for _, files := range part.given {
				if slices.Contains(files.Names(), name) {
					return run.Usage("%s: --%s and a file both provide its samples; give one of them, or name two "+
						"generators", name, part.flag)
				}
			}
		}
	}
	return nil
}
