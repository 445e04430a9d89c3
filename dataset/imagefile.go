// One image: its header, and its pixels as bytes.

package dataset

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"iter"
	"os"
	"strings"

	"golang.org/x/image/tiff"

	"repscope/internal/bound"
	"repscope/internal/format"
	"repscope/internal/regular"
)

// maxPixels is the largest image that is decoded.
const maxPixels = 1 << 26

// imageKind holds the properties that all images of a folder must share.
type imageKind struct {
	width, height int
	color         bool
	deep          bool // 16 bits per channel
}

func (k imageKind) String() string {
	s := "gray"
	if k.color {
		s = "color"
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

// imageContent is the open content of an image.
type imageContent interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// diskImage is the content of a file.
type diskImage struct {
	*os.File
	size int64
}

func (d diskImage) Size() int64 { return d.size }

// onDisk opens a file.
func onDisk(path string) (imageContent, error) {
	file, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	return diskImage{file, info.Size()}, nil
}

// imageFile is an image in a file of its own, a page of a TIFF file, or a part of another file.
type imageFile struct {
	path  string
	open  func(path string) (imageContent, error)
	page  *tiffPage // nil: the whole content
	kind  imageKind // as it is to be seen
	alpha bool      // there is an alpha channel
	turn  orientation
	// opaque says that whatever alpha is stored means nothing.
	opaque bool
	// marked says that a color is marked as transparent.
	marked  bool
	palette int    // its colors, 0 if there is none
	gamma   uint32 // times 100000, 0 if the file states none or the one of sRGB
}

// inspect reads the header.
func (f *imageFile) inspect() error {
	content, err := f.open(f.path)
	if err != nil {
		return err
	}
	defer content.Close()
	_, err = f.readHeader(content)
	return err
}

// readHeader determines the kind of an opened image. Of a TIFF file it returns the page.
func (f *imageFile) readHeader(content imageContent) (*tiffPage, error) {
	head := make([]byte, format.HeadSize)
	n, err := content.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	head = head[:n]
	var page *tiffPage
	if format.Of(head) == format.TIFF {
		pages, err := tiffPages(content, content.Size())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.path, err)
		}
		if len(pages) != 1 {
			return nil, fmt.Errorf("%s: has %d pages, want one per file of a folder; give the file itself to use its pages as frames", f.path, len(pages))
		}
		page = pages[0]
	}
	c, _, err := image.DecodeConfig(bufio.NewReader(io.NewSectionReader(content, 0, content.Size())))
	if err != nil {
		return nil, imageError(f.path, err)
	}
	return page, f.describe(c, head, content, content.Size())
}

