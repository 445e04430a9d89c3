// The values a file can hold, and their conversion from the pickle's.

package torchfile

import (
	"errors"
	"fmt"
	"iter"

	"repscope/internal/pickle"
)

// Dict is a Python dict or OrderedDict in its own order. Its values are nil, bool, int64, pickle.Long, float64, string,
// []byte, []any (lists, tuples, sets and torch.Size), *Dict, *Tensor or *Object.
type Dict struct {
	keys   []any
	values []any
	index  map[string]int
}

// Len returns the number of items.
func (d *Dict) Len() int { return len(d.keys) }

// Get returns the value under a string key.
func (d *Dict) Get(key string) (any, bool) {
	i, ok := d.index[key]
	if !ok {
		return nil, false
	}
	return d.values[i], true
}

// Keys returns the keys that are strings, in order.
func (d *Dict) Keys() []string {
	keys := make([]string, 0, len(d.keys))
	for k := range d.All() {
		keys = append(keys, k)
	}
	return keys
}

// All yields the items whose key is a string, in order.
func (d *Dict) All() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for i, k := range d.keys {
			if s, ok := k.(string); ok && !yield(s, d.values[i]) {
				return
			}
		}
	}
}

// Items yields all items, in order.
func (d *Dict) Items() iter.Seq2[any, any] {
	return func(yield func(any, any) bool) {
		for i, k := range d.keys {
			if !yield(k, d.values[i]) {
				return
			}
		}
	}
}

// Object is an instance of a class that the reader lets through without
// knowing it: its class, the arguments it was made with and its attributes.
type Object struct {
	Class string // "module.name"
	Args  []any
	State any // usually a *Dict of attributes

}

// Attribute returns the attribute with this name.
func (o *Object) Attribute(name string) (any, bool) {
	if d, ok := o.State.(*Dict); ok {
		return d.Get(name)
	}
	return nil, false
}

// TypeName names the Python type of a value of a file, for messages.
func TypeName(v any) string {
	switch v := v.(type) {
	case []any:
		return "list"
	case *Dict:
		return "dict"
	case *Tensor:
		return "tensor"
	case *Object:
		return v.Class
	}
	return pickle.TypeName(v)
}

// object is an Object while the pickle is being read.
type object struct {
	class string
	args  []any
	state any
}

// SetState takes the attributes; the last state wins, as in Python.
func (o *object) SetState(state any) error { o.state = state; return nil }

// TypeName names the class.
func (o *object) TypeName() string { return o.class }

const (
	maxDepth = 200     // of nested containers
	maxNodes = 1 << 27 // values when shared ones are counted each time
)

// converter converts the values of a pickle to the values of a file. Containers that the pickle shares stay shared. A
// container that holds itself, nesting beyond maxDepth, and sharing that would unfold to more than maxNodes values are
// errors, so that callers can traverse a file without guarding against them.
type converter struct {
	done map[any]converted
}

type converted struct {
	value any
	nodes int // values under it, each occurrence counted
	depth int // containers below and including it
}

var errCycle = errors.New("a container contains itself")

func (c *converter) convert(v any, depth int) (converted, error) {
	switch x := v.(type) {
	case *pickle.Tuple, *pickle.List, *pickle.Set, *pickle.Dict, *object, *array:
	case *storage:
		return converted{}, errors.New("contains a bare storage; save tensors")
	case *numpyType:
		return converted{x.dtype.String(), 1, 0}, nil
	case pickle.Function:
		return converted{}, errors.New("contains a function as a value")
	case unknownClass:
		return converted{}, x.refused()
	case pickle.Global: // an element type or a class, by its name
		return converted{x.(fmt.Stringer).String(), 1, 0}, nil
	default:
		return converted{v, 1, 0}, nil
	}
	if done, ok := c.done[v]; ok {
		if done.nodes == 0 {
			return done, errCycle
		}
		if depth+done.depth > maxDepth {
			return done, fmt.Errorf("containers are nested more than %d deep", maxDepth)
		}
		return done, nil
	}
	if depth >= maxDepth {
		return converted{}, fmt.Errorf("containers are nested more than %d deep", maxDepth)
	}
	c.done[v] = converted{}
	out, err := c.container(v, depth+1)
	if err != nil {
		return out, err
	}
	out.depth++
	c.done[v] = out
	return out, nil
}

func (c *converter) container(v any, depth int) (converted, error) {
	out := converted{nodes: 1}
	child := func(v any) (any, error) {
		r, err := c.convert(v, depth)
		if err != nil {
			return nil, err
		}
		out.nodes += r.nodes
		out.depth = max(out.depth, r.depth)
		if out.nodes > maxNodes {
			return nil, fmt.Errorf("shared containers unfold to more than %d values", maxNodes)
		}
		return r.value, nil
	}
	children := func(items []any) ([]any, error) {
		list := make([]any, len(items))
		for i, item := range items {
			var err error
			if list[i], err = child(item); err != nil {
				return nil, fmt.Errorf("[%d]%w", i, nested{err})
			}
		}
		return list, nil
	}
	var err error
	switch v := v.(type) {
	case *pickle.Tuple:
		out.value, err = children(v.Items)
	case *pickle.List:
		out.value, err = children(v.Items)
	case *pickle.Set:
		out.value, err = children(v.Items)
	case *pickle.Dict:
		if v.Unknown != nil && v.Len() == 0 {
			return out, v.Unknown
		}
		out.value, err = dictOf(v, child)
	case *object:
		o := &Object{Class: v.class}
		if o.Args, err = children(v.args); err != nil {
			return out, err
		}
		if o.State, err = child(v.state); err != nil {
			return out, fmt.Errorf("%s%w", v.class, nested{err})
		}
		out.value = o
	case *array:
		out.value, err = v.tensor()
	}
	return out, err
}

// dictOf converts a dict, its keys and values by child.
func dictOf(v *pickle.Dict, child func(any) (any, error)) (*Dict, error) {
	d := &Dict{index: make(map[string]int)}
	for key, value := range v.All() {
		k, err := child(key)
		if err != nil {
			return nil, err
		}
		value, err := child(value)
		if err != nil {
			return nil, fmt.Errorf("[%.60q]%w", fmt.Sprint(key), nested{err})
		}
		if s, ok := k.(string); ok {
			d.index[s] = len(d.keys)
		}
		d.keys = append(d.keys, k)
		d.values = append(d.values, value)
	}
	return d, nil
}

// nested joins the path of a value with the path or the message below it.
type nested struct{ error }

func (n nested) Error() string {
	s := n.error.Error()
	if len(s) > 0 && s[0] == '[' {
		return s
	}
	return ": " + s
}

func (n nested) Unwrap() error { return n.error }
