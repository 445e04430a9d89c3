// Made sequences and a made model, for the tests of metrics.

package sequence

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/measure/token"
	"repscope/report"
	"repscope/shard"
)

// fakeSequences are made antibodies: [CLS] heavy light [EOS], with CDRs, residues that are not of the
// germline, and coordinates of which some are missing.
type fakeSequences struct {
	records []Record
	knows   Needs
}

// newFakeSequences makes n sequences in clusters of so many.
func newFakeSequences(n, cluster int) *fakeSequences {
	f := &fakeSequences{knows: NeedRegions | NeedGermline | NeedCoordinates | NeedChains}
	for i := range n {
		r := rand.New(rand.NewPCG(7, uint64(i)))
		rec := Record{Index: i, ID: fmt.Sprintf("s%d", i), Cluster: i / cluster}
		add := func(chain, cdr int8, special bool, tok int32) {
			rec.Tokens, rec.Chains, rec.Special, rec.CDR = append(rec.Tokens, tok), append(rec.Chains, chain), append(rec.Special, special), append(rec.CDR, cdr)
			rec.NonTemplated = append(rec.NonTemplated, int8(r.IntN(8)/7))
			at := float32(len(rec.Tokens))
			xyz := []float32{10 * float32(math.Cos(float64(at)/3)), 10 * float32(math.Sin(float64(at)/3)), at / 4}
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
		f.records = append(f.records, rec)
	}
	return f
}

// Len implements [Sequences].
func (f *fakeSequences) Len() int { return len(f.records) }

// Clusters implements [Sequences].
func (f *fakeSequences) Clusters() []int {
	out := make([]int, len(f.records))
	for i := range out {
		out[i] = f.records[i].Cluster
	}
	return out
}

// Knows implements [Sequences].
func (f *fakeSequences) Knows() Needs { return f.knows }

// Read implements [Sequences].
func (f *fakeSequences) Read(i int, r *Record) error {
	*r = f.records[i]
	return nil
}

// fakeSource answers with numbers that follow from the seed, the sequence and what is hidden.
// The logit of the truth is higher by skill.
type fakeSource struct {
	seed       uint64
	skill      float64
	has        map[PassKind]Outputs
	concurrent bool
}

// newFakeSource has all outputs for passes of every kind.
func newFakeSource(seed uint64, skill float64) *fakeSource {
	all := Logits | HiddenStates | Attentions | ContactScores
	return &fakeSource{seed: seed, skill: skill, has: map[PassKind]Outputs{MaskedPass: all, CleanPass: all, SinglePass: all, RegionPass: all}}
}

// The sizes of the fake model.
const (
	fakeWidth  = 6
	fakeLayers = 2
	fakeHeads  = 3
)

// Has implements [Source].
func (f *fakeSource) Has(kind PassKind) Outputs { return f.has[kind] }

// Concurrent says whether several goroutines may ask.
func (f *fakeSource) Concurrent() bool { return f.concurrent }

// Answer implements [Source].
func (f *fakeSource) Answer(_ context.Context, passes []Pass, want Outputs, visit func(pass int, out *Output) error) error {
	for i := range passes {
		if err := visit(i, f.answer(&passes[i], want)); err != nil {
			return err
		}
	}
	return nil
}

func (f *fakeSource) answer(p *Pass, want Outputs) *Output {
	key := uint64(p.Kind)
	for _, h := range p.Hidden {
		key = key*1000003 + uint64(h) + 1
	}
	n := len(p.Record.Tokens)
	draw := func(of Outputs, size int) []float32 {
		r := rand.New(rand.NewPCG(f.seed*1000+token.SequenceKey(p.Record.ID), key*16+uint64(of)))
		out := make([]float32, size)
		for k := range out {
			out[k] = float32(r.NormFloat64())
		}
		return out
	}
	out := &Output{Layers: fakeLayers, Heads: fakeHeads}
	if want&Logits != 0 {
		out.Logits = draw(Logits, n*32)
		for k, t := range p.Record.Tokens {
			out.Logits[k*32+int(t)] += float32(f.skill)
		}
	}
	if want&HiddenStates != 0 {
		out.Hidden = draw(HiddenStates, n*fakeWidth)
		for k, chain := range p.Record.Chains {
			out.Hidden[k*fakeWidth] += 2 * float32(chain)
		}
	}
	if want&Attentions != 0 {
		out.Attentions = draw(Attentions, fakeLayers*fakeHeads*n*n)
		for row := range fakeLayers * fakeHeads * n {
			of, sum := out.Attentions[row*n:(row+1)*n], 0.0
			for k, v := range of {
				of[k] = float32(math.Exp(float64(v)))
				sum += float64(of[k])
			}
			for k := range of {
				of[k] = float32(float64(of[k]) / sum)
			}
		}
	}
	if want&ContactScores != 0 {
		out.ContactScores = draw(ContactScores, n*n)
	}
	return out
}

// fakeMask hides residues as the command does by default.
func fakeMask(r *Record) []int {
	m := token.Masking{Rule: token.Uniform, Rate: 0.15, Seed: 42}
	return m.Positions(token.SequenceKey(r.ID), r.Special, r.CDR, r.NonTemplated)
}

// fakeModel is a model of made sequences.
func fakeModel(name string, s Sequences, source Source) Model {
	return Model{Name: name, Sequences: s, Source: source, Inputs: func() ([]shard.Field, error) {
		return []shard.Field{{Name: "source", Value: fmt.Sprintf("%s %+v", name, source)}}, nil
	}}
}

// fakeInput is a dataset of n made sequences in clusters of so many, with two models.
func fakeInput(registry Registry, n, cluster int, metrics ...string) Input {
	s := newFakeSequences(n, cluster)
	return Input{Registry: registry, Datasets: []Dataset{{Name: "fake", Models: []Model{fakeModel("a", s, newFakeSource(1, 2)), fakeModel("b", s, newFakeSource(2, 1))},
		Choice: Choice{Metrics: metrics, Mask: fakeMask, Masking: "fake"}}}}
}

// analyzeFake evaluates with intervals.
func analyzeFake(t *testing.T, in Input) *Result {
	t.Helper()
	r, err := Analyze(t.Context(), in, Options{Intervals: true, Family: "metric", Seed: 42})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// itemsOf are the items of made sequences with everything that a metric may need, in the order of
// the dataset.
func itemsOf(t *testing.T, s *fakeSequences, source Source, mode string) []*Item {
	t.Helper()
	var items []*Item
	collect := Kind{Name: "collect", New: func(*Setting) Metric { return &collector{items: &items} },
		Needs: NeedMasked | NeedRegional | NeedSingle | NeedSingleLogits | NeedCleanLogits | NeedHidden | NeedAttentions | NeedContactScores}
	in := Input{Registry: Registry{collect}, Datasets: []Dataset{{Name: "fake", Models: []Model{fakeModel("a", s, source)},
		Choice: Choice{Metrics: []string{"collect"}, Mode: mode, Mask: fakeMask}}}}
	if _, err := Analyze(t.Context(), in, Options{}); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(items, func(a, b *Item) int { return a.Index - b.Index })
	return items
}

// collector is a metric that keeps all items.
type collector struct {
	Sums
	items *[]*Item
}

// Update keeps the items.
func (c *collector) Update(_ context.Context, b *Batch) error {
	*c.items = append(*c.items, b.Items...)
	return nil
}

// Result has nothing to enter.
func (c *collector) Result(context.Context, *Summary) error { return nil }

// encoded is a value as the result file holds it.
func encoded(t *testing.T, value any) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := report.Encode(&out, value); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// textOf is everything that a result holds, as text.
func textOf(t *testing.T) func(*Result) []byte {
	return func(r *Result) []byte {
		var out []byte
		for _, d := range r.Datasets {
			for i := range d.Models {
				m := &d.Models[i]
				out = fmt.Appendf(out, "%s %s %s\n%v\n", d.Name, m.Name, encoded(t, m.Object), m.Scores)
				for _, table := range m.Tables {
					out = fmt.Appendf(out, "%s %v\n", table.File, table.Rows)
				}
			}
			out = append(out, encoded(t, d.Comparisons)...)
		}
		return fmt.Appendf(out, "%v", r.Warnings)
	}
}

// workOf is the work of an analysis.
func workOf(in Input, o Options) (shard.Work[*Part, *Result], error) {
	p, err := NewPlan(in, o)
	if err != nil {
		return shard.Work[*Part, *Result]{}, err
	}
	return p.Work(), nil
}
