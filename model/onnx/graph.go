// Graphs: nodes, attributes, inputs and outputs.

package onnx

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"repscope/model/graph"
)

// maxDepth bounds the branches of conditions within one another.
const maxDepth = 16

func (d *decoder) graph(v field) (*graph.Graph, error) {
	g := &graph.Graph{Constants: map[string]*graph.Tensor{}}
	var inputs []graph.Port
	err := v.fields(func(n protowire.Number, v field) error {
		switch n {
		case 1:
			node, err := d.node(v)
			if err != nil {
				return fmt.Errorf("node %d: %w", len(g.Nodes), err)
			}
			g.Nodes = append(g.Nodes, node)
		case 2:
			g.Name = v.text()
		case 5:
			t, name, err := d.tensor(v)
			if err != nil {
				return fmt.Errorf("initializer %q: %w", name, err)
			}
			if _, twice := g.Constants[name]; twice {
				return fmt.Errorf("initializer %q appears twice", name)
			}
			if len(t.F32) > 1 {
				if err := checkWeights(name, t.Shape, t.F32, 0); err != nil {
					return err
				}
			}
			g.Constants[name] = t
			d.elements[name] = d.of[t]
		case 11, 12, 13:
			p, element, err := port(v)
			if err != nil {
				return fmt.Errorf("graph input, output or value %q: %w", p.Name, err)
			}
			if element != 0 {
				d.elements[p.Name] = element
			}
			switch n {
			case 11:
				inputs = append(inputs, p)
			case 12:
				g.Outputs = append(g.Outputs, p)
			}
		case 15:
			return errors.New("sparse initializers are not supported")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	d.types(g)
	if err := d.settle(g); err != nil {
		return nil, err
	}
	for _, p := range inputs {
		// Older exporters list initialisers among the inputs.
		if g.Constants[p.Name] != nil {
			continue
		}
		// Inputs of graphs in attributes may leave their type to the caller.
		if p.DType == graph.Invalid && d.depth == 0 {
			return nil, fmt.Errorf("graph input %q: its type is not supported, want a tensor of numbers", p.Name)
		}
		g.Inputs = append(g.Inputs, p)
	}
	return g, nil
}

func (d *decoder) node(v field) (*graph.Node, error) {
	node := &graph.Node{Attributes: map[string]graph.Attribute{}}
	scopes := ""
	if err := v.want(protowire.BytesType); err != nil {
		return nil, err
	}
	err := v.fields(func(n protowire.Number, v field) error {
		switch n {
		case 1:
			node.Inputs = append(node.Inputs, v.text())
		case 2:
			node.Outputs = append(node.Outputs, v.text())
		case 3:
			node.Name = v.text()
		case 4:
			node.Op = v.text()
		case 5:
			name, a, err := d.attribute(v)
			if err != nil {
				return fmt.Errorf("%s: attribute %q: %w", node.Op, name, err)
			}
			node.Attributes[name] = a
		case 7:
			node.Domain = v.text()
			if node.Domain == "repscope" {
				return errors.New(`domain "repscope" is reserved`)
			}
		case 9:
			if key, value, err := v.entry(); err == nil && key == scopesKey {
				scopes = value
			}
		}
		return nil
	})
	node.Scope = scopeOf(node.Name, scopes)
	// Attributes may precede the operator's name in a handwritten file, so only now:
	if err == nil && node.Op == "" {
		err = errors.New("no operator")
	}
	return node, err
}

func (d *decoder) attribute(v field) (name string, a graph.Attribute, err error) {
	if err := v.want(protowire.BytesType); err != nil {
		return "", a, err
	}
	declared := 0
	var branch field
	err = v.fields(func(n protowire.Number, v field) error {
		switch n {
		case 1:
			name = v.text()
		case 2:
			a.Kind, a.Float = graph.AttributeFloat, math.Float32frombits(uint32(v.number))
		case 3:
			a.Kind, a.Int = graph.AttributeInt, int64(v.number)
		case 4:
			a.Kind, a.String = graph.AttributeString, v.text()
		case 5:
			t, _, err := d.tensor(v)
			a.Kind, a.Tensor = graph.AttributeTensor, t
			if later, ok := d.deferred[t]; ok && err == nil {
				delete(d.deferred, t)
				err = later.load()
			}
			return err
		case 7:
			a.Kind = graph.AttributeFloats
			return packed(v, protowire.Fixed32Type, func(x uint64) { a.Floats = append(a.Floats, math.Float32frombits(uint32(x))) })
		case 8:
			a.Kind = graph.AttributeInts
			return packed(v, protowire.VarintType, func(x uint64) { a.Ints = append(a.Ints, int64(x)) })
		case 9:
			a.Kind = graph.AttributeStrings
			a.Strings = append(a.Strings, v.text())
		case 20:
			declared = int(v.number)
		case 6:
			a.Kind, branch = graph.AttributeOther, v
		case 10, 11, 14, 15, 22, 23:
			a.Kind = graph.AttributeOther
		case 21:
			return errors.New("refers to a function's attribute; functions are not supported")
		}
		return nil
	})
	if err == nil && branch.bytes != nil && slices.Contains(graphAttributes, name) {
		if d.depth++; d.depth > maxDepth {
			return name, a, fmt.Errorf("subgraphs are nested more than %d deep", maxDepth)
		}
		a.Kind = graph.AttributeGraph
		a.Graph, err = d.graph(branch)
		d.depth--
	}
	if a.Kind == 0 {
		a.Kind = declaredKind(declared)
	}
	return name, a, err
}

// graphAttributes are the attributes that operators have graphs in.
var graphAttributes = []string{"then_branch", "else_branch", "body", "score_mod", "prob_mod"}

// declaredKind is the kind of an attribute without a value. A value equal to protobuf's default (0, "", an empty list)
// may be omitted from the file; then only the declared type determines it.
func declaredKind(declared int) graph.AttributeKind {
	kinds := map[int]graph.AttributeKind{1: graph.AttributeFloat, 2: graph.AttributeInt, 3: graph.AttributeString,
		6: graph.AttributeFloats, 7: graph.AttributeInts, 8: graph.AttributeStrings}
	if kind, ok := kinds[declared]; ok {
		return kind
	}
	return graph.AttributeOther
}

// port decodes a ValueInfoProto and names its ONNX element type. A type that is not a tensor of numbers leaves DType
// Invalid.
func port(v field) (p graph.Port, element int, err error) {
	if err := v.want(protowire.BytesType); err != nil {
		return p, 0, err
	}
	tensorType := func(n protowire.Number, v field) error {
		switch n {
		case 1:
			element = int(v.number)
			p.DType, _ = graph.ElementDType(element)
			p.Bits = graph.IntegerBits(element)
			if kind, ok := storageOf(element); ok {
				p.Element = kind.String()
			}
		case 2:
			p.Dims = []graph.Dim{}
			return v.fields(func(n protowire.Number, v field) error {
				if n != 1 {
					return nil
				}
				d, err := dim(v)
				p.Dims = append(p.Dims, d)
				return err
			})
		}
		return nil
	}
	err = v.fields(func(n protowire.Number, v field) error {
		switch n {
		case 1:
			p.Name = v.text()
		case 2:
			return v.fields(func(n protowire.Number, v field) error {
				if n != 1 {
					return nil
				}
				return v.fields(tensorType)
			})
		}
		return nil
	})
	return p, element, err
}

// dim decodes an axis of a port.
func dim(v field) (graph.Dim, error) {
	d := graph.Dim{Size: -1}
	err := v.fields(func(n protowire.Number, v field) error {
		switch n {
		case 1:
			// Some exporters write 0 or −1 for a free axis.
			if size := int64(v.number); size > 0 {
				d.Size = int(size)
			}
		case 2:
			// "?" is no name: such axes have nothing to do with each other.
			if d.Name = v.text(); d.Name == "?" {
				d.Name = ""
			}
		}
		return nil
	})
	return d, err
}
