// The orientation of an image, from its Exif or XMP metadata.

package dataset

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"io"
	"strings"
)

// orientationTag is the tag in the first directory of TIFF files, the format of Exif metadata.
const orientationTag = 274

// maxMetadata is the size of the largest metadata that are searched.
const maxMetadata = 1 << 20

// orientation is an orientation as Exif numbers it: 0 or 1 upright as stored, 2 to 8 mirrored or rotated.
type orientation int

// orientationOf is the orientation of a JPEG, PNG, WebP or TIFF file, from 2 to 8; 1 if it is upright as stored, or if
// the file has no valid orientation. Exif metadata count before XMP metadata.
func orientationOf(r io.ReaderAt, size int64) orientation {
	var magic [12]byte
	n, _ := r.ReadAt(magic[:], 0)
	head := string(magic[:n])
	var exif, xmp []byte
	switch {
	case strings.HasPrefix(head, "\xff\xd8\xff"):
		exif, xmp = jpegMetadata(r)
	case strings.HasPrefix(head, pngMagic):
		for c := range pngChunks(r, false) {
			switch c.kind {
			case "eXIf":
				exif = metadata(r, c.offset, int64(c.size))
			case "iTXt":
				if text := metadata(r, c.offset, int64(c.size)); bytes.HasPrefix(text, []byte("XML:com.adobe.xmp\x00\x00")) {
					xmp = text
				}
			}
		}
	case isWebP(head):
		for c := range riffChunks(r, size) {
			switch c.kind {
			case "EXIF":
				exif = metadata(r, c.offset, int64(c.size))
			case "XMP ":
				xmp = metadata(r, c.offset, int64(c.size))
			}
		}
	case strings.HasPrefix(head, "II*\x00"), strings.HasPrefix(head, "MM\x00*"):
		return max(1, tiffOrientation(r))
	}
	exif = bytes.TrimPrefix(exif, []byte(exifMagic))
	if o := tiffOrientation(bytes.NewReader(exif)); o > 0 {
		return o
	}
	return max(1, xmpOrientation(xmp))
}

const exifMagic = "Exif\x00\x00"

// metadata are some bytes of a file; nil where they are too many, or not there.
func metadata(r io.ReaderAt, offset, size int64) []byte {
	if size > maxMetadata {
		return nil
	}
	data := make([]byte, size)
	if n, _ := r.ReadAt(data, offset); int64(n) < size {
		return nil
	}
	return data
}

// tiffOrientation is the orientation in the first directory of a TIFF file; 0 where it has none.
func tiffOrientation(r io.ReaderAt) (o orientation) {
	var header [tiffHeader]byte
	if n, _ := r.ReadAt(header[:], 0); n < tiffHeader {
		return 0
	}
	var order binary.ByteOrder = binary.LittleEndian
	if header[0] == 'M' {
		order = binary.BigEndian
	}
	offset := int64(order.Uint32(header[4:]))
	var count [2]byte
	if n, _ := r.ReadAt(count[:], offset); n < len(count) {
		return 0
	}
	entries := make([]byte, int(order.Uint16(count[:]))*tiffEntry)
	n, _ := r.ReadAt(entries, offset+2)
	for entries = entries[:n]; len(entries) >= tiffEntry; entries = entries[tiffEntry:] {
		if order.Uint16(entries) != orientationTag {
			continue
		}
		v := uint32(order.Uint16(entries[8:]))
		if order.Uint16(entries[2:]) == 4 { // 32 bits
			v = order.Uint32(entries[8:])
		}
		if o = 1; v >= 2 && v <= 8 {
			o = orientation(v)
		}
	}
	return o
}

// xmpOrientation is the orientation in XMP metadata; 0 where they have none.
func xmpOrientation(xmp []byte) orientation {
	for _, before := range []string{`tiff:Orientation="`, `tiff:Orientation>`} {
		i := bytes.Index(xmp, []byte(before))
		if i < 0 || i+len(before) >= len(xmp) {
			continue
		}
		if v := xmp[i+len(before)]; v >= '2' && v <= '8' {
			return orientation(v - '0')
		}
	}
	return 0
}

// jpegMetadata are the Exif and XMP metadata of a JPEG file, which come before its pixels.
func jpegMetadata(r io.ReaderAt) (exif, xmp []byte) {
	const xmpMagic = "http://ns.adobe.com/xap/1.0/\x00"
	offset := int64(2)
	for len(exif)+len(xmp) < maxMetadata {
		var head [4]byte
		if n, _ := r.ReadAt(head[:], offset); n < len(head) || head[0] != 0xff {
			break
		}
		kind, size := head[1], int64(binary.BigEndian.Uint16(head[2:]))
		if kind == 0xff { // a byte that fills
			offset++
			continue
		}
		if kind == 0xda || size < 2 {
			break
		}
		if kind == 0xe1 {
			segment := metadata(r, offset+4, size-2)
			if rest, ok := bytes.CutPrefix(segment, []byte(exifMagic)); ok {
				exif = append(exif, rest...)
			}
			if rest, ok := bytes.CutPrefix(segment, []byte(xmpMagic)); ok {
				xmp = rest
			}
		}
		offset += 2 + size
	}
	return exif, xmp
}

// size is the size, in which an image of this size is to be seen.
func (o orientation) size(width, height int) (w, h int) {
	if o >= 5 {
		return height, width
	}
	return width, height
}

// source is the stored pixel of the pixel x, y that is to be seen, of an image that is stored in this size.
func (o orientation) source(x, y, width, height int) (fromX, fromY int) {
	switch o {
	case 2:
		return width - 1 - x, y
	case 3:
		return width - 1 - x, height - 1 - y
	case 4:
		return x, height - 1 - y
	case 5:
		return y, x
	case 6:
		return y, height - 1 - x
	case 7:
		return width - 1 - y, height - 1 - x
	case 8:
		return width - 1 - y, x
	}
	return x, y
}

// turned is an image as it is to be seen.
type turned struct {
	image.Image // as it is stored
	orientation orientation
}

// upright is an image in the orientation in which it is to be seen.
func upright(img image.Image, o orientation) image.Image {
	if o < 2 {
		return img
	}
	return turned{img, o}
}

// Bounds begin at 0, 0.
func (t turned) Bounds() image.Rectangle {
	w, h := t.orientation.size(t.Image.Bounds().Dx(), t.Image.Bounds().Dy())
	return image.Rect(0, 0, w, h)
}

func (t turned) At(x, y int) color.Color {
	b := t.Image.Bounds()
	fromX, fromY := t.orientation.source(x, y, b.Dx(), b.Dy())
	return t.Image.At(b.Min.X+fromX, b.Min.Y+fromY)
}

// turn brings a screen into the orientation in which it is to be seen.
func (s *Screen) turn(o orientation) {
	if o < 2 {
		return
	}
	w, h := s.Width, s.Height
	to := Screen{Alpha: s.Alpha, Orientation: int(o), Pixels: make([]byte, len(s.Pixels))}
	to.Width, to.Height = o.size(w, h)
	for y := range to.Height {
		for x := range to.Width {
			fromX, fromY := o.source(x, y, w, h)
			copy(to.Pixels[4*(y*to.Width+x):][:4], s.Pixels[4*(fromY*w+fromX):])
		}
	}
	*s = to
}
