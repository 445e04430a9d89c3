// Convolutions without a product of fewer filters than a vector has lanes: neighboring pixels lie in one vector.

package cpu

import "repscope/internal/kernel/vector"

// tiled is a channelwise convolution of frames, which have their padding in them. A line of them is one row of
// elements whose weights repeat from pixel to pixel. Of a stride greater than 1 all pixels are computed, and some are
// kept.
type tiled struct {
	channels, pixels, stride int // of the output, its line, and from pixel to pixel of the frame
	together                 int // pixels that are whole vectors
	taps                     []vector.Tap
	weights                  []float32
}

// tileMost is at least the elements of pixels that are whole vectors: as many as lanes, each of fewer channels.
const tileMost = vector.Lanes * vector.Lanes

func newTiled(c *channelwise) *tiled {
	t := &tiled{channels: c.channels, pixels: c.out[2], stride: c.stride[2], together: vector.Lanes}
	for n := c.channels; n%2 == 0; n /= 2 {
		t.together /= 2
	}
	whole := c.strip(0, [3]span{{0, c.kernel[0]}, {0, c.kernel[1]}, {0, c.kernel[2]}}, c.each)
	for _, tap := range whole.taps {
		t.taps = append(t.taps, vector.Tap{Source: tap.Source, Weights: tap.Weights * t.together})
	}
	for offset := 0; offset < len(c.weights); offset += c.channels {
		for range t.together {
			t.weights = append(t.weights, c.weights[offset:offset+c.channels]...)
		}
	}
	return t
}

// bind has d compute as many pixels together.
func (t *tiled) bind(s *scratch, d *vector.Depthwise) {
	d.Channels, d.Weights = t.together*t.channels, t.weights
	row := (t.pixels-1)*t.stride + 1
	s.tile = grow(s.tile, d.Channels+(row+t.together-1)/t.together*d.Channels)
	if d.Bias != nil {
		bias := s.tile[:d.Channels]
		for i := range t.together {
			copy(bias[i*t.channels:], d.Bias[:t.channels])
		}
		d.Bias = bias
	}
}

// line computes an output line from a frame that begins at its first patch and has tileMost extra elements after the
// line.
func (t *tiled) line(s *scratch, d *vector.Depthwise, dst []float32, to int, frame []float32) {
	if t.stride == 1 && to == t.channels && t.pixels >= t.together {
		d.Line(dst, d.Channels, frame, d.Channels, t.pixels/t.together, t.taps)
		if t.pixels%t.together > 0 { // some are computed again
			at := (t.pixels - t.together) * t.channels
			d.Line(dst[at:], d.Channels, frame[at:], d.Channels, 1, t.taps)
		}
		return
	}
	row := s.tile[d.Channels:]
	d.Line(row, d.Channels, frame, d.Channels, ((t.pixels-1)*t.stride+t.together)/t.together, t.taps)
	step := t.stride * t.channels
	for i := range t.pixels {
		copy(dst[i*to:], row[i*step:][:t.channels])
	}
}

// repeatEach writes each element times times.
func repeatEach(dst, src []float32, times int) {
	dst = dst[:len(src)*times]
	switch times {
	case 2:
		for i, v := range src {
			dst[2*i], dst[2*i+1] = v, v
		}
	case 4:
		for _, v := range src {
			_ = dst[3]
			dst[0], dst[1], dst[2], dst[3] = v, v, v, v
			dst = dst[4:]
		}
	default:
		for i, v := range src {
			part := dst[i*times:][:times]
			for k := range part {
				part[k] = v
			}
		}
	}
}
