// The rest of a model after a layer, as a head of the layer's values.

package latent

import (
	"errors"
	"fmt"
	"slices"

	"repscope/model"
)

// classOutputs are the names of outputs that are scores of classes, in lower case and without other signs than letters
// and digits.
var classOutputs = []string{"logits", "logit", "classlogits", "probabilities", "probability", "probs", "prob", "scores"}

// Rest is what follows a layer in a model: a [Head] with one input, the values of the layer before pooling.
type Rest struct {
	*Head
	// Classes says that each output is one score for each of two or more classes: its name says so (logits,
	// probabilities, …), or a softmax makes it.
	Classes bool
	// Output is the shape of one row of the output.
	Output []int
}

// OpenRest opens an encoder file again, as o has opened it before, without what comes before a layer of it.
// o.StateShape must be known. Errors name the file: [model.File.After] refuses ways around the layer.
func OpenRest(path string, o OpenOptions, l Layer) (*Rest, error) {
	f, err := readFile(path, o)
	if err != nil {
		return nil, fmt.Errorf("encoder %w", err)
	}
	fail := func(err error, file interface{ Close() error }) (*Rest, error) {
		return nil, fmt.Errorf("encoder %s: %w", path, errors.Join(err, file.Close()))
	}
	output, soft, err := divide(f, o.StateShape, l)
	if err != nil {
		return fail(err, f)
	}
	m, err := f.Model(model.Options{Outputs: []string{output}, Threads: o.Threads, Backend: o.Backend, Batched: true})
	if err != nil {
		return fail(err, f)
	}
	rest := &Rest{Head: &Head{Path: path, Parameters: f.Parameters, Opset: f.Opset, model: m}}
	rows := append([]int{max(m.Rows(), 1)}, l.Shape[1:]...)
	types, err := m.Types(model.Type{DType: model.Float32, Shape: rows})
	if err == nil {
		rest.Output, err = rest.outputShape(types[0].DType, types[0].Shape, rows[0], nil)
	}
	if err != nil {
		return fail(err, m)
	}
	named := slices.Contains(classOutputs, plain(output))
	rest.Classes = len(rest.Output) == 1 && rest.Output[0] > 1 && (soft || named)
	return rest, nil
}

// divide leaves of a file what follows a layer, and returns its output and whether a softmax makes it.
func divide(f *model.File, state []int, l Layer) (output string, soft bool, err error) {
	if err := checkInput(f.Inputs()); err != nil {
		return "", false, err
	}
	if output, err = chooseOutput(f.Outputs(), ""); err != nil {
		return "", false, err
	}
	row, err := fitPort(state, f.Inputs()[0])
	if err != nil {
		return "", false, err
	}
	values, err := f.Values()
	if err != nil {
		return "", false, err
	}
	soft = slices.ContainsFunc(values.List, func(v model.Value) bool {
		return v.Name == output && (v.Operator == "Softmax" || v.Operator == "LogSoftmax")
	})
	return output, soft, f.After(model.Division{Value: l.Name, Shape: l.Shape[1:], Joined: l.joined, State: row})
}
