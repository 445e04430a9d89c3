// Package hdf5test writes small HDF5 files for tests: superblock 0, object headers of version 1, link messages.
//
//	var b hdf5test.Builder
//	x := b.Object(hdf5test.Space(5, 3), hdf5test.Float32(), hdf5test.Contiguous(b.Put(raw), len(raw)))
//	data := b.File(b.Group(hdf5test.Name{Name: "x", Address: x}))
package hdf5test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
)

const superblock = 96 // bytes

// Builder collects the parts of a file.
type Builder struct{ data []byte }

// Put adds bytes and returns their address.
func (b *Builder) Put(data []byte) uint64 {
	for len(b.data)%8 != 0 {
		b.data = append(b.data, 0)
	}
	address := superblock + len(b.data)
	b.data = append(b.data, data...)
	return uint64(address)
}

// Next is the address of the next addition.
func (b *Builder) Next() uint64 { return uint64(superblock + (len(b.data)+7)/8*8) }

// File is the file with a root group.
func (b *Builder) File(root uint64) []byte {
	out := Join([]byte("\x89HDF\r\n\x1a\n"), []byte{0, 0, 0, 0, 0, 8, 8, 0}, Short(4), Short(16), Word(0),
		Long(0), Long(1<<64-1), Long(uint64(superblock+len(b.data))), Long(1<<64-1), Long(0), Long(root), make([]byte, 24))
	return append(out, b.data...)
}

// Message is a message of an object header.
type Message struct {
	Type  int
	Flags byte
	Data  []byte
}

// Object adds an object header.
func (b *Builder) Object(messages ...Message) uint64 {
	var body []byte
	for _, m := range messages {
		data := append(bytes.Clone(m.Data), make([]byte, -len(m.Data)&7)...)
		body = Join(body, Short(m.Type), Short(len(data)), []byte{m.Flags, 0, 0, 0}, data)
	}
	return b.Put(Join([]byte{1, 0}, Short(len(messages)), Word(1), Word(len(body)), Word(0), body))
}

// Name is a name of a group.
type Name struct {
	Name    string
	Address uint64
}

// Group adds a group.
func (b *Builder) Group(names ...Name) uint64 {
	messages := []Message{{Type: 2, Data: Join([]byte{0, 0}, Long(1<<64-1), Long(1<<64-1))}}
	for _, n := range names {
		data := Join([]byte{1, 0, byte(len(n.Name))}, []byte(n.Name), Long(n.Address))
		messages = append(messages, Message{Type: 6, Data: data})
	}
	return b.Object(messages...)
}

// Tree adds a node of a B-tree of version 1, of chunks: a key before each child and one after the last.
func (b *Builder) Tree(level int, keys [][]byte, children []uint64) uint64 {
	data := Join([]byte("TREE"), []byte{1, byte(level)}, Short(len(children)), Long(1<<64-1), Long(1<<64-1))
	for i, child := range children {
		data = Join(data, keys[i], Long(child))
	}
	return b.Put(Join(data, keys[len(keys)-1]))
}

// Key is the key of a chunk of stored bytes that begins with an element.
func Key(stored int, element ...int) []byte {
	data := Join(Word(stored), Word(0))
	for _, n := range append(element, 0) {
		data = append(data, Long(uint64(n))...)
	}
	return data
}

// Space is a shape.
func Space(shape ...int) Message {
	data := []byte{1, byte(len(shape)), 0, 0, 0, 0, 0, 0}
	for _, n := range shape {
		data = append(data, Long(uint64(n))...)
	}
	return Message{Type: 1, Data: data}
}

// Uint8 is a type.
func Uint8() Message { return integer(1, 0) }

// Int64 is a type.
func Int64() Message { return integer(8, 8) }

func integer(size int, flags byte) Message {
	return Message{Type: 3, Data: Join([]byte{0x10, flags, 0, 0}, Word(size), Short(0), Short(8*size))}
}

// Float32 is a type.
func Float32() Message {
	data := Join([]byte{0x11, 0x20, 31, 0}, Word(4), Short(0), Short(32), []byte{23, 8, 0, 23}, Word(127))
	return Message{Type: 3, Data: data}
}

// Contiguous is a layout.
func Contiguous(address uint64, size int) Message {
	return Message{Type: 8, Data: Join([]byte{3, 1}, Long(address), Long(uint64(size)))}
}

// Chunked is a layout with a B-tree, of chunks of a shape of elements of size bytes.
func Chunked(tree uint64, size int, shape ...int) Message {
	data := Join([]byte{3, 2, byte(len(shape) + 1)}, Long(tree))
	for _, n := range append(shape, size) {
		data = append(data, Word(n)...)
	}
	return Message{Type: 8, Data: data}
}

// Filter is a filter without parameters, such as 1 (gzip) or 3 (fletcher32).
func Filter(ids ...int) Message {
	data := []byte{1, byte(len(ids)), 0, 0, 0, 0, 0, 0}
	for _, id := range ids {
		data = Join(data, Short(id), Short(0), Short(0), Short(0))
	}
	return Message{Type: 11, Data: data}
}

// Deflate compresses bytes.
func Deflate(data []byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// Join joins bytes.
func Join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// Short is a number of two bytes.
func Short(n int) []byte { return binary.LittleEndian.AppendUint16(nil, uint16(n)) }

// Word is a number of four bytes.
func Word(n int) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(n)) }

// Long is a number of eight bytes.
func Long(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }
