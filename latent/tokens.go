// Models of sequences of tokens: ids in; logits, hidden states and attentions out.

package latent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"

	"repscope/internal/text"
	"repscope/model"
)

// TokenOutputs is a set of outputs of a [TokenModel].
type TokenOutputs uint8

// The outputs of a model of tokens.
const (
	TokenLogits     TokenOutputs = 1 << iota // [L, V]
	TokenHidden                              // [L, D], of the last layer
	TokenAttentions                          // [layers, heads, L, L], from query (row) to key
)

// TokenOptions are the options of a token model. The zero value is valid.
type TokenOptions struct {
	// Inputs and Outputs name inputs and outputs of the file by their meaning: tokens, chains, mask, padding, positions;
	// logits, hidden, attentions. The others are guessed by name, outputs by shape too. A * in the name of an output
	// stands for the number of a layer.
	Inputs, Outputs map[string]string
	// Vocabulary is the number of tokens, which the last axis of logits must have; 0: any.
	Vocabulary int
	// Pad is the token of positions after the end of a sequence; 0 if it is negative.
	Pad int
	// Letters are tokens that occur in sequences, for the trial when the model is opened; nil: 0 and 1.
	Letters []int32
	// Memory bounds the bytes of a batch, except for a batch of one; 0: unlimited.
	Memory int64
	// Threads bounds the goroutines of a run; 0 means GOMAXPROCS.
	Threads int
	// Backend runs the model; nil is the processor. It must outlive the model.
	Backend *model.Backend
}

// TokenModel is a masked language model, or an encoder, of sequences of tokens in an ONNX file. It must not be used
// concurrently: it uses all its threads itself.
//
// Its outputs for a sequence have the same bits in any batch: a sequence is padded to the next multiple of 8 tokens,
// whatever it runs together with, and no output of a batch depends on its other rows. Opening the model tests that
// padding changes no number. If it does, or if the model has no input that marks padding, only sequences of one length
// run together and nothing is padded.
type TokenModel struct {
	Path   string
	SHA256 string // of the file, in hex
	Opset  int
	// Parameters is the number of weights.
	Parameters int
	// Names are the chosen inputs and outputs, as "tokens=input_ids", inputs first.
	Names []string
	// Notes are facts for the reader about the runs of the model.
	Notes []string

	o       TokenOptions
	inputs  []tokenInput // in the order of the file
	has     TokenOutputs
	main    *tokenRun // logits and hidden states
	further *tokenRun // attentions, once they are wanted
	outputs tokenPorts
	padded  bool        // sequences may be padded
	alone   bool        // a batch is one sequence
	rows    int         // that the file fixes, else 0
	length  int         // that the file fixes, else 0
	fits    map[int]int // rows of a batch by length, for the last batching
	batching
	ids    []int64 // of a batch
	chains []int64
}

// batching holds the parameters of the batch size.
type batching struct {
	want TokenOutputs
	most int // rows
}

// batchTokens is the default number of tokens of a batch: enough for all threads, few enough to stay in the caches.
const batchTokens = 1024

// lengthStep divides the lengths of padded sequences.
const lengthStep = 8

// TokenOutput is the output of a model for one sequence of L tokens, without padding. Slices are nil if the output is
// not requested or absent.
type TokenOutput struct {
	Logits        []float32 // [L, V]
	Hidden        []float32 // [L, D]
	Attentions    []float32 // [Layers, Heads, L, L]
	Layers, Heads int
}

