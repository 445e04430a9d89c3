// Where noise cannot be added by the encoder.

package latent

import (
	"errors"
	"testing"

	"repscope/model/pixels"
	"repscope/stat"
)

// anyNoise is Gaussian noise on pixels of 0 to 255.
func anyNoise(level float64) Noise {
	return Noise{Noise: pixels.Noise{Clip: pixels.ClipRange, High: 255, Level: level}, Key: func(i int) stat.Key { return stat.NewKey(3, uint64(i)) }}
}

// noNoise fails unless EncodeNoisy says that it cannot, without reading a state.
func noNoise(t *testing.T, what string, enc Encoder, src *memorySource, o EncodeOptions) {
	t.Helper()
	reads := src.reads.Load()
	if _, _, err := EncodeNoisy(t.Context(), enc, src, anyNoise(0.1), o); !errors.Is(err, ErrNoNoise) || src.reads.Load() != reads {
		t.Errorf("%s: error %v after %d reads", what, err, src.reads.Load()-reads)
	}
}

func TestNoNoiseOnProcessor(t *testing.T) {
	x, shape := array(t, "dqn_input.npy")
	e, err := Open("testdata/dqn_opset13.onnx", OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	src := &memorySource{shape: shape, values: x}
	noNoise(t, "a processor", e, src, EncodeOptions{})
	noNoise(t, "an encoder of another package", struct{ Encoder }{e}, src, EncodeOptions{})
}
