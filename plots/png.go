// PNG files of pages, with the bytes that image/png writes, in less time. Most rows of a page equal the row above, and
// they are prepared concurrently with the compression.

package plots

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"io"

	"repscope/internal/parallel"
)

const (
	pngBytes = 3  // of a pixel: red, green and blue
	pngStrip = 32 // rows prepared at once
)

// The filters of PNG, by their codes.
const (
	pngNone = iota
	pngSub
	pngUp
	pngAverage
	pngPaeth
)

// encodePNG makes the file of an image without transparency, in 8-bit colors, whose pixels are DPI
// to the inch.
func encodePNG(m *image.RGBA) ([]byte, error) {
	width, height := m.Rect.Dx(), m.Rect.Dy()
	size := 1 + pngBytes*width // a row begins with the code of its filter
	rows := make([]byte, size*height)
	ready := make([]chan error, (height+pngStrip-1)/pngStrip) // of each strip of rows
	for i := range ready {
		ready[i] = make(chan error, 1)
	}
	go func() {
		_ = parallel.For(context.Background(), 0, len(ready), func(_, s int) {
			ready[s] <- prepare(rows[s*pngStrip*size:min((s+1)*pngStrip, height)*size], m, s*pngStrip)
		})
	}()
	out := bytes.NewBufferString("\x89PNG\r\n\x1a\n")
	header := binary.BigEndian.AppendUint32(nil, uint32(width))
	header = binary.BigEndian.AppendUint32(header, uint32(height))
	pngChunk(out, "IHDR", append(header, 8, 2, 0, 0, 0)) // bits, color, deflate, filters of rows, not interlaced
	density := binary.BigEndian.AppendUint32(nil, pixelsPerMetre)
	density = binary.BigEndian.AppendUint32(density, pixelsPerMetre)
	pngChunk(out, "pHYs", append(density, 1)) // to the meter
	pieces := bufio.NewWriterSize(pngData{out}, 1<<15)
	packed := zlib.NewWriter(pieces)
	for s, ready := range ready {
		if err := <-ready; err != nil {
			return nil, err
		}
		if _, err := packed.Write(rows[s*pngStrip*size : min((s+1)*pngStrip, height)*size]); err != nil {
			return nil, err
		}
	}
	if err := packed.Close(); err != nil {
		return nil, err
	}
	if err := pieces.Flush(); err != nil {
		return nil, err
	}
	pngChunk(out, "IEND", nil)
	return out.Bytes(), nil
}

// prepare writes rows from row y of an image on, ready for compression.
func prepare(rows []byte, m *image.RGBA, y int) error {
	size := 1 + pngBytes*m.Rect.Dx()
	strip := m.SubImage(image.Rect(0, y, m.Rect.Dx(), y+len(rows)/size).Add(m.Rect.Min)).(*image.RGBA)
	if !strip.Opaque() {
		return errors.New("plots: PNG: a page with transparency")
	}
	f := pngRows{image: m, current: make([]byte, size-1), above: make([]byte, size-1)}
	if y > 0 {
		f.read(f.above, y-1)
	}
	for ; len(rows) > 0; y, rows = y+1, rows[size:] {
		f.read(f.current, y)
		f.filter(rows[:size])
		f.current, f.above = f.above, f.current
	}
	return nil
}

// pngChunk appends a chunk: length, name, data and checksum.
func pngChunk(out *bytes.Buffer, name string, data []byte) {
	start := out.Len() + 4
	out.Write(binary.BigEndian.AppendUint32(nil, uint32(len(data))))
	out.WriteString(name)
	out.Write(data)
	out.Write(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(out.Bytes()[start:])))
}

// pngData makes a chunk of image data of every write.
type pngData struct{ out *bytes.Buffer }

var _ io.Writer = pngData{}

func (d pngData) Write(p []byte) (int, error) {
	pngChunk(d.out, "IDAT", p)
	return len(p), nil
}

// pngRows prepares rows of an image for compression.
type pngRows struct {
	image          *image.RGBA
	current, above []byte // rows of pixels
	other          []byte // the current one by another filter
}

