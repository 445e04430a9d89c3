// Tests of what cannot be evaluated, and what is said of it.

package sequence_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/analysis/sequence"
	"repscope/analysis/sequence/internal/sequencetest"
	"repscope/analysis/sequence/metrics"
)

// What cannot be evaluated is an error that says why.
func TestBadInput(t *testing.T) {
	t.Parallel()
	one := func(change func(in *sequence.Input)) sequence.Input {
		in := sequencetest.Input(metrics.All(), 6, 1, "masked_accuracy")
		change(&in)
		return in
	}
	sequences := func(in *sequence.Input) *sequencetest.Sequences {
		return in.Datasets[0].Models[0].Sequences.(*sequencetest.Sequences)
	}
	for _, of := range []struct {
		in   sequence.Input
		want string
	}{
		{sequence.Input{}, "no dataset to evaluate"},
		{one(func(in *sequence.Input) { in.Datasets[0].Models = nil }), "dataset fake: no model to evaluate"},
		{one(func(in *sequence.Input) { in.Datasets[0].Models[0].Sequences = sequencetest.NewSequences(0, 1) }),
			"dataset fake: no sequences"},
		{one(func(in *sequence.Input) { in.Datasets[0].Models[1].Sequences = sequencetest.NewSequences(5, 1) }),
			"model b has 5 sequences, but model a has 6, or different clusters: models are compared on the same " +
				"sequences"},
		{one(func(in *sequence.Input) {
			other := sequencetest.NewSequences(6, 1)
			other.Records[3].Tokens[4] = 4 + other.Records[3].Tokens[4]%20
			in.Datasets[0].Models[1].Sequences = other
		}), "models a and b have different sequences: the models of one dataset are compared on the same sequences"},
		{one(func(in *sequence.Input) { in.Datasets[0].Choice.Metrics = []string{"masked_acuracy"} }), `unknown metric "masked_acuracy"`},
		{one(func(in *sequence.Input) {
			in.Datasets[0].Choice.Set = map[string]map[string]any{"masked_accuracy": {"depth": 3}}
		}), "masked_accuracy has no options, but masked_accuracy.depth is set"},
		{one(func(in *sequence.Input) { in.Datasets[0].Choice.Set = map[string]map[string]any{"probe": {"depth": 3}} }), `unknown metric "probe" in --set`},
		{one(func(in *sequence.Input) { in.Datasets[0].Choice.Mask = nil }),
			"a: sequence s0: the masked residues are unknown"},
		{one(func(in *sequence.Input) { sequences(in).Records[2].CDR = make([]int8, 4) }), "a: sequence s2: its lists differ in length"},
		{one(func(in *sequence.Input) {
			for m := range in.Datasets[0].Models {
				in.Datasets[0].Models[m].Source.(*sequencetest.Source).Outputs = map[sequence.PassKind]sequence.Outputs{sequence.CleanPass: sequence.Logits}
			}
		}), "nothing can be computed: masked_accuracy of a: needs predictions of masked residues"},
		{one(func(in *sequence.Input) {
			for m := range in.Datasets[0].Models {
				in.Datasets[0].Models[m].Source = shortLogits{sequencetest.NewSource(1, 1)}
			}
		}), otherVocabulary},
	} {
		_, err := sequence.Analyze(t.Context(), of.in, sequence.Options{Settings: analysis.Settings{Intervals: true}})
		if err == nil || !strings.HasPrefix(err.Error(), of.want) {
			t.Errorf("error %v, want %s", err, of.want)
		}
	}
}

const otherVocabulary = "a: sequence s0: logits have 31 tokens, but the vocabulary has 32: give the model's " +
	"vocabulary with --vocabulary"

// A model that fails is left out with the reason, and the other is as it is alone.
func TestFailingModel(t *testing.T) {
	t.Parallel()
	in := sequencetest.Input(metrics.All(), 6, 1, "masked_accuracy")
	in.Datasets[0].Models[0].Source = shortLogits{sequencetest.NewSource(1, 1)}
	both := sequencetest.Analyze(t, in)
	if len(both.Unmeasured) != 1 || both.Unmeasured[0].Name != "a" || !strings.HasPrefix(both.Unmeasured[0].Reason, otherVocabulary) {
		t.Errorf("not measured: %v, want a: %s", both.Unmeasured, otherVocabulary)
	}
	in.Datasets[0].Models = in.Datasets[0].Models[1:]
	alone := sequencetest.Analyze(t, in)
	if got, want := both.Datasets[0].Models, alone.Datasets[0].Models; len(got) != 1 || !reflect.DeepEqual(got[0].Object, want[0].Object) {
		t.Errorf("%v\nwant %v", got, want)
	}
}

