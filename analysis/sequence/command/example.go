// The built-in example: paired chains of a known law, and small models with one defect each.

package command

import (
	"bytes"
	"context"
	"io"
	"sync"

	"repscope/analysis/sequence"
	"repscope/internal/example/sequences"
	"repscope/internal/input"
	"repscope/internal/run"
)

// exampleData is made once.
var exampleData = sync.OnceValue(sequences.Example)

// exampleDataset is the name of the dataset of the example.
const exampleDataset = "example"

// exampleFiles are the paths of the example's files.
type exampleFiles struct {
	sequences, substitutions string
	models                   []input.File
}

// putExample gives the files of the example to a function that puts them somewhere and returns their paths.
func putExample(put func(name string, content []byte) (string, error)) (*exampleFiles, error) {
	e, f := exampleData(), &exampleFiles{}
	for _, table := range []struct {
		name  string
		path  *string
		write func(w io.Writer) error
	}{
		{"sequences.csv", &f.sequences, func(w io.Writer) error { return sequences.WriteCSV(w, e.Sequences, true) }},
		{"substitutions.csv", &f.substitutions, func(w io.Writer) error { return sequences.WriteAssaysCSV(w, e.Assays) }},
	} {
		var b bytes.Buffer
		err := table.write(&b)
		if err != nil {
			return nil, err
		}
		if *table.path, err = put(table.name, b.Bytes()); err != nil {
			return nil, err
		}
	}
	for _, m := range e.Models {
		path, err := put(m.Name+".onnx", m.ONNX)
		if err != nil {
			return nil, err
		}
		f.models = append(f.models, input.File{Name: m.Name, Path: path})
	}
	return f, nil
}

// loadExample opens the files of the example as files that flags name.
func (s *settings) loadExample(ctx context.Context, env *run.Env) (*sequence.Input, error) {
	labels := map[string]string{}
	f, err := putExample(func(name string, content []byte) (string, error) {
		path, err := s.example.File(env, name, content)
		labels[path] = s.example.Label(name)
		return path, err
	})
	if err != nil {
		return nil, err
	}
	copied := *s
	copied.sequences.files = []datasetFile{{exampleDataset, f.sequences}}
	copied.models = input.NamedFiles("model", f.models...)
	copied.substitutions = input.NamedFiles("substitutions", input.File{Name: "made", Path: f.substitutions})
	in, err := copied.loadFiles(ctx, env)
	for i := range env.Result.Inputs {
		if label, ok := labels[env.Result.Inputs[i].Path]; ok {
			env.Result.Inputs[i].Path = label
		}
	}
	return in, err
}

// load opens the input: the built-in example, or the files that flags name.
func (s *settings) load(ctx context.Context, env *run.Env) (*sequence.Input, error) {
	if s.example.On() {
		return s.loadExample(ctx, env)
	}
	return s.loadFiles(ctx, env)
}