// describe copies the properties in a header; size is the size of the file that r reads.
func (f *imageFile) describe(c image.Config, head []byte, r io.ReaderAt, size int64) error {
	f.kind = imageKind{width: c.Width, height: c.Height}
	// A PNG of one bit per pixel compressed by deflate's best ratio has the most
	// pixels per byte.
	pixels, limit := int64(c.Width)*int64(c.Height), size*8*1032
	web := isWebP(string(head))
	if web { // one color takes no bytes
		limit = max(limit, bound.Free/4)
	}
	if c.Width <= 0 || c.Height <= 0 || c.Width > maxPixels || c.Height > maxPixels ||
		pixels > min(maxPixels, limit) {
		return fmt.Errorf("%s: %d×%d pixels in a file of %d bytes, want at most %d pixels",
			f.path, c.Width, c.Height, size, maxPixels)
	}
	switch m := c.ColorModel; m {
	case color.GrayModel:
	case color.Gray16Model:
		f.kind.deep = true
	case color.RGBA64Model, color.NRGBA64Model:
		f.kind.color, f.kind.deep, f.alpha = true, true, m == color.NRGBA64Model
	case color.RGBAModel, color.NRGBAModel, color.YCbCrModel, color.NYCbCrAModel:
		f.kind.color, f.alpha = true, m == color.NRGBAModel || m == color.NYCbCrAModel
	default:
		palette, ok := m.(color.Palette)
		if !ok {
			return fmt.Errorf("%s: its color model (CMYK or other) is not supported; convert it to RGB or gray", f.path)
		}
		f.palette = len(palette)
		for _, c := range palette {
			r, g, b, a := c.RGBA()
			if entry, ok := c.(color.NRGBA); ok { // whatever its alpha
				r, g, b = uint32(entry.R), uint32(entry.G), uint32(entry.B)
			}
			f.kind.color = f.kind.color || r != g || g != b
			f.marked = f.marked || a != 0xffff
		}
	}
	f.turn = orientationOf(r, size)
	f.kind.width, f.kind.height = f.turn.size(c.Width, c.Height)
	if web {
		w := webpContentOf(r, size)
		if f.alpha = w.alpha; w.animated {
			return fmt.Errorf("%s: is %w", f.path, errAnimated)
		}
		f.opaque = !w.alpha
	}
	if !isPNG(head) {
		return nil
	}
	if head[pngColorType] == pngGrayAlpha {
		f.kind.color = false // package png gives it in colors
	}
	for c := range pngChunks(r, true) {
		switch {
		case c.kind == "tRNS" && f.palette == 0:
			f.marked = true
		case c.kind == "gAMA" && c.word != gammaOfRGB:
			f.gamma = c.word
		case c.kind == "acTL" && c.size >= 4 && c.word > 1:
			return fmt.Errorf("%s: is an animated PNG of %d frames, want one image per file", f.path, c.word)
		}
	}
	return nil
}

// In the header of a PNG file: the offset of the color type, and the type of gray with alpha. A gamma equal to sRGB's
// adds nothing.
const (
	pngColorType = 25
	pngGrayAlpha = 4
	gammaOfRGB   = 45455
)

const pngMagic = "\x89PNG\r\n\x1a\n"

func isPNG(head []byte) bool {
	return len(head) > pngColorType && bytes.HasPrefix(head, []byte(pngMagic))
}

// pngBlock is a chunk of a PNG file.
type pngBlock struct {
	kind   string
	size   uint32
	offset int64  // of its content
	word   uint32 // the first 4 bytes of its content, or 0
}

// pngChunks goes through the chunks of a PNG file, or through those before the pixels.
func pngChunks(r io.ReaderAt, before bool) iter.Seq[pngBlock] {
	const around, limit = 12, 1 << 16 // bytes around the content; chunks
	return func(yield func(pngBlock) bool) {
		offset := int64(len(pngMagic))
		for range limit {
			var head [12]byte
			if n, _ := r.ReadAt(head[:], offset); n < len(head) {
				return
			}
			c := pngBlock{kind: string(head[4:8]), size: binary.BigEndian.Uint32(head[:]), offset: offset + 8}
			if c.size >= 4 {
				c.word = binary.BigEndian.Uint32(head[8:])
			}
			if before && c.kind == "IDAT" || !yield(c) {
				return
			}
			offset += around + int64(c.size)
		}
	}
}

// check compares a decoded image, as it is stored, with its header.
func (f *imageFile) check(img image.Image) error {
	width, height := f.turn.size(f.kind.width, f.kind.height)
	if b := img.Bounds(); b.Dx() != width || b.Dy() != height {
		return fmt.Errorf("%s: %d×%d pixels, its header says %d×%d", f.path, b.Dx(), b.Dy(), width, height)
	}
	// Package png extends the palette if a pixel needs it.
	if p, ok := img.(*image.Paletted); ok && len(p.Palette) > f.palette {
		return fmt.Errorf("%s: corrupt image: a pixel has color %d of a palette of %d", f.path, len(p.Palette)-1, f.palette)
	}
	return nil
}

// planes writes the pixels of an image in colors of 8 bits.
func (f *imageFile) planes(dst []byte, m *image.NRGBA) error {
	k := f.kind
	red, green, blue := dst[:k.width*k.height], dst[k.width*k.height:], dst[2*k.width*k.height:]
	width, height := m.Rect.Dx(), m.Rect.Dy()
	for y := range k.height {
		for x := range k.width {
			fromX, fromY := f.turn.source(x, y, width, height)
			p := m.Pix[fromY*m.Stride+4*fromX:][:4]
			if p[3] != 0xff {
				return f.transparent(x, y)
			}
			i := y*k.width + x
			red[i], green[i], blue[i] = p[0], p[1], p[2]
		}
	}
	return nil
}

