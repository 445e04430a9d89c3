// Models that are run: what they are shown, and that neither batches nor threads change a bit.

package source_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/analysis/sequence"
	"repscope/analysis/sequence/internal/sequencetest"
	"repscope/analysis/sequence/metrics"
	"repscope/analysis/sequence/source"
	"repscope/latent"
	"repscope/measure/token"
	"repscope/shard"
)

// openLanguage opens one of the small models of package latent.
func openLanguage(t *testing.T, name string, o source.ModelOptions) *source.ModelSource {
	t.Helper()
	o.Alphabet = token.Antibody()
	m, err := source.OpenModel(t.Context(), languageFile(name), o)
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
func answersOf(t *testing.T, s sequence.Source, passes []sequence.Pass, want sequence.Outputs) []sequence.Output {
	t.Helper()
	out := make([]sequence.Output, len(passes))
	err := s.Answer(t.Context(), passes, want, func(i int, o *sequence.Output) error {
		out[i] = sequence.Output{Logits: slices.Clone(o.Logits), Hidden: slices.Clone(o.Hidden), Attentions: slices.Clone(o.Attentions), Layers: o.Layers, Heads: o.Heads}
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
	if sequence.Outputs(latent.TokenLogits|latent.TokenHidden|latent.TokenAttentions) != sequence.Logits|sequence.HiddenStates|sequence.Attentions {
		t.Fatal("outputs of models are others than those of passes")
	}
	s := sequencetest.NewSequences(6, 1)
	m := openLanguage(t, "bert_script", source.ModelOptions{PositionBatch: 5, Threads: 2})
	var passes, masked []sequence.Pass
	for i := range s.Records {
		r := &s.Records[i]
		hidden := []int{1, 7 + i, len(r.Tokens) - 2}
		passes = append(passes, sequence.Pass{Record: r, Kind: sequence.MaskedPass, Hidden: hidden})
		with := *r
		with.Tokens = slices.Clone(r.Tokens)
		for _, at := range hidden {
			with.Tokens[at] = 31
		}
		masked = append(masked, sequence.Pass{Record: &with, Kind: sequence.CleanPass})
	}
	all := sequence.Logits | sequence.HiddenStates | sequence.Attentions
	if m.Has(sequence.MaskedPass) != all || m.Has(sequence.CleanPass) != all {
		t.Fatalf("has %v", m.Has(sequence.MaskedPass))
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
		alone := answersOf(t, m, passes[i:i+1], sequence.Logits)
		if !equalBits(alone[0].Logits, got[i].Logits) {
			t.Errorf("pass %d has other bits alone", i)
		}
	}
}

// The numbers of a model have the same bytes for any batch, memory, number of threads and
// split of the sequences.
func TestModelSameBytes(t *testing.T) {
	t.Parallel()
	s := sequencetest.NewSequences(12, 2)
	input := func(o source.ModelOptions) sequence.Input {
		m := openLanguage(t, "encoder", o)
		model := sequence.Model{Name: "encoder", Sequences: s, Source: m, Inputs: func() ([]shard.Field, error) { return m.Fields(), nil }}
		return sequence.Input{Registry: metrics.All(), Datasets: []sequence.Dataset{{Name: "made", Models: []sequence.Model{model},
			Choice: sequence.Choice{Metrics: []string{"masked_accuracy", "pseudo_perplexity", "one_pass_perplexity"}, Mask: sequencetest.Mask, Masking: "fake"}}}}
	}
	o := sequence.Options{Settings: analysis.Settings{Intervals: true, Family: "metric", Seed: 42}}
	text := sequencetest.Text(t)
	whole, err := sequence.Analyze(t.Context(), input(source.ModelOptions{PositionBatch: 32, Threads: 2}), o)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text(whole), []byte(`"pppl"`)) {
		t.Fatalf("no pseudo-perplexity: %s", text(whole))
	}
	for _, m := range []source.ModelOptions{{PositionBatch: 1, Threads: 1}, {PositionBatch: 7, Memory: 1, Threads: 3}} {
		work, err := sequencetest.Work(input(m), o)
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
	s := sequencetest.NewSequences(4, 1)
	source := openLanguage(t, "ignored", source.ModelOptions{})
	for _, c := range []struct {
		mode    string
		metrics []string
		skipped bool
	}{{sequence.RegionStandard, nil, true}, {sequence.RegionPerPosition, nil, false}, {sequence.RegionStandard, []string{"pseudo_perplexity"}, false}} {
		in := sequence.Input{Registry: metrics.All(), Datasets: []sequence.Dataset{{Name: "made", Models: []sequence.Model{sequencetest.Model("a", s, source)},
			Choice: sequence.Choice{Metrics: c.metrics, Mode: c.mode, Mask: sequencetest.Mask, Masking: "fake"}}}}
		p, err := sequence.NewPlan(in, sequence.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := p.Datasets[0].Planned[0]
		skipped := slices.ContainsFunc(m.Skipped, func(s sequence.Skipped) bool {
			return s.Metric == "pseudo_perplexity" && strings.Contains(s.Reason, "request it with --metrics")
		})
		if skipped != c.skipped || slices.ContainsFunc(m.Kinds, func(k *sequence.Kind) bool { return k.Needs&sequence.NeedSingle != 0 }) == c.skipped {
			t.Errorf("%s %v: skipped %v", c.mode, c.metrics, m.Skipped)
		}
	}
}

func TestModelErrors(t *testing.T) {
	t.Parallel()
	if _, err := source.OpenModel(t.Context(), languageFile("esm_dynamo"), source.ModelOptions{Alphabet: token.Antibody()}); err == nil ||
		!strings.Contains(err.Error(), "logits of 33 tokens, the vocabulary has 32") {
		t.Errorf("a model of another vocabulary: %v", err)
	}
	s := sequencetest.NewSequences(3, 1)
	m := openLanguage(t, "ignored", source.ModelOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	seen := 0
	source.OptionsOf(m).Progress = func(kind sequence.PassKind, done, total int) {
		if seen++; kind != sequence.MaskedPass || done != seen || total != 3 {
			t.Errorf("progress of kind %d: %d of %d", kind, done, total)
		}
	}
	s.Records[1].Tokens = s.Records[1].Tokens[:40]
	passes := []sequence.Pass{{Record: &s.Records[0]}, {Record: &s.Records[1]}, {Record: &s.Records[2]}}
	err := m.Answer(ctx, passes, sequence.Logits, func(int, *sequence.Output) error {
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || seen == 0 || seen == 3 {
		t.Errorf("cancelled while it runs: %v after %d passes", err, seen)
	}
	source.OptionsOf(m).Alphabet = token.Antibody()
	source.OptionsOf(m).Alphabet.Mask = -1
	if m.Has(sequence.SinglePass) != 0 || m.Has(sequence.CleanPass) != sequence.Logits {
		t.Error("a vocabulary without a mask token hides nothing")
	}
	if err := m.Answer(t.Context(), []sequence.Pass{{Record: &s.Records[0], Hidden: []int{1}}}, sequence.Logits, nil); err == nil || !strings.Contains(err.Error(), "no mask token") {
		t.Errorf("hidden without a mask token: %v", err)
	}
	if err := m.Answer(t.Context(), []sequence.Pass{{Record: &sequence.Record{ID: "x"}}}, sequence.Logits, nil); err == nil || !strings.Contains(err.Error(), "sequence x has no tokens") {
		t.Errorf("an empty sequence: %v", err)
	}
}