// OpenTokens opens an ONNX file whose inputs are token ids [B, L] and, optionally, the chain of each token, the padding
// mask, and positions; or a folder or file of weights of a known encoder of tokens. Other files of weights are refused:
// they hold no graph. Errors name the file.
func OpenTokens(ctx context.Context, path string, o TokenOptions) (*TokenModel, error) {
	if len(o.Letters) == 0 {
		o.Letters = []int32{0, 1}
	}
	t := &TokenModel{Path: path, o: o}
	if err := t.open(ctx); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

func (t *TokenModel) open(ctx context.Context) error {
	f, err := t.read()
	if err != nil {
		return err
	}
	fail := func(err error) error { return fmt.Errorf("model %s: %w", t.Path, err) }
	sums, err := f.Sums()
	if err != nil {
		return errors.Join(fail(err), f.Close())
	}
	sum := sums[0]
	if len(sums) > 1 && f.Format != "onnx" { // weights in several files
		all := sha256.Sum256(slices.Concat(sums...))
		sum = all[:]
	}
	t.SHA256, t.Opset, t.Parameters = hex.EncodeToString(sum), f.Opset, f.Parameters
	t.Names = append(t.Names, f.Settings...)
	t.Notes = append(t.Notes, append(f.Notes, f.Warnings...)...)
	if err := t.bindInputs(f.Inputs()); err != nil {
		return errors.Join(fail(err), f.Close())
	}
	// A model of all outputs knows their shapes; none of its weights is loaded.
	probe, err := f.Model(model.Options{Threads: t.o.Threads})
	if err != nil {
		return errors.Join(fail(err), f.Close())
	}
	err = t.bindOutputs(probe)
	if err = errors.Join(err, probe.Close()); err != nil {
		return fail(err)
	}
	first := t.outputs.of(t.has &^ TokenAttentions)
	if len(first) == 0 {
		first = t.outputs.of(TokenAttentions)
	}
	if t.main, err = t.runner(first); err != nil {
		return err
	}
	if t.has&^TokenAttentions == 0 {
		t.further = t.main
	}
	return t.try(ctx)
}

// read opens the file.
func (t *TokenModel) read() (*model.File, error) {
	f, err := model.Read(t.Path, model.ReadOptions{})
	if err != nil {
		return nil, fmt.Errorf("model %w", tokenHint(t.Path, err))
	}
	if f.Format != "onnx" && slices.ContainsFunc(f.Inputs(), func(p model.Port) bool { return p.DType != model.Int64 }) {
		err = fmt.Errorf("is a file of weights (%s), want an ONNX file, or the folder of BERT, RoBERTa or ESM-2",
			f.Architecture)
		return nil, errors.Join(fmt.Errorf("model %s: %w", t.Path, tokenHint(t.Path, err)), f.Close())
	}
	return f, nil
}

// tokenRun is a model that computes some of the outputs.
type tokenRun struct {
	model  *model.Model
	at     map[string]int // index of an output by name
	inputs []*model.Tensor
}

// runner opens the file again, for some outputs. Each set of outputs is always computed by the same model, so its bits
// do not depend on other requests.
func (t *TokenModel) runner(outputs []string) (*tokenRun, error) {
	f, err := t.read()
	if err != nil {
		return nil, err
	}
	m, err := f.Model(model.Options{Outputs: outputs, Threads: t.o.Threads, Backend: t.o.Backend})
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", t.Path, errors.Join(err, f.Close()))
	}
	r := &tokenRun{model: m, at: map[string]int{}}
	for i, name := range outputs {
		r.at[name] = i
	}
	return r, nil
}

// Has are the outputs that there are.
func (t *TokenModel) Has() TokenOutputs { return t.has }

// Close ends the model and releases its file.
func (t *TokenModel) Close() error {
	var err error
	if t.main != nil {
		err = t.main.model.Close()
	}
	if t.further != nil && t.further != t.main {
		err = errors.Join(err, t.further.model.Close())
	}
	t.main, t.further = nil, nil
	return err
}

// TokenSequences are sequences to run.
type TokenSequences struct {
	// Lengths are their numbers of tokens.
	Lengths []int
	// Fill writes the tokens of sequence i, and the chains of its tokens, into slices of its
	// length.
	Fill func(i int, tokens, chains []int64)
	// Rows bounds the sequences of a batch; 0: as many as have 1,024 tokens.
	Rows int
}

