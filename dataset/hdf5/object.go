// Object headers: the messages that describe a group or a dataset.

package hdf5

import (
	"fmt"
)

// The messages of object headers that are read.
const (
	messageSpace         = 0x01
	messageLinkInfo      = 0x02
	messageType          = 0x03
	messageOldFill       = 0x04
	messageFill          = 0x05
	messageLink          = 0x06
	messageExternal      = 0x07
	messageLayout        = 0x08
	messageFilters       = 0x0b
	messageAttribute     = 0x0c
	messageContinuation  = 0x10
	messageSymbolTable   = 0x11
	messageAttributeInfo = 0x15
	lastMessage          = 0x18 // of the versions that are known
)

// Flags of a message.
const (
	flagShared   = 0x02
	flagRequired = 0x80 // who does not know the message must not read the object
)

// message is one message of an object header.
type message struct {
	kind  int
	flags uint64
	data  []byte
}

// object is an object header.
type object struct {
	address  uint64
	target   bool // another header refers to it
	messages []message
}

// find returns the first message of a kind.
func (o *object) find(kind int) (message, bool) {
	for _, m := range o.messages {
		if m.kind == kind {
			return m, true
		}
	}
	return message{}, false
}

// isDataset reports whether the header is of a dataset, by its messages.
func (o *object) isDataset() bool {
	_, layout := o.find(messageLayout)
	_, space := o.find(messageSpace)
	return layout && space
}

// isGroup reports whether the header is of a group.
func (o *object) isGroup() bool {
	for _, kind := range []int{messageSymbolTable, messageLinkInfo, messageLink} {
		if _, ok := o.find(kind); ok {
			return true
		}
	}
	return false
}

// span is a part of the file that holds messages.
type span struct{ address, length uint64 }

// object reads the object header at an address.
func (f *File) object(address uint64) (*object, error) { return f.header(&object{address: address}) }

func (f *File) header(o *object) (*object, error) {
	address := o.address
	head, err := f.read(address, 4)
	if err != nil {
		return nil, fmt.Errorf("object header: %w", err)
	}
	var more []span
	if string(head) == "OHDR" {
		more, err = f.header2(o)
	} else {
		more, err = f.header1(o)
	}
	seen := map[span]bool{}
	for i := 0; err == nil && i < len(more); i++ {
		if seen[more[i]] {
			return nil, fmt.Errorf("corrupt: the object header at address %d continues in itself", address)
		}
		seen[more[i]] = true
		var next []span
		if string(head) == "OHDR" {
			next, err = f.continuation2(o, more[i])
		} else {
			next, err = f.continuation1(o, more[i])
		}
		more = append(more, next...)
	}
	if err != nil {
		return nil, fmt.Errorf("object header at address %d: %w", address, err)
	}
	return o, nil
}

// header1 reads a header of version 1.
func (f *File) header1(o *object) ([]span, error) {
	data, err := f.read(o.address, 16)
	if err != nil {
		return nil, err
	}
	c := &cursor{data: data}
	if version := c.uint(1); version != 1 {
		return nil, fmt.Errorf("corrupt: it begins with %d, want version 1 or 2", version)
	}
	c.skip(7)
	return f.continuation1(o, span{o.address + 16, c.uint(4)})
}

// continuation1 reads messages of version 1.
func (f *File) continuation1(o *object, s span) ([]span, error) {
	data, err := f.read(s.address, int64(s.length))
	if err != nil {
		return nil, err
	}
	var more []span
	for c := (&cursor{data: data}); len(c.data)-c.next >= 8; {
		m := message{kind: int(c.uint(2))}
		n := int(c.uint(2))
		m.flags = c.uint(1)
		c.skip(3)
		m.data = c.bytes(n)
		if c.short {
			return nil, c.err("message")
		}
		if more, err = f.add(o, m, more); err != nil {
			return nil, err
		}
	}
	return more, nil
}

