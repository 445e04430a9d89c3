// The preprocessing of a folder's encoder, as the library of its weights stores it.

package picture

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"repscope/internal/resize"
	"repscope/internal/text"
	"repscope/model/checkpoint"
)

// Folder is the preprocessing of the encoder in a folder, and the name of the file that says it; nil where none
// does: preprocessor_config.json or its relatives of transformers, open_clip_config.json, or the pretrained_cfg of timm
// in config.json. Errors name the file, and a step that is not supported.
func Folder(dir string) (*Processor, string, error) {
	files, err := checkpoint.Processors(dir)
	if err != nil {
		return nil, "", err
	}
	for _, file := range files {
		parse := parseProcessor
		switch file.Name {
		case "processor_config.json":
			parse = parseWithin
		case "open_clip_config.json":
			parse = parseOpenCLIP
		case "config.json":
			parse = parseTIMM
		}
		p, err := parse(file.Data)
		if err == nil && p != nil {
			err = p.Check()
		}
		if err != nil {
			return nil, file.Name, fmt.Errorf("%s: %w", file.Name, err)
		}
		if p != nil {
			return p, file.Name, nil
		}
	}
	return nil, "", nil
}

// parseWithin reads the processor of images of a model of several inputs.
func parseWithin(data []byte) (*Processor, error) {
	var f struct {
		Image json.RawMessage `json:"image_processor"`
		Video json.RawMessage `json:"video_processor"`
	}
	if err := text.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("it is not the configuration of a processor: %w", err)
	}
	for _, part := range []json.RawMessage{f.Image, f.Video} {
		if len(part) > 0 && string(part) != "null" {
			return parseProcessor(part)
		}
	}
	return nil, nil
}

// libraryFile is the preprocessing as timm and open_clip write it.
type libraryFile struct {
	InputSize     []int           `json:"input_size"`
	Size          json.RawMessage `json:"size"`
	Crop          *float64        `json:"crop_pct"`
	CropMode      string          `json:"crop_mode"`
	ResizeMode    string          `json:"resize_mode"`
	Interpolation string          `json:"interpolation"`
	Mean          []float64       `json:"mean"`
	Std           []float64       `json:"std"`
}

// processor has the defaults of the library where the file has nothing.
func (f *libraryFile) processor(height, width int, mean, std [3]float64) (*Processor, error) {
	p := &Processor{CropHeight: height, CropWidth: width, RoundCrop: true, Scale: 1. / 255, Mean: mean, Std: std}
	p.Filter = resize.Filter(cmp.Or(f.Interpolation, string(resize.FilterBicubic)))
	if !slices.Contains(resize.Filters(), p.Filter) {
		return nil, fmt.Errorf("interpolation is %.40q, want a filter of Pillow", f.Interpolation)
	}
	for _, list := range []struct {
		name string
		from []float64
		to   *[3]float64
	}{{"mean", f.Mean, &p.Mean}, {"std", f.Std, &p.Std}} {
		switch {
		case len(list.from) == 3:
			*list.to = [3]float64(list.from)
		case len(list.from) != 0:
			return nil, fmt.Errorf("%s has %d numbers, want 3", list.name, len(list.from))
		}
	}
	if slices.Contains(p.Std[:], 0) {
		return nil, errors.New("std is 0")
	}
	return p, nil
}

// parseTIMM reads the pretrained_cfg of timm; nil: there is none. The shorter side becomes the side of the input divided
// by crop_pct and rounded down, and the middle is left.
func parseTIMM(data []byte) (*Processor, error) {
	var f struct {
		Config *libraryFile `json:"pretrained_cfg"`
	}
	if err := text.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("it is not a configuration: %w", err)
	}
	c := f.Config
	if c == nil || c.InputSize == nil {
		return nil, nil
	}
	if len(c.InputSize) != 3 || c.InputSize[0] != 3 {
		return nil, fmt.Errorf("input_size is %v, want 3 channels, a height and a width", c.InputSize)
	}
	height, width := c.InputSize[1], c.InputSize[2]
	net := ImageNet(height)
	p, err := c.processor(height, width, net.Mean, net.Std)
	if err != nil {
		return nil, err
	}
	share := 0.875
	if c.Crop != nil {
		share = *c.Crop
	}
	if !(share > 0 && share <= 1) {
		return nil, fmt.Errorf("crop_pct is %g, want a share up to 1", share)
	}
	whole := func(side int) int { return int(math.Min(math.Floor(float64(side)/share), maxSide+1)) }
	switch {
	case c.CropMode == "squash":
		p.Height, p.Width = whole(height), whole(width)
	case c.CropMode != "" && c.CropMode != "center":
		return nil, fmt.Errorf("crop_mode is %.40q, want center or squash", c.CropMode)
	case height != width:
		return nil, fmt.Errorf("input_size is %v, want a square", c.InputSize)
	default:
		p.Shortest = whole(height)
	}
	return p, nil
}

// parseOpenCLIP reads an open_clip_config.json; nil: it has no size.
func parseOpenCLIP(data []byte) (*Processor, error) {
	var f struct {
		Config libraryFile `json:"preprocess_cfg"`
		Model  struct {
			Vision struct {
				Size json.RawMessage `json:"image_size"`
			} `json:"vision_cfg"`
		} `json:"model_cfg"`
	}
	if err := text.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("it is not a configuration: %w", err)
	}
	raw := f.Config.Size
	if len(raw) == 0 {
		raw = f.Model.Vision.Size
	}
	if len(raw) == 0 {
		return nil, nil
	}
	height, width, err := pairOf(raw)
	if err != nil {
		return nil, err
	}
	clip := CLIP(height)
	p, err := f.Config.processor(height, width, clip.Mean, clip.Std)
	if err != nil {
		return nil, err
	}
	switch mode := f.Config.ResizeMode; {
	case mode == "squash":
		p.Height, p.Width = height, width
	case mode != "" && mode != "shortest":
		return nil, fmt.Errorf("resize_mode is %.40q, want shortest or squash", mode)
	case height != width:
		return nil, fmt.Errorf("size is %.40s, want a square", raw)
	default:
		p.Shortest = height
	}
	return p, nil
}

// pairOf reads a side, or a height and a width.
func pairOf(raw json.RawMessage) (height, width int, err error) {
	var side int
	var pair []int
	switch {
	case json.Unmarshal(raw, &side) == nil:
		return side, side, nil
	case json.Unmarshal(raw, &pair) == nil && len(pair) == 2:
		return pair[0], pair[1], nil
	}
	return 0, 0, fmt.Errorf("the size is %.60s, want a number, or a height and a width", raw)
}

// steps are the keys of steps of a processor of transformers that are known.
var steps = []string{"do_resize", "do_rescale", "do_normalize", "do_center_crop", "do_convert_rgb", "do_sample_frames",
	"do_reduce_labels"}

// otherSteps finds steps of a processor of transformers that are not known.
func otherSteps(data []byte, kind string) error {
	var keys map[string]json.RawMessage
	if err := text.Unmarshal(data, &keys); err != nil {
		return nil // not an object, which is said elsewhere
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		other := strings.HasPrefix(key, "do_") && !slices.Contains(steps, key) ||
			slices.Contains([]string{"keep_aspect_ratio", "rescale_offset", "include_top"}, key)
		if other && string(keys[key]) == "true" {
			return fmt.Errorf("%.40s is true: this step is not supported", key)
		}
	}
	for _, name := range []string{"Levit", "Perceiver", "PoolFormer"} {
		if strings.HasPrefix(kind, name) {
			return fmt.Errorf("the processor %.60s is not supported", kind)
		}
	}
	return nil
}
