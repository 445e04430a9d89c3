// WebP images: what their chunks say, and the colors of lossy ones.

package dataset

import (
	"bufio"
	"encoding/binary"
	"errors"
	"image"
	"io"
	"iter"

	"golang.org/x/image/webp"
)

// decodeImage decodes an image, a WebP or JPEG file with the colors of libwebp or libjpeg.
func decodeImage(r io.ReaderAt, size int64) (image.Image, error) {
	var head [12]byte
	n, _ := r.ReadAt(head[:], 0)
	in := bufio.NewReader(io.NewSectionReader(r, 0, size))
	if isWebP(string(head[:n])) {
		return decodeWebP(in)
	}
	img, _, err := image.Decode(in)
	if m, ok := img.(*image.YCbCr); ok {
		return photoColors(m), err
	}
	return img, err
}

func isWebP(head string) bool { return len(head) >= 12 && head[:4] == "RIFF" && head[8:12] == "WEBP" }

// riffChunk is a chunk of a WebP file.
type riffChunk struct {
	kind   string
	size   uint32
	offset int64 // of its content
}

// riffChunks goes through the chunks of a WebP file of this size.
func riffChunks(r io.ReaderAt, size int64) iter.Seq[riffChunk] {
	const header, limit = 8, 1 << 12 // bytes before the content; chunks
	return func(yield func(riffChunk) bool) {
		offset := int64(12)
		for range limit {
			var head [header]byte
			if n, _ := r.ReadAt(head[:], offset); n < header {
				return
			}
			c := riffChunk{string(head[:4]), binary.LittleEndian.Uint32(head[4:]), offset + header}
			if c.offset+int64(c.size) > size || !yield(c) {
				return
			}
			offset = c.offset + int64(c.size) + int64(c.size&1)
		}
	}
}

// webpContent are the properties of a WebP file that its first chunks state.
type webpContent struct {
	animated, alpha bool
}

// webpContentOf reads the chunks of a WebP file.
func webpContentOf(r io.ReaderAt, size int64) (w webpContent) {
	var b [5]byte
	for c := range riffChunks(r, size) {
		if n, _ := r.ReadAt(b[:], c.offset); n < len(b) {
			return w
		}
		switch c.kind {
		case "VP8X":
			w.animated = b[0]&2 != 0
		case "ALPH":
			w.alpha = true
		case "VP8L": // without a sign of alpha the stored one means nothing
			w.alpha = b[4]&0x10 != 0
		}
	}
	return w
}

var errAnimated = errors.New("an animated WebP, want one image per file")

// decodeWebP decodes an image with the colors of libwebp.
func decodeWebP(r io.Reader) (image.Image, error) {
	img, err := webp.Decode(r)
	if err != nil {
		return nil, err
	}
	switch m := img.(type) {
	case *image.YCbCr:
		return videoColors(m, nil, 0), nil
	case *image.NYCbCrA:
		return videoColors(&m.YCbCr, m.A, m.AStride), nil
	}
	return img, nil
}

// videoColors are the colors of a lossy image, whose planes have the range of video (BT.601), and half of the
// resolution in color. As in libwebp, colors between are 9:3:3:1 means of the four nearest, rounded in its order.
func videoColors(m *image.YCbCr, alpha []byte, alphaStride int) *image.NRGBA {
	width, height := m.Rect.Dx(), m.Rect.Dy()
	out := image.NewNRGBA(image.Rect(0, 0, width, height))
	across := (width + 1) / 2
	cb, cr := make([]int, width), make([]int, width)
	for y := range height {
		near := y / 2 // the row of colors that counts three times, and the other one
		far := near + 1
		if y%2 == 0 {
			far = near - 1
		}
		far = min(max(far, 0), (height+1)/2-1)
		between(cb, m.Cb[near*m.CStride:][:across], m.Cb[far*m.CStride:][:across])
		between(cr, m.Cr[near*m.CStride:][:across], m.Cr[far*m.CStride:][:across])
		row, light := out.Pix[y*out.Stride:], m.Y[y*m.YStride:]
		for x := range width {
			l := int(light[x]) * 19077 >> 8
			row[4*x] = videoByte(l + cr[x]*26149>>8 - 14234)
			row[4*x+1] = videoByte(l - cb[x]*6419>>8 - cr[x]*13320>>8 + 8708)
			row[4*x+2] = videoByte(l + cb[x]*33050>>8 - 17685)
			row[4*x+3] = 0xff
			if alpha != nil {
				row[4*x+3] = alpha[y*alphaStride+x]
			}
		}
	}
	return out
}

// videoByte is a color with six bits behind the point as a byte.
func videoByte(v int) byte { return byte(min(max(v>>6, 0), 255)) }

// between writes the colors of a row of pixels, from the nearer and the farther row of colors.
func between(dst []int, near, far []byte) {
	last := len(dst) - 1
	for x := range dst {
		k := x / 2 // the column that counts three times, and the other one
		other := k + 1
		if x%2 == 0 {
			other = k - 1
		}
		n, f := int(near[k]), int(far[k])
		if other < 0 || x == last && x%2 == 1 {
			dst[x] = (3*n + f + 2) >> 2
			continue
		}
		n2, f2 := int(near[other]), int(far[other])
		diagonal := (n + n2 + f + f2 + 8 + 2*(n2+f)) >> 3
		dst[x] = (diagonal + n) >> 1
	}
}
