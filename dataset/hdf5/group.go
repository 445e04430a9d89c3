// Groups: the names in a file, and what they lead to.

package hdf5

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The kinds of members of a group.
const (
	hard = iota
	soft
	external = 64
)

// member is a name in a group.
type member struct {
	name    string
	kind    int
	address uint64 // of the object
	target  string // path of a soft link; file and path of an external one
}

// maxMembers bounds the names of one file.
const maxMembers = 1 << 22

// members returns the names of a group in ascending order. They are read once.
func (f *File) members(o *object) ([]member, error) {
	f.lock.Lock()
	list, ok := f.groups[o.address]
	f.lock.Unlock()
	if ok {
		return list, nil
	}
	list, err := f.readMembers(o)
	if err == nil {
		f.lock.Lock()
		f.groups[o.address] = list
		f.lock.Unlock()
	}
	return list, err
}

func (f *File) readMembers(o *object) (list []member, err error) {
	add := func(m member) error {
		if list = append(list, m); len(list) > maxMembers {
			return fmt.Errorf("a group of more than %d names", maxMembers)
		}
		return nil
	}
	for _, m := range o.messages {
		switch m.kind {
		case messageSymbolTable:
			err = f.oldGroup(m.data, add)
		case messageLink:
			var one member
			if one, err = f.link(m.data); err == nil {
				err = add(one)
			}
		case messageLinkInfo:
			err = f.denseGroup(m.data, add)
		}
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(list, func(a, b member) int { return strings.Compare(a.name, b.name) })
	for i := 1; i < len(list); i++ {
		if list[i].name == list[i-1].name {
			return nil, fmt.Errorf("corrupt: the name %q appears twice in a group", list[i].name)
		}
	}
	return list, nil
}

// oldGroup reads a group of a B-tree and a local heap.
func (f *File) oldGroup(data []byte, add func(member) error) error {
	c := &cursor{data: data}
	tree, heapAddress := c.uint(f.offsets), c.uint(f.offsets)
	if err := c.err("symbol table message"); err != nil {
		return err
	}
	heap, err := f.localHeap(heapAddress)
	if err != nil {
		return err
	}
	t := &tree1{file: f, kind: 0, key: f.lengths}
	t.visit = func(_ []byte, child uint64) error { return f.symbols(child, heap, add) }
	return t.walk(tree, 256)
}

// symbols reads a node of symbols.
func (f *File) symbols(address uint64, heap []byte, add func(member) error) error {
	c, err := f.block(address, 8, "SNOD", 1)
	if err != nil {
		return err
	}
	c.skip(1)
	n := c.int(2)
	entry := 2*f.offsets + 24
	data, err := f.read(address+8, int64(n*entry))
	if err != nil {
		return err
	}
	c = &cursor{data: data}
	for range n {
		name, address := c.uint(f.offsets), c.uint(f.offsets)
		cache := c.uint(4)
		c.skip(4)
		scratch := &cursor{data: c.bytes(16)}
		m := member{address: address}
		if m.name, err = textIn(heap, name); err != nil {
			return err
		}
		if cache == 2 {
			m.kind = soft
			if m.target, err = textIn(heap, scratch.uint(4)); err != nil {
				return err
			}
		}
		if err := add(m); err != nil {
			return err
		}
	}
	return nil
}

// link reads a link message.
func (f *File) link(data []byte) (m member, err error) {
	c := &cursor{data: data}
	version, flags := c.uint(1), c.uint(1)
	if version != 1 {
		return m, fmt.Errorf("version %d of a link message, want 1", version)
	}
	if flags&8 != 0 {
		m.kind = int(c.uint(1))
	}
	if flags&4 != 0 {
		c.skip(8) // order of creation
	}
	if flags&16 != 0 {
		c.skip(1) // character set
	}
	m.name = string(c.bytes(c.int(1 << (flags & 3))))
	switch m.kind {
	case hard:
		m.address = c.uint(f.offsets)
	case soft:
		m.target = string(c.bytes(c.int(2)))
	case external:
		value := &cursor{data: c.bytes(c.int(2))}
		value.skip(1)
		file := value.text()
		m.target = file + ":" + value.text()
	default:
		m.target = fmt.Sprintf("a link of type %d", m.kind)
	}
	return m, c.err("link message")
}

// dense reads the message that leads to a fractal heap and a tree; nil without them. A flag announces a number
// of width bytes, which is skipped.
func (f *File) dense(data []byte, message string, width int) (h *fractalHeap, tree uint64, err error) {
	c := &cursor{data: data}
	c.skip(1)
	if c.uint(1)&1 != 0 {
		c.skip(width)
	}
	address, tree := c.uint(f.offsets), c.uint(f.offsets)
	if err := c.err(message); err != nil || !f.defined(address) || !f.defined(tree) {
		return nil, 0, err
	}
	h, err = f.fractalHeap(address)
	return h, tree, err
}

// denseGroup reads a group whose names are in a fractal heap.
func (f *File) denseGroup(data []byte, add func(member) error) error {
	h, tree, err := f.dense(data, "link info message", 8)
	if h == nil || err != nil {
		return err
	}
	return f.walk2(tree, recordLinkName, func(record []byte) error {
		if len(record) < 5 {
			return fmt.Errorf("corrupt: a record of a name has %d bytes", len(record))
		}
		data, err := h.object(record[4:])
		if err != nil {
			return err
		}
		m, err := f.link(data)
		if err != nil {
			return err
		}
		return add(m)
	})
}

// ErrNotFound reports that a file has no dataset of a path.
var ErrNotFound = errors.New("not found")

// mostLinks is how many soft links a path may pass.
const mostLinks = 16

// resolve follows a path from the root, through soft links, to an object.
func (f *File) resolve(path string) (*object, error) {
	steps := split(path)
	var passed []string
	address := f.root
	for links := 0; ; {
		o, err := f.object(address)
		if err != nil || len(steps) == 0 {
			return o, err
		}
		list, err := f.members(o)
		if err != nil {
			return nil, err
		}
		compare := func(m member, name string) int { return strings.Compare(m.name, name) }
		i, ok := slices.BinarySearchFunc(list, steps[0], compare)
		if !ok {
			return nil, fmt.Errorf("%w: %q", ErrNotFound, strings.Join(append(passed, steps[0]), "/"))
		}
		switch m := list[i]; m.kind {
		case hard:
			address = m.address
			passed, steps = append(passed, steps[0]), steps[1:]
		case soft:
			if links++; links > mostLinks {
				return nil, fmt.Errorf("%q passes more than %d soft links", path, mostLinks)
			}
			target := split(m.target)
			if !strings.HasPrefix(m.target, "/") {
				target = append(slices.Clone(passed), target...)
			}
			steps, passed, address = append(target, steps[1:]...), nil, f.root
		default:
			return nil, m.foreign()
		}
	}
}

// foreign is the error of a link that leaves the file.
func (m *member) foreign() error {
	if m.kind == external {
		return fmt.Errorf("%q is an external link to %s, which is not followed; open that file", m.name, m.target)
	}
	return fmt.Errorf("%q is %s, which is not supported", m.name, m.target)
}

// split divides a path into names.
func split(path string) (names []string) {
	for name := range strings.SplitSeq(path, "/") {
		if name != "" && name != "." {
			names = append(names, name)
		}
	}
	return names
}

// Listed is a name of a file that leads to a dataset, or to something that is not followed or cannot be read.
type Listed struct {
	Path    string // without a leading slash
	Dataset *Dataset
	Err     error // why there is no dataset
}

// Entries returns the datasets of a file by ascending path. Each group is visited once, so groups that contain each
// other end.
func (f *File) Entries() ([]Listed, error) {
	w := &walker{file: f, seen: map[uint64]bool{}}
	if err := w.group(f.root, "", 0); err != nil {
		return nil, fmt.Errorf("%s: %w", f.mapped.Path(), err)
	}
	return w.entries, nil
}

// walker visits all groups.
type walker struct {
	file    *File
	seen    map[uint64]bool
	entries []Listed
}

// deepestGroup is how deep groups are nested at most.
const deepestGroup = 256

func (w *walker) group(address uint64, path string, depth int) error {
	if w.seen[address] {
		return nil
	}
	w.seen[address] = true
	if depth > deepestGroup {
		return fmt.Errorf("groups are nested more than %d deep", deepestGroup)
	}
	o, err := w.file.object(address)
	if err != nil {
		return err
	}
	list, err := w.file.members(o)
	if err != nil {
		return err
	}
	for i := range list {
		if err := w.member(&list[i], path, depth); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) member(m *member, path string, depth int) error {
	e := Listed{Path: path + m.name}
	var o *object
	switch m.kind {
	case hard:
		if o, e.Err = w.file.object(m.address); e.Err == nil && !o.isDataset() {
			if o.isGroup() {
				return w.group(m.address, e.Path+"/", depth+1)
			}
			return nil // a type with a name, an empty group
		}
	case soft:
		if o, e.Err = w.file.resolve(e.Path); errors.Is(e.Err, ErrNotFound) {
			e.Err = fmt.Errorf("a soft link to %q, which does not exist", m.target)
		}
		if e.Err == nil && !o.isDataset() {
			return nil // a group, which is listed by its own name
		}
	default:
		e.Err = m.foreign()
	}
	if e.Err == nil {
		e.Dataset, e.Err = w.file.dataset(o, e.Path)
	}
	w.entries = append(w.entries, e)
	return nil
}
