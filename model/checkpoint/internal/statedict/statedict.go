// Package statedict finds the state dict in a training checkpoint of PyTorch.
package statedict

import (
	"fmt"
	"slices"
	"strings"

	"repscope/internal/torchfile"
	"repscope/model/checkpoint/internal/settings"
)

// Found is the state dict of a file.
type Found struct {
	Key    string // its path in the file, with dots; "" where the file is one itself
	Dict   *torchfile.Dict
	Config any // the configuration in the file, nil for none
	Notes  []string
}

// usualKeys hold the state dict of a training checkpoint, the first one that is there.
var usualKeys = []string{"encoder_state_dict", "state_dict", "model_state_dict"}

// stateDepth is how many dictionaries deep a state dict may lie.
const stateDepth = 4

// candidate is a dictionary in a checkpoint that may be a state dict.
type candidate struct {
	key  string // its path, with dots
	dict *torchfile.Dict
}

// Find finds the state dict in the root object of a file: under a key, or the usual one for an empty key.
func Find(root any, which string) (*Found, error) {
	dict, ok := root.(*torchfile.Dict)
	if !ok {
		return nil, fmt.Errorf("contains a %s, want a state dict (torch.save(model.state_dict(), path)); export whole "+
			"models and TorchScript to ONNX", torchfile.TypeName(root))
	}
	state := &Found{}
	for _, name := range settings.Keys {
		if d, ok := dict.Get(name); ok && state.Config == nil {
			state.Config = d
		}
	}
	candidates := stateDicts(dict, "", 0)
	var err error
	switch {
	case which != "":
		err = state.take(dict, candidates, which)
	default:
		err = state.takeUsual(dict, candidates)
	}
	if err != nil {
		return nil, err
	}
	if state.Key == "" {
		return state, nil
	}
	var others []string
	for _, f := range candidates {
		if f.key != state.Key && f.alike(state.Dict) {
			others = append(others, f.String())
		}
	}
	if which == "" && len(others) > 0 {
		state.Notes = append(state.Notes, fmt.Sprintf("the state dict %q is used; the file also contains %s: "+
			"choose with --state KEY", state.Key, join(others)))
	}
	return state, nil
}

// takeUsual takes a default state dict: one of the usual keys, the file itself, or the only one in it.
func (f *Found) takeUsual(root *torchfile.Dict, candidates []candidate) error {
	for _, name := range usualKeys {
		if inner, ok := root.Get(name); ok {
			d, ok := inner.(*torchfile.Dict)
			if !ok {
				return fmt.Errorf("%q is a %s, want a state dict", name, torchfile.TypeName(inner))
			}
			f.Key, f.Dict = name, d
			return nil
		}
	}
	if len(candidates) == 0 || hasWeights(root) {
		f.Key, f.Dict = "", root
		return nil
	}
	if len(candidates) == 1 {
		f.Key, f.Dict = candidates[0].key, candidates[0].dict
		return nil
	}
	names := make([]string, len(candidates))
	for i, c := range candidates {
		names[i] = c.String()
	}
	return fmt.Errorf("contains %d state dicts, %s: choose one with --state KEY", len(candidates), join(names))
}

// take takes the state dict under a key.
func (f *Found) take(root *torchfile.Dict, candidates []candidate, which string) error {
	keys := []string{which, which + "_state_dict"}
	if which == "target" {
		keys = append(keys, "target_encoder_state_dict")
	}
	for _, key := range keys {
		value, ok := at(root, key)
		if !ok {
			continue
		}
		d, ok := value.(*torchfile.Dict)
		if !ok {
			return fmt.Errorf("state %q is a %s, want a state dict", key, torchfile.TypeName(value))
		}
		inner := stateDicts(d, key, 1)
		if !hasWeights(d) && len(inner) == 1 {
			f.Key, f.Dict = inner[0].key, inner[0].dict
			return nil
		}
		f.Key, f.Dict = key, d
		return nil
	}
	tried := make([]string, len(keys))
	for i, key := range keys {
		tried[i] = fmt.Sprintf("%q", key)
	}
	last := len(tried) - 1
	none := fmt.Sprintf("state %q: no key %s or %s", which, strings.Join(tried[:last], ", "), tried[last])
	names := make([]string, len(candidates))
	for i, c := range candidates {
		names[i] = c.String()
	}
	switch {
	case len(names) > 0:
		return fmt.Errorf("%s; the file's state dicts are %s", none, join(names))
	case hasWeights(root):
		return fmt.Errorf("%s; the file is itself a state dict, with %d entries", none, root.Len())
	}
	return fmt.Errorf("%s; the file's keys are %s", none, List(root.Keys()))
}