// read writes row y, counted from the first, without its alphas.
func (f *pngRows) read(row []byte, y int) {
	pixels := f.image.Pix[y*f.image.Stride:]
	for len(row) >= pngBytes {
		from, to := (*[4]byte)(pixels), (*[3]byte)(row)
		to[0], to[1], to[2] = from[0], from[1], from[2]
		pixels, row = pixels[4:], row[pngBytes:]
	}
}

// filter writes the current row into out by the filter whose bytes, as signed numbers, have
// the least sum of absolute values; of equal sums by the first in the order below.
func (f *pngRows) filter(out []byte) {
	row := out[1:]
	// Before first and from last on the row equals the one above it: the differences are 0 there. The differences to
	// Paeth's predictor are too, except for one pixel after last.
	first, last := differing(f.current, f.above)
	clear(row)
	best := 0
	for i := first; i < last; i++ {
		row[i] = f.current[i] - f.above[i]
		best += magnitude(row[i])
	}
	out[0] = pngUp
	for _, code := range []byte{pngPaeth, pngNone, pngSub, pngAverage} {
		if best == 0 {
			return
		}
		if f.other == nil {
			f.other = make([]byte, len(row))
		}
		if sum := f.by(code, f.other, first, min(last+pngBytes, len(row)), best); sum < best {
			best, out[0] = sum, code
			copy(row, f.other)
		}
	}
}

// by writes the current row by a filter and returns the sum of absolute values, or stops once it reaches limit.
func (f *pngRows) by(code byte, to []byte, first, last, limit int) int {
	if code == pngPaeth {
		clear(to)
	} else {
		first, last = 0, len(to)
	}
	sum := 0
	for from := first; from < last && sum < limit; {
		end := min(last, from+256)
		if from < pngBytes {
			end = min(last, pngBytes)
		}
		sum += f.part(code, to, from, end)
		from = end
	}
	return sum
}

// part is by for the bytes from … end−1, which are of the first pixel or of none.
func (f *pngRows) part(code byte, to []byte, from, end int) (sum int) {
	to, current, up := to[from:end], f.current[from:end], f.above[from:end]
	left, corner := zeros[:], zeros[:] // of the first pixel
	if from >= pngBytes {
		left, corner = f.current[from-pngBytes:end-pngBytes], f.above[from-pngBytes:end-pngBytes]
	}
	left, corner, current, up = left[:len(to)], corner[:len(to)], current[:len(to)], up[:len(to)]
	switch code {
	case pngNone:
		copy(to, current)
	case pngSub:
		for i := range to {
			to[i] = current[i] - left[i]
		}
	case pngAverage:
		for i := range to {
			to[i] = current[i] - byte((int(left[i])+int(up[i]))/2)
		}
	case pngPaeth:
		for i := range to {
			to[i] = current[i] - predictor(int(left[i]), int(up[i]), int(corner[i]))
		}
	}
	for _, v := range to {
		sum += magnitude(v)
	}
	return sum
}

// zeros are the bytes left of a row.
var zeros [pngBytes]byte

// predictor is the Paeth predictor: of three neighbors the one nearest to left + up − corner, the first at ties.
func predictor(left, up, corner int) byte {
	ofLeft, ofUp := up-corner, left-corner // difference of the sum and each of them
	ofCorner := ofLeft + ofUp
	ofLeft, ofUp, ofCorner = max(ofLeft, -ofLeft), max(ofUp, -ofUp), max(ofCorner, -ofCorner)
	switch {
	case ofLeft <= ofUp && ofLeft <= ofCorner:
		return byte(left)
	case ofUp <= ofCorner:
		return byte(up)
	}
	return byte(corner)
}

// magnitude is the absolute value of a byte as a signed number.
func magnitude(v byte) int {
	if v < 128 {
		return int(v)
	}
	return 256 - int(v)
}

// differing is the first index at which two rows of one length differ and the index after the last; 0 and 0 if they are
// equal.
func differing(a, b []byte) (first, last int) {
	if bytes.Equal(a, b) {
		return 0, 0
	}
	last = len(a)
	for a[first] == b[first] {
		first++
	}
	for a[last-1] == b[last-1] {
		last--
	}
	return first, last
}
