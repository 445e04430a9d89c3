// Tests of mask plans.

package source_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"repscope/analysis/sequence"
	"repscope/analysis/sequence/internal/sequencetest"
	"repscope/analysis/sequence/metrics"
	"repscope/analysis/sequence/source"
	"repscope/dataset"
	"repscope/measure/token"
	"repscope/points"
)

// maskSome hides the first 0, 2 or 4 residues.
func maskSome(r *sequence.Record) []int { return r.Residues()[:2*(r.Index%3)] }

// writeTestPlan writes a plan of all passes.
func writeTestPlan(t testing.TB, s sequence.Sequences) string {
	t.Helper()
	plan := &source.MaskPlan{Alphabet: token.Antibody(), Sequences: s, Kinds: []sequence.PassKind{sequence.MaskedPass, sequence.CleanPass, sequence.SinglePass, sequence.RegionPass}, Identity: source.PlanIdentity{Sequences: "<digest>"},
		Mask: maskSome}
	var b bytes.Buffer
	if err := source.WritePlan(context.Background(), &b, plan); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "plan.npz")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPlanRoundTrip holds that a plan that was answered gives the records, passes and answers
// that it was made of.
func TestPlanRoundTrip(t *testing.T) {
	t.Parallel()
	s := sequencetest.NewSequences(6, 2)
	for i := range s.Records {
		s.Records[i].Masked = nil
	}
	path := writeTestPlan(t, s)
	arrays, err := dataset.ArrayNames(path)
	if err != nil || len(arrays) != 13 {
		t.Fatalf("arrays %v, %v", arrays, err)
	}
	// The answer: logits that tell their row.
	var fields []dataset.Field
	rows, width := 0, 0
	for _, name := range arrays {
		if name == "plan" {
			continue
		}
		a, err := dataset.Open(path + ":" + name)
		if err != nil {
			t.Fatal(err)
		}
		if name == "token_ids" {
			rows, width = a.Shape()[0], a.Shape()[1]
		}
		values := make([]int64, a.Len()*a.RowLen())
		if err := a.ReadInt64(values, 0, a.Len()); err != nil {
			t.Fatal(err)
		}
		fields = append(fields, dataset.Field{Name: name, Shape: slices.Clone(a.Shape()), Data: values})
		a.Close()
	}
	logits := make([]float32, rows*width*32)
	for i := range logits {
		logits[i] = float32(i / (width * 32))
	}
	fields = append(fields, dataset.Field{Name: "logits", Shape: []int{rows, width, 32}, Data: logits})
	answered := filepath.Join(t.TempDir(), "answer.npz")
	if err := dataset.WriteNPZ(answered, fields...); err != nil {
		t.Fatal(err)
	}
	d, err := source.OpenDump(answered, token.Antibody(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if want, _ := points.Numbered(s.Clusters()); !slices.Equal(d.Clusters(), want) {
		t.Errorf("clusters %v, want %v", d.Clusters(), want)
	}
	row := 0
	for i := range s.Len() {
		want, got := record(t, s, i), record(t, d, i)
		if err := want.Complete(maskSome); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Tokens, want.Tokens) || !slices.Equal(got.Masked, want.Masked) || !slices.Equal(got.Chains, want.Chains) || !slices.Equal(got.CDR, want.CDR) ||
			!slices.Equal(got.NonTemplated, want.NonTemplated) || !slices.Equal(got.Special, want.Special) {
			t.Errorf("sequence %d is read back as %+v, want %+v", i, got, want)
		}
		for _, kind := range []sequence.PassKind{sequence.MaskedPass, sequence.CleanPass, sequence.SinglePass, sequence.RegionPass} {
			passes := sequence.PassesOf(want, kind)
			if kind == sequence.MaskedPass && len(passes) == 0 {
				passes = []sequence.Pass{{Record: want}}
			}
			for _, p := range passes {
				if out := answer(t, d, p, sequence.Logits); out.Logits[0] != float32(row) {
					t.Errorf("sequence %d, pass %d of %v is row %v, want %d", i, kind, p.Hidden, out.Logits[0], row)
				}
				row++
			}
		}
	}
	if row != rows {
		t.Errorf("%d passes, want %d", rows, row)
	}
}

func TestPlanFile(t *testing.T) {
	t.Parallel()
	s := sequencetest.NewSequences(3, 1)
	path := writeTestPlan(t, s)
	text, err := dataset.ReadText(path, "plan")
	var identity source.PlanIdentity
	if err != nil || json.Unmarshal([]byte(text), &identity) != nil || identity.Sequences != "<digest>" {
		t.Errorf("the plan says %q, %v", text, err)
	}
	read := func(name string) []int64 {
		a, err := dataset.Open(path + ":" + name)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		values := make([]int64, a.Len()*a.RowLen())
		if err := a.ReadInt64(values, 0, a.Len()); err != nil {
			t.Fatal(err)
		}
		return values
	}
	ids, targets, hidden, special, attended := read("token_ids"), read("targets"), read("mask_labels"), read("special_tokens_mask"), read("attention_mask")
	mask, pad := int64(token.Antibody().Mask), int64(token.Antibody().Pad)
	for i := range ids {
		switch {
		case attended[i] == 0 && (ids[i] != pad || targets[i] != pad || hidden[i] != 0 || special[i] != 1),
			hidden[i] == 1 && (ids[i] != mask || targets[i] == mask || special[i] == 1), hidden[i] == 0 && ids[i] != targets[i]:
			t.Fatalf("element %d: token %d of %d, hidden %d, special %d, attended %d", i, ids[i], targets[i], hidden[i], special[i], attended[i])
		}
	}
	bare := token.Antibody()
	bare.Mask = -1
	if err := source.WritePlan(context.Background(), &bytes.Buffer{}, &source.MaskPlan{Alphabet: bare, Sequences: s}); err == nil || err.Error() != "the "+
		"vocabulary has no mask token to replace masked residues" {
		t.Errorf("%v", err)
	}
	if err := source.WritePlan(context.Background(), &bytes.Buffer{}, &source.MaskPlan{Alphabet: token.Antibody(), Sequences: s, Mask: maskSome}); err == nil || err.Error() != "the plan has no passes" {
		t.Errorf("%v", err)
	}
}

// TestPlanKinds holds which passes a plan has.
func TestPlanKinds(t *testing.T) {
	t.Parallel()
	s := sequencetest.NewSequences(2, 1)
	for _, c := range []struct {
		choice sequence.Choice
		want   []sequence.PassKind
	}{
		{sequence.Choice{Metrics: []string{"masked_accuracy"}}, []sequence.PassKind{sequence.MaskedPass}},
		{sequence.Choice{Metrics: []string{"p_at_l"}}, []sequence.PassKind{sequence.MaskedPass, sequence.CleanPass}},
		{sequence.Choice{Metrics: []string{"masked_accuracy"}, Mode: sequence.RegionPerPosition}, []sequence.PassKind{sequence.MaskedPass, sequence.SinglePass}},
		{sequence.Choice{Metrics: []string{"masked_accuracy"}, Mode: sequence.RegionLevel}, []sequence.PassKind{sequence.MaskedPass, sequence.RegionPass}},
		{sequence.Choice{}, []sequence.PassKind{sequence.MaskedPass, sequence.CleanPass}},
	} {
		if got, _, err := sequence.NeededPasses(metrics.All(), c.choice, s); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, %v, want %v", c.choice, got, err, c.want)
		}
	}
	given := sequence.Choice{Substitutions: sequencetest.Variants(t, s, 1, 12)}
	if got, wants, err := sequence.NeededPasses(metrics.All(), given, s); err != nil || !slices.Equal(got, []sequence.PassKind{sequence.MaskedPass, sequence.CleanPass, sequence.SinglePass}) || !wants(sequence.SinglePass, 0) || wants(sequence.SinglePass, 1) {
		t.Errorf("with substitutions of one sequence: %v, %v", got, err)
	}
	s.Known = 0
	if got, _, err := sequence.NeededPasses(metrics.All(), sequence.Choice{Metrics: []string{"p_at_l"}}, s); err != nil || !slices.Equal(got, []sequence.PassKind{sequence.MaskedPass}) {
		t.Errorf("contacts without coordinates: %v, %v", got, err)
	}
}
