// The names that PyTorch puts around parts of a model.

package statedict

import (
	"fmt"
	"slices"
	"strings"
)

// wrappers are the parts of names that PyTorch puts around a module that is compiled, sharded or computed twice.
var wrappers = []string{"_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module"}

// Unwrap returns a state dict without the names of wrappers around parts of the model, and notes about them; wrappers
// at the begin of names are a prefix like others.
func Unwrap[M ~map[string]T, T any](state M) (M, []string, error) {
	out, removed := make(M, len(state)), map[string]bool{}
	from := make(map[string]string, len(state))
	for key, t := range state {
		parts := strings.Split(key, ".")
		first := 0
		for first < len(parts) && (parts[first] == "module" || slices.Contains(wrappers, parts[first])) {
			first++
		}
		inner := slices.DeleteFunc(parts[min(first+1, len(parts)):], func(part string) bool {
			is := slices.Contains(wrappers, part)
			removed[part] = removed[part] || is
			return is
		})
		name := strings.Join(parts[:min(first+1, len(parts))+len(inner)], ".")
		if other, twice := from[name]; twice {
			return nil, nil, fmt.Errorf("tensors %q and %q differ only in the names of wrappers: the state dict is a "+
				"mixture of two", min(key, other), max(key, other))
		}
		out[name], from[name] = t, key
	}
	var notes []string
	for _, w := range wrappers {
		if removed[w] {
			notes = append(notes, fmt.Sprintf("the wrapper %q is removed from the tensors' names", w+"."))
		}
	}
	return out, notes, nil
}
