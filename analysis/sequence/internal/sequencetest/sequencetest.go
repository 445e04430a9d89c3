// Package sequencetest makes sequences, models and variants for the tests of package sequence and those below it.
package sequencetest

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/analysis"
	"repscope/analysis/sequence"
	"repscope/measure/token"
	"repscope/report"
	"repscope/shard"
)

// Sequences are made antibodies: [CLS] heavy light [EOS], with CDRs, residues that are not of the
// germline, and coordinates, some of them missing.
type Sequences struct {
	Records []sequence.Record
	Known   sequence.Needs
}

// NewSequences makes n sequences in clusters of that many.
func NewSequences(n, cluster int) *Sequences {
	f := &Sequences{Known: sequence.NeedRegions | sequence.NeedGermline | sequence.NeedCoordinates | sequence.NeedChains}
	for i := range n {
		r := rand.New(rand.NewPCG(7, uint64(i)))
		rec := sequence.Record{Index: i, ID: fmt.Sprintf("s%d", i), Cluster: i / cluster}
		add := func(chain, cdr int8, special bool, tok int32) {
			rec.Tokens, rec.Chains, rec.Special, rec.CDR = append(rec.Tokens, tok), append(rec.Chains, chain), append(rec.Special, special), append(rec.CDR, cdr)
			rec.NonTemplated = append(rec.NonTemplated, int8(r.IntN(8)/7))
			position := float32(len(rec.Tokens))
			xyz := []float32{10 * float32(math.Cos(float64(position)/3)), 10 * float32(math.Sin(float64(position)/3)),
				position / 4}
			if special || r.IntN(20) == 0 {
				nan := float32(math.NaN())
				xyz = []float32{nan, nan, nan}
			}
			rec.Coordinates = append(rec.Coordinates, xyz...)
		}
		add(0, 0, true, 0)
		for chain := range int8(2) {
			for part, length := range []int{4, 3, 4, 3, 5, 4 + r.IntN(4), 3} {
				cdr := int8(0)
				if part%2 == 1 {
					cdr = int8(part/2 + 1)
				}
				for range length {
					add(chain, cdr, false, int32(4+r.IntN(20)))
				}
			}
		}
		add(1, 0, true, 2)
		rec.NonTemplated[0], rec.NonTemplated[len(rec.Tokens)-1] = 0, 0
		f.Records = append(f.Records, rec)
	}
	return f
}

// Len implements [sequence.Sequences].
func (f *Sequences) Len() int { return len(f.Records) }

// Clusters implements [sequence.Sequences].
func (f *Sequences) Clusters() []int {
	out := make([]int, len(f.Records))
	for i := range out {
		out[i] = f.Records[i].Cluster
	}
	return out
}

// Knows implements [sequence.Sequences].
func (f *Sequences) Knows() sequence.Needs { return f.Known }

// Read implements [sequence.Sequences].
func (f *Sequences) Read(i int, r *sequence.Record) error {
	*r = f.Records[i]
	return nil
}

// Source answers with numbers that follow from the seed, the sequence and the hidden positions.
// The logit of the truth is higher by skill.
type Source struct {
	Seed    uint64
	Skill   float64
	Outputs map[sequence.PassKind]sequence.Outputs
	AtOnce  bool
}

// NewSource has all outputs for passes of every kind.
func NewSource(seed uint64, skill float64) *Source {
	all := sequence.Logits | sequence.HiddenStates | sequence.Attentions | sequence.ContactScores
	return &Source{Seed: seed, Skill: skill, Outputs: map[sequence.PassKind]sequence.Outputs{sequence.MaskedPass: all, sequence.CleanPass: all, sequence.SinglePass: all, sequence.RegionPass: all}}
}

// The sizes of the fake model.
const (
	Width  = 6
	Layers = 2
	Heads  = 3
)

// Has implements [sequence.Source].
func (f *Source) Has(kind sequence.PassKind) sequence.Outputs { return f.Outputs[kind] }

// Concurrent says whether several goroutines may ask.
func (f *Source) Concurrent() bool { return f.AtOnce }

// Answer implements [sequence.Source].
func (f *Source) Answer(_ context.Context, passes []sequence.Pass, want sequence.Outputs,
	visit func(pass int, out *sequence.Output) error) error {
	for i := range passes {
		if err := visit(i, f.Respond(&passes[i], want)); err != nil {
			return err
		}
	}
	return nil
}

