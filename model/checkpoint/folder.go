// Folders as Hugging Face's save_pretrained writes them: config.json, and the weights in one file or several with an
// index.

package checkpoint

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/mmap"
	"repscope/internal/regular"
	"repscope/internal/text"
	"repscope/model/checkpoint/internal/settings"
	"repscope/model/checkpoint/internal/statedict"
)

// indexSuffix is the ending of an index, which maps each tensor to its file.
const indexSuffix = ".index.json"

const (
	indexSize  = 64 << 20 // most bytes of an index
	indexFiles = 4096     // most files of an index
)

// OpenFolder reads the encoder in a folder: model.safetensors or pytorch_model.bin, whole or in several files with an
// index, and config.json for values that the tensors do not determine.
func OpenFolder(dir string, o Options) (*Network, error) {
	name, err := statedict.WeightsOf(dir)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, name)
	if !strings.HasSuffix(name, indexSuffix) {
		file, err := mmap.Open(path)
		if err != nil {
			return nil, err
		}
		n, err := Read(file, o)
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		n.files = []*mmap.File{file}
		n.Notes = append(n.Notes, statedict.Besides(dir, name)...)
		return n, nil
	}
	data, err := readIndex(path)
	if err != nil {
		return nil, err
	}
	weights, err := parseIndex(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	n, err := openShards(dir, path, weights, o)
	if err == nil {
		n.Notes = append(n.Notes, statedict.Besides(dir, name)...)
	}
	return n, err
}

// Beside lists existing files that are read with a checkpoint or its folder: the configuration, the index, and the
// files named by the index.
func Beside(path string) []string {
	dir, list := filepath.Dir(path), []string{}
	add := func(name string) {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			list = append(list, file)
		}
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		dir = path
		if name, err := statedict.WeightsOf(dir); err == nil {
			add(name)
			if data, err := readIndex(filepath.Join(dir, name)); err == nil && strings.HasSuffix(name, indexSuffix) {
				weights, _ := parseIndex(data)
				for _, shard := range slices.Compact(slices.Sorted(maps.Values(weights))) {
					add(shard)
				}
			}
		}
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(settings.Files, ProcessorFiles)))) {
		add(name)
	}
	return list
}

func readIndex(path string) ([]byte, error) {
	return regular.Read(path, indexSize)
}

// parseIndex reads an index: the file of each tensor.
func parseIndex(data []byte) (map[string]string, error) {
	var index struct {
		Weights map[string]string `json:"weight_map"`
	}
	if err := text.Unmarshal(data, &index); err != nil {
		return nil, fmt.Errorf("not an index of weights: %w", err)
	}
	if len(index.Weights) == 0 {
		return nil, errors.New("not an index of weights: weight_map is missing or empty")
	}
	files := map[string]bool{}
	for tensor, file := range index.Weights {
		if file == "" || file == "." || file == ".." || strings.ContainsAny(file, `/\`) {
			return nil, fmt.Errorf("tensor %q is in %q, want the name of a file in the same folder", tensor, file)
		}
		files[file] = true
	}
	if len(files) > indexFiles {
		return nil, fmt.Errorf("names %d files, want at most %d", len(files), indexFiles)
	}
	return index.Weights, nil
}

// openShards reads the tensors of several files into one encoder.
func openShards(dir, index string, weights map[string]string, o Options) (n *Network, err error) {
	all := &content{state: State{}}
	var files []*mmap.File
	closeAll := func() error {
		var errs []error
		for _, f := range files {
			errs = append(errs, f.Close())
		}
		return errors.Join(errs...)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, closeAll())
		}
	}()
	for _, name := range slices.Compact(slices.Sorted(maps.Values(weights))) {
		path := filepath.Join(dir, name)
		file, err := openShard(index, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", index, err)
		}
		files = append(files, file)
		c, err := readContent(file, o)
		if err != nil {
			return nil, fileError(path, err)
		}
		all.format, all.chosen, all.config = c.format, c.chosen, c.config
		for key, t := range c.state {
			if weights[key] != name {
				return nil, fmt.Errorf("%s: contains tensor %q, which %s assigns to another file", path, key, index)
			}
			all.state[key] = t
		}
	}
	for _, key := range slices.Sorted(maps.Keys(weights)) {
		if _, ok := all.state[key]; !ok {
			return nil, fmt.Errorf("%s: lacks tensor %q, which %s assigns to it", filepath.Join(dir, weights[key]), key, index)
		}
	}
	if n, err = all.network(dir, o); err != nil {
		return nil, fileError(dir, err)
	}
	n.files, n.close = files, closeAll
	return n, nil
}

// openShard maps a file that an index names.
func openShard(index, name string) (*mmap.File, error) {
	file, err := regular.OpenBeside(index, name)
	if err != nil {
		return nil, err
	}
	mapped, err := mmap.FromFile(file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return mapped, nil
}