// header2 reads a header of version 2.
func (f *File) header2(o *object) ([]span, error) {
	data, err := f.read(o.address, 6)
	if err != nil {
		return nil, err
	}
	flags := int(data[5])
	if data[4] != 2 {
		return nil, fmt.Errorf("version %d, want 1 or 2", data[4])
	}
	prefix := 6
	if flags&0x20 != 0 {
		prefix += 16 // times
	}
	if flags&0x10 != 0 {
		prefix += 4 // limits of attributes
	}
	width := 1 << (flags & 3)
	if data, err = f.read(o.address, int64(prefix+width)); err != nil {
		return nil, err
	}
	n := (&cursor{data: data, next: prefix}).int(width)
	if data, err = f.read(o.address, int64(n)+int64(prefix+width+4)); err != nil {
		return nil, err
	}
	c := &cursor{data: data}
	if err := c.verify("OHDR"); err != nil {
		return nil, err
	}
	c.skip(prefix + width)
	return f.messages2(o, c, flags)
}

// continuation2 reads messages of version 2. The flag of creation order is in the header.
func (f *File) continuation2(o *object, s span) ([]span, error) {
	data, err := f.read(o.address, 6)
	if err != nil {
		return nil, err
	}
	flags := int(data[5])
	if data, err = f.read(s.address, int64(s.length)); err != nil {
		return nil, err
	}
	c := &cursor{data: data}
	if err := c.verify("OCHK"); err != nil {
		return nil, err
	}
	if string(c.bytes(4)) != "OCHK" {
		return nil, fmt.Errorf("corrupt: no OCHK at address %d", s.address)
	}
	return f.messages2(o, c, flags)
}

func (f *File) messages2(o *object, c *cursor, flags int) (more []span, err error) {
	order := 0
	if flags&4 != 0 {
		order = 2
	}
	for len(c.data)-c.next >= 4+order {
		m := message{kind: int(c.uint(1))}
		n := int(c.uint(2))
		m.flags = c.uint(1)
		c.skip(order)
		m.data = c.bytes(n)
		if c.short {
			return nil, c.err("message")
		}
		if more, err = f.add(o, m, more); err != nil {
			return nil, err
		}
	}
	return more, nil
}

// add adds a message, or the span where messages continue.
func (f *File) add(o *object, m message, more []span) ([]span, error) {
	switch m.kind {
	case 0:
		return more, nil
	case messageContinuation:
		c := &cursor{data: m.data}
		s := span{c.uint(f.offsets), c.uint(f.lengths)}
		return append(more, s), c.err("continuation message")
	case messageSpace, messageType, messageOldFill, messageFill, messageFilters, messageAttribute:
		if m.flags&flagShared != 0 {
			if o.target {
				return nil, fmt.Errorf("corrupt: shared messages refer to each other")
			}
			data, err := f.shared(m.kind, m.data)
			if err != nil {
				return nil, err
			}
			m.data = data
		}
	}
	if m.kind > lastMessage && m.flags&flagRequired != 0 {
		return nil, fmt.Errorf("a message of type %d, which is not known, must be understood to read the object", m.kind)
	}
	o.messages = append(o.messages, m)
	return more, nil
}

// shared returns the content of a message that is stored elsewhere, such as a type with a name.
func (f *File) shared(kind int, data []byte) ([]byte, error) {
	c := &cursor{data: data}
	version, where := c.uint(1), c.uint(1)
	if version == 1 {
		c.skip(6)
	}
	if version == 3 && where == 1 {
		return nil, fmt.Errorf("a message in the heap of shared messages is not supported; save the file again with h5py")
	}
	address := c.uint(f.offsets)
	if err := c.err("shared message"); err != nil {
		return nil, err
	}
	if version < 1 || version > 3 {
		return nil, fmt.Errorf("version %d of a shared message, want 1 to 3", version)
	}
	o, err := f.header(&object{address: address, target: true})
	if err != nil {
		return nil, err
	}
	m, ok := o.find(kind)
	if !ok {
		return nil, fmt.Errorf("corrupt: the object at address %d has no message of type %d", address, kind)
	}
	return m.data, nil
}
