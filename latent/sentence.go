// Models of sentences: tokens in, one embedding out.

package latent

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"repscope/model"
)

// SentencePool is the reduction of a model's output to the embedding of a text.
type SentencePool string

// The ways to pool.
const (
	// SentenceAuto takes the output sentence_embedding where there is one, else the mean of the
	// hidden states, else the only output of one vector per text.
	SentenceAuto SentencePool = "auto"
	// SentenceMean is the mean of the hidden states of the tokens that are no padding.
	SentenceMean SentencePool = "mean"
	// SentenceFirst is the hidden state of the first token.
	SentenceFirst SentencePool = "cls"
	// SentenceOutput is an output of one vector per text: sentence_embedding, else
	// pooler_output, else the only one.
	SentenceOutput SentencePool = "output"
)

// SentencePools lists them.
func SentencePools() []string {
	return []string{string(SentenceAuto), string(SentenceMean), string(SentenceFirst), string(SentenceOutput)}
}

// SentenceOptions are the options of a sentence model. The zero value is valid.
type SentenceOptions struct {
	Pool    SentencePool // empty: SentenceAuto
	Threads int          // of a run; 0 means GOMAXPROCS
	Backend *model.Backend
}

// SentenceModel maps the tokens of a text to an embedding. It may not be used concurrently. A
// text is always run alone, so that its embedding depends on no other.
type SentenceModel struct {
	Path   string
	SHA256 string // of the file, in hex
	Opset  int
	// Parameters is the number of weights.
	Parameters int
	// Pool is how embeddings are made, and Output the output that they are made of.
	Pool   SentencePool
	Output string

	inputs       []tokenInput
	rows, length int // that the file fixes, else 0
	model        *model.Model
}

// SentenceTokens are the tokens of a text, with the type of each; Mask is 0 for padding.
type SentenceTokens struct{ IDs, Types, Mask []int64 }

// The names of outputs, in the order in which they are taken: lower case, letters and digits
// alone.
var (
	sentenceOutputs = []string{"sentenceembedding", "sentenceembeddings", "embedding", "embeddings", "textembeds", "pooleroutput"}
	hiddenOutputs   = []string{"lasthiddenstate", "tokenembeddings", "hiddenstates", "hiddenstate", "hidden"}
)

// OpenSentences opens an ONNX file with inputs for token ids [B, L] and, optionally, the attention mask, token types
// and positions, identified by name. Its outputs are hidden states [B, L, D] or embeddings [B, D] of float32. Errors
// name the file: no ONNX file, unknown inputs, no output for the pooling.
func OpenSentences(path string, o SentenceOptions) (*SentenceModel, error) {
	s := &SentenceModel{Path: path, Pool: o.Pool}
	if s.Pool == "" {
		s.Pool = SentenceAuto
	}
	if !slices.Contains(SentencePools(), string(s.Pool)) {
		return nil, fmt.Errorf("pooling %q: want one of %s", s.Pool, strings.Join(SentencePools(), ", "))
	}
	f, err := readExported(path)
	if err != nil {
		return nil, err
	}
	fail := func(err error) error { return fmt.Errorf("model %s: %w", path, err) }
	sums, err := f.Sums()
	if err == nil {
		s.SHA256, s.Opset, s.Parameters = hex.EncodeToString(sums[0]), f.Opset, f.Parameters
		err = s.bindInputs(f.Inputs())
	}
	if err != nil {
		return nil, errors.Join(fail(err), f.Close())
	}
	probe, err := f.Model(model.Options{Threads: o.Threads})
	if err != nil {
		return nil, errors.Join(fail(err), f.Close())
	}
	err = s.chooseOutput(probe)
	if err = errors.Join(err, probe.Close()); err != nil {
		return nil, fail(err)
	}
	if f, err = readExported(path); err != nil {
		return nil, err
	}
	if s.model, err = f.Model(model.Options{Outputs: []string{s.Output}, Threads: o.Threads, Backend: o.Backend}); err != nil {
		return nil, errors.Join(fail(err), f.Close())
	}
	return s, nil
}

