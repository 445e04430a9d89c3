// From the answers of a model to what metrics are updated with: every pass is asked for once,
// whichever metrics need it.

package sequence

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"repscope/internal/parallel"
	"repscope/measure/token"
)

// The most sequences of a chunk, and as many where outputs of the whole sequence are kept,
// before their size is known.
const (
	mostAtOnce  = 256
	firstAtOnce = 8
)

// accumulator updates the metrics of a model, sequence after sequence.
type accumulator struct {
	p       *Plan
	d       *DatasetPlan
	m       *ModelPlan
	metrics []Metric
	group   int // that the last sequence was of; −1 before the first
	size    int // bytes of the largest item
}

// accumulate updates the metrics of a model with the sequences of the groups lo … hi−1.
func (p *Plan) accumulate(ctx context.Context, d *DatasetPlan, m *ModelPlan, lo, hi int) ([]State, error) {
	a := &accumulator{p: p, d: d, m: m, metrics: d.newMetrics(m), group: -1}
	type place struct{ group, sequence int }
	var places []place
	for g := lo; g < hi; g++ {
		for _, i := range d.groups.Members(g) {
			places = append(places, place{g, i})
		}
	}
	workers := 1
	if c, ok := m.Source.(interface{ Concurrent() bool }); ok && c.Concurrent() {
		workers = parallel.Workers(p.o.Threads, len(places))
	}
	for start := 0; start < len(places); {
		n := a.chunk(workers)
		wave := places[start:min(start+n*workers, len(places))]
		items := make([]*Item, len(wave))
		chunks := (len(wave) + n - 1) / n
		err := parallel.Try(ctx, workers, chunks, func(_, c int) error {
			batch := items[c*n : min((c+1)*n, len(items))]
			for i := range batch {
				of := wave[c*n+i]
				batch[i] = &Item{Record: &Record{Index: of.sequence}, Group: of.group}
			}
			return a.fill(ctx, batch)
		})
		if err != nil {
			return nil, err
		}
		if err := a.update(ctx, items); err != nil {
			return nil, err
		}
		start += len(wave)
		done := p.done.Add(int64(len(wave)))
		if p.o.Progress != nil {
			p.o.Progress(int(min(done, int64(p.total))), p.total)
		}
	}
	states := make([]State, len(a.metrics))
	for i, metric := range a.metrics {
		endGroup(metric)
		states[i] = State{metric: metric}
	}
	return states, nil
}

// chunk is the number of sequences that are looked at together: what holds an eighth of the
// memory. It changes no number.
func (a *accumulator) chunk(workers int) int {
	if a.size == 0 {
		switch {
		case a.m.needs&(NeedAttentions|NeedContactScores|NeedSingleLogits) != 0:
			return 1
		case a.m.needs&(NeedHidden|NeedCleanLogits) != 0:
			return firstAtOnce
		}
		return mostAtOnce / 4
	}
	return int(min(max(a.p.o.Memory/8/int64(workers)/int64(a.size), 1), mostAtOnce))
}

// bytes is about what an item holds.
func (it *Item) bytes() int {
	const prediction = 80
	n := 64*len(it.Tokens) + prediction*(len(it.Predictions)+len(it.Regional)+len(it.Single)) + 4*len(it.SingleLogits) + 256
	if c := it.Clean; c != nil {
		n += 4 * (len(c.Logits) + len(c.Hidden) + len(c.Attentions) + len(c.ContactScores))
	}
	return n
}

// update updates all metrics with the items, the items of one group together.
func (a *accumulator) update(ctx context.Context, items []*Item) error {
	for _, it := range items {
		a.size = max(a.size, it.bytes())
	}
	err := parallel.Try(ctx, a.p.o.Threads, len(a.metrics), func(_, i int) error {
		group := a.group
		for lo, hi := 0, 0; lo < len(items); lo = hi {
			for hi < len(items) && items[hi].Group == items[lo].Group {
				hi++
			}
			if items[lo].Group != group {
				endGroup(a.metrics[i])
				group = items[lo].Group
			}
			if err := a.metrics[i].Update(ctx, &Batch{Items: items[lo:hi]}); err != nil {
				if i == 0 {
					return err
				}
				return fmt.Errorf("%s: %w", a.m.Kinds[i-1].Name, err)
			}
		}
		return nil
	})
	a.group = items[len(items)-1].Group
	return err
}

