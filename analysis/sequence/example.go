// The built-in example: paired chains of a known law, and small models with one defect each.

package sequence

import (
	"bytes"
	"context"
	"sync"

	"repscope/internal/example/sequences"
	"repscope/internal/input"
	"repscope/internal/run"
)

// exampleData is made once.
var exampleData = sync.OnceValue(sequences.Example)

// exampleDataset is the name of the dataset of the example.
const exampleDataset = "example"

// loadExample puts the files of the example on disk and opens them as those of flags.
func (s *settings) loadExample(ctx context.Context, env *run.Env) (*Input, error) {
	e := exampleData()
	labels := map[string]string{}
	file := func(name string, content []byte) (string, error) {
		path, err := s.example.File(env, name, content)
		labels[path] = s.example.Label(name)
		return path, err
	}
	var table bytes.Buffer
	if err := sequences.WriteCSV(&table, e.Sequences, true); err != nil {
		return nil, err
	}
	path, err := file("sequences.csv", table.Bytes())
	if err != nil {
		return nil, err
	}
	files := *s
	files.sequences.files = []datasetFile{{exampleDataset, path}}
	var models []input.File
	for _, m := range e.Models {
		if path, err = file(m.Name+".onnx", m.ONNX); err != nil {
			return nil, err
		}
		models = append(models, input.File{Name: m.Name, Path: path})
	}
	files.models = input.NamedFiles("model", models...)
	in, err := files.loadFiles(ctx, env)
	for i := range env.Result.Inputs {
		if label, ok := labels[env.Result.Inputs[i].Path]; ok {
			env.Result.Inputs[i].Path = label
		}
	}
	return in, err
}
