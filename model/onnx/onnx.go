// Package onnx reads ONNX files into package graph. It decodes only the fields that inference needs, straight from the
// protobuf wire format.
//
//	model, err := onnx.Open("encoder.onnx", onnx.Options{})
//	if err != nil {
//		return err
//	}
//	defer model.Close()
//	err = model.Graph.Prepare(fuse.Rules(cpu.Evaluate))
//
// Weights may be stored in the file or in other files (external data). float16, bfloat16, float64 and the types of 8
// and 4 bits are converted to float32, integers to int64 of a known width. Large weights stay in their files, which are
// mapped, and are deferred in the sense of graph.Defer.
package onnx

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"repscope/internal/mmap"
	"repscope/internal/regular"
	"repscope/model/graph"
	"repscope/model/operator"
)

// The range of opsets whose operators have the meaning implemented here.
const (
	minOpset = operator.MinOpset
	maxOpset = operator.MaxOpset
)

// Options widen the range of accepted opsets; zero means the range of package operator.
type Options struct{ MinOpset, MaxOpset int }

// File is a decoded file.
type File struct {
	Graph    *graph.Graph
	IR       int    // version of the file format
	Producer string // e.g. "pytorch 1.13.0"
	External []string
	// Parameters counts the elements of all initialisers.
	Parameters int

	files []*mmap.File
}

// Close releases the files. Deferred weights cannot be loaded afterwards.
func (f *File) Close() error {
	var err error
	for _, m := range f.files {
		err = errors.Join(err, m.Close())
	}
	return err
}

// maxFile bounds the file itself; protobuf allows no more. Larger models keep their weights in external files.
const maxFile = 2<<30 - 1

// Open reads a file and the external data files that it names, which must lie in its own folder or below.
func Open(path string, o Options) (*File, error) {
	file, err := mmap.Open(path)
	if err != nil {
		return nil, regular.PathError(err)
	}
	f, err := Read(file, o)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return f, nil
}

// Read is Open for a file that is open already; if there is no error, closing the
// result closes it.
func Read(file *mmap.File, o Options) (f *File, err error) {
	if file.Size() > maxFile {
		return nil, fmt.Errorf("%s: %d bytes, want less than 2 GB; larger models keep their weights in external data",
			file.Path(), file.Size())
	}
	err = file.Use(0, file.Size(), func(data []byte) error {
		f, err = decode(data, stored{file}, filepath.Dir(file.Path()), o)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Path(), err)
	}
	f.files = slices.Insert(f.files, 0, file)
	return f, nil
}

// Files are the mapped files of the model: the file itself, unless it was decoded from memory, and the files with
// external data, in the order of External.
func (f *File) Files() []*mmap.File { return f.files }

// Decode reads a model from memory, which must not be changed as long as the
// model is in use. External data is looked for in dir; an empty dir refuses it.
func Decode(data []byte, dir string, o Options) (*File, error) {
	return decode(data, memory(data), dir, o)
}

// decoder keeps the external files of one model.
type decoder struct {
	in    source // of the model itself; nil: nothing is deferred
	dir   string
	root  *os.Root
	files map[string]*mmap.File
	sums  map[string]string // of external files, verified
	names []string
	depth int // of graphs in graphs
	// The ONNX element types of constants, and of named values.
	of       map[*graph.Tensor]int
	elements map[string]int
	deferred map[*graph.Tensor]deferredIntegers
	// Bytes of the external files, and of their parts that tensors use.
	stored, taken int64
}

// decode reads a model from data; in gives the same bytes again later.
func decode(data []byte, in source, dir string, o Options) (model *File, err error) {
	d := &decoder{in: in, dir: dir, files: map[string]*mmap.File{}, of: map[*graph.Tensor]int{}, elements: map[string]int{},
		deferred: map[*graph.Tensor]deferredIntegers{}}
	defer func() {
		if d.root != nil {
			d.root.Close()
		}
		if err != nil {
			for _, f := range d.files {
				f.Close()
			}
		}
	}()
	h, err := readHeader(data)
	if err != nil {
		return nil, err
	}
	opset, err := h.opset(o)
	if err != nil {
		return nil, err
	}
	model = &File{IR: h.ir, Producer: strings.TrimSpace(h.producer + " " + h.version)}
	if model.Graph, err = d.graph(h.graph); err != nil {
		return nil, err
	}
	model.Graph.Opset = opset
	for _, t := range model.Graph.Constants {
		model.Parameters += t.Len()
	}
	model.External = d.names
	for _, name := range d.names {
		model.files = append(model.files, d.files[name])
	}
	return model, nil
}

// header is a ModelProto with its graph undecoded.
type header struct {
	ir                int
	producer, version string
	domains           map[string]int64 // their opsets
	graph             field
}

func readHeader(data []byte) (*header, error) {
	h := &header{domains: map[string]int64{}}
	err := field{bytes: data}.fields(func(n protowire.Number, v field) error {
		switch n {
		case 1:
			h.ir = int(v.number)
		case 2:
			h.producer = v.text()
		case 3:
			h.version = v.text()
		case 7:
			if h.graph.bytes != nil {
				return errors.New("two graphs in one file")
			}
			h.graph = v
			return v.want(protowire.BytesType)
		case 8:
			domain, opset, err := opsetImport(v)
			if err != nil {
				return err
			}
			h.domains[domain] = opset
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("not an ONNX file, or a damaged one: %w", err)
	}
	if h.graph.bytes == nil {
		return nil, errors.New("not an ONNX file, or a damaged one: no graph")
	}
	return h, nil
}

func opsetImport(v field) (domain string, opset int64, err error) {
	if err := v.want(protowire.BytesType); err != nil {
		return "", 0, err
	}
	err = v.fields(func(n protowire.Number, v field) error {
		switch n {
		case 1:
			domain = v.text()
		case 2:
			opset = int64(v.number)
		}
		return nil
	})
	return domain, opset, err
}

// opset is the opset of ONNX's operators, which must be in the range.
func (h *header) opset(o Options) (int, error) {
	least, highest := cmp.Or(o.MinOpset, minOpset), cmp.Or(o.MaxOpset, maxOpset)
	opset, ok := h.domains[""]
	if !ok {
		opset, ok = h.domains["ai.onnx"]
	}
	if !ok {
		return 0, errors.New("the file has no opset for the ONNX operators")
	}
	if opset < int64(least) || opset > int64(highest) {
		return 0, fmt.Errorf("opset %d is not supported, want %d to %d; export the model again with opset_version=17", opset, least, highest)
	}
	return int(opset), nil
}
