// Activations: the functions between an encoder's layers, by their names in options and in configurations. Most files
// of weights do not contain them.

package checkpoint

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"repscope/model/graph"
)

// Activation is a function between the layers of an encoder.
type Activation struct {
	// Name is the name in Options.
	Name string
	// DefaultOf names the architecture whose default is this function; empty for none.
	DefaultOf string

	aliases    []string // its other names in configurations
	op         string   // its operator; none for the identity
	attributes map[string]graph.Attribute
}

var activations = []Activation{
	{Name: "silu", DefaultOf: "ConvEncoder", aliases: []string{"swish"}, op: "Silu"},
	{Name: "relu", op: "Relu"},
	{Name: "gelu", DefaultOf: "ViT-MAE", op: "Gelu"},
	{Name: "gelu_tanh", aliases: []string{"gelu_new", "gelu_fast", "gelu_pytorch_tanh"}, op: "Gelu",
		attributes: map[string]graph.Attribute{"approximate": {Kind: graph.AttributeString, String: "tanh"}}},
	{Name: "quick_gelu", aliases: []string{"quickgelu"}, op: quickGelu},
	{Name: "tanh", op: "Tanh"},
	{Name: "none", aliases: []string{"identity"}},
}

// quickGelu is x·sigmoid(1.702x), of two products.
const quickGelu = "QuickGelu"

// finalActivations are those after the last layer of a DQN CNN, the default first.
var finalActivations = []string{"relu", "none"}

// Activations lists the values of Options.Activation.
func Activations() []Activation { return slices.Clone(activations) }

// FinalActivations lists the values of Options.FinalActivation, the default first.
func FinalActivations() []string { return slices.Clone(finalActivations) }

// activationNames are the names of Options.
func activationNames() []string {
	names := make([]string, len(activations))
	for i, a := range activations {
		names[i] = a.Name
	}
	return names
}

// named is the activation of a name that Options may have.
func named(name string) Activation { return activations[slices.Index(activationNames(), name)] }

// activation chooses a function: the option, the configuration, or the architecture's own, in this order; names are its
// names in configurations.
func (b *builder) activation(architecture string, names ...string) (Activation, error) {
	i := slices.IndexFunc(activations, func(a Activation) bool { return a.DefaultOf == architecture })
	return b.activationOr(activations[i].Name, names...)
}

// activationOr is activation with the name of the default.
func (b *builder) activationOr(otherwise string, names ...string) (Activation, error) {
	name, where := b.options.Activation, ""
	if name == "" {
		var err error
		if name, where, err = b.settings.Text(names...); err != nil {
			return Activation{}, fmt.Errorf("activation: %w", err)
		}
	}
	i := slices.IndexFunc(activations, func(a Activation) bool {
		known := strings.ToLower(strings.TrimPrefix(name, "nn."))
		return name == "" && a.Name == otherwise || a.Name == known || slices.Contains(a.aliases, known)
	})
	if i < 0 {
		if where != "" {
			where = " (" + where + ")"
		}
		return Activation{}, fmt.Errorf("activation %q%s: want %s", name, where, choice(activationNames()))
	}
	a := activations[i]
	if where != "" && a.Name != otherwise {
		b.warn("activation %s, from %s", a.Name, where)
	}
	b.settings.Decide("activation", a.Name)
	return a, nil
}

// publishedActivations are the activations of published models that differ from their family.
var publishedActivations = []struct {
	names      *regexp.Regexp
	activation string
}{
	{regexp.MustCompile(`quickgelu`), "quick_gelu"},
	{regexp.MustCompile(`^vit_(base_patch32_siglip|large_patch16_siglip_(gap_)?512|(so400m|giantopt)_patch16_siglip)`),
		"gelu_tanh"},
}

// activationOf is the activation of a family, or of the published model that a configuration names.
func (b *builder) activationOf(f *family) (Activation, error) {
	name := b.settings.PublishedName()
	for _, p := range publishedActivations {
		if p.names.MatchString(name) {
			return b.activationOr(p.activation, "hidden_act")
		}
	}
	return b.activationOr(f.activation, "hidden_act")
}

// finalActivation is the option, or the default.
func (b *builder) finalActivation() (Activation, error) {
	name := b.options.FinalActivation
	if name == "" {
		name = finalActivations[0]
	}
	if !slices.Contains(finalActivations, name) {
		return Activation{}, fmt.Errorf("final activation %q: want %s", name, choice(finalActivations))
	}
	b.settings.Decide("final_activation", name)
	return named(name), nil
}

// choice is the names as "a, b or c".
func choice(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// choices is the names as "a, b (default), c".
func choices(names []string, otherwise string) string {
	return strings.Replace(strings.Join(names, ", "), otherwise, otherwise+" (default)", 1)
}

// activate applies a function of activations' values.
func (b *builder) activate(a Activation, where string) {
	switch a.op {
	case "":
	case quickGelu:
		x := b.last
		b.node("Mul", where, nil, b.scalar(1.702))
		b.node("Sigmoid", where, nil)
		b.apply("Mul", where, nil, x, b.last)
	default:
		b.node(a.op, where, maps.Clone(a.attributes))
	}
}
