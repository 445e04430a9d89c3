// Corruptions: how a state is changed at a level, as a function of the state, the
// level and a seed alone.

package robustness

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"slices"

	"repscope/dataset"
	"repscope/model/pixels"
	"repscope/stat"
)

// Corruption is a way of changing frames. Levels are shares: of the pixel range
// R for gaussian and brightness, of pixels for salt-pepper, of contrast for
// contrast, of the frame's area for occlusion, of its side for blur and shift, of
// quality for jpeg.
type Corruption string

const (
	// Gaussian adds level·R·ε, ε ~ N(0, 1) for every pixel.
	Gaussian Corruption = "gaussian"
	// SaltPepper sets a share of level of the pixels to the low or high end of the
	// range, each with probability one half.
	SaltPepper Corruption = "salt-pepper"
	// Blur convolves with a Gaussian of standard deviation level/4 of the frame's
	// shorter side, edges repeated.
	Blur Corruption = "blur"
	// Brightness adds ±level·R to the whole state, the sign drawn per state.
	Brightness Corruption = "brightness"
	// Contrast moves every pixel towards the mean of its plane by a share of level.
	Contrast Corruption = "contrast"
	// Occlusion covers a rectangle of level times the frame's area, of the frame's
	// proportions and at a random place, with the middle of the range.
	Occlusion Corruption = "occlusion"
	// Shift moves the frame by level times its side along one of the four
	// directions, drawn per state, edges repeated.
	Shift Corruption = "shift"
	// JPEG compresses every plane with quality 100·(1 − level).
	JPEG Corruption = "jpeg"
)

// Corruptions lists the corruptions by name.
func Corruptions() []string {
	return []string{string(Gaussian), string(SaltPepper), string(Blur), string(Brightness),
		string(Contrast), string(Occlusion), string(Shift), string(JPEG)}
}

// spatial reports whether the corruption needs frames with height and width.
func (c Corruption) spatial() bool {
	return c == Blur || c == Occlusion || c == Shift || c == JPEG
}

// levelUnit says what a level is a share of, for axis labels.
func (c Corruption) levelUnit() string {
	switch c {
	case Gaussian:
		return "Noise level σ (share of the pixel range)"
	case SaltPepper:
		return "Share of pixels replaced"
	case Blur:
		return "Blur level (4 SD / frame side)"
	case Brightness:
		return "Brightness change (share of the pixel range)"
	case Contrast:
		return "Contrast lost (share)"
	case Occlusion:
		return "Share of the frame covered"
	case Shift:
		return "Shift (share of the frame side)"
	case JPEG:
		return "JPEG quality lost (share)"
	}
	return "Level"
}

// Clip says what happens to corrupted pixels outside the pixel range.
type Clip string

const (
	// ClipRange sets them to the nearer end, as an 8-bit camera does. Saturated
	// pixels then change one-sidedly: their mean moves by 0.399σ.
	ClipRange Clip = "range"
	// ClipNone keeps them.
	ClipNone Clip = "none"
	// ClipReflect reflects them at the ends, so that saturated pixels change by as
	// much as others.
	ClipReflect Clip = "reflect"
)

// Clips lists the clippings by name.
func Clips() []string { return []string{string(ClipRange), string(ClipNone), string(ClipReflect)} }

// corrupter changes states of one shape.
type corrupter struct {
	kind          Corruption
	clip          Clip
	low, high     float32
	height, width int // of a plane; planes follow each other in a state
	seed          uint64
}

