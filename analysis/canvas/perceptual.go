// A model that says how far apart two screens look, such as LPIPS or DISTS.

package canvas

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"repscope/internal/resize"
	"repscope/internal/run"
	"repscope/latent"
	"repscope/measure/image"
	"repscope/model"
	"repscope/points"
	"repscope/report"
)

// The values of --perceptual-scale.
const (
	scaleSigned = "signed"
	scaleUnit   = "unit"
	scaleRaw    = "raw"
)

// PerceptualModel is an ONNX file that makes one number of two screens [1, 3, H, W], the reference and the generated one in
// the order of its inputs: red, green and blue, of the values that Scale says. A height or width that the file fixes is
// what both screens are resized to, bicubic with antialiasing; else they are given as they were compared.
type PerceptualModel struct {
	Path  string
	Scale string // "signed" for −1 to 1, "unit" for 0 to 1, "raw" for 0 to 255; "": signed

	open *perceptualModel
}

func (m *PerceptualModel) register(flags *run.Flags) {
	m.Scale = scaleSigned
	flags.PathVar(&m.Path, "perceptual-model", "`FILE.onnx` that says how far apart two screens look, such as LPIPS or DISTS: two screens [1, 3, H, W] in, a number out")
	flags.CheckedVar(&m.Scale, "perceptual-scale", run.OneOf(scaleSigned, scaleUnit, scaleRaw),
		"`SCALE` of the pixels that it is given: signed for -1..1, as LPIPS takes them, unit for 0..1, raw for 0..255")
}

func (m *PerceptualModel) check() error {
	if m.Path == "" && m.Scale != "" && m.Scale != scaleSigned {
		return run.Usage("--perceptual-scale is that of --perceptual-model, which is not given")
	}
	return nil
}

// perceptualModel is a model that is open. It runs one pair at a time, with all its threads.
type perceptualModel struct {
	head          *latent.Head
	height, width int // 0: any
	mutex         sync.Mutex
}

// start opens the model of the run; without one there is nothing to do.
func (m *PerceptualModel) start(env *run.Env) error {
	if m.Path == "" {
		return nil
	}
	threads := 0
	if env != nil {
		threads = env.Options.Threads
	}
	head, err := latent.OpenHead(m.Path, latent.OpenOptions{Threads: threads})
	if err != nil {
		return fmt.Errorf("--perceptual-model: %w", err)
	}
	open := &perceptualModel{head: head}
	if err := open.fit(); err != nil {
		return fmt.Errorf("--perceptual-model %s: %w", m.Path, errors.Join(err, head.Close()))
	}
	m.open = open
	if env != nil {
		env.CloseLater(open)
		env.Result.Inputs = append(env.Result.Inputs, report.Input{Role: "perceptual model", Path: m.Path, SHA256: head.SHA256})
	}
	return nil
}

// identity is that of the file.
func (m *PerceptualModel) identity() []string {
	if m.open == nil {
		return nil
	}
	return []string{"perceptual model " + m.open.head.SHA256}
}

// fit finds the sizes that the file fixes, and whether it takes two screens.
func (m *perceptualModel) fit() error {
	ports := m.head.Inputs()
	if len(ports) != 2 {
		return fmt.Errorf("has %d inputs (%s), want two: the reference and the generated screen", len(ports), model.Names(ports))
	}
	for _, p := range ports {
		if p.Dims == nil {
			continue
		}
		shape := p.Shape()
		if len(shape) != 4 || shape[1] >= 0 && shape[1] != 3 {
			return fmt.Errorf("input %q has shape %v, want [1, 3, H, W]", p.Name, shape)
		}
		for _, side := range []struct {
			fixed int
			all   *int
		}{{shape[2], &m.height}, {shape[3], &m.width}} {
			if side.fixed > 0 && *side.all > 0 && side.fixed != *side.all {
				return fmt.Errorf("takes screens of two sizes: %v and %v", ports[0].Shape(), ports[1].Shape())
			}
			*side.all = max(*side.all, side.fixed)
		}
	}
	return nil
}

// Close releases the file.
func (m *perceptualModel) Close() error { return m.head.Close() }

// distance is the number that the model makes of two screens of one shape.
func (m *perceptualModel) distance(ctx context.Context, shape image.Shape, reference, generated []uint8, scale string) (float64, error) {
	height, width := m.height, m.width
	if height == 0 {
		height = shape.Height
	}
	if width == 0 {
		width = shape.Width
	}
	ports := m.head.Inputs()
	var given []latent.HeadInput
	for i, pixels := range [][]uint8{reference, generated} {
		if height != shape.Height || width != shape.Width {
			small := make([]uint8, 3*height*width)
			resize.NewCubic(shape.Height, shape.Width, height, width).Bytes(small, pixels, 3)
			pixels = small
		}
		rows := points.Points{N: 1, Dim: len(pixels), F32: planes(pixels, scale)}
		given = append(given, latent.HeadInput{Name: ports[i].Name, Rows: rows, Shape: []int{3, height, width}})
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	out, of, err := m.head.Run(ctx, given, nil, latent.EncodeOptions{Batch: 1})
	if err != nil {
		return 0, err
	}
	if len(out) != 1 {
		return 0, fmt.Errorf("the output has shape %v for a pair of screens, want one number", of)
	}
	return float64(out[0]), nil
}

// planes are pixels [height, width, 3] as planes [3, height, width] of a scale.
func planes(pixels []uint8, scale string) []float32 {
	n := len(pixels) / 3
	out := make([]float32, len(pixels))
	for c := range 3 {
		for i := range n {
			v := float64(pixels[3*i+c])
			switch scale {
			case scaleRaw:
			case scaleUnit:
				v /= byteRange
			default:
				v = v/(byteRange/2.) - 1
			}
			out[c*n+i] = float32(v)
		}
	}
	return out
}