// at follows a key, whole or as a path with dots.
func at(d *torchfile.Dict, key string) (any, bool) {
	if v, ok := d.Get(key); ok {
		return v, true
	}
	for i := range key {
		if key[i] != '.' {
			continue
		}
		if inner, ok := d.Get(key[:i]); ok {
			if inner, ok := inner.(*torchfile.Dict); ok {
				if v, ok := at(inner, key[i+1:]); ok {
					return v, true
				}
			}
		}
	}
	return nil, false
}

// stateDicts lists the dictionaries below d that are all tensors. Dictionaries of optimizers, with the tensors of their
// moments, do not count.
func stateDicts(d *torchfile.Dict, path string, depth int) []candidate {
	if _, optimizer := d.Get("param_groups"); optimizer || depth >= stateDepth {
		return nil
	}
	var candidates []candidate
	for key, value := range d.All() {
		inner, ok := value.(*torchfile.Dict)
		if !ok {
			continue
		}
		name := key
		if path != "" {
			name = path + "." + key
		}
		if allTensors(inner) {
			candidates = append(candidates, candidate{name, inner})
		} else {
			candidates = append(candidates, stateDicts(inner, name, depth+1)...)
		}
	}
	return candidates
}

// allTensors reports whether a dictionary holds weights and nothing else.
func allTensors(d *torchfile.Dict) bool {
	strings := 0
	for _, value := range d.All() {
		if _, ok := value.(*torchfile.Tensor); !ok {
			return false
		}
		strings++
	}
	return strings == d.Len() && hasWeights(d)
}

// hasWeights reports whether a dictionary has a tensor of more than one element: a lone
// scalar is a counter.
func hasWeights(d *torchfile.Dict) bool {
	for _, value := range d.All() {
		if t, ok := value.(*torchfile.Tensor); ok && slices.ContainsFunc(t.Shape, func(n int) bool { return n > 1 }) {
			return true
		}
	}
	return false
}

// alike reports whether a dictionary may hold other weights of the same model: most names of
// a state dict, whatever their prefix.
func (f candidate) alike(state *torchfile.Dict) bool {
	last := func(key string) string {
		parts := strings.Split(key, ".")
		return strings.Join(parts[max(0, len(parts)-2):], ".")
	}
	names := map[string]bool{}
	for key := range f.dict.All() {
		names[last(key)] = true
	}
	same, all := 0, 0
	for key, value := range state.All() {
		if _, ok := value.(*torchfile.Tensor); !ok {
			continue
		}
		if all++; names[last(key)] {
			same++
		}
	}
	return 2*same > all
}

func (f candidate) String() string {
	if f.dict.Len() == 1 {
		return fmt.Sprintf("%q (1 tensor)", f.key)
	}
	return fmt.Sprintf("%q (%d tensors)", f.key, f.dict.Len())
}

// join lists state dicts for a message, at most a dozen.
func join(names []string) string {
	if len(names) > 12 {
		names = append(slices.Clone(names[:12]), "…")
	}
	return strings.Join(names, ", ")
}

// List joins names for a message, at most a dozen.
func List(names []string) string {
	names = slices.Sorted(slices.Values(names))
	more := ""
	if len(names) > 12 {
		names, more = names[:12], ", …"
	}
	for i, n := range names {
		names[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(names, ", ") + more
}
