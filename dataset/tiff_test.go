// Pages of TIFF files, written as the baseline of TIFF 6.0 says.

package dataset

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Compressions of TIFF.
const (
	tiffPlain   = 1
	tiffLZW     = 5
	tiffDeflate = 8
)

// tiffImage is a page to be written: samples in rows of pixels, big-endian where deep.
type tiffImage struct {
	width, height, samples, bits int
	raw                          []byte
	subfile                      int // what it is; 0: a page
	alpha                        bool
}

// writeTIFF writes the rows of an array of bytes as gray pages.
func writeTIFF(dir string, f Field, compression int) (string, error) {
	h, w := f.Shape[1], f.Shape[2]
	var pages []tiffImage
	for i := range f.Shape[0] {
		pages = append(pages, tiffImage{width: w, height: h, samples: 1, bits: 8, raw: f.Data.([]uint8)[i*h*w : (i+1)*h*w]})
	}
	path := filepath.Join(dir, "stack.tif")
	return path, os.WriteFile(path, encodeTIFF(binary.LittleEndian, compression, pages...), 0o600)
}

// encodeTIFF writes pages of one strip each, directories last.
func encodeTIFF(order binary.AppendByteOrder, compression int, pages ...tiffImage) []byte {
	b := []byte("II*\x00\x00\x00\x00\x00")
	put, put16 := binary.LittleEndian.PutUint32, binary.LittleEndian.AppendUint16
	if order.String() == "BigEndian" {
		b, put, put16 = []byte("MM\x00*\x00\x00\x00\x00"), binary.BigEndian.PutUint32, binary.BigEndian.AppendUint16
	}
	link := 4 // where the offset of the next directory stands
	for _, p := range pages {
		strip := compress(p.raw, compression)
		offset := len(b)
		b = append(b, strip...)
		bits := len(b)
		for range p.samples {
			b = put16(b, uint16(p.bits))
		}
		if len(b)%2 == 1 {
			b = append(b, 0)
		}
		put(b[link:], uint32(len(b)))
		interpretation := uint32(1)
		if p.samples > 2 {
			interpretation = 2
		}
		entries := [][3]uint32{{254, 4, uint32(p.subfile)}, {256, 4, uint32(p.width)}, {257, 4, uint32(p.height)}, {258, 3, uint32(bits)}, {259, 3, uint32(compression)},
			{262, 3, interpretation}, {273, 4, uint32(offset)}, {277, 3, uint32(p.samples)}, {278, 4, uint32(p.height)}, {279, 4, uint32(len(strip))}}
		if p.alpha {
			entries = append(entries, [3]uint32{338, 3, 2}) // not multiplied
		}
		b = put16(b, uint16(len(entries)))
		for _, e := range entries {
			count, value := uint32(1), e[2]
			if e[0] == 258 && p.samples == 1 {
				value = uint32(p.bits)
			} else if e[0] == 258 {
				count = uint32(p.samples)
			}
			b = order.AppendUint32(order.AppendUint16(order.AppendUint16(b, uint16(e[0])), uint16(e[1])), count)
			if e[1] == 3 && count == 1 {
				b = order.AppendUint16(order.AppendUint16(b, uint16(value)), 0)
			} else {
				b = order.AppendUint32(b, value)
			}
		}
		link = len(b)
		b = append(b, 0, 0, 0, 0)
	}
	return b
}

func compress(raw []byte, compression int) []byte {
	var b bytes.Buffer
	switch compression {
	case tiffDeflate:
		w := zlib.NewWriter(&b)
		w.Write(raw)
		w.Close()
	case tiffLZW:
		// Codes of nine bits: every byte stands for itself, and the table is cleared before it grows.
		var bits, n uint32
		put := func(code uint32) {
			bits, n = bits<<9|code, n+9
			for ; n >= 8; n -= 8 {
				b.WriteByte(byte(bits >> (n - 8)))
			}
		}
		for i, v := range raw {
			if i%200 == 0 {
				put(256)
			}
			put(uint32(v))
		}
		put(257)
		b.WriteByte(byte(bits << (8 - n)))
	default:
		b.Write(raw)
	}
	return b.Bytes()
}

