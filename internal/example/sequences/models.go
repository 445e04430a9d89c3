// The models that ship with the sequences.

package sequences

// Model is a masked language model as an ONNX file.
type Model struct {
	Name   string
	Defect string // what it lacks; empty for the trained one
	ONNX   []byte
}

func Models() []Model { return nil }
