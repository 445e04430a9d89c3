// Folders of PNG and JPEG files as arrays [N,H,W] (grey) or [N,3,H,W] (colour).

package dataset

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // registers the format
	_ "image/png"  // registers the format
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"repscope/internal/dtype"
	"repscope/internal/parallel"
)

// maxPixels is the largest image that is decoded.
const maxPixels = 1 << 26

// maxDecoded is the size up to which a folder is decoded once and kept; a larger
// one is decoded as it is read.
const maxDecoded = 1 << 30

// kind is what all images of a folder must have in common.
type imageKind struct {
	width, height int
	colour        bool
	deep          bool // 16 bits per channel
}

func (k imageKind) String() string {
	s := "grey"
	if k.colour {
		s = "colour"
	}
	bits := 8
	if k.deep {
		bits = 16
	}
	return fmt.Sprintf("%d×%d, %s, %d bits", k.width, k.height, s, bits)
}

func (k imageKind) shape() []int {
	if k.colour {
		return []int{3, k.height, k.width}
	}
	return []int{k.height, k.width}
}

// openImages opens the PNG and JPEG files of a folder, in natural order of their
// names (frame2 before frame10). 16-bit images give uint16 values.
func openImages(folder string) (*Array, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var files []string
	folders := 0
	for _, e := range entries {
		if e.IsDir() {
			folders++
			continue
		}
		switch strings.ToLower(filepath.Ext(e.Name())) {
		case ".png", ".jpg", ".jpeg":
			files = append(files, e.Name())
		}
	}
	if len(files) == 0 {
		extra := ""
		if folders > 0 {
			extra = fmt.Sprintf("; its %d folders are not searched", folders)
		}
		return nil, fmt.Errorf("%s: no .png, .jpg or .jpeg files in this folder%s", folder, extra)
	}
	slices.SortFunc(files, compareNatural)
	for i, name := range files {
		files[i] = filepath.Join(folder, name)
	}
	kinds := make([]imageKind, len(files))
	err = parallel.Try(context.Background(), 0, len(files), func(_, i int) (err error) {
		kinds[i], err = readKind(files[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, k := range kinds {
		if k != kinds[0] {
			return nil, fmt.Errorf("%s is %v, but %s is %v: all images of a folder must agree", files[i], k, files[0], kinds[0])
		}
	}
	shape := append([]int{len(files)}, kinds[0].shape()...)
	t := Uint8
	if kinds[0].deep {
		t = Uint16
	}
	if _, err := dtype.ArraySize(shape, t); err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	s := &images{files: files, kind: kinds[0], row: rowBytes(shape, t)}
	a := newArray(folder, folder, "", shape, t, dtype.LittleEndian, s)
	a.digest = sync.OnceValues(func() (string, error) { return hashFiles(files) })
	return a, nil
}

// compareNatural orders names with runs of digits by their number.
func compareNatural(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		dx, dy := digits(x), digits(y)
		if dx > 0 && dy > 0 {
			nx, ny := strings.TrimLeft(x[:dx], "0"), strings.TrimLeft(y[:dy], "0")
			if c := len(nx) - len(ny); c != 0 {
				return c
			}
			if c := strings.Compare(nx, ny); c != 0 {
				return c
			}
			x, y = x[dx:], y[dy:]
			continue
		}
		if x[0] != y[0] {
			return int(x[0]) - int(y[0])
		}
		x, y = x[1:], y[1:]
	}
	if c := len(x) - len(y); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}

// digits is the length of the run of digits at the beginning of s.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// readKind reads the header of an image.
func readKind(path string) (imageKind, error) {
	f, err := os.Open(path)
	if err != nil {
		return imageKind{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return imageKind{}, err
	}
	c, _, err := image.DecodeConfig(bufio.NewReader(f))
	if err != nil {
		return imageKind{}, imageError(path, err)
	}
	k := imageKind{width: c.Width, height: c.Height}
	// A PNG of one bit per pixel compressed by deflate's best ratio has the most
	// pixels per byte.
	pixels := int64(c.Width) * int64(c.Height)
	if c.Width <= 0 || c.Height <= 0 || c.Width > maxPixels || c.Height > maxPixels || pixels > maxPixels || pixels > info.Size()*8*1032 {
		return k, fmt.Errorf("%s: %d×%d pixels in a file of %d bytes, want at most %d pixels", path, c.Width, c.Height, info.Size(), maxPixels)
	}
	switch m := c.ColorModel; m {
	case color.GrayModel:
	case color.Gray16Model:
		k.deep = true
	case color.RGBA64Model, color.NRGBA64Model:
		k.colour, k.deep = true, true
	case color.RGBAModel, color.NRGBAModel, color.YCbCrModel:
		k.colour = true
	default:
		palette, ok := m.(color.Palette)
		if !ok {
			return k, fmt.Errorf("%s: its colour model (CMYK or other) is not supported; convert it to RGB or grey", path)
		}
		for _, c := range palette {
			r, g, b, _ := c.RGBA()
			k.colour = k.colour || r != g || g != b
		}
	}
	return k, nil
}

func imageError(path string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(err.Error(), "not enough pixel data") {
		return fmt.Errorf("%s: %w image: %w", path, ErrTruncated, err)
	}
	if errors.Is(err, image.ErrFormat) {
		return fmt.Errorf("%s: neither a PNG nor a JPEG file", path)
	}
	return fmt.Errorf("%s: corrupt image: %w", path, err)
}

// images is a folder as a source.
type images struct {
	files []string
	kind  imageKind
	row   int

	once sync.Once
	all  []byte
	err  error
}

func (s *images) use(lo, hi int, fn func(raw []byte) error) error {
	if int64(len(s.files))*int64(s.row) <= maxDecoded {
		s.once.Do(func() { s.all, s.err = s.decode(0, len(s.files)) })
		if s.err != nil {
			return s.err
		}
		return fn(s.all[lo*s.row : hi*s.row])
	}
	raw, err := s.decode(lo, hi)
	if err != nil {
		return err
	}
	return fn(raw)
}

func (s *images) decode(lo, hi int) ([]byte, error) {
	raw := make([]byte, (hi-lo)*s.row)
	err := parallel.Try(context.Background(), 0, hi-lo, func(_, i int) error {
		return s.decodeOne(raw[i*s.row:(i+1)*s.row], s.files[lo+i])
	})
	return raw, err
}

// decodeOne writes the pixels of a file to dst: rows of grey values, or three
// planes, 16-bit values little-endian.
func (s *images) decodeOne(dst []byte, path string) error {
	k, err := readKind(path)
	if err != nil {
		return err
	}
	if k != s.kind {
		return fmt.Errorf("%s has changed to %v while it was in use", path, k)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	img, _, err := image.Decode(bufio.NewReader(f))
	if err != nil {
		return imageError(path, err)
	}
	bounds := img.Bounds()
	if bounds.Dx() != k.width || bounds.Dy() != k.height {
		return fmt.Errorf("%s: %d×%d pixels, its header says %d×%d", path, bounds.Dx(), bounds.Dy(), k.width, k.height)
	}
	if grey, ok := img.(*image.Gray); ok && !k.colour {
		for y := range k.height {
			copy(dst[y*k.width:(y+1)*k.width], grey.Pix[y*grey.Stride:])
		}
		return nil
	}
	plane := k.width * k.height
	size := 1
	if k.deep {
		size = 2
	}
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
				return fmt.Errorf("%s: the pixel at column %d, row %d is transparent; remove the alpha channel", path, x, y)
			}
			put(0, y*k.width+x, r)
			if k.colour {
				put(1, y*k.width+x, g)
				put(2, y*k.width+x, b)
			}
		}
	}
	return nil
}

// hashFiles is the digest of a folder: names, sizes and contents in order.
func hashFiles(files []string) (string, error) {
	h := sha256.New()
	for _, path := range files {
		content, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s\x00%d\x00", filepath.Base(path), len(content))
		h.Write(content)
	}
	return hexDigest(h), nil
}
