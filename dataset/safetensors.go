// Reading .safetensors files.

package dataset

import (
	"fmt"

	"repscope/internal/dtype"
	"repscope/internal/mmap"
	"repscope/internal/safetensors"
)

// safetensorsArrays returns the arrays of a file in order, by name.
func safetensorsArrays(file *mmap.File) (names []string, tensors map[string]safetensors.Tensor, err error) {
	list, err := safetensors.Read(file)
	tensors = make(map[string]safetensors.Tensor, len(list))
	for _, t := range list {
		names = append(names, t.Name)
		tensors[t.Name] = t
	}
	return names, tensors, err
}

func openSafetensors(file *mmap.File, key string) (*Array, error) {
	names, tensors, err := safetensorsArrays(file)
	if err != nil {
		return nil, err
	}
	if key, err = chooseKey(file.Path(), key, names); err != nil {
		return nil, err
	}
	return safetensorsArray(file, tensors[key])
}

func allSafetensors(file *mmap.File) ([]*Array, error) {
	names, tensors, err := safetensorsArrays(file)
	if err != nil {
		return nil, err
	}
	arrays := make([]*Array, len(names))
	for i, name := range names {
		if arrays[i], err = safetensorsArray(file, tensors[name]); err != nil {
			return nil, err
		}
	}
	return arrays, nil
}

// safetensorsArray returns one array of a file.
func safetensorsArray(file *mmap.File, t safetensors.Tensor) (*Array, error) {
	full := file.Path() + ":" + t.Name
	if err := t.Readable(); err != nil {
		return nil, fmt.Errorf("%s: %w", full, err)
	}
	a := newArray(full, file.Path(), t.Name, t.Shape, t.DType, dtype.LittleEndian,
		&region{file, t.Offset, rowBytes(t.Shape, t.DType)})
	fromFile(a, file, nil)
	a.close = file.Close
	return a, nil
}
