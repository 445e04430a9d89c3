// A model that says how far apart two screens look, such as LPIPS or DISTS.

package screenshot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"repscope/analysis/canvas/internal/source"
	"repscope/internal/resize"
	"repscope/latent"
	"repscope/model"
	"repscope/points"
	"repscope/report"
)

// The values of [PerceptualModel.Scale].
const (
	ScaleSigned = "signed"
	ScaleUnit   = "unit"
	ScaleRaw    = "raw"
)

// PerceptualModel is an ONNX file that makes one number of two screens [1, 3, H, W], the reference and the generated
// one in the order of its inputs: red, green and blue, of the values that Scale says. A height or width that the file
// fixes is what both screens are resized to, bicubic with antialiasing; else they are given as they were compared.
type PerceptualModel struct {
	Path  string
	Scale string // "signed" for −1 to 1, "unit" for 0 to 1, "raw" for 0 to 255; "": signed

	open *perceptualModel
}

// perceptualModel is a model that is open. It runs one pair at a time, with all its threads.
type perceptualModel struct {
	head          *latent.Head
	height, width int // 0: any
	mutex         sync.Mutex
}

// Open opens the model; without one there is nothing to do.
func (m *PerceptualModel) Open(threads int) (*source.Opened, error) {
	if m.Path == "" {
		return &source.Opened{}, nil
	}
	head, err := latent.OpenHead(m.Path, latent.OpenOptions{Threads: threads})
	if err != nil {
		return nil, fmt.Errorf("--perceptual-model: %w", err)
	}
	open := &perceptualModel{head: head}
	if err := open.fit(); err != nil {
		return nil, fmt.Errorf("--perceptual-model %s: %w", m.Path, errors.Join(err, head.Close()))
	}
	m.open = open
	return &source.Opened{Closers: []func() error{head.Close},
		Inputs: []report.Input{{Role: "perceptual model", Path: m.Path, SHA256: head.SHA256}}}, nil
}

// Loaded reports whether there is a model that is open.
func (m *PerceptualModel) Loaded() bool { return m.open != nil }

// Definition says what screens go through.
func (m *PerceptualModel) Definition() string { return "scale " + cmp.Or(m.Scale, ScaleSigned) }

// Identity is the identity of the file.
func (m *PerceptualModel) Identity() []string {
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
				return fmt.Errorf("has inputs of different sizes: %v and %v", ports[0].Shape(), ports[1].Shape())
			}
			*side.all = max(*side.all, side.fixed)
		}
	}
	return nil
}

// Distance is the number that the model makes of two screens.
func (o *PerceptualModel) Distance(ctx context.Context, s *Pixels) (float64, error) {
	m, shape := o.open, s.Shape
	height, width := m.height, m.width
	if height == 0 {
		height = shape.Height
	}
	if width == 0 {
		width = shape.Width
	}
	ports := m.head.Inputs()
	var inputs []latent.HeadInput
	for i, pixels := range [][]uint8{s.Reference, s.Generated} {
		if height != shape.Height || width != shape.Width {
			small := make([]uint8, 3*height*width)
			resize.NewCubic(shape.Height, shape.Width, height, width).Bytes(small, pixels, 3)
			pixels = small
		}
		rows := points.Points{N: 1, Dim: len(pixels), F32: planes(pixels, o.Scale)}
		inputs = append(inputs, latent.HeadInput{Name: ports[i].Name, Rows: rows, Shape: []int{3, height, width}})
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	out, got, err := m.head.Run(ctx, inputs, nil, latent.EncodeOptions{Batch: 1})
	if err != nil {
		return 0, err
	}
	if len(out) != 1 {
		return 0, fmt.Errorf("the output has shape %v for a pair of screens, want one number", got)
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
			case ScaleRaw:
			case ScaleUnit:
				v /= ByteRange
			default:
				v = v/(ByteRange/2.) - 1
			}
			out[c*n+i] = float32(v)
		}
	}
	return out
}
