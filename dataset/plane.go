// Pictures of one channel, such as saliency maps: images and arrays in memory.

package dataset

import (
	"bytes"
	"fmt"
	"image"
	"slices"

	"repscope/internal/format"
)

// MaxPlane is the largest number of pixels of a [Plane], more than an 8K screen has.
const MaxPlane = 1 << 25

// Plane is a picture of one channel: Values [Height, Width] by rows from the top, unscaled, such as 0 to 255 of an
// image of 8 bits and 0 to 65535 of one of 16.
type Plane struct {
	Width, Height int
	Values        []float64
}

// ParsePlane reads an image of one channel in data; name is the name of the file, for errors. The data are an image
// (PNG, JPEG, WebP or TIFF) with opaque gray pixels, possibly stored as colors, or a .npy array [H, W], possibly with
// axes of size one before H or after W. NaN and infinities of an array are kept. Errors: colors, transparency, several
// images in one file, more than [MaxPlane] pixels, and no pixels.
func ParsePlane(name string, data []byte) (*Plane, error) {
	if bytes.HasPrefix(data, []byte(npyMagic)) {
		return parseArrayPlane(name, data)
	}
	f := imageFile{path: name}
	head := data[:min(len(data), format.HeadSize)]
	if format.Of(head) == format.TIFF {
		pages, err := tiffPages(bytes.NewReader(data), int64(len(data)))
		switch {
		case err == nil && len(pages) != 1:
			err = fmt.Errorf("has %d pages, want one", len(pages))
		case err == nil:
			err = pages[0].verify()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, imageError(name, err)
	}
	if err := f.describe(c, head, bytes.NewReader(data), int64(len(data))); err != nil {
		return nil, err
	}
	if err := planeSize(f.kind.width, f.kind.height); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	img, err := decodeImage(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, imageError(name, err)
	}
	if err := f.check(img); err != nil {
		return nil, err
	}
	p := &Plane{Width: f.kind.width, Height: f.kind.height}
	if err := p.fill(upright(img, f.turn), f.kind.deep); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// planeSize checks the size of a picture.
func planeSize(width, height int) error {
	if width < 1 || height < 1 || width > MaxPlane || height > MaxPlane || width*height > MaxPlane {
		return fmt.Errorf("%d×%d pixels (width×height), want at least 1×1 and at most %d pixels", width, height, MaxPlane)
	}
	return nil
}

// fill takes over the pixels of an image.
func (p *Plane) fill(img image.Image, deep bool) error {
	p.Values = make([]float64, 0, p.Width*p.Height)
	bounds := img.Bounds()
	gray, isGray := img.(*image.Gray)
	for y := range p.Height {
		if isGray {
			for _, v := range gray.Pix[y*gray.Stride:][:p.Width] {
				p.Values = append(p.Values, float64(v))
			}
			continue
		}
		for x := range p.Width {
			r, g, b, alpha := img.At(bounds.Min.X+x, bounds.Min.Y+y).RGBA()
			if !deep {
				r, g, b = r>>8, g>>8, b>>8
			}
			switch {
			case alpha != 0xffff:
				return fmt.Errorf("the pixel at column %d, row %d is transparent; want an opaque gray image", x, y)
			case r != g || g != b:
				return fmt.Errorf("the pixel at column %d, row %d is the color (%d, %d, %d); want a gray image, not a color map of numbers",
					x, y, r, g, b)
			}
			p.Values = append(p.Values, float64(r))
		}
	}
	return nil
}

// parseArrayPlane reads a .npy file.
func parseArrayPlane(name string, data []byte) (*Plane, error) {
	a, err := parseNPY(name, data)
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(a.Shape())
	for len(shape) > 2 && shape[0] == 1 {
		shape = shape[1:]
	}
	for len(shape) > 2 && shape[len(shape)-1] == 1 {
		shape = shape[:len(shape)-1]
	}
	if len(shape) != 2 {
		return nil, fmt.Errorf("%s: an array of shape %v, want one image [H, W]", name, a.Shape())
	}
	p := &Plane{Width: shape[1], Height: shape[0]}
	if err := planeSize(p.Width, p.Height); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p.Values = make([]float64, p.Width*p.Height)
	if err := a.ReadFloat64(p.Values, 0, a.Len()); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// parseNPY is the array of a .npy file in memory.
func parseNPY(name string, data []byte) (*Array, error) {
	h, err := readNPYHeader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	a := h.array(name, name, "", h.in(memory(data), 0))
	return a, a.plain()
}
