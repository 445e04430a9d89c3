// The corruptions that encoders on GPUs add where they run.

package robustness

import (
	"repscope/dataset"
	"repscope/measure/corruption"
	"repscope/model/pixels"
)

// kinds are the corruptions that executors have, and how they call them.
var kinds = map[corruption.Kind]pixels.NoiseKind{
	corruption.Gaussian: pixels.Gaussian, corruption.SaltPepper: pixels.SaltPepper, corruption.Brightness: pixels.Brightness,
}

var clips = map[corruption.Clip]pixels.NoiseClip{
	corruption.ClipNone: pixels.ClipNone, corruption.ClipRange: pixels.ClipRange, corruption.ClipReflect: pixels.ClipReflect,
}

// noiseOf is the corruption at a level as executors have it; ok is false if they do
// not. A unit of vectors is a range of its size.
func noiseOf(o Options, r dataset.PixelRange, unit *Spread, level float64) (n pixels.Noise, ok bool) {
	kind, ok := kinds[o.Corruption]
	if unit != nil {
		r.Low, r.High = 0, unit.Value
		if o.Corruption == corruption.SaltPepper {
			r.Low, r.High = corruption.VectorRange(unit.Mean, unit.Value)
		}
	}
	return pixels.Noise{Kind: kind, Clip: clips[o.Clip], Low: float32(r.Low), High: float32(r.High), Level: level}, ok
}
