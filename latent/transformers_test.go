// VideoViT and ViT-MAE beyond the cases of golden_test.go: free numbers of frames, sizes of frames, configurations in
// separate files.

package latent

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func encodeBatch(t *testing.T, e Encoder, x []float32, shape []int) ([]float32, []int) {
	t.Helper()
	z, err := e.Encode(context.Background(), Array{shape, x})
	if err != nil {
		t.Fatal(err)
	}
	return z.Values, slices.Clone(z.Shape)
}

// One encoder takes clips of 1 to 8 frames and frames of another size; in a
// batch a clip has the same bits as alone.
func TestVideoTime(t *testing.T) {
	clip, shape := array(t, "video_time.npz:clip") // [2 1 8 16 16]
	for _, file := range []string{"video.pth", "video_opset13.onnx", "video_opset17.onnx"} {
		e, err := Open(filepath.Join("testdata", file), OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		frame := shape[3] * shape[4]
		worst := 0.0
		for frames := 1; frames <= shape[2]; frames++ {
			var x []float32
			for b := range shape[0] {
				x = append(x, clip[b*shape[2]*frame:][:frames*frame]...)
			}
			want, wantShape := array(t, fmt.Sprintf("video_time.npz:t%d", frames))
			got, gotShape := encodeBatch(t, e, x, []int{shape[0], 1, frames, shape[3], shape[4]})
			if !slices.Equal(gotShape, wantShape) {
				t.Fatalf("%s: %d frames give %v, want %v", file, frames, gotShape, wantShape)
			}
			worst = max(worst, relative(got, want))
			for b := range shape[0] {
				alone, _ := encodeBatch(t, e, x[b*frames*frame:][:frames*frame], []int{1, 1, frames, shape[3], shape[4]})
				for i, v := range alone {
					if math.Float32bits(v) != math.Float32bits(got[b*len(alone)+i]) {
						t.Fatalf("%s: clip %d of %d frames: element %d is %g alone, %g in a batch", file, b, frames, i, v, got[b*len(alone)+i])
					}
				}
			}
		}
		other, otherShape := array(t, "video_time.npz:other")
		want, wantShape := array(t, "video_time.npz:size")
		got, gotShape := encodeBatch(t, e, other, otherShape)
		if !slices.Equal(gotShape, wantShape) {
			t.Fatalf("%s: %v gives %v, want %v", file, otherShape, gotShape, wantShape)
		}
		worst = max(worst, relative(got, want))
		t.Logf("%s: relative error %.1e", file, worst)
		if !(worst <= 1e-5) {
			t.Errorf("%s: relative error %.1e, want at most 1e-5", file, worst)
		}
		e.Close()
	}
}

func TestTransformerInfo(t *testing.T) {
	for _, c := range []struct {
		file          string
		input, output []int
		pool          Pool
	}{
		{"video.pth", []int{-1, 1, -1, -1, -1}, []int{-1, -1, 16}, PoolLast},
		{"mae.pth", []int{-1, 4, -1, -1}, []int{-1, 17, 16}, ""},
	} {
		e, err := Open(filepath.Join("testdata", c.file), OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		info := e.Info()
		if !slices.Equal(info.Input, c.input) || !slices.Equal(info.Output, c.output) || info.DefaultPool != c.pool {
			t.Errorf("%s: %+v, want input %v, output %v, pool %q", c.file, info, c.input, c.output, c.pool)
		}
		e.Close()
	}
}

// The configuration file determines values missing from the tensors, and is part of the encoder's identity.
func TestConfigurationBeside(t *testing.T) {
	data, err := os.ReadFile("testdata/mae.pth")
	if err != nil {
		t.Fatal(err)
	}
	x, shape := array(t, "mae_input.npy")
	identities := map[string]string{}
	for _, c := range []struct{ config, want string }{
		{"", "mae.npy"}, {"model:\n  num_attention_heads: 4\n", "mae_heads.npy"}, {"model:\n  num_attention_heads: 8\n", "mae.npy"},
	} {
		path := filepath.Join(t.TempDir(), "best_encoder.pth")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if c.config != "" {
			if err := os.WriteFile(filepath.Join(filepath.Dir(path), "config.yaml"), []byte(c.config), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		e, err := Open(path, OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		want, _ := array(t, c.want)
		got, _ := encodeBatch(t, e, x, shape)
		if r := relative(got, want); !(r <= 1e-5) {
			t.Errorf("%q: relative error %.1e", c.config, r)
		}
		if id, ok := identities[c.want]; ok && id != e.Info().Identity {
			t.Errorf("%q: another identity for the same encoder", c.config)
		}
		identities[c.want] = e.Info().Identity
		e.Close()
	}
	if identities["mae.npy"] == identities["mae_heads.npy"] {
		t.Error("encoders with other numbers of heads have one identity")
	}
	if _, err := Open("testdata/mae_opset17.onnx", OpenOptions{Heads: 4}); err == nil || !strings.Contains(err.Error(), "heads 4") {
		t.Errorf("heads of an ONNX file: %v", err)
	}
}