// transparent is the error of a pixel.
func (f *imageFile) transparent(x, y int) error {
	fix := "remove the alpha channel"
	if f.marked {
		fix = "the chunk tRNS marks its color as transparent; write the image without that chunk"
	}
	return fmt.Errorf("%s: the pixel at column %d, row %d is transparent; %s", f.path, x, y, fix)
}

// forget makes an image opaque whose alpha means nothing.
func (f *imageFile) forget(img image.Image) {
	if m, ok := img.(*image.NRGBA); ok && f.opaque {
		for i := 3; i < len(m.Pix); i += 4 {
			m.Pix[i] = 0xff
		}
	}
}

// imageError is the error of an image.
func imageError(path string, err error) error {
	var png png.UnsupportedError
	var jpeg jpeg.UnsupportedError
	var tif tiff.UnsupportedError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), strings.Contains(err.Error(), "not enough pixel data"),
		strings.Contains(err.Error(), "unexpected EOF"), strings.Contains(err.Error(), "short Huffman data"),
		strings.Contains(err.Error(), "short chunk"):
		return fmt.Errorf("%s: %w image: %w", path, ErrTruncated, err)
	case errors.Is(err, image.ErrFormat):
		return fmt.Errorf("%s: not a PNG, JPEG, WebP or TIFF file", path)
	case errors.As(err, &png), errors.As(err, &jpeg), errors.As(err, &tif):
		return fmt.Errorf("%s: %w; convert it to a PNG file", path, err)
	}
	return fmt.Errorf("%s: corrupt image: %w", path, err)
}

// decode writes the pixels to dst: rows of gray values, or three planes, 16-bit values little-endian. The file must be
// unchanged.
func (f *imageFile) decode(dst []byte) error {
	img, err := f.load()
	if err != nil {
		return err
	}
	if err := f.check(img); err != nil {
		return err
	}
	f.forget(img)
	if m, ok := img.(*image.NRGBA); ok && f.kind.color {
		return f.planes(dst, m)
	}
	img = upright(img, f.turn)
	k, bounds := f.kind, img.Bounds()
	if gray, ok := img.(*image.Gray); ok && !k.color {
		for y := range k.height {
			copy(dst[y*k.width:(y+1)*k.width], gray.Pix[y*gray.Stride:])
		}
		return nil
	}
	plane, size := k.width*k.height, k.dtype().Size()
	put := func(channel, index int, v uint32) { // v has 16 bits
		index = (channel*plane + index) * size
		if k.deep {
			dst[index], dst[index+1] = byte(v), byte(v>>8)
		} else {
			dst[index] = byte(v >> 8)
		}
	}
	for y := range k.height {
		for x := range k.width {
			r, g, b, alpha := img.At(bounds.Min.X+x, bounds.Min.Y+y).RGBA()
			if alpha != 0xffff {
				return f.transparent(x, y)
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
		err := f.page.verify()
		if err == nil {
			var img image.Image
			if img, err = tiff.Decode(f.page); err == nil {
				return img, nil
			}
		}
		return nil, imageError(f.path, err)
	}
	content, err := f.open(f.path)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	now := imageFile{path: f.path}
	page, err := now.readHeader(content)
	if err != nil {
		return nil, err
	}
	now.kind.color = now.kind.color || now.palette > 0 && f.kind.color
	if now.kind != f.kind || now.turn != f.turn {
		return nil, fmt.Errorf("%s has changed to %v while it was in use", f.path, now.kind)
	}
	if err := page.verify(); err != nil {
		return nil, imageError(f.path, err)
	}
	img, err := decodeImage(content, content.Size())
	if err != nil {
		return nil, imageError(f.path, err)
	}
	return img, nil
}