func TestTIFFPages(t *testing.T) {
	t.Parallel()
	order := binary.LittleEndian
	raw := func(n, step int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(i * step)
		}
		return b
	}
	// Three pixels of two rows, of each page a color plane after the other.
	rgb := tiffImage{width: 3, height: 2, samples: 3, bits: 8, raw: raw(18, 7)}
	deep := tiffImage{width: 3, height: 2, samples: 1, bits: 16, raw: raw(12, 11)}
	small := tiffImage{width: 1, height: 1, samples: 1, bits: 8, raw: []byte{9}, subfile: tiffReduced}
	opaque := tiffImage{width: 1, height: 1, samples: 4, bits: 8, raw: []byte{1, 2, 3, 255}, alpha: true}
	for _, c := range []struct {
		name  string
		data  []byte
		shape []int
		want  []float32
		note  string
	}{
		{"RGB", encodeTIFF(order, tiffPlain, rgb), []int{1, 3, 2, 3}, []float32{0, 21, 42, 63, 84, 105, 7, 28, 49, 70, 91, 112, 14, 35, 56, 77, 98, 119}, ""},
		{"RGB, LZW", encodeTIFF(order, tiffLZW, rgb), []int{1, 3, 2, 3}, []float32{0, 21, 42, 63, 84, 105, 7, 28, 49, 70, 91, 112, 14, 35, 56, 77, 98, 119}, ""},
		{"16 bits, big-endian", encodeTIFF(binary.BigEndian, tiffDeflate, deep), []int{1, 2, 3}, []float32{11, 22*256 + 33, 44*256 + 55, 66*256 + 77, 88*256 + 99, 110*256 + 121}, ""},
		{"16 bits, little-endian", encodeTIFF(order, tiffPlain, deep), []int{1, 2, 3}, []float32{11 * 256, 22 + 33*256, 44 + 55*256, 66 + 77*256, 88 + 99*256, 110 + 121*256}, ""},
		{"a thumbnail between pages", encodeTIFF(order, tiffPlain, deep, small, deep), []int{2, 2, 3}, nil, ""},
		{"alpha", encodeTIFF(order, tiffPlain, opaque, opaque), []int{2, 3, 1, 1}, []float32{1, 2, 3, 1, 2, 3}, "the alpha channel of 2 of 2 pages is ignored; a pixel that is not opaque is an error"},
	} {
		path := filepath.Join(t.TempDir(), "a.tif")
		if err := os.WriteFile(path, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := Open(path)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := make([]float32, a.Len()*a.RowLen())
		if err := a.ReadFloat32(got, 0, a.Len()); err != nil || !slices.Equal(a.Shape(), c.shape) || c.want != nil && !slices.Equal(got, c.want) || strings.Join(a.Notes(), ";") != c.note {
			t.Errorf("%s: %v %v, notes %q, %v; want %v %v, %q", c.name, a.Shape(), got, a.Notes(), err, c.shape, c.want, c.note)
		}
		a.Close()
	}
}

func TestTIFFErrors(t *testing.T) {
	t.Parallel()
	order := binary.LittleEndian
	one := tiffImage{width: 2, height: 1, samples: 1, bits: 8, raw: []byte{1, 2}}
	other := tiffImage{width: 1, height: 1, samples: 1, bits: 8, raw: []byte{1}}
	round := encodeTIFF(order, tiffPlain, one)
	copy(round[len(round)-4:], round[4:8])
	far := encodeTIFF(order, tiffPlain, one)
	order.PutUint32(far[4:], 1<<30)
	seethrough := tiffImage{width: 1, height: 1, samples: 4, bits: 8, raw: []byte{1, 2, 3, 254}, alpha: true}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"sizes", encodeTIFF(order, tiffPlain, one, other), "page 1 is 1×1, gray, 8 bits, but page 0 is 2×1, gray, 8 bits: all pages must agree"},
		{"circle", round, "its pages form a cycle"},
		{"BigTIFF", []byte("II+\x00\x08\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00"), "is a BigTIFF file, which is not supported; convert it"},
		{"no pages", []byte("II*\x00\x00\x00\x00\x00"), "the TIFF file has no pages"},
		{"only masks", encodeTIFF(order, tiffPlain, tiffImage{width: 1, height: 1, samples: 1, bits: 8, raw: []byte{1}, subfile: tiffMask}), "the TIFF file has no pages"},
		{"far away", far, "truncated: page 0 begins at byte 1073741824"},
		{"32 bits", encodeTIFF(order, tiffPlain, tiffImage{width: 1, height: 1, samples: 1, bits: 32, raw: make([]byte, 4)}), "page 0: tiff: unsupported feature"},
		{"transparent", encodeTIFF(order, tiffPlain, seethrough), "page 0: the pixel at column 0, row 0 is transparent"},
	} {
		path := filepath.Join(t.TempDir(), "a.tif")
		if err := os.WriteFile(path, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := Open(path)
		if err == nil {
			err = a.ReadFloat32(make([]float32, a.RowLen()), 0, 1)
			a.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Count(err.Error(), path) != 1 {
			t.Errorf("%s: %v, want %q and the path once", c.name, err, c.want)
		}
	}
	// Several pages in a file of a folder would be several frames of one name.
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.tif"), encodeTIFF(order, tiffPlain, one, one), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "has 2 pages, want one per file of a folder; give the file itself") {
		t.Error(err)
	}
	if _, err := Open(filepath.Join(dir, "a.tif") + ":x"); err == nil || errors.Is(err, ErrTruncated) {
		t.Error(err)
	}
}

// A byte changed in a strip that deflate compressed is an error: its checksum is verified.
func TestDamagedStrip(t *testing.T) {
	t.Parallel()
	f, _ := exampleField(Uint8)
	path, err := writeTIFF(t.TempDir(), f, tiffDeflate)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	strip := len(compress(f.Data.([]uint8)[:12], tiffDeflate))
	for i := tiffHeader; i < tiffHeader+strip; i++ {
		for bit := range 8 {
			damaged := bytes.Clone(data)
			damaged[i] ^= 1 << bit
			if err := os.WriteFile(path, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			a, err := Open(path)
			if err != nil {
				continue
			}
			got := make([]uint8, 60)
			if err := a.ReadUint8(got, 0, 5); err == nil && !bytes.Equal(got, f.Data.([]uint8)) {
				t.Errorf("bit %d of byte %d changed: other values", bit, i)
			}
			a.Close()
		}
	}
}
