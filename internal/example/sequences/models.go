// The models that ship with the sequences.

package sequences

import "embed"

//go:embed weights/*.onnx
var weights embed.FS

// The names of the models of the example.
const (
	Trained      = "trained"
	Undertrained = "undertrained"
	Overfitted   = "overfitted"
	Frequencies  = "frequencies"
)

// Model is a masked language model as an ONNX file: token_ids, chain_ids and attention_mask, int64
// [batch, length], to logits [batch, length, 32]. All but Frequencies also answer hidden_states [batch, length, 48] and
// attentions [batch, 2, 4, length, length].
type Model struct {
	Name string
	// Defect describes its defect, empty for the one that is trained well.
	Defect string
	ONNX   []byte
}

// Models are the shipped models.
func Models() []Model {
	out := []Model{
		{Name: Trained},
		{Name: Undertrained, Defect: "a fifth of the training: too little to learn residue contacts"},
		{Name: Overfitted, Defect: "trained on 60 sequences only, and overconfident on all others"},
		{Name: Frequencies, Defect: "frequencies of residues at each position of a chain, independent of its context"},
	}
	for i := range out {
		content, err := weights.ReadFile("weights/" + out[i].Name + ".onnx")
		if err != nil {
			panic(err) // the names are those in the embedded files
		}
		out[i].ONNX = content
	}
	return out
}
