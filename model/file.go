// Model files: recognized by their content, opened and mapped once.

package model

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"repscope/internal/format"
	"repscope/internal/mmap"
	"repscope/internal/regular"
	"repscope/model/checkpoint"
	"repscope/model/graph"
	"repscope/model/onnx"
)

// ReadOptions are settings missing from a file of weights; an ONNX file needs none.
type ReadOptions struct {
	// State, Activation, FinalActivation and Heads are passed to checkpoint.Options.
	State, Activation, FinalActivation string
	Heads                              int
}

// File is a model file that has been read. Its weights stay in the mapped file
// until a Model loads them.
type File struct {
	Path         string
	Format       string // "onnx", "pth" or "safetensors"
	Architecture string // of a checkpoint; empty for an ONNX file, whatever the name of its graph
	Parameters   int    // number of weights
	Opset        int    // of an ONNX file, else 0
	Warnings     []string
	// Notes, Chosen and Prefix come from checkpoint.Network.
	Notes          []string
	Chosen, Prefix string
	// Settings are values that the file does not determine, as "heads=8"; see checkpoint.Network.
	Settings []string
	// Example is a shape of one state that fits the input, e.g. [1 1 64 64]; nil if unknown.
	Example []int
	// Check checks an input shape [B, …] against the weights, beyond the input's own shape; nil: it always fits.
	Check func(shape []int) error

	graph *graph.Graph
	files []*mmap.File // all that the model consists of, the file itself first
	close func() error
}

// Read opens a model file: ONNX, a PyTorch checkpoint (.pth, .pt) or safetensors of a
// known architecture, or a folder as Hugging Face's save_pretrained writes it. Errors name
// the file.
func Read(path string, o ReadOptions) (*File, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		c, err := checkpoint.OpenFolder(path, checkpointOptions(o))
		if err != nil {
			return nil, err
		}
		f := fromCheckpoint(c, c.Files())
		f.Path = path
		return f, nil
	}
	file, err := mmap.Open(path)
	if err != nil {
		return nil, regular.PathError(err)
	}
	f, err := read(file, o)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	f.Path = path
	return f, nil
}

func read(file *mmap.File, o ReadOptions) (*File, error) {
	ok, err := checkpoint.Sniff(file)
	if err != nil {
		return nil, err
	}
	if filepath.Ext(file.Path()) == programEnding { // a zip file, as a checkpoint is
		return nil, foreign(file)
	}
	if ok {
		return readCheckpoint(file, o)
	}
	if err := foreign(file); err != nil {
		return nil, err
	}
	return readONNX(file, o)
}

// programEnding is the ending of a program of torch.export, which can be exported further.
const programEnding = ".pt2"

// programError is the error for such a file, with the command that exports it.
type programError struct {
	error
	recipe string
}

func (e *programError) Hints() []string { return []string{"export it to ONNX: " + e.recipe} }

// foreign is the error for a file that is no ONNX file by its first bytes, since ONNX files have no signature, or by
// its name.
func foreign(file *mmap.File) error {
	const want = "want an ONNX file, a PyTorch checkpoint or a safetensors file"
	head := make([]byte, format.HeadSize)
	n, _ := file.ReadAt(head, 0) // a short file has a short head
	head = head[:n]
	switch format.Of(head) {
	case format.NPY:
		return fmt.Errorf("%s: is a NumPy array; %s", file.Path(), want)
	case format.Image:
		return fmt.Errorf("%s: is an image; %s", file.Path(), want)
	case format.Unknown, format.Zip:
		if what, recipe := format.Foreign(file.Path(), head); what != "" {
			err := fmt.Errorf("%s: is %s; %s", file.Path(), what, want)
			if filepath.Ext(file.Path()) == programEnding {
				err = &programError{err, recipe}
			}
			return err
		}
	default:
		return fmt.Errorf("%s: %s; %s", file.Path(), format.Describe(head), want)
	}
	suffix := filepath.Ext(file.Path())
	what := "a PyTorch file"
	switch suffix {
	case ".safetensors":
		what = "a safetensors file"
	case ".pth", ".pt", ".ckpt", ".bin":
	default:
		return nil
	}
	return fmt.Errorf("%s: is not %s in spite of its name, or is damaged: %s", file.Path(), what, format.Describe(head))
}

func readCheckpoint(file *mmap.File, o ReadOptions) (*File, error) {
	c, err := checkpoint.Read(file, checkpointOptions(o))
	if err != nil {
		return nil, err
	}
	return fromCheckpoint(c, []*mmap.File{file}), nil
}

func checkpointOptions(o ReadOptions) checkpoint.Options {
	return checkpoint.Options{State: o.State, Activation: o.Activation, FinalActivation: o.FinalActivation, Heads: o.Heads}
}

func fromCheckpoint(c *checkpoint.Network, files []*mmap.File) *File {
	return &File{Format: c.Format, Architecture: c.Architecture, Parameters: c.Parameters, Warnings: c.Warnings, Notes: c.Notes, Chosen: c.Chosen,
		Prefix: c.Prefix, Settings: c.Settings, Example: c.State, Check: c.Check,
		graph: c.Graph, files: files, close: c.Close}
}

func readONNX(file *mmap.File, o ReadOptions) (*File, error) {
	for _, option := range [][2]string{{"state", o.State}, {"activation", o.Activation}, {"final activation", o.FinalActivation}} {
		if option[1] != "" {
			return nil, fmt.Errorf("%s: %s %q: the option has no effect on an ONNX file", file.Path(), option[0], option[1])
		}
	}
	if o.Heads != 0 {
		return nil, fmt.Errorf("%s: heads %d: the option has no effect on an ONNX file", file.Path(), o.Heads)
	}
	m, err := onnx.Read(file, onnx.Options{})
	if err != nil {
		return nil, err
	}
	return &File{Format: "onnx", Parameters: m.Parameters, Opset: m.Graph.Opset,
		graph: m.Graph, files: m.Files(), close: m.Close}, nil
}

// Inputs describes the graph's inputs; free axes have the size −1.
func (f *File) Inputs() []Port { return slices.Clone(f.graph.Inputs) }

// Outputs describes the graph's outputs; a file need not tell their shapes.
func (f *File) Outputs() []Port { return slices.Clone(f.graph.Outputs) }

// hashPart is how much of a mapped file is hashed at a time.
const hashPart = 1 << 20

// Files are the paths of the file and of the files with external data that it names, in that order.
func (f *File) Files() []string {
	paths := make([]string, len(f.files))
	for i, file := range f.files {
		paths[i] = file.Path()
	}
	return paths
}

// Sums are the SHA-256 of the file and of the files with external data that it
// names, in that order.
func (f *File) Sums() ([][]byte, error) {
	sums := make([][]byte, len(f.files))
	for i, file := range f.files {
		if err := file.Unchanged(); err != nil {
			return nil, err
		}
		h := sha256.New()
		for offset := int64(0); offset < file.Size(); offset += hashPart {
			err := file.Use(offset, min(hashPart, file.Size()-offset), func(raw []byte) error {
				h.Write(raw)
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
		sums[i] = h.Sum(nil)
	}
	return sums, nil
}

// Close releases the file. Models of it must be closed before.
func (f *File) Close() error { return f.close() }
