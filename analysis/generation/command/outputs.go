// What models made of samples, read from files: reconstructions, latents, predictions.

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
	"repscope/internal/dtype"
	"repscope/internal/run"
	"repscope/internal/tabular"
	"repscope/points"
)

// latents reads latents with their labels.
func (l *loader) latents(role, name, path string) (*generation.Latents, error) {
	a, err := openSpec(path, "latent", "latents", "z")
	if err != nil {
		return nil, err
	}
	defer a.Close()
	if len(a.Shape()) != 2 || a.RowLen() == 0 {
		return nil, fmt.Errorf("%s has shape %v, want [N,D]", a.Name(), a.Shape())
	}
	values := make([]float64, a.Len()*a.RowLen())
	if err := a.ReadFloat64(values, 0, a.Len()); err != nil {
		return nil, err
	}
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%s: %s is %v, want a finite number", a.Name(), place(a.Shape(), i), v)
		}
	}
	out := &generation.Latents{Name: path, Points: points.Float64(values, a.RowLen())}
	if out.Labels, out.Groups, err = l.annotations(pathOf(path), a.Len(), false); err != nil {
		return nil, err
	}
	return out, l.enter(role, name, path, "latents", a.Shape())
}

// pairs opens what a generator reconstructed.
func (l *loader) pairs(name, path string) (*generation.Pairs, error) {
	original, err := open(path, "original", "originals")
	if err != nil {
		return nil, err
	}
	l.env.CloseLater(original)
	reconstructed, err := open(path, "recon_prob", "recon_logits")
	if err != nil {
		return nil, err
	}
	l.env.CloseLater(reconstructed)
	if len(original.Shape()) < 2 || original.RowLen() == 0 {
		return nil, fmt.Errorf("%s has shape %v, want grids [N,…]", original.Name(), original.Shape())
	}
	p := &generation.Pairs{Name: path, N: original.Len(), Shape: slices.Clone(original.Shape()[1:])}
	if !slices.Equal(original.Shape(), reconstructed.Shape()) {
		return nil, fmt.Errorf("%s has shape %v, but %s has %v: want one reconstruction per original", reconstructed.Name(),
			reconstructed.Shape(), original.Name(), original.Shape())
	}
	board := climbing.IsBoard(p.Shape)
	if board {
		p.Channels = climbing.ChannelNames()
	}
	if p.Labels, p.Groups, err = l.annotations(path, p.N, board); err != nil {
		return nil, err
	}
	p.Read = reader(original, reconstructed)
	if reconstructed.Key() != "recon_logits" {
		p.Round = rounding(reconstructed.DType())
	}
	if p.Digest, err = original.SHA256(); err != nil {
		return nil, err
	}
	return p, l.enter("reconstruction", name, path, reconstructed.Key(), original.Shape())
}

// rounding rounds numbers to a type of floating-point numbers, as a comparison with an array of this
// type does in NumPy and PyTorch; nil for others.
func rounding(t dataset.DType) func(float64) float64 {
	switch t {
	case dataset.Float32:
		return func(v float64) float64 { return float64(float32(v)) }
	case dataset.Float16:
		return func(v float64) float64 { return float64(dtype.Float16ToFloat32(dtype.Float32ToFloat16(float32(v)))) }
	case dataset.BFloat16:
		return func(v float64) float64 { return float64(dtype.BFloat16ToFloat32(dtype.Float32ToBFloat16(float32(v)))) }
	}
	return nil
}

// reader reads originals and the probabilities that were found.
func reader(original, reconstructed *dataset.Array) func(context.Context, []float64, []float64, int, int) error {
	logits := reconstructed.Key() == "recon_logits"
	return func(ctx context.Context, cells, probability []float64, lo, hi int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := original.ReadFloat64(cells, lo, hi); err != nil {
			return err
		}
		if err := reconstructed.ReadFloat64(probability, lo, hi); err != nil {
			return err
		}
		index := func(k int) int { return lo*original.RowLen() + k }
		for k, v := range cells {
			if v != 0 && v != 1 {
				return fmt.Errorf("%s: %s is %v, want 0 or 1", original.Name(), place(original.Shape(), index(k)), v)
			}
		}
		for k, v := range probability {
			switch {
			case math.IsNaN(v) || math.IsInf(v, 0) && !logits:
				return fmt.Errorf("%s: %s is %v, want a number", reconstructed.Name(), place(reconstructed.Shape(), index(k)), v)
			case logits:
				probability[k] = 1 / (1 + math.Exp(-v))
			case v < 0 || v > 1:
				return run.Hint(fmt.Errorf("%s: %s is %v, want a probability from 0 to 1", reconstructed.Name(),
					place(reconstructed.Shape(), index(k)), v),
					"if these are logits, name the array recon_logits")
			}
		}
		return nil
	}
}

// predictionColumns are the columns of a table of predictions.
var predictionColumns = []tabular.Column{
	{Name: "target"}, {Name: "predicted"}, {Name: "group", Optional: true}, {Name: "num_generated", Optional: true},
}

// isPrediction reports whether a column has a name of labels in predictions.
func isPrediction(name string) bool {
	return strings.EqualFold(name, "target") || strings.EqualFold(name, "predicted")
}

// predictions reads what a classifier says.
func (l *loader) predictions(role, name, path string) (*generation.Predictions, error) {
	columns, err := l.columns(path)
	if err != nil {
		return nil, err
	}
	places, err := tabular.Find(namesOf(columns), predictionColumns...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p := &generation.Predictions{Name: path}
	var counts []int
	for k, to := range []*[]int{&p.Target, &p.Predicted, &p.Groups, &counts} {
		if places[k] < 0 {
			continue
		}
		read := l.labelsOf
		switch k {
		case 2:
			read = groupsOf
		case 3:
			read = wholes
		}
		if *to, err = read(&columns[places[k]], path); err != nil {
			return nil, err
		}
	}
	if counts != nil {
		p.Generated = map[int]int{}
		for i, label := range p.Target {
			if n, ok := p.Generated[label]; ok && n != counts[i] {
				return nil, fmt.Errorf(
					"%s: num_generated of target %d has two values, %d and %d", path, label, n, counts[i])
			}
			p.Generated[label] = counts[i]
		}
	}
	return p, l.enter(role, name, path, "table", []int{len(p.Target)})
}