func (f *Source) Respond(p *sequence.Pass, want sequence.Outputs) *sequence.Output {
	key := uint64(p.Kind)
	for _, h := range p.Hidden {
		key = key*1000003 + uint64(h) + 1
	}
	n := len(p.Record.Tokens)
	draw := func(kind sequence.Outputs, size int) []float32 {
		r := rand.New(rand.NewPCG(f.Seed*1000+token.SequenceKey(p.Record.ID), key*16+uint64(kind)))
		out := make([]float32, size)
		for k := range out {
			out[k] = float32(r.NormFloat64())
		}
		return out
	}
	out := &sequence.Output{Layers: Layers, Heads: Heads}
	if want&sequence.Logits != 0 {
		out.Logits = draw(sequence.Logits, n*32)
		for k, t := range p.Record.Tokens {
			out.Logits[k*32+int(t)] += float32(f.Skill)
		}
	}
	if want&sequence.HiddenStates != 0 {
		out.Hidden = draw(sequence.HiddenStates, n*Width)
		for k, chain := range p.Record.Chains {
			out.Hidden[k*Width] += 2 * float32(chain)
		}
	}
	if want&sequence.Attentions != 0 {
		out.Attentions = draw(sequence.Attentions, Layers*Heads*n*n)
		for row := range Layers * Heads * n {
			weights, sum := out.Attentions[row*n:(row+1)*n], 0.0
			for k, v := range weights {
				weights[k] = float32(math.Exp(float64(v)))
				sum += float64(weights[k])
			}
			for k := range weights {
				weights[k] = float32(float64(weights[k]) / sum)
			}
		}
	}
	if want&sequence.ContactScores != 0 {
		out.ContactScores = draw(sequence.ContactScores, n*n)
	}
	return out
}

// Mask hides residues as the command does by default.
func Mask(r *sequence.Record) []int {
	m := token.Masking{Rule: token.Uniform, Rate: 0.15, Seed: 42}
	return m.Positions(token.SequenceKey(r.ID), r.Special, r.CDR, r.NonTemplated)
}

// Model is a model of made sequences.
func Model(name string, s sequence.Sequences, source sequence.Source) sequence.Model {
	return sequence.Model{Name: name, Sequences: s, Source: source, Inputs: func() ([]shard.Field, error) {
		return []shard.Field{{Name: "source", Value: fmt.Sprintf("%s %+v", name, source)}}, nil
	}}
}

// Input is a dataset of n made sequences in clusters of that many, with two models.
func Input(registry sequence.Registry, n, cluster int, metrics ...string) sequence.Input {
	s := NewSequences(n, cluster)
	return sequence.Input{Registry: registry, Datasets: []sequence.Dataset{{Name: "fake", Models: []sequence.Model{Model("a", s, NewSource(1, 2)), Model("b", s, NewSource(2, 1))},
		Choice: sequence.Choice{Metrics: metrics, Mask: Mask, Masking: "fake"}}}}
}

// Analyze evaluates with intervals.
func Analyze(t *testing.T, in sequence.Input) *sequence.Result {
	t.Helper()
	r, err := sequence.Analyze(t.Context(), in,
		sequence.Options{Settings: analysis.Settings{Intervals: true, Family: "metric", Seed: 42}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Items are the items of made sequences with everything that a metric may need, in the order of
// the dataset.
func Items(t *testing.T, s *Sequences, source sequence.Source, mode string) []*sequence.Item {
	t.Helper()
	var items []*sequence.Item
	collect := sequence.Kind{Name: "collect",
		New:   func(*sequence.Setting) sequence.Metric { return &collector{items: &items} },
		Needs: sequence.NeedMasked | sequence.NeedRegional | sequence.NeedSingle | sequence.NeedSingleLogits | sequence.NeedCleanLogits | sequence.NeedHidden | sequence.NeedAttentions | sequence.NeedContactScores}
	in := sequence.Input{Registry: sequence.Registry{collect},
		Datasets: []sequence.Dataset{{Name: "fake", Models: []sequence.Model{Model("a", s, source)},
			Choice: sequence.Choice{Metrics: []string{"collect"}, Mode: mode, Mask: Mask}}}}
	if _, err := sequence.Analyze(t.Context(), in, sequence.Options{}); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(items, func(a, b *sequence.Item) int { return a.Index - b.Index })
	return items
}

// collector is a metric that keeps all items.
type collector struct {
	sequence.Sums
	items *[]*sequence.Item
}

// Update keeps the items.
func (c *collector) Update(_ context.Context, b *sequence.Batch) error {
	*c.items = append(*c.items, b.Items...)
	return nil
}

// Result has nothing to enter.
func (c *collector) Result(context.Context, *sequence.Summary) error { return nil }

// Encoded is a value as the result file holds it.
func Encoded(t *testing.T, value any) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := report.Encode(&out, value); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Text is everything that a result holds, as text.
func Text(t *testing.T) func(*sequence.Result) []byte {
	return func(r *sequence.Result) []byte {
		var out []byte
		for _, d := range r.Datasets {
			for i := range d.Models {
				m := &d.Models[i]
				out = fmt.Appendf(out, "%s %s %s\n%v\n", d.Name, m.Name, Encoded(t, m.Object), m.Scores)
				for _, table := range m.Tables {
					out = fmt.Appendf(out, "%s %v\n", table.File, table.Rows)
				}
			}
			out = append(out, Encoded(t, d.Comparisons)...)
		}
		return fmt.Appendf(out, "%v", r.Warnings)
	}
}

// Work is the work of an analysis.
func Work(in sequence.Input, o sequence.Options) (shard.Work[*sequence.Part, *sequence.Result], error) {
	p, err := sequence.NewPlan(in, o)
	if err != nil {
		return shard.Work[*sequence.Part, *sequence.Result]{}, err
	}
	return p.Work(), nil
}
