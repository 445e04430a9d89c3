// Models that are run: the Source of --model NAME=FILE.onnx.

package source

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"repscope/analysis/sequence"
	"repscope/latent"
	"repscope/measure/token"
	"repscope/report"
	"repscope/shard"
)

// ModelOptions says how a model is run. None of the numbers depends on PositionBatch, Threads
// and Memory.
type ModelOptions struct {
	// Inputs and Outputs are names of the file by role; see [latent.TokenOptions].
	Inputs, Outputs map[string]string
	Alphabet        *token.Alphabet
	// PositionBatch bounds the passes with one hidden position that run together; 0: no bound
	// but the bound of the memory, and 1,024 tokens.
	PositionBatch int
	Threads       int
	Memory        int64 // bytes of a batch; 0: no bound
	// Progress, if not nil, is told how many of the passes of a kind that were asked for
	// together are done.
	Progress func(kind sequence.PassKind, done, total int)
}

// ModelSource answers passes by running a model. It may be used concurrently; the model runs
// one batch at a time, with all its threads.
type ModelSource struct {
	o     ModelOptions
	model *latent.TokenModel
	mutex sync.Mutex
}

// OpenModel opens an ONNX file: token ids [B, L] in, and the chain of every token, and the
// attention mask, where it has inputs for them; logits [B, L, V], hidden states and attentions
// out. Errors name the file: no ONNX file, inputs that no role is known of, no output of use,
// logits of another vocabulary.
func OpenModel(ctx context.Context, path string, o ModelOptions) (*ModelSource, error) {
	var letters []int32
	for id, name := range o.Alphabet.Names {
		if len(name) == 1 && !special(o.Alphabet, id) {
			letters = append(letters, int32(id))
		}
	}
	m, err := latent.OpenTokens(ctx, path, latent.TokenOptions{Inputs: o.Inputs, Outputs: o.Outputs, Vocabulary: o.Alphabet.Size(),
		Pad: o.Alphabet.Pad, Letters: letters, Threads: o.Threads, Memory: o.Memory})
	if err != nil {
		return nil, err
	}
	return &ModelSource{o: o, model: m}, nil
}

// Close releases the file.
func (s *ModelSource) Close() error { return s.model.Close() }

// Has are the outputs of the file; all kinds of passes are possible where there is a mask
// token.
func (s *ModelSource) Has(kind sequence.PassKind) sequence.Outputs {
	if kind != sequence.CleanPass && s.o.Alphabet.Mask < 0 {
		return 0
	}
	return sequence.Outputs(s.model.Has()) // Logits, HiddenStates and Attentions are the ones of latent
}

// Runs says that answers are computed when they are asked for.
func (s *ModelSource) Runs() bool { return true }

// SHA256 is the digest of the file.
func (s *ModelSource) SHA256() (string, error) { return s.model.SHA256, nil }

// Notes say which input is taken for what, and how the model runs.
func (s *ModelSource) Notes() []string {
	notes := []string{fmt.Sprintf("%s: %s", s.model.Path, strings.Join(s.model.Names, ", "))}
	for _, note := range s.model.Notes {
		notes = append(notes, fmt.Sprintf("%s: %s", s.model.Path, note))
	}
	return notes
}

// Details are the details of the file for the result.
func (s *ModelSource) Details() *report.Object {
	var d report.Object
	d.Set("parameters", s.model.Parameters)
	if s.model.Opset > 0 {
		d.Set("opset", s.model.Opset)
	}
	d.Set("names", s.model.Names)
	return &d
}

// Fields are what the answers follow from.
func (s *ModelSource) Fields() []shard.Field {
	return []shard.Field{{Name: "model", Value: s.model.SHA256}, {Name: "names", Value: strings.Join(s.model.Names, ",")}}
}

// Answer runs the model over the passes, in batches of sequences of about the same length.
// Passes are visited in the order of lengths, equal ones in theirs.
func (s *ModelSource) Answer(ctx context.Context, passes []sequence.Pass, want sequence.Outputs,
	visit func(pass int, out *sequence.Output) error) error {
	if len(passes) == 0 {
		return nil
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	kind := passes[0].Kind
	inputs := latent.TokenSequences{Lengths: make([]int, len(passes))}
	if kind == sequence.SinglePass {
		inputs.Rows = s.o.PositionBatch
	}
	for i := range passes {
		if inputs.Lengths[i] = len(passes[i].Record.Tokens); inputs.Lengths[i] == 0 {
			return fmt.Errorf("sequence %s has no tokens", passes[i].Record.ID)
		}
		if len(passes[i].Hidden) > 0 && s.o.Alphabet.Mask < 0 {
			return errors.New("the vocabulary has no mask token, so nothing can be masked")
		}
	}
	inputs.Fill = func(i int, tokens, chains []int64) {
		for k, id := range passes[i].Record.Tokens {
			tokens[k], chains[k] = int64(id), int64(passes[i].Record.Chains[k])
		}
		for _, at := range passes[i].Hidden {
			tokens[at] = int64(s.o.Alphabet.Mask)
		}
	}
	done := 0
	return s.model.Run(ctx, inputs, latent.TokenOutputs(want), func(i int, out *latent.TokenOutput) error {
		done++
		if s.o.Progress != nil {
			s.o.Progress(kind, done, len(passes))
		}
		return visit(i, &sequence.Output{Logits: out.Logits, Hidden: out.Hidden, Attentions: out.Attentions, Layers: out.Layers, Heads: out.Heads})
	})
}
