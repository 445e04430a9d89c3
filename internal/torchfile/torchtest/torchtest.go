// Package torchtest writes PyTorch files for tests, as torch.save writes dictionaries of
// tensors, numbers, texts and further dictionaries:
//
//	var b bytes.Buffer
//	weight := torchtest.Floats([]int{1, 2}, []float32{0.5, -1})
//	err := torchtest.Encode(&b, torchtest.Dict{{"model", torchtest.Dict{{"fc.weight", weight}}}, {"epoch", 7}})
package torchtest

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"repscope/internal/dtype"
)

// Item is an entry of a dictionary. Its value is a Dict, an Object, a Tensor, an int or a string.
type Item struct {
	Key   string
	Value any
}

// Dict is a dictionary in its order.
type Dict []Item

// Object is an object of a class, "module.Class", with its attributes.
type Object struct {
	Class string
	State Dict
}

// Tensor is a contiguous tensor; Raw holds its elements, little-endian.
type Tensor struct {
	DType dtype.DType
	Shape []int
	Raw   []byte
}

// Floats is a tensor of float32.
func Floats(shape []int, values []float32) Tensor {
	raw := make([]byte, 0, 4*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return Tensor{dtype.Float32, shape, raw}
}

// Encode writes a file. Every tensor has a storage of its own.
func Encode(w io.Writer, root Dict) error {
	p := &pickler{}
	if err := p.dict(root); err != nil {
		return err
	}
	archive := zip.NewWriter(w)
	add := func(name string, data []byte) error {
		member, err := archive.CreateHeader(&zip.FileHeader{Name: "archive/" + name, Method: zip.Store})
		if err == nil {
			_, err = member.Write(data)
		}
		return err
	}
	for i, raw := range p.storages {
		if err := add(fmt.Sprint("data/", i), raw); err != nil {
			return err
		}
	}
	err := errors.Join(add("data.pkl", []byte("\x80\x02"+string(p.code)+".")), add("version", []byte("3\n")))
	return errors.Join(err, archive.Close())
}

// pickler writes opcodes of protocol 2.
type pickler struct {
	code     []byte
	storages [][]byte
}

func (p *pickler) op(code string) { p.code = append(p.code, code...) }

func (p *pickler) text(s string) {
	p.code = append(binary.LittleEndian.AppendUint32(append(p.code, 'X'), uint32(len(s))), s...)
}

func (p *pickler) integer(n int) {
	p.code = binary.LittleEndian.AppendUint32(append(p.code, 'J'), uint32(n))
}

func (p *pickler) dict(d Dict) error {
	p.op("}(")
	for _, item := range d {
		p.text(item.Key)
		switch v := item.Value.(type) {
		case Dict:
			if err := p.dict(v); err != nil {
				return err
			}
		case Object:
			dot := strings.LastIndexByte(v.Class, '.')
			if dot < 0 {
				return fmt.Errorf("%q: class %q has no module", item.Key, v.Class)
			}
			p.op("c" + v.Class[:dot] + "\n" + v.Class[dot+1:] + "\n)\x81")
			if err := p.dict(v.State); err != nil {
				return err
			}
			p.op("b")
		case Tensor:
			if err := p.tensor(v); err != nil {
				return err
			}
		case int:
			p.integer(v)
		case string:
			p.text(v)
		default:
			return fmt.Errorf("%q: a value of type %T", item.Key, v)
		}
	}
	p.op("u")
	return nil
}

func (p *pickler) tensor(t Tensor) error {
	class := map[dtype.DType]string{dtype.Uint8: "ByteStorage", dtype.Float32: "FloatStorage", dtype.Int64: "LongStorage",
		dtype.Bool: "BoolStorage"}[t.DType]
	if class == "" {
		return fmt.Errorf("a tensor of type %v", t.DType)
	}
	strides, n := make([]int, len(t.Shape)), 1
	for k := len(t.Shape) - 1; k >= 0; k-- {
		strides[k] = n
		n *= t.Shape[k]
	}
	p.op("ctorch._utils\n_rebuild_tensor_v2\n((")
	p.text("storage")
	p.op("ctorch\n" + class + "\n")
	p.text(fmt.Sprint(len(p.storages)))
	p.text("cpu")
	p.integer(n)
	p.op("tQ")
	p.integer(0)
	for _, list := range [][]int{t.Shape, strides} {
		p.op("(")
		for _, v := range list {
			p.integer(v)
		}
		p.op("t")
	}
	p.op("\x89ccollections\nOrderedDict\n)RtR")
	p.storages = append(p.storages, t.Raw)
	return nil
}