// Run answers sequences. visit is called once for each, in the order of padded lengths, among
// equal ones of i, whatever the batches are; what it is given is valid until it returns.
// Outputs that are not there are an error.
func (t *TokenModel) Run(ctx context.Context, s TokenSequences, want TokenOutputs,
	visit func(i int, out *TokenOutput) error) error {
	if err := t.prepare(want, s.Rows); err != nil {
		return err
	}
	lengths := s.Lengths
	order := make([]int, len(lengths))
	for i, n := range lengths {
		if n < 1 {
			return fmt.Errorf("sequence %d has no tokens", i)
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return t.space(lengths[a]) - t.space(lengths[b]) })
	for lo := 0; lo < len(order); {
		space := t.space(lengths[order[lo]])
		rows, err := t.batch(space, want)
		if err != nil {
			return t.fail(1, space, err)
		}
		hi := lo + 1
		for hi < len(order) && hi-lo < rows && t.space(lengths[order[hi]]) == space {
			hi++
		}
		if err := t.runBatch(ctx, &s, order[lo:hi], space, want, visit); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// prepare opens the models of the requested outputs on first use.
func (t *TokenModel) prepare(want TokenOutputs, rows int) error {
	if missing := want &^ t.has; missing != 0 {
		return fmt.Errorf("model %s: has no %s", t.Path, missing)
	}
	if want&TokenAttentions != 0 && t.further == nil {
		var err error
		if t.further, err = t.runner(t.outputs.of(TokenAttentions)); err != nil {
			return err
		}
	}
	if of := (batching{want, rows}); t.fits == nil || t.batching != of {
		t.fits, t.batching = map[int]int{}, of
	}
	return nil
}

// space is the number of tokens that a sequence takes in a batch: a function of its own length alone.
func (t *TokenModel) space(length int) int {
	switch {
	case t.length > 0:
		return max(length, t.length)
	case t.padded:
		return (length + lengthStep - 1) / lengthStep * lengthStep
	}
	return length
}

// batch is how many sequences of a padded length run together.
func (t *TokenModel) batch(space int, want TokenOutputs) (int, error) {
	switch {
	case t.alone:
		return 1, nil
	case t.rows > 0:
		return t.rows, nil
	case t.fits[space] > 0:
		return t.fits[space], nil
	}
	rows := t.most
	if rows == 0 {
		rows = max(1, batchTokens/space)
	}
	if t.o.Memory > 0 {
		var each int64
		for _, r := range t.runs(want) {
			bytes, err := r.model.Footprint(t.types(1, space)...)
			if err != nil {
				return 0, err
			}
			each += bytes
		}
		rows = int(max(1, min(int64(rows), t.o.Memory/max(each, 1))))
	}
	t.fits[space] = rows
	return rows, nil
}

// runs are the models that compute the requested outputs.
func (t *TokenModel) runs(want TokenOutputs) []*tokenRun {
	var runs []*tokenRun
	if want&^TokenAttentions != 0 {
		runs = append(runs, t.main)
	}
	if want&TokenAttentions != 0 && t.further != nil {
		runs = append(runs, t.further)
	}
	return runs
}

// runBatch answers some sequences of one padded length.
func (t *TokenModel) runBatch(ctx context.Context, s *TokenSequences, indices []int, space int, want TokenOutputs,
	visit func(i int, out *TokenOutput) error) error {
	if t.length > 0 && space > t.length {
		return fmt.Errorf("model %s: a sequence has %d tokens, the input has a fixed length of %d", t.Path, space, t.length)
	}
	rows := max(len(indices), t.rows)
	valid := make([]int, rows)
	t.clear(rows, space)
	for r := range rows {
		i := indices[min(r, len(indices)-1)] // a batch of a fixed size is filled up with its last sequence
		valid[r] = s.Lengths[i]
		if valid[r] < space && !t.padded {
			return fmt.Errorf("model %s: a sequence has %d tokens, the input has a fixed length of %d, and padding changes the outputs", t.Path, valid[r], space)
		}
		at := r * space
		s.Fill(i, t.ids[at:at+valid[r]], t.chains[at:at+valid[r]])
	}
	runs := t.runs(want)
	outs := make(map[*tokenRun][]*model.Tensor, len(runs))
	for _, r := range runs {
		out, err := t.answer(ctx, r, valid, space)
		if err != nil {
			return err
		}
		outs[r] = out
	}
	var item TokenOutput
	for r, i := range indices {
		item = TokenOutput{Logits: item.Logits[:0], Hidden: item.Hidden[:0], Attentions: item.Attentions[:0]}
		for run, out := range outs {
			t.outputs.take(&item, run, out, want, rowPlace{r, rows, space, valid[r]})
		}
		if err := visit(i, &item); err != nil {
			return err
		}
	}
	return nil
}

// clear fills a batch with padding.
func (t *TokenModel) clear(rows, space int) {
	n := rows * space
	t.ids, t.chains = slices.Grow(t.ids[:0], n)[:n], slices.Grow(t.chains[:0], n)[:n]
	for k := range t.ids {
		t.ids[k] = int64(max(t.o.Pad, 0))
	}
	clear(t.chains)
}

// answer runs the batch whose tokens and chains are written.
func (t *TokenModel) answer(ctx context.Context, r *tokenRun, valid []int, space int) ([]*model.Tensor, error) {
	r.inputs = r.inputs[:0]
	for _, in := range t.inputs {
		r.inputs = append(r.inputs, t.tensor(in, valid, space))
	}
	out, err := r.model.RunInOrder(ctx, r.inputs...)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, t.fail(len(valid), space, err)
	}
	return out, nil
}

// fail reports the batch that the model does not take.
func (t *TokenModel) fail(rows, space int, err error) error {
	return fmt.Errorf("model %s: %s of %d tokens, padding included: %w", t.Path, text.Count(rows, "sequence"), space, err)
}

// A tokenTrial is a batch that is run when a model is opened.
type tokenTrial struct {
	seeds  []int // seeds of the sequences
	length int
	space  int
	pad    int
}

// try finds whether sequences may be padded and run together.
func (t *TokenModel) try(ctx context.Context) error {
	const short = 2 * lengthStep
	length, space := short, short+lengthStep
	if t.length > 0 {
		length, space = max(1, t.length-t.length/3), t.length
	}
	hasMask := slices.ContainsFunc(t.inputs,
		func(in tokenInput) bool { return in.role == roleMask || in.role == rolePadding })
	whole := tokenTrial{[]int{1}, length, length, t.o.Pad}
	if t.length > 0 {
		whole.length, whole.space = t.length, t.length
	}
	alone, err := t.trial(ctx, whole)
	if err != nil {
		return err
	}
	if hasMask && length < space {
		// The tokens that padding consists of must not matter, nor how many there are.
		a, err := t.trial(ctx, tokenTrial{[]int{1}, length, space, t.o.Pad})
		if err != nil {
			return err
		}
		b, err := t.trial(ctx, tokenTrial{[]int{1}, length, space, int(t.o.Letters[0])})
		if err != nil {
			return err
		}
		t.padded = near(a, b) && (t.length > 0 || near(a, alone))
	}
	switch {
	case t.padded:
	case !hasMask:
		t.Notes = append(t.Notes, "has no attention-mask input: only sequences of equal length share a batch")
	default:
		t.Notes = append(t.Notes, "padding changes the outputs in spite of the mask: only sequences of equal length share a batch")
	}
	if t.rows == 1 {
		return nil
	}
	together, err := t.trial(ctx, tokenTrial{[]int{1, 2}, whole.length, whole.space, t.o.Pad})
	switch {
	case err != nil && t.rows == 0 && ctx.Err() == nil:
		t.alone = true
		t.Notes = append(t.Notes, fmt.Sprintf("runs one sequence at a time: a batch of two fails with %v", err))
	case err != nil:
		return err
	case !slices.Equal(together, alone):
		if t.rows > 0 {
			return errors.New("the outputs of a sequence depend on the other sequences of its batch")
		}
		t.alone = true
		t.Notes = append(t.Notes, "runs one sequence at a time: outputs depend on the other sequences of a batch")
	}
	return nil
}

// trial runs sequences of tokens and returns the model's output for the first: logits, else hidden states, else
// attentions.
func (t *TokenModel) trial(ctx context.Context, attempt tokenTrial) ([]float32, error) {
	rows := max(len(attempt.seeds), t.rows)
	t.clear(rows, attempt.space)
	valid := make([]int, rows)
	for r := range rows {
		valid[r] = attempt.length
		row := t.ids[r*attempt.space:][:attempt.space]
		for k := range row {
			if row[k] = int64(max(attempt.pad, 0)); k < attempt.length {
				row[k] = int64(t.o.Letters[(k*k+k*attempt.seeds[min(r, len(attempt.seeds)-1)])%len(t.o.Letters)])
			}
		}
	}
	out, err := t.answer(ctx, t.main, valid, attempt.space)
	if err != nil {
		return nil, err
	}
	var item TokenOutput
	t.outputs.take(&item, t.main, out, t.has, rowPlace{0, rows, attempt.space, attempt.length})
	for _, values := range [][]float32{item.Logits, item.Hidden, item.Attentions} {
		if len(values) > 0 {
			return values, nil
		}
	}
	return nil, fmt.Errorf("model %s: returns nothing", t.Path)
}

// paddingTolerance is how far padding may move numbers, of the largest one: rounding.
const paddingTolerance = 1e-5

// near reports whether two lists are equal up to rounding.
func near(a, b []float32) bool {
	var largest, off float64
	for i, v := range a {
		largest = max(largest, math.Abs(float64(v)))
		off = max(off, math.Abs(float64(v)-float64(b[i])))
	}
	return len(a) == len(b) && off <= paddingTolerance*largest // false for NaN
}
