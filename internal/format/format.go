// Package format recognizes files by their first bytes, the same for all readers of files: arrays, encoders,
// checkpoints. It reads nothing itself.
//
//	head := make([]byte, min(format.HeadSize, file.Size()))
//	…
//	switch format.Of(head) {
//	case format.Safetensors:
//		…
//	}
package format

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// HeadSize is how many bytes from the beginning of a file Of wants to see. A file
// may be shorter.
const HeadSize = 64

// ErrTruncated reports that a file ends too early: it was cut while being copied or written. All readers wrap this one
// error.
var ErrTruncated = errors.New("truncated")

// Kind is the kind of a file by its first bytes.
type Kind int

// The kinds of files. Zip includes .npz and the PyTorch files of today, which differ in the content of the zip file;
// Pickle includes the PyTorch files from before 1.6 and other Python pickles.
const (
	Unknown Kind = iota
	Empty
	NPY
	Zip
	Safetensors
	Pickle
	Image
	TIFF
	HDF5
	NetCDF // of the classic formats
	Parquet
	LFSPointer
)

// MaxSafetensorsHeader is the largest header that the safetensors format allows.
const MaxSafetensorsHeader = 100 << 20

// The beginnings of files.
const (
	NPYMagic   = "\x93NUMPY"
	zipMagic   = "PK\x03\x04"
	zipEmpty   = "PK\x05\x06" // without members
	pngMagic   = "\x89PNG"
	jpegMagic  = "\xff\xd8\xff"
	tiffLittle = "II*\x00"
	tiffBig    = "MM\x00*"
	hdf5Magic  = "\x89HDF"
	matMagic   = "MATLAB 7.3 MAT-file" // HDF5 behind a block of 512 bytes

	bigTIFFLittle = "II+\x00"
	bigTIFFBig    = "MM\x00+"

	lfsBegin    = "version https://git-lfs"
	pickleMagic = 0x80
)

// Of returns the kind of a file that begins with head.
func Of(head []byte) Kind {
	for _, k := range []struct {
		magic string
		kind  Kind
	}{
		{NPYMagic, NPY}, {zipMagic, Zip}, {zipEmpty, Zip}, {pngMagic, Image}, {jpegMagic, Image},
		{tiffLittle, TIFF}, {tiffBig, TIFF},
		{bigTIFFLittle, TIFF}, {bigTIFFBig, TIFF}, {hdf5Magic, HDF5}, {matMagic, HDF5},
		{"CDF\x01", NetCDF}, {"CDF\x02", NetCDF}, {"CDF\x05", NetCDF}, {"PAR1", Parquet}, {"PARE", Parquet},
		{lfsBegin, LFSPointer},
	} {
		if bytes.HasPrefix(head, []byte(k.magic)) {
			return k.kind
		}
	}
	switch {
	case len(head) == 0:
		return Empty
	case isSafetensors(head):
		return Safetensors
	case len(head) > 1 && head[0] == pickleMagic && head[1] >= 2 && head[1] <= 5: // the opcode of protocols 2 to 5
		return Pickle
	}
	return Unknown
}

// isSafetensors reports whether a file begins like a safetensors file: the length
// of a header in eight bytes, and a JSON object.
func isSafetensors(head []byte) bool {
	return len(head) >= 9 && head[8] == '{' && binary.LittleEndian.Uint64(head) <= MaxSafetensorsHeader
}

// Describe describes a file that begins with head, for an error: "begins with …" if its format is unknown.
func Describe(head []byte) string {
	switch Of(head) {
	case Empty:
		return "is empty"
	case Image:
		return "is one image; give the folder with the images"
	case TIFF:
		return "is a TIFF file"
	case HDF5:
		return "is an HDF5 file"
	case NetCDF:
		return "is a NetCDF file"
	case Parquet:
		return "is a Parquet file"
	case LFSPointer:
		return "is a Git LFS pointer, not the file itself (git lfs pull)"
	}
	return fmt.Sprintf("begins with %q", head[:min(8, len(head))])
}
