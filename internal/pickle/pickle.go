// Package pickle interprets Python pickles, protocols 0 to 5, without executing anything from them. A pickle may build
// plain values. Every global it names is looked up through a caller's function, which returns its permitted behavior or
// an error. Memory, depth and the size of strings are bounded by the length of the input and a budget.
//
//	value, err := pickle.Load(reader, size, pickle.Options{Find: find})
//
// Python values become None: nil, bool: bool, int: int64 or [Long], float: float64, str: string, bytes and bytearray:
// []byte, tuple: *Tuple, list: *List, set and frozenset: *Set, dict: *Dict.
package pickle

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"

	"repscope/internal/format"
)

// Tuple is a Python tuple.
type Tuple struct{ Items []any }

// List is a Python list. Two references to one Python list are one *List.
type List struct{ Items []any }

// Set is a Python set or frozenset in the order of the pickle.
type Set struct{ Items []any }

// Dict is a Python dict, in insertion order. Keys are strings, int64, float64, bool, nil or tuples of these; Attributes
// holds the extra attributes of a subclass such as OrderedDict.
type Dict struct {
	Attributes any
	// Unknown, if not nil, says that an unknown class made this and it may be no dict: only its items show that it is one.
	Unknown error

	entries []entry
	index   map[any]int
}

type entry struct{ key, value any }

// NewDict returns an empty dict.
func NewDict() *Dict { return &Dict{} }

// Len returns the number of items.
func (d *Dict) Len() int { return len(d.entries) }

// Get returns the value under key.
func (d *Dict) Get(key any) (any, bool) {
	k, err := hashable(key)
	if err != nil {
		return nil, false
	}
	i, ok := d.index[k]
	if !ok {
		return nil, false
	}
	return d.entries[i].value, true
}

// Set stores value under key; an existing key keeps its position.
func (d *Dict) Set(key, value any) error {
	k, err := hashable(key)
	if err != nil {
		return err
	}
	if i, ok := d.index[k]; ok {
		d.entries[i].value = value
		return nil
	}
	if d.index == nil {
		d.index = map[any]int{}
	}
	d.index[k] = len(d.entries)
	d.entries = append(d.entries, entry{key, value})
	return nil
}

// All yields the items in insertion order.
func (d *Dict) All() iter.Seq2[any, any] {
	return func(yield func(any, any) bool) {
		for _, e := range d.entries {
			if !yield(e.key, e.value) {
				return
			}
		}
	}
}

// maxKey bounds the representation of a key that is a tuple or bytes: each is kept, however often the parts are shared.
const maxKey = 1 << 10

// tupleKey is the comparable representation of a tuple or of bytes used as a key.
type tupleKey string

// hashable returns a comparable Go value for a Python key. As in Python, 1,
// 1.0 and True are one key.
func hashable(key any) (any, error) { return hashableAt(key, 0) }

func hashableAt(key any, depth int) (any, error) {
	switch k := key.(type) {
	case nil, string, int64, Long:
		return k, nil
	case bool:
		if k {
			return int64(1), nil
		}
		return int64(0), nil
	case float64:
		if k == math.Trunc(k) && math.Abs(k) < 1<<53 {
			return int64(k), nil
		}
		if k != k {
			return tupleKey("nan"), nil
		}
		return k, nil
	case []byte:
		if len(k) > maxKey {
			return nil, fmt.Errorf("a dict key of %d bytes, want at most %d", len(k), maxKey)
		}
		return tupleKey("b" + string(k)), nil
	case *Tuple:
		if depth > 8 || len(k.Items) > 64 {
			return nil, errors.New("a dict key is too deep or too long a tuple")
		}
		s := []byte("(")
		for _, item := range k.Items {
			h, err := hashableAt(item, depth+1)
			if err != nil {
				return nil, err
			}
			if text, ok := h.(string); ok && len(text) > maxKey {
				return nil, errors.New("a dict key is too long a tuple")
			}
			part := fmt.Sprintf("%T:%v", h, h)
			if s = fmt.Appendf(s, "%d:%s,", len(part), part); len(s) > maxKey {
				return nil, errors.New("a dict key is too long a tuple")
			}
		}
		return tupleKey(s), nil
	}
	return nil, fmt.Errorf("a dict key of type %s is not supported", TypeName(key))
}

// TypeName names the Python type of a value, for messages.
func TypeName(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return "bool"
	case int64, Long:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case []byte:
		return "bytes"
	case *Tuple:
		return "tuple"
	case *List:
		return "list"
	case *Set:
		return "set"
	case *Dict:
		return "dict"
	case interface{ TypeName() string }:
		return v.TypeName()
	}
	return fmt.Sprintf("%T", v)
}

// Global is the permitted behavior of a name in a pickle. Call is the result of applying it to arguments.
type Global interface {
	Call(args []any) (any, error)
}

// Function is a Global made of a Go function.
type Function func(args []any) (any, error)

// Call applies the function.
func (f Function) Call(args []any) (any, error) { return f(args) }

// StateSetter is implemented by values that accept a BUILD instruction
// (Python's __setstate__ or an update of __dict__).
type StateSetter interface {
	SetState(state any) error
}

// Options define the permitted globals and the memory of a pickle.
type Options struct {
	// Find returns the behavior of the global module.name. Nil allows none.
	Find func(module, name string) (Global, error)
	// Persistent resolves a persistent id. Nil allows none.
	Persistent func(id any) (any, error)
	// Memory is the number of bytes that the values may take, by a generous
	// count; 0 means 1 GiB.
	Memory int64
}

// Errors to be tested with errors.Is.
var (
	// ErrCorrupt reports that the input is not a well-formed pickle.
	ErrCorrupt = errors.New("corrupt pickle")
	// ErrTruncated reports that the input ends inside the pickle.
	ErrTruncated = fmt.Errorf("%w: %w", ErrCorrupt, format.ErrTruncated)
	// ErrMemory reports that the values would take more memory than allowed.
	ErrMemory = errors.New("pickle needs more memory than allowed")
)

// Load reads one pickle from r, up to and including its STOP instruction, and
// not one byte more when r is an io.ByteReader. size is an upper bound of the
// bytes that are left in r; strings longer than that are refused before they
// are allocated.
func Load(r io.Reader, size int64, options Options) (any, error) {
	m := newMachine(r, size, options)
	value, err := m.run()
	if err != nil {
		return nil, fmt.Errorf("at byte %d: %w", m.in.position, err)
	}
	return value, nil
}
