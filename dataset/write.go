// Writing arrays: npy, npz and safetensors.

package dataset

// Field is one named array of an npz or safetensors file to write. Data is a
// slice of an Element type with the product of Shape as its length.
type Field struct {
	Name  string
	Shape []int
	Data  any
}

// WriteNPY writes an array in C order, little-endian, as .npy version 1. The
// file appears under its name only when complete.
func WriteNPY[T Element](path string, shape []int, data []T) error { return nil }

// WriteNPZ writes the arrays as stored (uncompressed) members of an .npz file.
// Equal fields give equal bytes.
func WriteNPZ(path string, fields ...Field) error { return nil }

// WriteSafetensors writes the arrays as a .safetensors file.
func WriteSafetensors(path string, fields ...Field) error { return nil }
