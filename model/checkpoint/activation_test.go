// The names of activations; each is accepted.

package checkpoint

import (
	"slices"
	"testing"
)

// Every activation that is listed is one, each architecture has one default, and those after the last layer are
// activations too.
func TestActivations(t *testing.T) {
	t.Parallel()
	defaults := map[string]int{}
	for _, a := range Activations() {
		b := newBuilder()
		b.options.Activation = a.Name
		if got, err := b.activation("ConvEncoder"); err != nil || got.Name != a.Name {
			t.Errorf("%s is %s, error %v", a.Name, got.Name, err)
		}
		if a.DefaultOf != "" {
			defaults[a.DefaultOf]++
			if got, err := newBuilder().activation(a.DefaultOf); err != nil || got.Name != a.Name {
				t.Errorf("the default of %s is %s, error %v, want %s", a.DefaultOf, got.Name, err, a.Name)
			}
		}
	}
	for name, n := range defaults {
		if n != 1 || !slices.ContainsFunc(architectures, func(a modelArchitecture) bool { return a.Name == name }) {
			t.Errorf("%d defaults of %q", n, name)
		}
	}
	for _, name := range FinalActivations() {
		if !slices.Contains(activationNames(), name) {
			t.Errorf("%q is no activation", name)
		}
	}
}