// shortLogits answers with logits of another vocabulary.
type shortLogits struct{ *sequencetest.Source }

func (s shortLogits) Answer(ctx context.Context, passes []sequence.Pass, want sequence.Outputs, visit func(pass int, out *sequence.Output) error) error {
	return s.Source.Answer(ctx, passes, want, func(pass int, out *sequence.Output) error {
		out.Logits = out.Logits[:len(passes[pass].Record.Tokens)*31]
		return visit(pass, out)
	})
}

// Where nothing is masked, the scores are null with a reason, and the counts say so.
func TestNothingMasked(t *testing.T) {
	t.Parallel()
	in := sequencetest.Input(metrics.All(), 5, 1, "masked_accuracy")
	in.Datasets[0].Choice.Mask = func(*sequence.Record) []int { return nil }
	m := sequencetest.Analyze(t, in).Datasets[0].Models[0]
	v, _, ok := m.Number("mask_acc")
	if !ok || v.Defined() || v.Reason != "no residue is masked" {
		t.Errorf("mask_acc %v", v)
	}
	for name, want := range map[string]int{"sequences": 5, "masked_residues": 0, "chains_without_frameworks": 0} {
		if got, _ := m.Object.Get(name); got != want {
			t.Errorf("%s %v, want %d", name, got, want)
		}
	}
}

// A metric without its input is skipped with the reason, and others are computed.
func TestSkipped(t *testing.T) {
	t.Parallel()
	in := sequencetest.Input(metrics.All(), 5, 1)
	in.Datasets[0].Models[0].Source.(*sequencetest.Source).Outputs = map[sequence.PassKind]sequence.Outputs{sequence.MaskedPass: sequence.Logits}
	in.Datasets[0].Models[0].Sequences.(*sequencetest.Sequences).Known = sequence.NeedChains
	r := sequencetest.Analyze(t, in)
	m := &r.Datasets[0].Models[0]
	if !slices.Contains(m.Metrics, "masked_accuracy") {
		t.Errorf("computed: %v", m.Metrics)
	}
	all := metrics.All()
	for i := range all {
		k := &all[i]
		reason, ok := m.Skipped.Get(k.Name)
		if lacks := sequence.Missing(k, &in.Datasets[0].Models[0], sequence.RegionStandard); (lacks != "") != ok || ok && lacks != reason {
			t.Errorf("%s: skipped %v, lacks %q", k.Name, reason, lacks)
		}
	}
}

// A run that is canceled ends with the error of its context.
func TestCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sequence.Analyze(ctx, sequencetest.Input(metrics.All(), 8, 1), sequence.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// The registry is whole: every metric says what it is, and no number belongs to two.
func TestRegistry(t *testing.T) {
	t.Parallel()
	of := map[string]string{}
	for _, k := range metrics.All() {
		if k.About == "" || len(k.Keys) == 0 && len(k.Files) == 0 || k.New == nil || k.Needs == 0 && k.Either == 0 {
			t.Errorf("%s: it lacks About, Keys and Files, Needs or New", k.Name)
		}
		for _, key := range k.Keys {
			if other := of[key.Name]; other != "" && other != k.Name {
				t.Errorf("%s is a number of %s and of %s", key.Name, other, k.Name)
			}
			of[key.Name] = k.Name
		}
		for _, alias := range k.Aliases {
			if found := metrics.All().Find(alias); found == nil || found.Name != k.Name {
				t.Errorf("alias %s of %s is that of %v", alias, k.Name, found)
			}
		}
	}
}

// Mistakes of a registry are errors.
func TestBadRegistry(t *testing.T) {
	t.Parallel()
	whole := metrics.All()
	for want, registry := range map[string]sequence.Registry{
		"two metrics are named masked_accuracy":          append(whole[:1:1], whole[0]),
		"made has the range 1 to 1, want Low below High": {{Name: "made", Keys: []sequence.Key{{Name: "made", Low: 1, High: 1}}}},
		"nothing can be computed: no metrics":            nil,
	} {
		if _, err := sequence.Analyze(t.Context(), sequencetest.Input(registry, 6, 1), sequence.Options{}); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