// newCorrupter checks that the corruption applies to states of the given shape:
// the last two axes are height and width, or there is one axis of values.
func newCorrupter(kind Corruption, clip Clip, r dataset.PixelRange, shape []int, seed uint64) (*corrupter, error) {
	if !slices.Contains(Corruptions(), string(kind)) {
		return nil, fmt.Errorf("corruption %q: want one of %v", kind, Corruptions())
	}
	if !slices.Contains(Clips(), string(clip)) {
		return nil, fmt.Errorf("clip %q: want one of %v", clip, Clips())
	}
	if !(r.High > r.Low) {
		return nil, fmt.Errorf("pixel range [%v, %v], want an ascending range", r.Low, r.High)
	}
	c := &corrupter{kind: kind, clip: clip, low: float32(r.Low), high: float32(r.High), seed: seed}
	switch {
	case len(shape) >= 2:
		c.height, c.width = shape[len(shape)-2], shape[len(shape)-1]
	case kind.spatial():
		return nil, fmt.Errorf("corruption %s needs frames with height and width, the states have shape %v", kind, shape)
	default:
		c.height, c.width = 1, shape[0]
	}
	return c, nil
}

// key names the random numbers of a state.
func (c *corrupter) key(number int, level float64, draw int) stat.Key {
	return stat.StreamCorruption.Key(c.seed, uint64(number), math.Float64bits(level), uint64(draw))
}

// noise is the corruption as encoders on GPUs have it; ok is false if they do not.
func (c *corrupter) noise(level float64) (n pixels.Noise, ok bool) {
	n = pixels.Noise{Low: c.low, High: c.high, Level: level}
	switch c.kind {
	case Gaussian:
		n.Kind = pixels.Gaussian
	case SaltPepper:
		n.Kind = pixels.SaltPepper
	case Brightness:
		n.Kind = pixels.Brightness
	default:
		return n, false
	}
	n.Clip = map[Clip]pixels.NoiseClip{ClipNone: pixels.ClipNone, ClipRange: pixels.ClipRange, ClipReflect: pixels.ClipReflect}[c.clip]
	return n, true
}

// apply writes the corrupted state to dst. The result depends on the state, its
// number, the level and the draw: not on batches, threads or other levels.
func (c *corrupter) apply(dst, state []float32, number int, level float64, draw int) error {
	key := c.key(number, level, draw)
	copy(dst, state)
	if level == 0 {
		return nil
	}
	span := float64(c.high) - float64(c.low)
	plane := c.height * c.width
	switch c.kind {
	case Gaussian:
		stat.FillNormal32(dst, key, 0)
		scale := float32(level * span)
		for i, v := range state {
			dst[i] = v + float32(scale*dst[i])
		}
	case SaltPepper:
		stat.FillUniform32(dst, key, 0)
		for i, v := range state {
			switch u := float64(dst[i]); {
			case u < level/2:
				dst[i] = c.low
			case u < level:
				dst[i] = c.high
			default:
				dst[i] = v
			}
		}
	case Brightness:
		shift := float32(level * span)
		if key.Uint32x4(0)[0]&1 == 1 {
			shift = -shift
		}
		for i := range dst {
			dst[i] += shift
		}
	case Contrast:
		for p := 0; p+plane <= len(dst); p += plane {
			mean := 0.0
			for _, v := range dst[p : p+plane] {
				mean += float64(v)
			}
			mean /= float64(plane)
			for i := p; i < p+plane; i++ {
				dst[i] = float32(mean + float64((1-level)*(float64(dst[i])-mean)))
			}
		}
	case Blur:
		kernel := gaussianKernel(level / 4 * float64(min(c.height, c.width)))
		scratch := make([]float32, plane)
		for p := 0; p+plane <= len(dst); p += plane {
			convolve(scratch, dst[p:p+plane], kernel, c.height, c.width, c.width, 1)
			convolve(dst[p:p+plane], scratch, kernel, c.width, c.height, 1, c.width)
		}
	case Occlusion:
		side := math.Sqrt(level)
		h, w := min(c.height, round(side*float64(c.height))), min(c.width, round(side*float64(c.width)))
		random := stat.NewRandom(key)
		top, left := random.Intn(c.height-h+1), random.Intn(c.width-w+1)
		middle := float32(float64(c.low) + span/2)
		for p := 0; p+plane <= len(dst); p += plane {
			for y := top; y < top+h; y++ {
				for x := left; x < left+w; x++ {
					dst[p+y*c.width+x] = middle
				}
			}
		}
	case Shift:
		c.shift(dst, state, level, key.Uint32x4(0)[0]&3)
	case JPEG:
		return c.jpeg(dst, level)
	}
	c.bound(dst)
	return nil
}

