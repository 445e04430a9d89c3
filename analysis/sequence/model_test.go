// Models that are run: what they are shown, and that neither batches nor threads change a bit.

package sequence

import (
	"bytes"
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/latent"
	"repscope/measure/token"
	"repscope/shard"
)

// openLanguage opens one of the small models of package latent.
func openLanguage(t *testing.T, name string, o ModelOptions) *ModelSource {
	t.Helper()
	o.Alphabet = token.Antibody()
	m, err := OpenModel(t.Context(), languageFile(name), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func languageFile(name string) string {
	return filepath.Join("..", "..", "..", "latent", "testdata", "language_"+name+".onnx")
}

// answersOf are the outputs of passes in their order.
func answersOf(t *testing.T, s Source, passes []Pass, want Outputs) []Output {
	t.Helper()
	out := make([]Output, len(passes))
	err := s.Answer(t.Context(), passes, want, func(i int, o *Output) error {
		out[i] = Output{Logits: slices.Clone(o.Logits), Hidden: slices.Clone(o.Hidden), Attentions: slices.Clone(o.Attentions), Layers: o.Layers, Heads: o.Heads}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func equalBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

// A pass with hidden positions is one over a sequence that has the mask token there; every
// pass has the bits that it has alone.
func TestModelPasses(t *testing.T) {
	t.Parallel()
	if Outputs(latent.TokenLogits|latent.TokenHidden|latent.TokenAttentions) != Logits|HiddenStates|Attentions {
		t.Fatal("outputs of models are others than those of passes")
	}
	s := newFakeSequences(6, 1)
	m := openLanguage(t, "bert_script", ModelOptions{PositionBatch: 5, Threads: 2})
	var passes, masked []Pass
	for i := range s.records {
		r := &s.records[i]
		hidden := []int{1, 7 + i, len(r.Tokens) - 2}
		passes = append(passes, Pass{Record: r, Kind: MaskedPass, Hidden: hidden})
		with := *r
		with.Tokens = slices.Clone(r.Tokens)
		for _, at := range hidden {
			with.Tokens[at] = 31
		}
		masked = append(masked, Pass{Record: &with, Kind: CleanPass})
	}
	all := Logits | HiddenStates | Attentions
	if m.Has(MaskedPass) != all || m.Has(CleanPass) != all {
		t.Fatalf("has %v", m.Has(MaskedPass))
	}
	got, want := answersOf(t, m, passes, all), answersOf(t, m, masked, all)
	for i := range got {
		n := len(passes[i].Record.Tokens)
		if len(got[i].Logits) != n*32 || len(got[i].Hidden) != n*16 || len(got[i].Attentions) != 2*2*n*n || got[i].Layers != 2 || got[i].Heads != 2 {
			t.Fatalf("pass %d: outputs of %d, %d and %d values", i, len(got[i].Logits), len(got[i].Hidden), len(got[i].Attentions))
		}
		if !equalBits(got[i].Logits, want[i].Logits) || !equalBits(got[i].Hidden, want[i].Hidden) || !equalBits(got[i].Attentions, want[i].Attentions) {
			t.Errorf("pass %d: hiding positions is not the mask token in their place", i)
		}
		alone := answersOf(t, m, passes[i:i+1], Logits)
		if !equalBits(alone[0].Logits, got[i].Logits) {
			t.Errorf("pass %d has other bits alone", i)
		}
	}
}

// The numbers of a model have the same bytes for any batch, memory, number of threads and
// split of the sequences.
func TestModelSameBytes(t *testing.T) {
	t.Parallel()
	s := newFakeSequences(12, 2)
	input := func(o ModelOptions) Input {
		m := openLanguage(t, "encoder", o)
		model := Model{Name: "encoder", Sequences: s, Source: m, Inputs: func() ([]shard.Field, error) { return m.Fields(), nil }}
		return Input{Registry: All(), Datasets: []Dataset{{Name: "made", Models: []Model{model},
			Choice: Choice{Metrics: []string{"masked_accuracy", "pseudo_perplexity", "one_pass_perplexity"}, Mask: fakeMask, Masking: "fake"}}}}
	}
	o := Options{Intervals: true, Family: "metric", Seed: 42}
	text := textOf(t)
	whole, err := Analyze(t.Context(), input(ModelOptions{PositionBatch: 32, Threads: 2}), o)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text(whole), []byte(`"pppl"`)) {
		t.Fatalf("no pseudo-perplexity: %s", text(whole))
	}
	for _, m := range []ModelOptions{{PositionBatch: 1, Threads: 1}, {PositionBatch: 7, Memory: 1, Threads: 3}} {
		work, err := workOf(input(m), o)
		if err != nil {
			t.Fatal(err)
		}
		var states []*shard.State
		for i := range 3 {
			state, err := work.Compute(t.Context(), shard.Task(i, 3, work.Units)...)
			if err != nil {
				t.Fatal(err)
			}
			states = append(states, state)
		}
		split, err := work.MergeStates(t.Context(), states[2], states[0], states[1])
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(text(split), text(whole)) {
			t.Errorf("%+v: other bytes in three parts", m)
		}
	}
}

// Residues are hidden alone only where that is asked for.
func TestModelByName(t *testing.T) {
	t.Parallel()
	s := newFakeSequences(4, 1)
	source := openLanguage(t, "ignored", ModelOptions{})
	for _, c := range []struct {
		mode    string
		metrics []string
		skipped bool
	}{{RegionStandard, nil, true}, {RegionPerPosition, nil, false}, {RegionStandard, []string{"pseudo_perplexity"}, false}} {
		in := Input{Registry: All(), Datasets: []Dataset{{Name: "made", Models: []Model{fakeModel("a", s, source)},
			Choice: Choice{Metrics: c.metrics, Mode: c.mode, Mask: fakeMask, Masking: "fake"}}}}
		p, err := NewPlan(in, Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := p.Datasets[0].Planned[0]
		skipped := slices.ContainsFunc(m.Skipped, func(s Skipped) bool {
			return s.Metric == "pseudo_perplexity" && strings.Contains(s.Reason, "ask for it with --metrics")
		})
		if skipped != c.skipped || slices.ContainsFunc(m.Kinds, func(k *Kind) bool { return k.Needs&NeedSingle != 0 }) == c.skipped {
			t.Errorf("%s %v: skipped %v", c.mode, c.metrics, m.Skipped)
		}
	}
}

func TestModelErrors(t *testing.T) {
	t.Parallel()
	if _, err := OpenModel(t.Context(), languageFile("esm_dynamo"), ModelOptions{Alphabet: token.Antibody()}); err == nil ||
		!strings.Contains(err.Error(), "logits of 33 tokens, the vocabulary has 32") {
		t.Errorf("a model of another vocabulary: %v", err)
	}
	s := newFakeSequences(3, 1)
	m := openLanguage(t, "ignored", ModelOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	seen := 0
	optionsOf(m).Progress = func(kind PassKind, done, total int) {
		if seen++; kind != MaskedPass || done != seen || total != 3 {
			t.Errorf("progress of kind %d: %d of %d", kind, done, total)
		}
	}
	s.records[1].Tokens = s.records[1].Tokens[:40]
	passes := []Pass{{Record: &s.records[0]}, {Record: &s.records[1]}, {Record: &s.records[2]}}
	err := m.Answer(ctx, passes, Logits, func(int, *Output) error {
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || seen == 0 || seen == 3 {
		t.Errorf("cancelled while it runs: %v after %d passes", err, seen)
	}
	optionsOf(m).Alphabet = token.Antibody()
	optionsOf(m).Alphabet.Mask = -1
	if m.Has(SinglePass) != 0 || m.Has(CleanPass) != Logits {
		t.Error("a vocabulary without a mask token hides nothing")
	}
	if err := m.Answer(t.Context(), []Pass{{Record: &s.records[0], Hidden: []int{1}}}, Logits, nil); err == nil || !strings.Contains(err.Error(), "no mask token") {
		t.Errorf("hidden without a mask token: %v", err)
	}
	if err := m.Answer(t.Context(), []Pass{{Record: &Record{ID: "x"}}}, Logits, nil); err == nil || !strings.Contains(err.Error(), "sequence x has no tokens") {
		t.Errorf("an empty sequence: %v", err)
	}
}
