// One image: its header, and its pixels as bytes.

package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"strings"

	"golang.org/x/image/tiff"

	"repscope/internal/format"
	"repscope/internal/regular"
)

// maxPixels is the largest image that is decoded.
const maxPixels = 1 << 26

// imageKind is what all images of a folder must have in common.
type imageKind struct {
	width, height int
	color         bool
	deep          bool // 16 bits per channel
}

func (k imageKind) String() string {
	s := "grey"
	if k.color {
		s = "colour"
	}
	bits := 8
	if k.deep {
		bits = 16
	}
	return fmt.Sprintf("%d×%d, %s, %d bits", k.width, k.height, s, bits)
}

func (k imageKind) shape() []int {
	if k.color {
		return []int{3, k.height, k.width}
	}
	return []int{k.height, k.width}
}

func (k imageKind) dtype() DType {
	if k.deep {
		return Uint16
	}
	return Uint8
}

func (k imageKind) sameSize(other imageKind) bool {
	return k.width == other.width && k.height == other.height
}

// imageFile is an image in a file of its own, or a page of a TIFF file.
type imageFile struct {
	path  string
	page  *tiffPage // nil: the whole file
	kind  imageKind
	alpha bool // there is an alpha channel
}

// readImageFile reads the header of a file.
func readImageFile(path string) (imageFile, error) {
	f := imageFile{path: path}
	file, err := regular.Open(path)
	if err != nil {
		return f, err
	}
	defer file.Close()
	return f, f.readHeader(file)
}

// readHeader finds out what an opened image is.
func (f *imageFile) readHeader(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	head := make([]byte, format.HeadSize)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	head = head[:n]
	if format.Of(head) == format.TIFF {
		pages, err := tiffPages(file, info.Size())
		if err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
		if len(pages) != 1 {
			return fmt.Errorf("%s: holds %d pages, want one per file of a folder; give the file itself to take its pages as frames", f.path, len(pages))
		}
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	c, _, err := image.DecodeConfig(bufio.NewReader(file))
	if err != nil {
		return imageError(f.path, err)
	}
	return f.describe(c, head, info.Size())
}

// describe takes over what a header says; size is that of the file.
func (f *imageFile) describe(c image.Config, head []byte, size int64) error {
	f.kind = imageKind{width: c.Width, height: c.Height}
	// A PNG of one bit per pixel compressed by deflate's best ratio has the most
	// pixels per byte.
	pixels := int64(c.Width) * int64(c.Height)
	if c.Width <= 0 || c.Height <= 0 || c.Width > maxPixels || c.Height > maxPixels || pixels > maxPixels || pixels > size*8*1032 {
		return fmt.Errorf("%s: %d×%d pixels in a file of %d bytes, want at most %d pixels", f.path, c.Width, c.Height, size, maxPixels)
	}
	switch m := c.ColorModel; m {
	case color.GrayModel:
	case color.Gray16Model:
		f.kind.deep = true
	case color.RGBA64Model, color.NRGBA64Model:
		f.kind.color, f.kind.deep, f.alpha = true, true, m == color.NRGBA64Model
	case color.RGBAModel, color.NRGBAModel, color.YCbCrModel:
		f.kind.color, f.alpha = true, m == color.NRGBAModel
	default:
		palette, ok := m.(color.Palette)
		if !ok {
			return fmt.Errorf("%s: its color model (CMYK or other) is not supported; convert it to RGB or grey", f.path)
		}
		for _, c := range palette {
			r, g, b, a := c.RGBA()
			f.kind.color = f.kind.color || r != g || g != b
			f.alpha = f.alpha || a != 0xffff
		}
	}
	if isPNG(head) && head[pngColorType] == pngGreyAlpha {
		f.kind.color = false // package png gives it in colors
	}
	return nil
}

// The color type in the header of a PNG file.
const (
	pngColorType = 25
	pngGreyAlpha = 4
)

func isPNG(head []byte) bool {
	return len(head) > pngColorType && bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n"))
}

// imageError says what is wrong with an image.
func imageError(path string, err error) error {
	var png png.UnsupportedError
	var jpeg jpeg.UnsupportedError
	var tif tiff.UnsupportedError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), strings.Contains(err.Error(), "not enough pixel data"),
		strings.Contains(err.Error(), "unexpected EOF"), strings.Contains(err.Error(), "short Huffman data"):
		return fmt.Errorf("%s: %w image: %w", path, ErrTruncated, err)
	case errors.Is(err, image.ErrFormat):
		return fmt.Errorf("%s: neither a PNG nor a JPEG nor a TIFF file", path)
	case errors.As(err, &png), errors.As(err, &jpeg), errors.As(err, &tif):
		return fmt.Errorf("%s: %w; convert it to a PNG file", path, err)
	}
	return fmt.Errorf("%s: corrupt image: %w", path, err)
}

// decode writes the pixels to dst: rows of grey values, or three planes, 16-bit values
// little-endian. The file must be what it was.
func (f *imageFile) decode(dst []byte) error {
	img, err := f.load()
	if err != nil {
		return err
	}
	k, bounds := f.kind, img.Bounds()
	if bounds.Dx() != k.width || bounds.Dy() != k.height {
		return fmt.Errorf("%s: %d×%d pixels, its header says %d×%d", f.path, bounds.Dx(), bounds.Dy(), k.width, k.height)
	}
	if grey, ok := img.(*image.Gray); ok && !k.color {
		for y := range k.height {
			copy(dst[y*k.width:(y+1)*k.width], grey.Pix[y*grey.Stride:])
		}
		return nil
	}
	plane, size := k.width*k.height, k.dtype().Size()
	put := func(channel, at int, v uint32) { // v has 16 bits
		at = (channel*plane + at) * size
		if k.deep {
			dst[at], dst[at+1] = byte(v), byte(v>>8)
		} else {
			dst[at] = byte(v >> 8)
		}
	}
	for y := range k.height {
		for x := range k.width {
			r, g, b, alpha := img.At(bounds.Min.X+x, bounds.Min.Y+y).RGBA()
			if alpha != 0xffff {
				return fmt.Errorf("%s: the pixel at column %d, row %d is transparent; remove the alpha channel", f.path, x, y)
			}
			put(0, y*k.width+x, r)
			if k.color {
				put(1, y*k.width+x, g)
				put(2, y*k.width+x, b)
			}
		}
	}
	return nil
}

// load decodes the image.
func (f *imageFile) load() (image.Image, error) {
	if f.page != nil {
		img, err := tiff.Decode(f.page)
		if err != nil {
			return nil, imageError(f.path, err)
		}
		return img, nil
	}
	file, err := regular.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	now := imageFile{path: f.path}
	if err := now.readHeader(file); err != nil {
		return nil, err
	}
	if now.kind != f.kind {
		return nil, fmt.Errorf("%s has changed to %v while it was in use", f.path, now.kind)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	img, _, err := image.Decode(bufio.NewReader(file))
	if err != nil {
		return nil, imageError(f.path, err)
	}
	return img, nil
}