// endGroup tells a metric that the sequences of a group are complete.
func endGroup(m Metric) {
	if s, ok := m.(interface{ EndGroup() }); ok {
		s.EndGroup()
	}
}

// fill reads the sequences of items and asks for the predictions that are needed.
func (a *accumulator) fill(ctx context.Context, items []*Item) error {
	for _, it := range items {
		if err := a.read(it.Record); err != nil {
			return err
		}
	}
	mode, regional := a.d.setting.Mode, a.m.needs&NeedRegional != 0
	masked, single := NeedMasked, NeedSingle|NeedSingleLogits
	switch mode {
	case RegionStandard:
		masked |= NeedRegional
	case RegionPerPosition:
		single |= NeedRegional
	}
	if err := a.masked(ctx, a.needing(items, masked)); err != nil {
		return err
	}
	if err := a.single(ctx, a.needing(items, single)); err != nil {
		return err
	}
	if regional {
		switch mode {
		case RegionStandard:
			for _, it := range items {
				it.Regional = it.Predictions
			}
		case RegionPerPosition:
			for _, it := range items {
				it.Regional = it.Single
			}
		case RegionLevel:
			if err := a.regions(ctx, a.needing(items, NeedRegional)); err != nil {
				return err
			}
		}
	}
	return a.clean(ctx, a.needing(items, NeedCleanLogits|NeedHidden|NeedAttentions|NeedContactScores))
}

// needing are the items with any of the needs.
func (a *accumulator) needing(items []*Item, needs Needs) []*Item {
	switch {
	case a.m.always&needs != 0:
		return items
	case a.m.needs&needs == 0:
		return nil
	}
	return slices.DeleteFunc(slices.Clone(items), func(it *Item) bool {
		return !slices.ContainsFunc(a.m.Kinds, func(k *Kind) bool {
			return k.asks(&a.m.Model, a.d.setting.Mode)&needs != 0 && (k.Wants == nil || k.Wants(a.d.setting, it.Index))
		})
	})
}

// read reads a sequence, labels its regions and chooses the hidden positions.
func (a *accumulator) read(r *Record) error {
	if err := a.m.Sequences.Read(r.Index, r); err != nil {
		return err
	}
	return r.Complete(a.d.Choice.Mask)
}

// ask asks for predictions of the hidden positions of passes. of receives the predictions of a pass,
// and its output.
func (a *accumulator) ask(ctx context.Context, passes []Pass,
	answer func(pass int, predictions []token.Prediction, out *Output) error) error {
	if len(passes) == 0 {
		return nil
	}
	want := Logits
	if has := a.m.Source.Has(passes[0].Kind); has&Logits == 0 {
		want = Predicted
	}
	answered := 0
	err := a.m.Source.Answer(ctx, passes, want, func(i int, out *Output) error {
		pass := &passes[i]
		answered++
		predictions := out.Predictions
		if want == Logits {
			var err error
			if predictions, err = a.predict(pass, out.Logits); err != nil {
				return fmt.Errorf("sequence %s: %w", pass.Record.ID, err)
			}
		} else if len(predictions) != len(pass.Hidden) {
			return fmt.Errorf("sequence %s: found %d predictions, expected %d, one per hidden "+
				"residue", pass.Record.ID, len(predictions), len(pass.Hidden))
		} else {
			predictions = slices.Clone(predictions) // predictions of an output are valid during the visit
		}
		return answer(i, predictions, out)
	})
	if err == nil && answered != len(passes) {
		err = fmt.Errorf("found %d outputs, expected %d, one per pass", answered, len(passes))
	}
	return err
}

// predict scores the logits [L, V] at the hidden positions of a pass.
func (a *accumulator) predict(pass *Pass, logits []float32) ([]token.Prediction, error) {
	v, n := a.p.alphabet.Size(), len(pass.Record.Tokens)
	if err := checkLogits(len(logits), n, v); err != nil {
		return nil, err
	}
	out := make([]token.Prediction, len(pass.Hidden))
	for k, position := range pass.Hidden {
		p, err := token.Predict(logits[position*v:(position+1)*v], int(pass.Record.Tokens[position]))
		if err != nil {
			return nil, fmt.Errorf("position %d: %w", position, err)
		}
		p.Position = position
		out[k] = p
	}
	return out, nil
}

// checkLogits finds logits of another vocabulary.
func checkLogits(got, n, v int) error {
	switch {
	case got == n*v:
		return nil
	case n > 0 && got%n == 0:
		return fmt.Errorf(
			"logits have %d tokens, but the vocabulary has %d: give the model's vocabulary with --vocabulary", got/n, v)
	}
	return fmt.Errorf("found %d logits for %d positions, expected %d per position", got, n, v)
}

