// The speed of an analysis.

package reconstruction

import (
	"testing"

	"repscope/analysis"
)

// Two models and the baselines on 600 samples of 12 × 14 pixels in 12 episodes, with
// intervals; and on 120 of 84 × 84.
func BenchmarkAnalyze(b *testing.B) {
	for _, c := range []struct {
		name             string
		episodes, length int
		side             int
	}{{"12x14/600", 12, 51, 0}, {"84x84/120", 6, 21, 84}} {
		s := NewScene(1, c.episodes, c.length, 1)
		if c.side > 0 {
			s = s.enlarged(c.side)
		}
		in := s.Input(map[string]func(state, step int) []float64{
			"blurred": func(state, step int) []float64 { return s.Blurred(state + step) },
			"same":    func(state, _ int) []float64 { return s.Frame(state) },
		})
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Analyze(b.Context(), in, Options{Settings: analysis.Settings{Intervals: true, Threads: 1}}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(in.Samples)*4*b.N)/b.Elapsed().Seconds(), "frames/s")
		})
	}
}

// enlarged repeats pixels until a frame has so many rows and columns.
func (s *scene) enlarged(side int) *scene {
	large := *s
	large.shape.Height, large.shape.Width = side, side
	large.frames = nil
	for state := range s.episode {
		f := s.Frame(state)
		for y := range side {
			for x := range side {
				large.frames = append(large.frames, f[y*s.shape.Height/side*s.shape.Width+x*s.shape.Width/side])
			}
		}
	}
	return &large
}
