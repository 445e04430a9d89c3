// The arrays of files for --init: which are frames, episodes and latents.

package evaluate

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"repscope/dataset"
)

// content is what a dataset of a first suite file has. Values are FILE or FILE:ARRAY.
type content struct {
	name, frames, episodes string
	latents                []named
}

// named is a value with a name.
type named struct{ name, value string }

// arrayOf is an array of a file, as far as its header tells.
type arrayOf struct {
	key, spec string
	shape     []int
	whole     bool // integers
}

var (
	framesName  = regexp.MustCompile(`(?i)^(frames?|states?|obs|observations?|images?|pixels?|x)$`)
	episodeName = regexp.MustCompile(`(?i)(episode|group|traj|^ep)`)
)

// arraysOf are the arrays of a file or FILE:ARRAY; none if it cannot be read as arrays.
func arraysOf(path string) []arrayOf {
	one, err := dataset.Open(path)
	list := []*dataset.Array{one}
	if err != nil {
		if list, err = dataset.OpenAll(path); err != nil {
			return nil
		}
	}
	var arrays []arrayOf
	for _, a := range list {
		spec := path
		if len(list) > 1 {
			spec += ":" + a.Key()
		}
		whole := a.DType() != dataset.Float32 && a.DType() != dataset.Float64 && a.DType() != dataset.Float16
		arrays = append(arrays, arrayOf{a.Key(), spec, a.Shape(), whole})
		_ = a.Close()
	}
	return arrays
}

// states is the array that looks like frames: the one of a usual name, else the one with most values among those
// with at least three axes; nil without one.
func states(arrays []arrayOf) *arrayOf {
	size := func(a *arrayOf) (n int) {
		n = 1
		for _, k := range a.shape {
			n *= k
		}
		return n
	}
	var frames *arrayOf
	for i := range arrays {
		a := &arrays[i]
		switch {
		case framesName.MatchString(a.key) && len(a.shape) > 1:
			return a
		case len(a.shape) > 2 && (frames == nil || size(a) > size(frames)):
			frames = a
		}
	}
	return frames
}

// contents are the datasets of some files. An array [N, D] of numbers next to frames of N states is latents of them,
// in the file of the frames or in a file of its own.
func contents(files []string) []content {
	var list []content
	var rows []int
	var loose []arrayOf // of files without frames
	for i, name := range names(files) {
		c := content{name: name, frames: files[i]}
		arrays := arraysOf(files[i])
		frames := states(arrays)
		if frames == nil && len(arrays) == 1 && len(arrays[0].shape) == 2 && !arrays[0].whole {
			arrays[0].key = name
			loose = append(loose, arrays[0])
			continue
		}
		n := -1
		if frames != nil {
			c.frames, n = frames.spec, frames.shape[0]
		}
		for _, a := range arrays {
			switch {
			case len(a.shape) == 0 || a.shape[0] != n || a.spec == c.frames:
			case len(a.shape) == 1 && a.whole && c.episodes == "" && episodeName.MatchString(a.key):
				c.episodes = a.spec
			case len(a.shape) == 2 && !a.whole:
				c.latents = append(c.latents, named{a.key, a.spec})
			}
		}
		list, rows = append(list, c), append(rows, n)
	}
	for _, a := range loose {
		i := slices.Index(rows, a.shape[0])
		if i < 0 { // latents alone
			i = len(list)
			list, rows = append(list, content{name: a.key}), append(rows, a.shape[0])
		}
		list[i].latents = append(list[i].latents, named{a.key, a.spec})
	}
	return list
}

// isModel reports whether a file has the ending of an encoder.
func isModel(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".onnx", ".pth", ".pt", ".safetensors":
		return true
	}
	return false
}
