// The orientation of an image, from its Exif metadata.

package dataset

import (
	"bytes"
	"encoding/binary"
)

// orientationTag is the tag in the first directory of TIFF files, the format of Exif metadata.
const orientationTag = 274

// orientationOf is the orientation of a JPEG, PNG or TIFF file, from 2 to 8; 1 if it is upright as stored, or if the
// file has no valid orientation.
func orientationOf(data []byte) int {
	exif := []byte(nil)
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		exif = jpegExif(data)
	case bytes.HasPrefix(data, []byte("\x89PNG")):
		exif = pngContent(data, "eXIf")
	case bytes.HasPrefix(data, []byte("II*\x00")), bytes.HasPrefix(data, []byte("MM\x00*")):
		exif = data
	}
	if len(exif) < tiffHeader {
		return 1
	}
	var order binary.ByteOrder = binary.LittleEndian
	if exif[0] == 'M' {
		order = binary.BigEndian
	}
	offset := uint64(order.Uint32(exif[4:]))
	if offset+2 > uint64(len(exif)) {
		return 1
	}
	entries := exif[offset+2:]
	for range order.Uint16(exif[offset:]) {
		if len(entries) < tiffEntry {
			break
		}
		if order.Uint16(entries) == orientationTag {
			if v := order.Uint16(entries[8:]); v >= 2 && v <= 8 {
				return int(v)
			}
			break
		}
		entries = entries[tiffEntry:]
	}
	return 1
}

// jpegExif are the Exif metadata of a JPEG file, which come before its pixels.
func jpegExif(data []byte) []byte {
	for offset := 2; offset+4 <= len(data) && data[offset] == 0xff; {
		kind, size := data[offset+1], int(binary.BigEndian.Uint16(data[offset+2:]))
		if kind == 0xda || size < 2 || offset+2+size > len(data) {
			break
		}
		if segment := data[offset+4 : offset+2+size]; kind == 0xe1 && bytes.HasPrefix(segment, []byte("Exif\x00\x00")) {
			return segment[6:]
		}
		offset += 2 + size
	}
	return nil
}

// pngContent is the content of the first chunk of a kind; nil where there is none.
func pngContent(data []byte, kind string) []byte {
	const signature, around = 8, 12 // bytes; a chunk has them around its content
	for offset := signature; offset+around <= len(data); {
		size := uint64(binary.BigEndian.Uint32(data[offset:]))
		if size > uint64(len(data)-offset-around) {
			break
		}
		if string(data[offset+4:offset+8]) == kind {
			return data[offset+8 : offset+8+int(size)]
		}
		offset += around + int(size)
	}
	return nil
}

// turn brings a screen into the orientation in which it is to be seen.
func (s *Screen) turn(orientation int) {
	if orientation < 2 {
		return
	}
	w, h := s.Width, s.Height
	to := Screen{Width: w, Height: h, Alpha: s.Alpha, Orientation: orientation, Pixels: make([]byte, len(s.Pixels))}
	if orientation >= 5 {
		to.Width, to.Height = h, w
	}
	for y := range to.Height {
		for x := range to.Width {
			fromX, fromY := x, y
			switch orientation {
			case 2:
				fromX = w - 1 - x
			case 3:
				fromX, fromY = w-1-x, h-1-y
			case 4:
				fromY = h - 1 - y
			case 5:
				fromX, fromY = y, x
			case 6:
				fromX, fromY = y, h-1-x
			case 7:
				fromX, fromY = w-1-y, h-1-x
			case 8:
				fromX, fromY = w-1-y, x
			}
			copy(to.Pixels[4*(y*to.Width+x):][:4], s.Pixels[4*(fromY*w+fromX):])
		}
	}
	*s = to
}
