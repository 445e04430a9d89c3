//go:build cuda

// Corruption by the GPU that encodes, or the fake driver, against corruption by the processor.

package robustness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"repscope/analysis"
	"repscope/dataset"
	"repscope/internal/cuda/fakecuda"
	"repscope/internal/device"
	"repscope/latent"
	"repscope/measure/corruption"
	"repscope/model"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// onGPU is a model that corrupts the states where it encodes them, or only encodes them there.
type onGPU struct {
	encoder latent.Encoder
	options latent.EncodeOptions
	noisy   int // calls that corrupted states
}

func (m *onGPU) encode(ctx context.Context, states latent.Source) (points.Points, error) {
	return latent.Latents(ctx, m.encoder, states, m.options)
}

func (m *onGPU) encodeNoisy(ctx context.Context, states latent.Source, n latent.Noise, progress func(done, total int)) (points.Points, []float64, error) {
	o := m.options
	o.Progress = progress
	z, moved, err := latent.EncodeNoisy(ctx, m.encoder, states, n, o)
	if err != nil {
		return points.Points{}, nil, err
	}
	m.noisy++
	return z, moved, nil
}

// models are two encoders on a device: one of pixels as they are, one of pixels that are scaled.
func models(t *testing.T, d *model.Backend, states latent.Source, batch int) []*onGPU {
	t.Helper()
	scaled := latent.Preprocessing{Scale: latent.ScaleUnit, High: 255, Mean: []float64{0.4}, Std: []float64{0.3}}
	var all []*onGPU
	for i, p := range []latent.Preprocessing{{}, scaled} {
		fitted, err := latent.Prepared(states, p)
		if err != nil {
			t.Fatal(err)
		}
		e, err := latent.PCAEncoder(t.Context(), fitted, latent.PCAOptions{Dim: 4 + i, Backend: d})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		all = append(all, &onGPU{encoder: e, options: latent.EncodeOptions{Batch: batch, Preprocessing: p}})
	}
	return all
}