func (c *corrupter) shift(dst, state []float32, level float64, direction uint32) {
	dy, dx := 0, 0
	switch direction {
	case 0:
		dy = round(level * float64(c.height))
	case 1:
		dy = -round(level * float64(c.height))
	case 2:
		dx = round(level * float64(c.width))
	default:
		dx = -round(level * float64(c.width))
	}
	plane := c.height * c.width
	for p := 0; p+plane <= len(dst); p += plane {
		for y := range c.height {
			from := min(max(y-dy, 0), c.height-1)
			for x := range c.width {
				dst[p+y*c.width+x] = state[p+from*c.width+min(max(x-dx, 0), c.width-1)]
			}
		}
	}
}

// jpeg encodes and decodes every plane as an 8-bit grey image.
func (c *corrupter) jpeg(dst []float32, level float64) error {
	plane := c.height * c.width
	grey := image.NewGray(image.Rect(0, 0, c.width, c.height))
	span := c.high - c.low
	var buffer bytes.Buffer
	for p := 0; p+plane <= len(dst); p += plane {
		for i, v := range dst[p : p+plane] {
			grey.Pix[i] = uint8(min(max(math.Round(float64((v-c.low)/span)*255), 0), 255))
		}
		buffer.Reset()
		if err := jpeg.Encode(&buffer, grey, &jpeg.Options{Quality: min(max(round(100*(1-level)), 1), 100)}); err != nil {
			return fmt.Errorf("jpeg corruption: %w", err)
		}
		decoded, err := jpeg.Decode(&buffer)
		if err != nil {
			return fmt.Errorf("jpeg corruption: %w", err)
		}
		out, ok := decoded.(*image.Gray)
		if !ok {
			return fmt.Errorf("jpeg corruption: decoded a %T, want a grey image", decoded)
		}
		for y := range c.height {
			for x := range c.width {
				dst[p+y*c.width+x] = c.low + span*float32(out.Pix[y*out.Stride+x])/255
			}
		}
	}
	return nil
}

// bound applies the clipping.
func (c *corrupter) bound(dst []float32) {
	switch c.clip {
	case ClipRange:
		for i, v := range dst {
			dst[i] = min(max(v, c.low), c.high)
		}
	case ClipReflect:
		// Reflection is periodic in twice the range.
		span := c.high - c.low
		for i, v := range dst {
			if v >= c.low && v <= c.high {
				continue
			}
			offset := float32(math.Mod(float64(v-c.low), float64(2*span)))
			if offset < 0 {
				offset += 2 * span
			}
			dst[i] = c.low + min(offset, 2*span-offset)
		}
	}
}

func round(v float64) int { return int(math.Round(v)) }

// gaussianKernel holds half of a symmetric kernel, from the centre to 4 standard
// deviations, normalised to sum 1 over both halves.
func gaussianKernel(sd float64) []float64 {
	kernel := make([]float64, int(math.Ceil(4*sd))+1)
	total := 0.0
	for i := range kernel {
		kernel[i] = 1
		if sd > 0 {
			kernel[i] = math.Exp(-float64(i*i) / (2 * sd * sd))
		}
		total += kernel[i]
		if i > 0 {
			total += kernel[i]
		}
	}
	for i := range kernel {
		kernel[i] /= total
	}
	return kernel
}

// convolve filters lines of the given length, edges repeated: element e of line l
// is at l·lineStride + e·step.
func convolve(dst, src []float32, kernel []float64, lines, length, lineStride, step int) {
	for l := range lines {
		at := func(e int) float64 { return float64(src[l*lineStride+min(max(e, 0), length-1)*step]) }
		for e := range length {
			sum := kernel[0] * at(e)
			for k := 1; k < len(kernel); k++ {
				sum += float64(kernel[k] * (at(e-k) + at(e+k)))
			}
			dst[l*lineStride+e*step] = float32(sum)
		}
	}
}
