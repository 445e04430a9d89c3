// The colors of JPEG images whose color has less resolution than their light.

package dataset

import "image"

// photoColors are the colors of a JPEG image as libjpeg computes them: color between two samples is a 3:1 mean, rounded
// up and down in turn. Package image repeats the nearest sample, which differs by tens of levels at edges.
func photoColors(m *image.YCbCr) *image.NRGBA {
	const half = 1 << 15
	width, height := m.Rect.Dx(), m.Rect.Dy()
	out := image.NewNRGBA(image.Rect(0, 0, width, height))
	x0, y0 := m.Rect.Min.X, m.Rect.Min.Y
	cb, cr := newChroma(m, m.Cb), newChroma(m, m.Cr)
	for y := range height {
		blue, red := cb.row(y), cr.row(y)
		row, light := out.Pix[y*out.Stride:], m.Y[m.YOffset(x0, y0+y):]
		for x := range width {
			l, b, r := int(light[x]), blue[x]-128, red[x]-128
			row[4*x] = clampByte(l + (91881*r+half)>>16)
			row[4*x+1] = clampByte(l + (half-22554*b-46802*r)>>16)
			row[4*x+2] = clampByte(l + (116130*b+half)>>16)
			row[4*x+3] = 0xff
		}
	}
	return out
}

func clampByte(v int) byte { return byte(min(max(v, 0), 255)) }

// chroma is a plane of color that is read in the resolution of light.
type chroma struct {
	plane          []byte
	stride         int
	width, height  int // of the plane
	across, down   int // pixels per sample
	sums, expanded []int
}

func newChroma(m *image.YCbCr, plane []byte) *chroma {
	c := &chroma{plane: plane, stride: m.CStride, across: 1, down: 1}
	switch m.SubsampleRatio {
	case image.YCbCrSubsampleRatio422:
		c.across = 2
	case image.YCbCrSubsampleRatio420:
		c.across, c.down = 2, 2
	case image.YCbCrSubsampleRatio440:
		c.down = 2
	case image.YCbCrSubsampleRatio411:
		c.across = 4
	case image.YCbCrSubsampleRatio410:
		c.across, c.down = 4, 2
	}
	c.width, c.height = (m.Rect.Dx()+c.across-1)/c.across, (m.Rect.Dy()+c.down-1)/c.down
	c.sums, c.expanded = make([]int, c.width), make([]int, c.width*c.across)
	return c
}

// row is a row of pixels, valid until the next one.
func (c *chroma) row(y int) []int {
	near := c.plane[y/c.down*c.stride:][:c.width]
	switch {
	case c.across > 2 || c.across == 2 && c.width <= 2: // as libjpeg, the nearest sample
		for x := range c.expanded {
			c.expanded[x] = int(near[x/c.across])
		}
	case c.across == 1 && c.down == 1:
		for x, v := range near {
			c.expanded[x] = int(v)
		}
	case c.down == 1:
		for x, v := range near {
			c.sums[x] = int(v)
		}
		c.spread(1, 2, 2)
	default:
		far := y/2 + 1
		if y%2 == 0 {
			far = y/2 - 1
		}
		other := c.plane[min(max(far, 0), c.height-1)*c.stride:]
		for x, v := range near {
			c.sums[x] = 3*int(v) + int(other[x])
		}
		if c.across == 2 {
			c.spread(8, 7, 4)
			break
		}
		for x, v := range c.sums {
			c.expanded[x] = (v + 1 + y%2) >> 2
		}
	}
	return c.expanded
}

// spread makes two pixels of every sum: 3:1 means with the neighbors before and behind, with these roundings.
func (c *chroma) spread(before, behind, shift int) {
	last := c.width - 1
	for x, v := range c.sums {
		c.expanded[2*x] = (3*v + c.sums[max(x-1, 0)] + before) >> shift
		c.expanded[2*x+1] = (3*v + c.sums[min(x+1, last)] + behind) >> shift
	}
}