func TestNoiseOnGPU(t *testing.T) {
	const n, side = 23, 10
	raw := make([]uint8, n*side*side)
	random := stat.NewRandom(stat.NewKey(8))
	for i := range raw {
		raw[i] = uint8(random.Uint64())
	}
	array, err := dataset.NewArray("frames", []int{n, side, side}, raw)
	if err != nil {
		t.Fatal(err)
	}
	states, err := dataset.NewStates(array, dataset.StateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = 5 + 3*i
	}
	// run analyzes with corruption where the models say, and returns all that is known of the result.
	run := func(models []*onGPU, states latent.Source, o Options, there ...bool) []byte {
		t.Helper()
		in := Input{States: states, PixelRange: dataset.PixelRange{High: 255}, Number: numbers}
		for i, m := range models {
			clean, err := m.encode(t.Context(), states)
			if err != nil {
				t.Fatal(err)
			}
			e := Encoder{Name: fmt.Sprint(i), Clean: clean, Encode: m.encode}
			if there[i] {
				e.EncodeNoisy = m.encodeNoisy
			}
			in.Models = append(in.Models, e)
		}
		last := 0
		o.Progress = func(done, total int) {
			if done <= last || done > total {
				t.Errorf("progress %d of %d after %d", done, total, last)
			}
			last = done
		}
		result, err := Analyze(t.Context(), in, o)
		if err != nil {
			t.Fatal(err)
		}
		if want := n * len(o.Levels) * max(o.Draws, 1) * len(models); last != want {
			t.Errorf("progress ends at %d of %d", last, want)
		}
		var text bytes.Buffer
		for _, m := range result.Models {
			fmt.Fprintf(&text, "%x\n", m.Distances)
		}
		if err := report.Encode(&text, result); err != nil {
			t.Fatal(err)
		}
		return text.Bytes()
	}
	for _, devices := range []string{"cuda:0", "cuda:0,cuda:1"} {
		t.Run(devices, func(t *testing.T) {
			fakecuda.Reset(2, 1<<30)
			gpus, _, err := device.Open(devices)
			if err != nil {
				t.Skipf("no such GPUs: %v", err)
			}
			t.Cleanup(func() {
				if err := gpus.Close(); err != nil {
					t.Error(err)
				}
			})
			d := &model.Backend{Device: gpus, Precision: "tf32"}
			batches := []int{4, n, 64}
			if len(gpus.Contexts()) > 1 {
				batches = []int{3}
			}
			for _, batch := range batches {
				all := models(t, d, states, batch)
				for _, name := range corruption.Kinds() {
					for _, clip := range corruption.Clips() {
						o := Options{Corruption: name, Clip: clip, Levels: []float64{0, 0.05, 0.4}, Draws: 2, Settings: analysis.Settings{Intervals: true, Seed: 7}}
						_, device := noiseOf(o, dataset.PixelRange{High: 255}, nil, 0.1)
						if !device && (o.Clip != corruption.ClipRange || batch != 4) {
							continue // never on the GPU
						}
						what := fmt.Sprintf("%s, clip %s, batch %d", name, clip, batch)
						want := run(all, states, o, false, false)
						where := [][]bool{{true, true}}
						if clip == corruption.ClipRange {
							where = append(where, []bool{false, true}, []bool{true, false})
						}
						for _, there := range where {
							for _, source := range []latent.Source{states, struct{ latent.Source }{states}} { // the second hides its bytes
								before := all[0].noisy + all[1].noisy
								if got := run(all, source, o, there...); !bytes.Equal(got, want) {
									t.Errorf("%s, noise on the GPU for %v: another result", what, there)
								}
								calls := 0
								if device {
									calls = len(o.Levels) * o.Draws * len(slices.DeleteFunc(slices.Clone(there), func(on bool) bool { return !on }))
								}
								if did := all[0].noisy + all[1].noisy - before; did != calls {
									t.Errorf("%s: %d calls to the GPU for noise, want %d", what, did, calls)
								}
							}
						}
					}
				}
			}
		})
	}
}

// Frames that are resized are corrupted here.
func TestNoiseOfResizedFramesOnGPU(t *testing.T) {
	d, _, err := device.Open("cuda")
	if errors.Is(err, device.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	states := greys(600, []int{8, 8}, 0, 255) // more than one chunk
	all := models(t, &model.Backend{Device: d}, states, 64)
	m := all[0]
	clean, err := m.encode(t.Context(), states)
	if err != nil {
		t.Fatal(err)
	}
	in := Input{States: states, PixelRange: dataset.PixelRange{High: 255}, Models: []Encoder{{Name: "pca", Clean: clean, Encode: m.encode}}}
	o := Options{Levels: []float64{0.1, 0.2}, Draws: 2}
	want, err := Analyze(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	in.Models[0].EncodeNoisy = m.encodeNoisy
	for _, resized := range []bool{false, true} {
		if resized {
			m.noisy = 0
			in.Models[0].EncodeNoisy = func(ctx context.Context, s latent.Source, n latent.Noise, progress func(done, total int)) (points.Points, []float64, error) {
				other := *m
				other.options.Preprocessing = latent.Preprocessing{Layout: "HW", Height: 4, Width: 4}
				z, moved, err := other.encodeNoisy(ctx, s, n, progress)
				m.noisy = other.noisy
				return z, moved, err
			}
		}
		got, err := Analyze(t.Context(), in, o)
		if err != nil {
			t.Fatal(err)
		}
		var a, b bytes.Buffer
		if err := errors.Join(report.Encode(&a, want), report.Encode(&b, got)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) || !slices.EqualFunc(got.Models[0].Distances, want.Models[0].Distances, slices.Equal[[]float64]) {
			t.Errorf("resized %v: another result", resized)
		}
		if (m.noisy == 0) != resized {
			t.Errorf("resized %v: %d calls to the GPU for noise", resized, m.noisy)
		}
	}
}
