// Package settings finds what the tensors of a checkpoint do not tell in the configurations in it and next to it.
package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"repscope/internal/regular"
	"repscope/internal/torchfile"
)

// OpenCLIPFile is the configuration of open_clip.
const OpenCLIPFile = "open_clip_config.json"

// Files are read next to a checkpoint, the first one that exists.
var Files = []string{"config.yaml", "config.yml", "config.json", OpenCLIPFile}

// Keys are the entries of a training checkpoint that may hold its configuration.
var Keys = []string{"config", "hyper_parameters"}

const (
	FileSize    = 1 << 20 // most bytes of a configuration file
	configDepth = 32      // most levels of nesting
	configNodes = 100_000 // most entries looked at: a pickle may hold itself
)

// Settings finds values by name in the configurations of a checkpoint. Files are opened only when a value is needed.
type Settings struct {
	Dir     string // of the checkpoint, "" for none
	Inside  any    // the checkpoint's own configuration, nil for none
	sources []settingsSource
	loaded  bool
	Used    []string // the decisions and their sources, one "name=value" each
}

type settingsSource struct {
	name string
	root any // maps, slices and scalars
}

// setting is one leaf of a configuration.
type setting struct {
	path  []string
	value any
}

func (s *Settings) load() error {
	if s.loaded {
		return nil
	}
	s.loaded = true
	if s.Inside != nil {
		s.sources = append(s.sources, settingsSource{"the checkpoint's config", s.Inside})
	}
	if s.Dir == "" {
		return nil
	}
	for _, name := range Files {
		path := filepath.Join(s.Dir, name)
		data, err := regular.Read(path, FileSize)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		var root any // JSON is YAML too
		if err := yaml.Unmarshal(data, &root); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if name == OpenCLIPFile {
			root = visionOf(root)
		}
		s.sources = append(s.sources, settingsSource{path, root})
		return nil
	}
	return nil
}

// Find returns the value under any of the names at any depth of the first configuration that has one. Entries below
// "encoder" have priority; entries below a decoder or predictor do not count. If several remain they must agree.
func (s *Settings) Find(names ...string) (value any, where string, err error) {
	return s.search(false, names...)
}

// search is find for single values, or for lists.
func (s *Settings) search(lists bool, names ...string) (value any, where string, err error) {
	if err := s.load(); err != nil {
		return nil, "", err
	}
	for _, source := range s.sources {
		best := 1
		var settings []setting
		nodes := configNodes
		walk(source.root, nil, &nodes, func(leaf setting) {
			name := strings.ReplaceAll(strings.ToLower(leaf.path[len(leaf.path)-1]), "-", "_")
			if _, list := leaf.value.([]any); list != lists || !slices.Contains(names, name) || leaf.value == nil {
				return
			}
			rank := rankOf(leaf.path)
			if rank > best {
				best, settings = rank, nil
			}
			if rank == best {
				settings = append(settings, leaf)
			}
		})
		if len(settings) == 0 {
			continue
		}
		where := func(l setting) string { return strings.Join(l.path, ".") }
		slices.SortFunc(settings, func(a, b setting) int { return strings.Compare(where(a), where(b)) })
		for _, other := range settings[1:] {
			if fmt.Sprint(other.value) != fmt.Sprint(settings[0].value) {
				return nil, "", fmt.Errorf("%s: %s is %v, but %s is %v: choose one with the option",
					source.name, where(settings[0]), settings[0].value, where(other), other.value)
			}
		}
		return settings[0].value, fmt.Sprintf("%s: %s", source.name, where(settings[0])), nil
	}
	return nil, "", nil
}

// rankOf says whether a path leads below an encoder of images (2), elsewhere (1), or below another part of the model (0).
func rankOf(path []string) int {
	rank := 1
	for _, p := range path[:len(path)-1] {
		p = strings.ToLower(p)
		encoder, decoder := strings.Contains(strings.ReplaceAll(p, "decoder", ""), "encoder"), strings.Contains(p, "decoder")
		switch {
		case encoder && !decoder, strings.HasPrefix(p, "vision"):
			rank = 2
		case decoder && !encoder, strings.Contains(p, "predictor"), strings.HasPrefix(p, "text"):
			return 0
		}
	}
	return rank
}

// walk visits the leaves of nested maps.
func walk(value any, path []string, nodes *int, visit func(setting)) {
	*nodes--
	if len(path) > configDepth || *nodes < 0 {
		return
	}
	below := func(key any, v any) {
		walk(v, append(slices.Clip(path), fmt.Sprint(key)), nodes, visit)
	}
	switch m := value.(type) {
	case map[string]any:
		for k, v := range m {
			below(k, v)
		}
	case map[any]any:
		for k, v := range m {
			below(k, v)
		}
	case *torchfile.Dict:
		for k, v := range m.All() {
			below(k, v)
		}
	case *torchfile.Object, *torchfile.Tensor:
	default:
		if len(path) > 0 {
			visit(setting{path, value})
		}
	}
}