// readExported opens an ONNX file; files of weights are refused with the way to make one.
func readExported(path string) (*model.File, error) {
	f, err := model.Read(path, model.ReadOptions{})
	switch {
	case err == nil && f.Format == "onnx":
		return f, nil
	case err == nil:
		err = errors.Join(fmt.Errorf("%s is a file of weights (%s), want an ONNX file", path, f.Architecture), f.Close())
	}
	switch filepath.Ext(path) {
	case ".pth", ".pt", ".ckpt", ".bin", ".safetensors":
		err = &optimumError{err}
	}
	return nil, fmt.Errorf("model %w", err)
}

// optimumError is the error for a file of weights, with the way to make a graph of it.
type optimumError struct{ error }

func (e *optimumError) Unwrap() error { return e.error }

// Hints describes how to export a model of Hugging Face.
func (e *optimumError) Hints() []string {
	return []string{"export it to ONNX: optimum-cli export onnx --model NAME FOLDER, which also writes tokenizer.json"}
}

// Close ends the model and releases its file.
func (s *SentenceModel) Close() error { return s.model.Close() }

// bindInputs identifies the inputs by their names.
func (s *SentenceModel) bindInputs(ports []model.Port) error {
	present := map[string]bool{}
	for _, p := range ports {
		kind := ""
		for _, r := range tokenRoles {
			if slices.Contains(r.names, plain(p.Name)) {
				kind = r.role
			}
		}
		switch {
		case kind == "" && len(ports) == 1:
			kind = roleTokens
		case kind == "":
			return fmt.Errorf("the purpose of input %q is unknown; the inputs are %s, want input_ids, attention_mask and token_type_ids",
				p.Name, model.Names(ports))
		case present[kind]:
			return fmt.Errorf("two inputs are %s; the inputs are %s", kind, model.Names(ports))
		}
		if p.Dims != nil && len(p.Dims) != 2 {
			return fmt.Errorf("input %q (%s) has shape %v, want two axes: texts and tokens", p.Name, kind, p.Shape())
		}
		present[kind] = true
		s.inputs = append(s.inputs, tokenInput{role: kind, port: p})
		if p.Dims != nil {
			s.rows, s.length = max(s.rows, p.Dims[0].Size), max(s.length, p.Dims[1].Size)
		}
	}
	if !present[roleTokens] {
		return fmt.Errorf("has no input for tokens; its inputs are %s", model.Names(ports))
	}
	return nil
}

// masked reports whether an input marks the padding.
func (s *SentenceModel) masked() bool {
	return slices.ContainsFunc(s.inputs, func(in tokenInput) bool { return in.role == roleMask || in.role == rolePadding })
}

// chooseOutput finds the output to take, and how, by names and by the shapes for an example.
func (s *SentenceModel) chooseOutput(m *model.Model) error {
	rows, length := max(s.rows, 1), s.length
	if length == 0 {
		length = probeLength
	}
	types := make([]model.Type, len(s.inputs))
	for i, in := range s.inputs {
		types[i] = model.Type{DType: in.port.DType, Shape: []int{rows, length}}
	}
	outputTypes, err := m.Types(types...)
	if err != nil {
		return err
	}
	var pooled, hidden []string
	for i, p := range m.Outputs() {
		switch {
		case outputTypes[i].DType != model.Float32:
		case len(outputTypes[i].Shape) == 2 && outputTypes[i].Shape[0] == rows:
			pooled = append(pooled, p.Name)
		case len(outputTypes[i].Shape) == 3 && outputTypes[i].Shape[0] == rows && outputTypes[i].Shape[1] == length:
			hidden = append(hidden, p.Name)
		}
	}
	vector, states := firstNamed(pooled, sentenceOutputs), firstNamed(hidden, hiddenOutputs)
	if s.Pool == SentenceAuto {
		switch {
		case strings.HasPrefix(plain(vector), "sentence") || states == "" && vector != "":
			s.Pool = SentenceOutput
		default:
			s.Pool = SentenceMean
		}
	}
	if s.Output = states; s.Pool == SentenceOutput {
		s.Output = vector
	}
	if s.Output == "" {
		want := "hidden states [texts, tokens, dimensions]"
		if s.Pool == SentenceOutput {
			want = "one output [texts, dimensions]"
		}
		return fmt.Errorf("has outputs %s: pooling %s wants %s", model.Names(m.Outputs()), s.Pool, want)
	}
	return nil
}

