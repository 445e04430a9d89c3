// The values a file can hold.

package torchfile

import (
	"iter"

	"repscope/internal/pickle"
)

// Dict is a Python dict or OrderedDict in its own order. Its values are nil,
// bool, int64, *big.Int, float64, string, []byte, []any (lists, tuples, sets
// and torch.Size), *Dict, *Tensor or *Object.
type Dict struct {
	keys   []any
	values []any
	dict   *pickle.Dict
}

// Len returns the number of items.
func (d *Dict) Len() int { return len(d.keys) }

// Get returns the value under a string key.
func (d *Dict) Get(key string) (any, bool) { return nil, false }

// Keys returns the keys that are strings, in order.
func (d *Dict) Keys() []string { return nil }

// All yields the items whose key is a string, in order.
func (d *Dict) All() iter.Seq2[string, any] { return func(func(string, any) bool) {} }

// Object is an instance of a class that the reader lets through without
// knowing it: its class, the arguments it was made with and its attributes.
type Object struct {
	Class string // "module.name"
	Args  []any
	State any // usually a *Dict of attributes
}

// Attribute returns the attribute with the given name.
func (o *Object) Attribute(name string) (any, bool) { return nil, false }
