// Generators that are run: against ONNX Runtime, draws that nothing changes but the seed,
// and models that do not fit.

package command

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/generation"
	"repscope/latent"
	"repscope/points"
)

// goldenGenerator is testdata/generator/generator.json.
type goldenGenerator struct {
	Cells             [][]int
	Labels, Predicted []int
	Mean, Probability [][]float64
}

// near compares numbers of two implementations.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s is %.15g, want %.15g", what, got, want)
	}
}

// toyGrids are the grids of the golden numbers.
func toyGrids(t *testing.T) (*generation.Samples, *goldenGenerator) {
	t.Helper()
	g := &goldenGenerator{}
	text, err := os.ReadFile("testdata/generator/generator.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, g); err != nil {
		t.Fatal(err)
	}
	var cells []uint8
	for _, row := range g.Cells {
		for _, v := range row {
			cells = append(cells, uint8(v))
		}
	}
	return &generation.Samples{Name: "grids.npz", Rows: points.Uint8(cells, 12), Shape: []int{2, 2, 3}, Labels: g.Labels}, g
}

func toyHead(t *testing.T, name string, prefer []string) *latent.Head {
	t.Helper()
	head, err := latent.OpenHead("testdata/generator/"+name+".onnx", latent.OpenOptions{Prefer: prefer})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { head.Close() })
	return head
}

// toyRun runs heads of the given names; empty: none.
func toyRun(t *testing.T, grids *generation.Samples, encoder, decoder string, o latent.EncodeOptions) (*generatorRun, error) {
	t.Helper()
	h := heads{Name: "toy"}
	if encoder != "" {
		h.Encoder = toyHead(t, encoder, encoderOutputs)
	}
	if decoder != "" {
		h.Decoder = toyHead(t, decoder, decoderOutputs)
	}
	return h.prepare(context.Background(), grids, o, false)
}

// The mean is taken of the encoder, labels go in one-hot, logits become probabilities.
func TestGeneratorMatchesONNXRuntime(t *testing.T) {
	t.Parallel()
	grids, want := toyGrids(t)
	r, err := toyRun(t, grids, "encoder", "decoder", latent.EncodeOptions{Batch: 5})
	if err != nil {
		t.Fatal(err)
	}
	z := r.encoded()
	for i, row := range want.Mean {
		for k, v := range z.Points.Row(i, nil) {
			near(t, fmt.Sprintf("latent [%d,%d]", i, k), v, row[k], 2e-6)
		}
	}
	p := r.pairs()
	original, found := make([]float64, 7*12), make([]float64, 7*12)
	if err := p.Read(context.Background(), original, found, 3, 10); err != nil {
		t.Fatal(err)
	}
	for i := range 7 {
		for k := range 12 {
			near(t, "probability", found[i*12+k], want.Probability[3+i][k], 2e-6)
			if original[i*12+k] != float64(want.Cells[3+i][k]) {
				t.Errorf("original [%d,%d] is %g", 3+i, k, original[i*12+k])
			}
		}
	}
	predicted, err := classify(context.Background(), toyHead(t, "classifier", nil), grids, generation.DistinctLabels(grids.Labels),
		latent.EncodeOptions{Batch: 5})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(predicted.Target, want.Labels) || !slices.Equal(predicted.Predicted, want.Predicted) {
		t.Errorf("predictions %v of %v, want %v of %v", predicted.Predicted, predicted.Target, want.Predicted, want.Labels)
	}
}