// passesOver are the passes of a kind over items, and the item of each.
func passesOver(items []*Item, kind PassKind) (passes []Pass, owners []*Item) {
	for _, it := range items {
		for _, pass := range PassesOf(it.Record, kind) {
			passes, owners = append(passes, pass), append(owners, it)
		}
	}
	return passes, owners
}

// masked fills the predictions of what the standard mask hides.
func (a *accumulator) masked(ctx context.Context, items []*Item) error {
	passes, owners := passesOver(items, MaskedPass)
	return a.ask(ctx, passes, func(i int, predictions []token.Prediction, _ *Output) error {
		owners[i].Predictions = predictions
		return nil
	})
}

// single fills the predictions of every residue hidden alone.
func (a *accumulator) single(ctx context.Context, items []*Item) error {
	type place struct {
		item *Item
		at   int
	}
	v := a.p.alphabet.Size()
	logits := a.m.needs&NeedSingleLogits != 0
	var passes []Pass
	var owners []place
	for _, it := range items {
		alone := PassesOf(it.Record, SinglePass)
		n := len(alone)
		passes = append(passes, alone...)
		for k := range alone {
			owners = append(owners, place{it, k})
		}
		it.Single = make([]token.Prediction, n)
		if logits && a.m.Source.Has(SinglePass)&Logits != 0 {
			it.SingleLogits = make([]float32, n*v)
		}
	}
	return a.ask(ctx, passes, func(i int, predictions []token.Prediction, out *Output) error {
		it, place := owners[i].item, owners[i].at
		it.Single[place] = predictions[0]
		if it.SingleLogits != nil {
			position := passes[i].Hidden[0]
			copy(it.SingleLogits[place*v:(place+1)*v], out.Logits[position*v:(position+1)*v])
		}
		return nil
	})
}

// regions fills the predictions of every region hidden as a whole.
func (a *accumulator) regions(ctx context.Context, items []*Item) error {
	passes, owners := passesOver(items, RegionPass)
	err := a.ask(ctx, passes, func(i int, predictions []token.Prediction, _ *Output) error {
		owners[i].Regional = append(owners[i].Regional, predictions...)
		return nil
	})
	for _, it := range items {
		slices.SortFunc(it.Regional, func(a, b token.Prediction) int { return a.Position - b.Position })
	}
	return err
}

// clean fills the outputs of sequences as they are.
func (a *accumulator) clean(ctx context.Context, items []*Item) error {
	var want Outputs
	for _, output := range []struct {
		need Needs
		out  Outputs
	}{{NeedCleanLogits, Logits}, {NeedHidden, HiddenStates}, {NeedAttentions, Attentions}, {NeedContactScores, ContactScores}} {
		if a.m.needs&output.need != 0 {
			want |= output.out & a.m.Source.Has(CleanPass)
		}
	}
	if want == 0 || len(items) == 0 {
		return nil
	}
	passes := make([]Pass, len(items))
	for i, it := range items {
		passes[i] = Pass{Record: it.Record, Kind: CleanPass}
	}
	err := a.m.Source.Answer(ctx, passes, want, func(i int, out *Output) error {
		it := items[i]
		n := len(it.Tokens)
		if want&Logits != 0 {
			if err := checkLogits(len(out.Logits), n, a.p.alphabet.Size()); err != nil {
				return fmt.Errorf("sequence %s: %w", it.ID, err)
			}
		}
		if want&Attentions != 0 && len(out.Attentions) != out.Layers*out.Heads*n*n || want&ContactScores != 0 && len(out.ContactScores) != n*n ||
			want&HiddenStates != 0 && n > 0 && len(out.Hidden)%n != 0 {
			return fmt.Errorf("sequence %s: the outputs do not have its %d tokens", it.ID, n)
		}
		it.Clean = &Output{Layers: out.Layers, Heads: out.Heads, Logits: slices.Clone(out.Logits), Hidden: slices.Clone(out.Hidden),
			Attentions: slices.Clone(out.Attentions), ContactScores: slices.Clone(out.ContactScores)}
		return nil
	})
	if err != nil {
		return err
	}
	for _, it := range items {
		if it.Clean == nil {
			return errors.New("a sequence has no model output")
		}
	}
	return nil
}