// Integer is a positive integer setting; 0 if no configuration has it.
func (s *Settings) Integer(names ...string) (int, string, error) {
	value, where, err := s.Find(names...)
	if err != nil || value == nil {
		return 0, "", err
	}
	n := int64(0)
	switch v := value.(type) {
	case int:
		n = int64(v)
	case int64:
		n = v
	case float64:
		if v == math.Trunc(v) && math.Abs(v) <= 1<<20 {
			n = int64(v)
		}
	}
	if n < 1 || n > 1<<20 {
		return 0, "", fmt.Errorf("%s is %v, want a positive integer", where, value)
	}
	return int(n), where, nil
}

// Agree holds a size that tensors have against a configuration of transformers next to them: a file with a model_type,
// and the name next to it or in its vision_config. The library builds the model that the file describes, so that
// weights of another one do not fit it. A configuration without the name, or with a list, says nothing.
func (s *Settings) Agree(name string, size int) error {
	if err := s.load(); err != nil {
		return err
	}
	for _, source := range s.sources {
		root, ok := source.root.(map[string]any)
		if !ok || root["model_type"] == nil {
			continue
		}
		where := name
		value := root[name]
		if vision, ok := root["vision_config"].(map[string]any); ok && vision[name] != nil {
			where, value = "vision_config."+name, vision[name]
		}
		if _, isList := value.([]any); value == nil || isList || value == size || value == float64(size) {
			continue
		}
		return fmt.Errorf("%s: %s is %.40v, but the tensors have %d: the file describes another model",
			source.name, where, printed(value), size)
	}
	return nil
}

// printed is a value as the file has it: a text in quotes.
func printed(value any) string {
	if text, ok := value.(string); ok {
		return strconv.Quote(text)
	}
	return fmt.Sprint(value)
}

// Integers is a list of integers; nil if no configuration has it, or one that is no such list.
func (s *Settings) Integers(names ...string) ([]int, error) {
	value, _, err := s.search(true, names...)
	if err != nil {
		return nil, err
	}
	values, _ := value.([]any)
	var list []int
	for _, v := range values {
		switch n := v.(type) {
		case int:
			list = append(list, n)
		case int64:
			list = append(list, int(n))
		default:
			return nil, nil
		}
	}
	return list, nil
}

// Float is a positive number; 0 if no configuration has it.
func (s *Settings) Float(names ...string) (float64, string, error) {
	value, where, err := s.Find(names...)
	if err != nil || value == nil {
		return 0, "", err
	}
	x := 0.0
	switch v := value.(type) {
	case int:
		x = float64(v)
	case int64:
		x = float64(v)
	case float64:
		x = v
	case string: // YAML 1.2 numbers such as 1e-12 that YAML 1.1 takes for text
		x, _ = strconv.ParseFloat(v, 64)
	}
	if !(x > 0 && x < 1) {
		return 0, "", fmt.Errorf("%s is %v, want a number between 0 and 1", where, value)
	}
	return x, where, nil
}

// Text is a string setting; "" if no configuration has it.
func (s *Settings) Text(names ...string) (string, string, error) {
	value, where, err := s.Find(names...)
	if err != nil || value == nil {
		return "", "", err
	}
	t, ok := value.(string)
	if !ok {
		return "", "", fmt.Errorf("%s is %v, want a name", where, value)
	}
	return t, where, nil
}

// PublishedName is the name of a model of timm in a configuration, "" if none has one.
func (s *Settings) PublishedName() string {
	if err := s.load(); err != nil { // an error where a value is needed
		s.loaded, s.sources = false, nil
		return ""
	}
	value, _, _ := s.Find("architecture")
	name, _ := value.(string)
	return name
}

// Decide records a value that the tensors do not determine.
func (s *Settings) Decide(name string, value any) {
	s.Used = append(s.Used, fmt.Sprintf("%s=%v", name, value))
}

// visionOf is the configuration of open_clip's tower of images in the terms of transformers: open_clip tells the width
// of a head, and the activation for both towers.
func visionOf(root any) any {
	all, _ := root.(map[string]any)
	model, _ := all["model_cfg"].(map[string]any)
	vision, _ := model["vision_cfg"].(map[string]any)
	settings := map[string]any{}
	if quick, ok := model["quick_gelu"].(bool); ok && quick {
		settings["hidden_act"] = "quick_gelu"
	}
	width, wide := vision["width"].(int)
	head, ok := vision["head_width"].(int)
	if !ok {
		head = 64 // the default of open_clip
	}
	if wide && head > 0 && width > 0 && width%head == 0 {
		settings["num_attention_heads"] = width / head
	}
	return settings
}