// firstNamed is the first of the known names, or the only one; empty: none.
func firstNamed(names, candidates []string) string {
	for _, k := range candidates {
		for _, name := range names {
			if plain(name) == k {
				return name
			}
		}
	}
	if len(names) == 1 {
		return names[0]
	}
	return ""
}

// Embed is the embedding of a text. Padding at its end is left out where the model has a mask
// and any length; where the file fixes a longer one, padding is added. Errors: no tokens, more
// than the file fixes, an embedding that is not finite.
func (s *SentenceModel) Embed(ctx context.Context, t SentenceTokens) ([]float32, error) {
	n := len(t.IDs)
	if s.masked() {
		for n > 1 && t.Mask[n-1] == 0 {
			n--
		}
	}
	space := n
	if s.length > 0 {
		space = s.length
	}
	switch {
	case n == 0:
		return nil, errors.New("the text has no tokens")
	case n > space:
		return nil, fmt.Errorf("model %s: the text has %d tokens, the input has a fixed length of %d: enable truncation in the tokenizer", s.Path, n, space)
	case n < space && !s.masked():
		return nil, fmt.Errorf("model %s: the text has %d tokens, the input has a fixed length of %d and there is no mask input: enable padding in the tokenizer",
			s.Path, n, space)
	}
	inputs := make([]*model.Tensor, len(s.inputs))
	for i, in := range s.inputs {
		inputs[i] = s.tensor(in, t, n, space)
	}
	out, err := s.model.RunInOrder(ctx, inputs...)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("model %s: a text of %d tokens: %w", s.Path, n, err)
	}
	v := s.pool(out[0], t.Mask[:n])
	if i, bad := firstBad(v); i >= 0 {
		return nil, fmt.Errorf("model %s: element %d of the embedding is %g", s.Path, i, bad)
	}
	return v, nil
}

// tensor is an input; rows that the file fixes are all the same text.
func (s *SentenceModel) tensor(in tokenInput, t SentenceTokens, n, space int) *model.Tensor {
	rows := max(s.rows, 1)
	out := &model.Tensor{DType: model.Int64, Shape: []int{rows, space}, I64: make([]int64, rows*space)}
	for r := range rows {
		row := out.I64[r*space : (r+1)*space]
		switch in.role {
		case roleTokens:
			copy(row, t.IDs[:n])
		case roleChains:
			copy(row, t.Types[:n])
		case roleMask:
			copy(row, t.Mask[:n])
		case rolePadding:
			for k := range row {
				if k >= n || t.Mask[k] == 0 {
					row[k] = 1
				}
			}
		case rolePositions:
			for k := range row {
				row[k] = int64(k)
			}
		}
	}
	return out
}

// pool makes the embedding of the first text.
func (s *SentenceModel) pool(out *model.Tensor, mask []int64) []float32 {
	d := out.Shape[len(out.Shape)-1]
	if s.Pool != SentenceMean {
		return slices.Clone(out.F32[:d]) // of one text, or of its first token
	}
	sum, count := make([]float64, d), 0.0
	for k, m := range mask {
		if m == 0 {
			continue
		}
		count++
		for i, v := range out.F32[k*d : (k+1)*d] {
			sum[i] += float64(v)
		}
	}
	mean := make([]float32, d)
	for i, v := range sum {
		mean[i] = float32(v / max(count, 1))
	}
	return mean
}
