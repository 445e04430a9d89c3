// Package netcdftest writes small NetCDF files of the format CDF-5 for tests.
//
//	x := netcdftest.Variable{Name: "x", Type: netcdftest.Ubyte, Shape: []int{3}, Raw: []byte{1, 2, 3}}
//	data := netcdftest.File(x)
package netcdftest

import "encoding/binary"

// The types of variables.
const (
	Float = 5
	Ubyte = 7
	Int64 = 10
)

// Variable is an array; Raw has its values, big-endian. Begin, if not 0, is written in the place of the right offset.
type Variable struct {
	Name  string
	Type  int
	Shape []int
	Raw   []byte
	Begin uint64
}

// File is a file of variables, each with dimensions of its own.
func File(variables ...Variable) []byte {
	head := header(variables, 0)
	out := header(variables, len(head))
	for _, v := range variables {
		out = pad(append(out, v.Raw...))
	}
	return out
}

func header(variables []Variable, begin int) []byte {
	b := &buffer{data: []byte("CDF\x05")}
	b.long(0)
	axes := 0
	for _, v := range variables {
		axes += len(v.Shape)
	}
	b.word(10)
	b.long(axes)
	for _, v := range variables {
		for i, n := range v.Shape {
			b.name(v.Name + string(rune('a'+i)))
			b.long(n)
		}
	}
	b.word(0)
	b.long(0)
	b.word(11)
	b.long(len(variables))
	axes = 0
	for _, v := range variables {
		b.name(v.Name)
		b.long(len(v.Shape))
		for range v.Shape {
			b.long(axes)
			axes++
		}
		b.word(0)
		b.long(0)
		b.word(v.Type)
		b.long(len(v.Raw))
		if v.Begin != 0 {
			b.long(int(v.Begin))
		} else {
			b.long(begin)
		}
		begin += len(pad(v.Raw))
	}
	return b.data
}

// buffer collects big-endian numbers.
type buffer struct{ data []byte }

func (b *buffer) word(n int) { b.data = binary.BigEndian.AppendUint32(b.data, uint32(n)) }

func (b *buffer) long(n int) { b.data = binary.BigEndian.AppendUint64(b.data, uint64(n)) }

func (b *buffer) name(name string) {
	b.long(len(name))
	b.data = pad(append(b.data, name...))
}

// pad fills up to a multiple of four bytes.
func pad(data []byte) []byte {
	for len(data)%4 != 0 {
		data = append(data[:len(data):len(data)], 0)
	}
	return data
}
