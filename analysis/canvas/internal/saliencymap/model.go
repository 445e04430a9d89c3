// A model that makes saliency maps of screens.

package saliencymap

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"repscope/analysis/canvas/internal/screenshot"
	"repscope/dataset"
	"repscope/internal/resize"
	"repscope/internal/text"
	"repscope/latent"
	"repscope/model"
	"repscope/points"
)

// Model is an ONNX file that makes a map [1, 1, h, w], [1, h, w, 1] or [1, h, w] of a screen [1, 3, H, W] or
// [1, H, W, 3], and what a screen goes through before: transparent pixels are laid on white (or their alpha is
// dropped, as for other pixels), the screen is resized to Height × Width by bilinear interpolation with antialiasing,
// its values of 0 to 255 are divided by 255 unless Raw is set, and of each channel, in the order that the model takes,
// the mean is subtracted and the rest divided by the standard deviation. The map is resized to the screen in the same
// way.
type Model struct {
	Path          string
	Height, Width int // 0: as the file fixes them
	// Mean and Std are one number or one per channel, in the model's order; nil: 0 and 1.
	Mean, Std []float64
	BGR, Raw  bool
}

// definition says what screens go through.
func (m *Model) definition(dropAlpha bool) string {
	order, scale, alpha := "rgb", "0..1", "on white"
	if m.BGR {
		order = "bgr"
	}
	if m.Raw {
		scale = "0..255"
	}
	if dropAlpha {
		alpha = "dropped"
	}
	return fmt.Sprintf("model of %s in %s, resized to %dx%d bilinear with antialiasing, mean %s, std %s, alpha %s", order, scale,
		m.Height, m.Width, channels(m.Mean, "0"), channels(m.Std, "1"), alpha)
}

// channels is a list of numbers in words.
func channels(list []float64, otherwise string) string {
	if len(list) == 0 {
		return otherwise
	}
	return strings.Trim(fmt.Sprint(list), "[]")
}

// loadedModel is a model that is open. It runs one screen at a time, with all its threads.
type loadedModel struct {
	Model
	head  *latent.Head
	last  bool // channels are the last axis
	out   [2]int
	mutex sync.Mutex
}

// openModel opens the model of a run.
func openModel(m *Model, threads int) (*loadedModel, error) {
	head, err := latent.OpenHead(m.Path, latent.OpenOptions{Threads: threads,
		Prefer: []string{"saliency", "saliency_map", "map", "output", "density"}})
	if err != nil {
		return nil, fmt.Errorf("--saliency-model: %w", err)
	}
	open := &loadedModel{head: head}
	if err := open.fit(m); err != nil {
		return nil, fmt.Errorf("--saliency-model %s: %w", m.Path, errors.Join(err, head.Close()))
	}
	open.Model = *m
	return open, nil
}

// fit finds the sizes that the file fixes, and whether its output is a map.
func (s *loadedModel) fit(m *Model) error {
	ports := s.head.Inputs()
	if len(ports) != 1 {
		return fmt.Errorf("has %d inputs (%s), want one: a screen", len(ports), model.Names(ports))
	}
	height, width := -1, -1
	if dims := ports[0].Dims; dims != nil {
		shape := ports[0].Shape()
		if len(shape) != 4 {
			return fmt.Errorf("input %q has shape %v, want [1, 3, H, W] or [1, H, W, 3]", ports[0].Name, shape)
		}
		s.last = shape[3] == 3 && shape[1] != 3
		channels := shape[1]
		height, width = shape[2], shape[3]
		if s.last {
			channels, height, width = shape[3], shape[1], shape[2]
		}
		if channels != 3 && channels > 0 {
			return fmt.Errorf("input %q has shape %v, want three channels", ports[0].Name, shape)
		}
	}
	for _, side := range []struct {
		fixed int
		asked *int
		name  string
	}{{height, &m.Height, "height"}, {width, &m.Width, "width"}} {
		switch {
		case *side.asked == 0 && side.fixed > 0:
			*side.asked = side.fixed
		case *side.asked == 0:
			return text.WithHint(fmt.Errorf("the file does not fix the %s of screens", side.name),
				"set it with --saliency-size HxW, such as 240x320")
		case side.fixed > 0 && *side.asked != side.fixed:
			return fmt.Errorf("needs screens of %s %d, but --saliency-size has %d", side.name, side.fixed, *side.asked)
		}
	}
	s.Height, s.Width = m.Height, m.Width
	shape, err := s.head.Check([]latent.HeadInput{s.input(nil)}, nil)
	if err != nil {
		return err
	}
	plain := slices.Clone(shape)
	for len(plain) > 2 && plain[0] == 1 {
		plain = plain[1:]
	}
	for s.last && len(plain) > 2 && plain[len(plain)-1] == 1 {
		plain = plain[:len(plain)-1]
	}
	if len(plain) != 2 || plain[0] < 1 || plain[1] < 1 || plain[0]*plain[1] > dataset.MaxPlane {
		return fmt.Errorf("the output has shape %v for one screen, want one map [1, h, w]", shape)
	}
	s.out = [2]int{plain[0], plain[1]}
	return nil
}

// input is one screen as the model takes it.
func (s *loadedModel) input(values []float32) latent.HeadInput {
	shape := []int{3, s.Height, s.Width}
	if s.last {
		shape = []int{s.Height, s.Width, 3}
	}
	n := 3 * s.Height * s.Width
	return latent.HeadInput{Name: latent.HeadGrid, Rows: points.Points{N: len(values) / n, Dim: n, F32: values}, Shape: shape}
}

// describe says in a line what the model takes and gives.
func (s *loadedModel) describe() string {
	return fmt.Sprintf("%s: screens of %d×%d, maps of %d×%d (height×width)", s.Path, s.Height, s.Width, s.out[0], s.out[1])
}

// run makes the map of a screen, of the size that the model gives.
func (s *loadedModel) run(ctx context.Context, name string, screen *dataset.Screen,
	dropAlpha bool) (*dataset.Plane, error) {
	values := s.prepare(screen, dropAlpha)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	out, _, err := s.head.Run(ctx, []latent.HeadInput{s.input(values)}, nil, latent.EncodeOptions{Batch: 1})
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p := &dataset.Plane{Width: s.out[1], Height: s.out[0], Values: make([]float64, len(out))}
	for i, v := range out {
		p.Values[i] = float64(v)
	}
	return p, nil
}

// prepare makes a screen what the model takes.
func (s *loadedModel) prepare(screen *dataset.Screen, drop bool) []float32 {
	resizer := resize.NewLinear(screen.Height, screen.Width, s.Height, s.Width)
	n, area := s.Height*s.Width, screen.Width*screen.Height
	pixels := screenshot.Opaque(screen, drop)
	out, plane, small := make([]float32, 3*n), make([]float64, area), make([]float64, n)
	for c := range 3 {
		from := c
		if s.BGR {
			from = 2 - c
		}
		for i := range plane {
			plane[i] = float64(pixels[3*i+from])
		}
		resizer.Floats(small, plane)
		mean, std, scale := screenshot.Channel(s.Mean, c, 0), screenshot.Channel(s.Std, c, 1), 255.0
		if s.Raw {
			scale = 1
		}
		for i, v := range small {
			k := c*n + i
			if s.last {
				k = 3*i + c
			}
			out[k] = float32((v/scale - mean) / std)
		}
	}
	return out
}
