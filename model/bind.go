// Binding: tensors to the inputs they are for, by name or by order, with their checks.

package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"repscope/model/graph"
)

// binding is the state of input checks, kept from run to run.
type binding struct {
	given     []*Tensor // by Run, in order
	inputs    []*Tensor // checked and converted
	converted []*Tensor // memory of converted inputs
}

// Match finds the inputs for values with these names: the inputs of those names if the model has them all, else all
// inputs by their order if it has none of the names and as many inputs. It returns the inputs' names in the order of
// names.
func (m *Model) Match(names ...string) ([]string, error) {
	inputs := portNames(m.inputs)
	var missing []string
	for _, name := range names {
		if !slices.Contains(inputs, name) {
			missing = append(missing, name)
		}
	}
	switch {
	case len(names) != len(inputs):
		return nil, fmt.Errorf("%d inputs (%s) for a model with %d: %s", len(names), strings.Join(names, ", "), len(inputs), describe(m.inputs))
	case len(missing) == 0:
		return slices.Clone(names), nil
	case len(missing) == len(names):
		return inputs, nil
	}
	return nil, m.unknown(missing[0])
}

func (m *Model) unknown(name string) error {
	return fmt.Errorf("the model has no input %q%s; its inputs are %s", name, meant(name, portNames(m.inputs)), describe(m.inputs))
}

// byName puts named tensors into the order of the inputs.
func (m *Model) byName(inputs map[string]*Tensor) ([]*Tensor, error) {
	b := &m.bound
	b.given = b.given[:0]
	missing := ""
	for _, p := range m.inputs {
		t := inputs[p.Name]
		if t == nil && missing == "" {
			missing = p.Name
		}
		b.given = append(b.given, t)
	}
	if missing == "" && len(inputs) == len(m.inputs) {
		return b.given, nil
	}
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		if !slices.ContainsFunc(m.inputs, func(p Port) bool { return p.Name == name }) {
			return nil, m.unknown(name)
		}
	}
	return nil, fmt.Errorf("input %q is missing; the inputs of the model are %s", missing, describe(m.inputs))
}

// describe lists inputs for a message: name, element type, shape with names for free axes.
func describe(ports []Port) string {
	list := make([]string, len(ports))
	for i, p := range ports {
		list[i] = fmt.Sprintf("%q %s", p.Name, wanted(p))
	}
	return strings.Join(list, ", ")
}

// wanted is the type of an input for a message.
func wanted(p Port) string {
	kind := p.DType.String()
	if p.Element != "" && p.Element != kind {
		kind += " (declared as " + p.Element + ")"
	}
	if p.Dims == nil {
		return kind + " of any shape"
	}
	dims := make([]string, len(p.Dims))
	for i, d := range p.Dims {
		switch {
		case d.Size >= 0:
			dims[i] = fmt.Sprint(d.Size)
		case d.Name != "":
			dims[i] = d.Name
		default:
			dims[i] = "any"
		}
	}
	return fmt.Sprintf("%s [%s]", kind, strings.Join(dims, " "))
}

// bind checks tensors in the order of the inputs and converts convertible ones.
func (m *Model) bind(tensors []*Tensor) ([]*Tensor, error) {
	b := &m.bound
	b.inputs = b.inputs[:0]
	if b.converted == nil {
		b.converted = make([]*Tensor, len(m.inputs))
	}
	for i, t := range tensors {
		p := &m.inputs[i]
		if err := m.checkShape(p, t); err != nil {
			return nil, err
		}
		t, err := m.convert(i, t)
		if err != nil {
			return nil, fmt.Errorf("input %q: %w; want %s", p.Name, err, wanted(*p))
		}
		b.inputs = append(b.inputs, t)
	}
	if m.rows > 0 {
		for i, t := range b.inputs {
			if t.Shape[0] != b.inputs[0].Shape[0] {
				return nil, fmt.Errorf("input %q has %d rows, input %q has %d", m.inputs[i].Name, t.Shape[0], m.inputs[0].Name, b.inputs[0].Shape[0])
			}
		}
	}
	return b.inputs, nil
}

// checkShape compares a tensor's shape with its elements and with the shape that the file fixes. Axes of one name may
// differ: exporters give one name to all axes of unknown size.
func (m *Model) checkShape(p *Port, t *Tensor) error {
	if t == nil {
		return fmt.Errorf("input %q is missing; the inputs of the model are %s", p.Name, describe(m.inputs))
	}
	n, err := graph.Elements(t.Shape)
	if err != nil {
		return fmt.Errorf("input %q: %w", p.Name, err)
	}
	if has := held(t); has != n {
		return fmt.Errorf("input %q has %d elements of type %v, its shape %v has %d", p.Name, has, t.DType, t.Shape, n)
	}
	if p.Dims == nil {
		return nil
	}
	if len(p.Dims) != len(t.Shape) {
		return fmt.Errorf("input %q has shape %v; want %d axes, %s", p.Name, t.Shape, len(p.Dims), wanted(*p))
	}
	for j, d := range p.Dims {
		if size := t.Shape[j]; d.Size >= 0 && d.Size != size && (j > 0 || m.rows == 0 || size == 0) {
			return fmt.Errorf("input %q has shape %v; want %s", p.Name, t.Shape, wanted(*p))
		}
	}
	return nil
}

// held is the number of elements that a tensor has in memory.
func held(t *Tensor) int {
	switch t.DType {
	case Float32:
		return len(t.F32)
	case Int64:
		return len(t.I64)
	}
	return len(t.Bool)
}