// A sample depends on the seed, its label and its number, on neither batch nor threads nor
// how many samples and labels there are.
func TestDrawsDependOnTheirNumber(t *testing.T) {
	t.Parallel()
	grids, _ := toyGrids(t)
	draw := func(grids *generation.Samples, o latent.EncodeOptions, each int, seed uint64) ([]uint8, *Drawn) {
		r, err := toyRun(t, grids, "encoder", "decoder", o)
		if err != nil {
			t.Fatal(err)
		}
		cells, labels, counts, err := r.draw(context.Background(), draws{PerLabel: each, Temperature: 1, Threshold: 0.5, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if len(labels) != each*len(generation.DistinctLabels(grids.Labels)) || counts.FirstValid != len(labels) || counts.Redrawn != 0 {
			t.Fatalf("%d labels, %+v", len(labels), counts)
		}
		return cells, counts
	}
	base, _ := draw(grids, latent.EncodeOptions{Batch: 64, Threads: 1}, 20, 7)
	if other, _ := draw(grids, latent.EncodeOptions{Batch: 3, Threads: 3}, 20, 7); !slices.Equal(base, other) {
		t.Error("another batch and more threads draw other samples")
	}
	if other, _ := draw(grids, latent.EncodeOptions{}, 20, 8); slices.Equal(base, other) {
		t.Error("another seed draws the same samples")
	}
	fewer, _ := draw(grids, latent.EncodeOptions{}, 5, 7)
	for label := range 3 {
		if !slices.Equal(fewer[label*5*12:(label+1)*5*12], base[label*20*12:(label*20+5)*12]) {
			t.Errorf("label %d: the first 5 of 20 samples are not those of 5", label)
		}
	}
	some := grids.Select([]int{2, 5, 8}) // label 2 alone
	if other, _ := draw(some, latent.EncodeOptions{}, 20, 7); !slices.Equal(other, base[2*20*12:]) {
		t.Error("a label has other samples where there are no other labels")
	}
}

// Invalid samples are drawn again, the others stay; a rule that nothing fulfils ends after
// 50 rounds.
func TestDrawsAgain(t *testing.T) {
	t.Parallel()
	grids, _ := toyGrids(t)
	r, err := toyRun(t, grids, "encoder", "decoder", latent.EncodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o := draws{PerLabel: 30, Temperature: 1, Threshold: 0.5, Seed: 7}
	first, _, _, err := r.draw(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	o.Rule = func(cells []uint8) bool { return cells[0] == 1 }
	cells, _, counts, err := r.draw(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for i := range counts.Samples {
		was, is := first[i*12:(i+1)*12], cells[i*12:(i+1)*12]
		if is[0] != 1 {
			t.Errorf("sample %d is still invalid: %+v", i, counts)
		}
		if was[0] == 1 {
			kept++
			if !slices.Equal(was, is) {
				t.Errorf("sample %d was valid and was drawn again", i)
			}
		}
	}
	if kept != counts.FirstValid || counts.Redrawn < counts.Samples-kept || counts.Rounds < 1 || counts.Invalid != 0 || kept == counts.Samples {
		t.Errorf("%d samples were valid at once: %+v", kept, counts)
	}
	o.Rule, o.PerLabel = func([]uint8) bool { return false }, 2
	if _, _, counts, err = r.draw(context.Background(), o); err != nil || counts.Rounds != 50 || counts.Redrawn != 300 || counts.Invalid != 6 {
		t.Errorf("a rule that nothing fulfils: %+v, %v", counts, err)
	}
}

// A decoder that takes no labels, whose output names no scale, without an encoder.
func TestPlainDecoder(t *testing.T) {
	t.Parallel()
	grids, _ := toyGrids(t)
	grids.Labels = nil
	r, err := toyRun(t, grids, "", "plain_decoder", latent.EncodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cells, labels, counts, err := r.draw(context.Background(), draws{PerLabel: 200, Temperature: 0, Threshold: 0.6})
	if err != nil || labels != nil || counts.Samples != 200 || slices.Contains(cells, 1) {
		t.Errorf("at temperature 0 every probability is ½: %v %v %+v", err, labels, counts)
	}
	if r.logits {
		t.Error("an output named prob counts as logits")
	}
	if got := r.probability(0.25); got != 0.25 {
		t.Errorf("probability 0.25 became %g", got)
	}
	r.logits = true
	if got := r.probability(-1); math.Abs(got-1/(1+math.E)) > 1e-15 {
		t.Errorf("logit −1 became %g", got)
	}
}

func TestHeadsThatDoNotFit(t *testing.T) {
	t.Parallel()
	grids, _ := toyGrids(t)
	bare := *grids
	bare.Labels = nil
	flat := *grids
	flat.Shape = []int{4, 3}
	for _, c := range []struct {
		name, encoder, decoder string
		grids                  *generation.Samples
		want                   []string
	}{
		{"latents of another size", "encoder", "wide_decoder", grids, []string{"decoder toy", "wide_decoder.onnx", `each latent has shape [4], input "latent" wants [5]`}},
		{"grids of another size", "encoder", "small_decoder", grids, []string{"small_decoder.onnx produces grids of shape [11]", "grids.npz contains grids of shape [2 2 3]"}},
		{"an input too many", "encoder", "three_decoder", grids, []string{"three_decoder.onnx has 3 inputs", `"z", "condition", "style"`, "want latent and, if it is conditional, the label"}},
		{"no labels", "encoder", "decoder", &bare, []string{"encoder toy", "needs labels", `"condition", "x"`, "grids.npz has none"}},
		{"other grids", "encoder", "decoder", &flat, []string{"encoder toy", `each grid has shape [4 3], input "x" wants [2 2 3]`}},
	} {
		_, err := toyRun(t, c.grids, c.encoder, c.decoder, latent.EncodeOptions{})
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v; want %q in it", c.name, err, part)
			}
		}
	}
	many := *grids
	many.Labels = slices.Repeat([]int{0, 4, 5, 9}, 3)
	_, err := classify(context.Background(), toyHead(t, "classifier", nil), &many, generation.DistinctLabels(many.Labels),
		latent.EncodeOptions{})
	if err == nil || !strings.Contains(err.Error(), "has 3 classes, but the samples have 4 labels up to 9") {
		t.Errorf("a class for each label: %v", err)
	}
	many.Labels = slices.Repeat([]int{4, 5, 9}, 4) // a class for each label
	p, err := classify(context.Background(), toyHead(t, "classifier", nil), &many, generation.DistinctLabels(many.Labels),
		latent.EncodeOptions{})
	if err != nil || !slices.Equal(generation.DistinctLabels(p.Predicted, many.Labels), []int{4, 5, 9}) {
		t.Errorf("three labels of three classes: %v %v", p, err)
	}
	// Samples that lack a label of others: each class is the label that it is for these.
	known := generation.DistinctLabels(many.Labels)
	want := slices.Clone(p.Predicted)
	many.Labels = slices.Repeat([]int{4, 9}, 6)
	if p, err = classify(context.Background(), toyHead(t, "classifier", nil), &many, known,
		latent.EncodeOptions{}); err != nil || !slices.Equal(p.Predicted, want) {
		t.Errorf("two of three labels: %v %v, want %v", p, err, want)
	}
}

// Reference rows need real samples, keep what they are made of, and take no one's name.
func TestReferences(t *testing.T) {
	t.Parallel()
	grids, _ := toyGrids(t)
	in := &generation.Input{Generators: []generation.Generator{{Name: "vae", Generated: grids}}, Real: grids}
	if err := in.AddReferences(1); err != nil || len(in.Generators) != 1 {
		t.Errorf("without held-out samples: %v, %d generators", err, len(in.Generators))
	}
	in.HoldOut = grids
	if err := in.AddReferences(1); err != nil || len(in.Generators) != 3 || in.Generators[1].Name != generation.RealRow || in.Generators[2].Name != generation.ShuffledRow {
		t.Fatalf("%v, %d generators", err, len(in.Generators))
	}
	shuffled := in.Generators[2].Generated
	same := slices.Clone(shuffled.Labels)
	slices.Sort(same)
	sorted := slices.Sorted(slices.Values(grids.Labels))
	if slices.Equal(shuffled.Labels, grids.Labels) || !slices.Equal(same, sorted) || &shuffled.Rows.U8[0] != &grids.Rows.U8[0] {
		t.Errorf("labels %v shuffled are %v", grids.Labels, shuffled.Labels)
	}
	other := &generation.Input{Generators: []generation.Generator{{Name: "real", Generated: grids}}, HoldOut: grids}
	if err := other.AddReferences(1); err == nil || !strings.Contains(err.Error(), "generator real: the name is reserved for a row of real samples") {
		t.Errorf("a generator called real: %v", err)
	}
}
