// Tests of dumps: what is read, and what is wrong with damaged ones.

package source_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/sequence"
	"repscope/analysis/sequence/source"
	"repscope/dataset"
	"repscope/dataset/protein"
	"repscope/measure/token"
)

// toyDump are the arrays of three sequences of at most 8 tokens with 3 masked residues; the
// logit of token t at position i of row r is 100r + i + t/100.
type toyDump map[string]dataset.Field

const toyWidth = 8

// ints is an array of integers of a row for each text of digits, blanks being −100.
func (d toyDump) ints(name string, rows ...[]int64) {
	var all []int64
	for _, row := range rows {
		all = append(all, row...)
	}
	shape := []int{len(rows), len(rows[0])}
	if len(rows[0]) == 1 {
		shape = shape[:1]
	}
	d[name] = dataset.Field{Name: name, Shape: shape, Data: all}
}

// floats is an array of numbers that tell their row and place.
func (d toyDump) floats(name string, shape ...int) {
	n, rows := 1, shape[0]
	for _, k := range shape {
		n *= k
	}
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(1000*(i/(n/rows))) + float32(i%(n/rows))
	}
	d[name] = dataset.Field{Name: name, Shape: shape, Data: data}
}

func newToyDump() toyDump {
	d := toyDump{}
	d.ints("token_ids", []int64{0, 4, 5, 6, 7, 8, 2, 1}, []int64{0, 9, 10, 2, 1, 1, 1, 1}, []int64{0, 4, 4, 4, 4, 4, 4, 2})
	d.ints("attention_mask", []int64{1, 1, 1, 1, 1, 1, 1, 0}, []int64{1, 1, 1, 1, 0, 0, 0, 0}, []int64{1, 1, 1, 1, 1, 1, 1, 1})
	d.ints("chain_ids", []int64{0, 0, 0, 1, 1, 1, 1, 0}, []int64{0, 0, 1, 1, 0, 0, 0, 0}, []int64{0, 0, 0, 0, 1, 1, 1, 1})
	d.ints("cdr_mask", []int64{0, 0, 1, 0, 2, 3, 0, 0}, make([]int64, 8), make([]int64, 8))
	d.ints("mask_labels", []int64{0, 0, 1, 0, 1, 0, 0, 0}, make([]int64, 8), []int64{0, 0, 0, 0, 0, 0, 1, 0})
	d.floats("logits", 3, toyWidth, 32)
	return d
}

// write writes the dump.
func (d toyDump) write(t testing.TB) string {
	t.Helper()
	var fields []dataset.Field
	for _, name := range slices.Sorted(maps.Keys(d)) {
		fields = append(fields, d[name])
	}
	path := filepath.Join(t.TempDir(), "d.npz")
	if err := dataset.WriteNPZ(path, fields...); err != nil {
		t.Fatal(err)
	}
	return path
}

// open opens the dump.
func (d toyDump) open(t testing.TB, beside sequence.Sequences) *source.Dump {
	t.Helper()
	dump, err := source.OpenDump(d.write(t), token.Antibody(), beside)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dump.Close() })
	return dump
}

// record reads a sequence.
func record(t testing.TB, s sequence.Sequences, i int) *sequence.Record {
	t.Helper()
	r := &sequence.Record{}
	if err := s.Read(i, r); err != nil {
		t.Fatal(err)
	}
	return r
}

// answer asks for one pass.
func answer(t testing.TB, s sequence.Source, p sequence.Pass, want sequence.Outputs) *sequence.Output {
	t.Helper()
	var out *sequence.Output
	if err := s.Answer(context.Background(), []sequence.Pass{p}, want, func(_ int, o *sequence.Output) error { out = o; return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestDump(t *testing.T) {
	t.Parallel()
	toy := newToyDump()
	toy.floats("hidden", 3, toyWidth, 2)
	toy.floats("attentions", 3, 2, 1, toyWidth, toyWidth)
	toy.floats("contact_score", 3, toyWidth, toyWidth)
	toy.floats("coords", 3, toyWidth, 3)
	toy.ints("cluster", []int64{7}, []int64{3}, []int64{7})
	d := toy.open(t, nil)
	if d.Len() != 3 || !slices.Equal(d.Clusters(), []int{0, 1, 0}) || d.Knows() != sequence.NeedRegions|sequence.NeedChains|sequence.NeedCoordinates {
		t.Errorf("%d sequences in clusters %v, knows %b", d.Len(), d.Clusters(), d.Knows())
	}
	r := record(t, d, 0)
	if !slices.Equal(r.Tokens, []int32{0, 4, 5, 6, 7, 8, 2}) || !slices.Equal(r.Chains, []int8{0, 0, 0, 1, 1, 1, 1}) || !slices.Equal(r.CDR, []int8{0, 0, 1, 0, 2, 3, 0}) ||
		!slices.Equal(r.Special, []bool{true, false, false, false, false, false, true}) || !slices.Equal(r.Masked, []int{2, 4}) || r.ID != "0" || r.NonTemplated != nil {
		t.Errorf("%+v", r)
	}
	if c := r.Coordinates; len(c) != 21 || !math.IsNaN(float64(c[0])) || c[3] != 3 || !math.IsNaN(float64(c[20])) {
		t.Errorf("coordinates %v: those of special tokens are NaN", c)
	}
	if r := record(t, d, 1); r.Masked == nil || len(r.Masked) != 0 {
		t.Errorf("masked %v, want an empty list: nothing was hidden", r.Masked)
	}
	r = record(t, d, 1)
	all := sequence.Logits | sequence.HiddenStates | sequence.Attentions | sequence.ContactScores
	if d.Has(sequence.MaskedPass) != all || d.Has(sequence.CleanPass) != all&^sequence.Logits || d.Has(sequence.SinglePass) != 0 || d.Has(sequence.RegionPass) != 0 {
		t.Error("a dump without a plan has the masked pass, and stands for the clean one")
	}
	out := answer(t, d, sequence.Pass{Record: r, Kind: sequence.CleanPass}, sequence.HiddenStates|sequence.Attentions|sequence.ContactScores)
	if !slices.Equal(out.Hidden, []float32{1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007}) || out.Logits != nil {
		t.Errorf("hidden %v, logits %v", out.Hidden, out.Logits)
	}
	if out.Layers != 2 || out.Heads != 1 || len(out.Attentions) != 2*4*4 || out.Attentions[5] != 1009 || out.Attentions[16] != 1064 || out.ContactScores[4] != 1008 {
		t.Errorf("attentions %v, contacts %v", out.Attentions, out.ContactScores)
	}
	r = record(t, d, 2)
	if out := answer(t, d, sequence.Pass{Record: r, Kind: sequence.MaskedPass, Hidden: r.Masked}, sequence.Logits); len(out.Logits) != 8*32 || out.Logits[33] != 2033 {
		t.Errorf("%d logits", len(out.Logits))
	}
}

// TestDumpLabels holds that both layouts of labels, targets and padding on either side say the
// same.
func TestDumpLabels(t *testing.T) {
	t.Parallel()
	want := newToyDump().open(t, nil)
	hf := newToyDump()
	hf.ints("token_ids", []int64{0, 4, 31, 6, 31, 8, 2, 1}, []int64{0, 9, 10, 2, 1, 1, 1, 1}, []int64{0, 4, 4, 4, 4, 4, 20, 2})
	const x = -100
	hf.ints("mask_labels", []int64{x, x, 5, x, 7, x, x, x}, []int64{x, x, x, x, x, x, x, x}, []int64{x, x, x, x, x, x, 4, x})
	targets := newToyDump()
	targets["targets"] = dataset.Field{Name: "targets", Shape: targets["token_ids"].Shape, Data: targets["token_ids"].Data}
	targets.ints("token_ids", []int64{0, 4, 31, 6, 31, 8, 2, 1}, []int64{0, 9, 10, 2, 1, 1, 1, 1}, []int64{0, 4, 4, 4, 4, 4, 31, 2})
	delete(targets, "attention_mask") // found by the pad token
	for name, toy := range map[string]toyDump{"Hugging Face": hf, "targets": targets} {
		d := toy.open(t, nil)
		for i := range 3 {
			a, b := record(t, d, i), record(t, want, i)
			if !slices.Equal(a.Tokens, b.Tokens) || !slices.Equal(a.Masked, b.Masked) || !slices.Equal(a.Special, b.Special) {
				t.Errorf("%s: %+v, want %+v", name, a, b)
			}
		}
	}
	left := newToyDump()
	left.ints("token_ids", []int64{1, 0, 4, 5, 6, 7, 8, 2}, []int64{1, 1, 1, 1, 0, 9, 10, 2}, []int64{0, 4, 4, 4, 4, 4, 4, 2})
	left.ints("attention_mask", []int64{0, 1, 1, 1, 1, 1, 1, 1}, []int64{0, 0, 0, 0, 1, 1, 1, 1}, []int64{1, 1, 1, 1, 1, 1, 1, 1})
	left.ints("mask_labels", []int64{0, 0, 0, 1, 0, 1, 0, 0}, make([]int64, 8), []int64{0, 0, 0, 0, 0, 0, 1, 0})
	d := left.open(t, nil)
	r := record(t, d, 0)
	if !slices.Equal(r.Tokens, []int32{0, 4, 5, 6, 7, 8, 2}) || !slices.Equal(r.Masked, []int{2, 4}) {
		t.Errorf("padding on the left: %+v", r)
	}
	if out := answer(t, d, sequence.Pass{Record: r, Kind: sequence.MaskedPass, Hidden: r.Masked}, sequence.Logits); out.Logits[0] != 32 {
		t.Errorf("logits begin with those of padding: %v", out.Logits[0])
	}
	clean := newToyDump()
	delete(clean, "mask_labels")
	if d := clean.open(t, nil); d.Has(sequence.MaskedPass) != 0 || d.Has(sequence.CleanPass) != sequence.Logits {
		t.Error("without labels, logits are those of the clean pass")
	}
}

// TestDumpPadding holds that what stands at positions of padding, in any array, changes nothing.
func TestDumpPadding(t *testing.T) {
	t.Parallel()
	full := func() toyDump {
		toy := newToyDump()
		toy.floats("hidden", 3, toyWidth, 2)
		toy.floats("attentions", 3, 2, 1, toyWidth, toyWidth)
		toy.floats("contact_score", 3, toyWidth, toyWidth)
		toy.floats("coords", 3, toyWidth, 3)
		toy.ints("special_tokens_mask", []int64{1, 0, 0, 0, 0, 0, 1, 1}, []int64{1, 0, 0, 1, 1, 1, 1, 1},
			[]int64{1, 0, 0, 0, 0, 0, 0, 1})
		toy.ints("non_templated_mask", make([]int64, 8), make([]int64, 8), make([]int64, 8))
		toy["targets"] = dataset.Field{Name: "targets", Shape: toy["token_ids"].Shape, Data: toy["token_ids"].Data}
		return toy
	}
	spoiled := full()
	mask := spoiled["attention_mask"].Data.([]int64)
	for name, field := range spoiled {
		if name == "attention_mask" || name == "mask_labels" {
			continue // labels of padding are an error of their own
		}
		count := 1 // numbers of a row
		for _, n := range field.Shape[1:] {
			count *= n
		}
		padding := func(i int) bool {
			row, at := i/count, i%count
			if name == "attentions" || name == "contact_score" { // of pairs of positions
				return mask[row*toyWidth+at/toyWidth%toyWidth] == 0 || mask[row*toyWidth+at%toyWidth] == 0
			}
			return mask[row*toyWidth+at*toyWidth/count] == 0
		}
		switch data := field.Data.(type) {
		case []int64:
			data = slices.Clone(data)
			for i := range data {
				if padding(i) {
					data[i] = -7777
				}
			}
			field.Data = data
		case []float32:
			for i := range data {
				if padding(i) {
					data[i] = float32(math.NaN())
				}
			}
		}
		spoiled[name] = field
	}
	a, b := full().open(t, nil), spoiled.open(t, nil)
	text := func(d *source.Dump) (out string) {
		for i := range d.Len() {
			r := record(t, d, i)
			out += fmt.Sprint(r.Tokens, r.Masked, r.Special, r.Chains, r.CDR, r.NonTemplated, r.Coordinates)
			masked := answer(t, d, sequence.Pass{Record: r, Kind: sequence.MaskedPass, Hidden: r.Masked}, sequence.Logits)
			clean := answer(t, d, sequence.Pass{Record: r, Kind: sequence.CleanPass}, sequence.HiddenStates|sequence.Attentions|sequence.ContactScores)
			out += fmt.Sprint(masked.Logits, clean.Hidden, clean.Attentions, clean.ContactScores)
		}
		return out
	}
	if want, got := text(a), text(b); got != want {
		t.Errorf("padding changes what is read:\n%s\nwant\n%s", got, want)
	}
}

// TestDumpBeside holds that sequences beside a dump say what it lacks.
func TestDumpBeside(t *testing.T) {
	t.Parallel()
	letters := token.Antibody().Names
	of := func(ids ...int) string {
		var s strings.Builder
		for _, id := range ids {
			s.WriteString(letters[id])
		}
		return s.String()
	}
	table := "id,cluster,heavy_chain,light_chain,heavy_cdr_mask,light_non_templated_mask,heavy_coords\n" +
		"a,x," + of(4, 5, 6) + "," + of(7, 8) + ",012,01,\"[[1,2,3],[4,5,6],[NaN,8,9]]\"\n" +
		"b,x," + of(9, 10) + ",,10,,\nc,y," + of(4, 4, 4, 4, 4) + "," + of(4) + ",,,\n"
	path := filepath.Join(t.TempDir(), "s.csv")
	if err := os.WriteFile(path, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := source.OpenSequences(path, protein.Options{}, token.Antibody())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	toy := newToyDump()
	delete(toy, "chain_ids")
	delete(toy, "cdr_mask")
	d := toy.open(t, s)
	r := record(t, d, 0)
	if r.ID != "a" || !slices.Equal(r.Chains, []int8{0, 0, 0, 0, 1, 1, 1}) || !slices.Equal(r.CDR, []int8{0, 0, 1, 2, 0, 0, 0}) || !slices.Equal(r.NonTemplated, []int8{0, -1, -1, -1, 0, 1, 0}) {
		t.Errorf("%+v", r)
	}
	if c := r.Coordinates; !math.IsNaN(float64(c[0])) || c[3] != 1 || c[8] != 6 || !math.IsNaN(float64(c[10])) {
		t.Errorf("coordinates %v", c)
	}
	if !slices.Equal(d.Clusters(), []int{0, 0, 1}) || d.Knows() != sequence.NeedRegions|sequence.NeedGermline|sequence.NeedCoordinates|sequence.NeedChains {
		t.Errorf("clusters %v, knows %b", d.Clusters(), d.Knows())
	}
	for _, c := range []struct{ from, to, want string }{
		{of(9, 10) + ",", of(9, 11) + ",", "the residue at position 2 is token 10, but sequence b of --sequences has token 11"},
		{of(9, 10) + ",,10", of(9) + ",,1", "d.npz: row 1 has 2 residues, but sequence b of --sequences has 1"},
		{"b,x," + of(9, 10) + ",,10,,\n", "", "d.npz has 3 sequences, but --sequences has 2"},
	} {
		if err := os.WriteFile(path, []byte(strings.Replace(table, c.from, c.to, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		other, err := source.OpenSequences(path, protein.Options{}, token.Antibody())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := source.OpenDump(toy.write(t), token.Antibody(), other); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
		other.Close()
	}
}

func TestBadDumps(t *testing.T) {
	t.Parallel()
	row := func(values ...int64) [][]int64 {
		return [][]int64{append(values, make([]int64, toyWidth-len(values))...), make([]int64, toyWidth), make([]int64, toyWidth)}
	}
	for _, c := range []struct {
		change func(d toyDump)
		want   string
	}{
		{func(d toyDump) { delete(d, "token_ids") },
			"d.npz: no array token_ids; the arrays are attention_mask, cdr_mask, chain_ids, logits, mask_labels"},
		{func(d toyDump) {
			f := d["token_ids"]
			delete(d, "token_ids")
			f.Name = "tokens_ids"
			d["tokens_ids"] = f
		}, "d.npz: no array token_ids; the arrays are attention_mask, cdr_mask, chain_ids, logits, mask_labels, " +
			"tokens_ids"},
		{func(d toyDump) { delete(d, "logits") },
			"d.npz: no model output found: want logits, hidden, attentions or contact_score"},
		{func(d toyDump) {
			delete(d, "logits")
			d.ints("pass", []int64{0}, []int64{0}, []int64{0})
		}, "d.npz: no model output found: want logits, hidden, attentions or contact_score"},
		{func(d toyDump) { d.floats("logits", 3, toyWidth, 33) }, "d.npz:logits has shape [3 8 33]: logits of 33 tokens, but the vocabulary has 32"},
		{func(d toyDump) { d.floats("logits", 3, 7, 32) },
			"d.npz:logits has shape [3 7 32], want [3,8,32] to match token_ids [3 8]"},
		{func(d toyDump) { d.floats("attentions", 3, 2, toyWidth, toyWidth) },
			"d.npz:attentions has shape [3 2 8 8], want [3,layers,heads,8,8] to match token_ids [3 8]"},
		{func(d toyDump) { d.floats("hidden", 3, 2) },
			"d.npz:hidden has shape [3 2], want [3,8,D] to match token_ids [3 8]"},
		{func(d toyDump) { d.ints("cdr_mask", make([]int64, 7), make([]int64, 7), make([]int64, 7)) },
			"d.npz:cdr_mask has shape [3 7], want [3,8] to match token_ids [3 8]"},
		{func(d toyDump) {
			d["token_ids"] = dataset.Field{Name: "token_ids", Shape: []int{0, 8}, Data: []int64{}}
		}, "d.npz:token_ids has shape [0 8], which has no tokens"},
		{func(d toyDump) { d.ints("token_ids", row(0, 32)...) },
			"d.npz:token_ids: row 0, position 1 is 32, want a token id of the vocabulary, 0 to 31"},
		{func(d toyDump) { d.ints("token_ids", row(0, -1)...) },
			"d.npz:token_ids: row 0, position 1 is -1, want a token id of the vocabulary, 0 to 31"},
		{func(d toyDump) { d.ints("attention_mask", row(1, 2)...) }, "d.npz:attention_mask: row 0, position 1 is 2, want 0 or 1"},
		{func(d toyDump) { d.ints("attention_mask", row(1, 1, 0, 1)...) }, "d.npz:attention_mask: row 0 has padding between tokens, at position 2"},
		{func(d toyDump) { d.ints("attention_mask", row(0)...); delete(d, "mask_labels") }, "d.npz: row 0 has no tokens"},
		{func(d toyDump) { d.ints("chain_ids", row(0, 2)...) }, "d.npz:chain_ids: row 0, position 1 is 2, want 0 to 1"},
		{func(d toyDump) { d.ints("cdr_mask", row(0, 4)...) }, "d.npz:cdr_mask: row 0, position 1 is 4, want 0 to 3"},
		{func(d toyDump) { d.ints("special_tokens_mask", row(1, 3)...) }, "d.npz:special_tokens_mask: row 0, position 1 is 3, want 0 or 1"},
		{func(d toyDump) { d.ints("mask_labels", row(0, 2)...) },
			"d.npz:mask_labels: row 0, position 1 is neither 0 nor 1, and no label is −100, the label of unmasked " +
				"tokens"},
		{func(d toyDump) { d.ints("mask_labels", row(0, -1)...) },
			"d.npz:mask_labels: row 0, position 1 is -1, want 0 or 1, or the true token (0 to 31) at masked " +
				"positions and −100 elsewhere"},
		{func(d toyDump) { d.ints("mask_labels", row(1)...) },
			"d.npz:mask_labels: row 0 masks position 0, which is a special token (<cls>)"},
		{func(d toyDump) { d.ints("mask_labels", row(0, 0, 0, 0, 0, 0, 0, 1)...) },
			"d.npz:mask_labels: row 0 masks position 7, which is padding"},
		{func(d toyDump) {
			d.ints("token_ids", []int64{0, 4, 31, 6, 7, 8, 2, 1}, []int64{0, 9, 10, 2, 1, 1, 1, 1}, []int64{0, 4, 4, 4, 4, 4, 4, 2})
		}, "d.npz:token_ids: row 0, position 2 is the mask token, so the true token is unknown"},
		{func(d toyDump) { d.ints("sequence", []int64{0}, []int64{1}, []int64{2}) },
			"d.npz: found array sequence but no pass; outputs for a mask plan need both"},
		{func(d toyDump) { d.plan([]int64{0, 1, 3}, []int64{0, 0, 0}) },
			"d.npz:sequence: the largest index is 3, but there are 3 rows; every sequence needs a row"},
		{func(d toyDump) { d.plan([]int64{0, 2, 2}, []int64{0, 0, 1}) }, "d.npz:sequence: no row for sequence 1"},
		{func(d toyDump) { d.plan([]int64{0, 1, 2}, []int64{0, 4, 0}) }, "d.npz:pass: row 1 is 4, want 0 (masked), 1 (clean), 2 (single) or 3 (region)"},
		{func(d toyDump) { d.plan([]int64{0, 1, 2}, []int64{1, 0, 0}) },
			"d.npz: row 0: a clean pass masks 2 positions, want none"},
		{func(d toyDump) { d.plan([]int64{0, 1, 2}, []int64{2, 0, 0}) },
			"d.npz: row 0: a single pass masks 2 positions, want one"},
		{func(d toyDump) { d.plan([]int64{0, 1, 2}, []int64{3, 0, 0}) },
			"d.npz: row 0: the pass of a region names no region"},
		{func(d toyDump) { d.plan([]int64{0, 1, 1}, []int64{0, 0, 0}) },
			"d.npz: rows 1 and 2 are the same pass of sequence 1"},
		{func(d toyDump) { d.plan([]int64{0, 1, 2}, []int64{0, 1, 0}) },
			"d.npz: sequence 1 has no row of the masked pass, but other sequences have one"},
		{func(d toyDump) { d.plan([]int64{0, 1, 1}, []int64{0, 1, 0}) },
			"d.npz: rows 1 and 2 are of sequence 1, but have 4 and 8 tokens"},
		{func(d toyDump) {
			d.plan([]int64{0, 1, 1}, []int64{0, 1, 0})
			d.ints("token_ids", []int64{0, 4, 5, 6, 7, 8, 2, 1}, []int64{0, 9, 10, 2, 1, 1, 1, 1}, []int64{0, 9, 11, 2, 1, 1, 1, 1})
			delete(d, "attention_mask")
			d.ints("mask_labels", make([]int64, 8), make([]int64, 8), make([]int64, 8))
		}, "d.npz: rows 1 and 2 are of sequence 1, but have the true tokens R and T at position 2"},
		{func(d toyDump) {
			d.ints("cluster", []int64{1}, []int64{1}, []int64{2})
			d.plan([]int64{0, 1, 1}, []int64{0, 1, 0})
		}, "d.npz:cluster: row 2 is 2, but another row of sequence 1 is 1"},
		{func(d toyDump) { d["chain_ids"].Data.([]int64)[18] = 1 },
			"d.npz:chain_ids: row 2, position 3 returns to chain 0 after the other chain"},
		{func(d toyDump) {
			d.ints("special_tokens_mask", make([]int64, 8), make([]int64, 8), make([]int64, 8))
			d.ints("mask_labels", []int64{-100, 4, -100, -100, -100, -100, -100, -100}, []int64{-100, 0, -100, -100, -100, -100, -100, -100}, []int64{-100, 4, 4, -100, -100, -100, -100, -100})
		}, "d.npz:mask_labels: row 1 masks position 1, which is a special token (<cls>)"},
	} {
		d := newToyDump()
		c.change(d)
		_, err := source.OpenDump(d.write(t), token.Antibody(), nil)
		if err == nil || !strings.HasSuffix(err.Error(), "/"+c.want) {
			t.Errorf("%v, want\n%s", err, c.want)
		}
	}
}

// plan adds what a mask plan has.
func (d toyDump) plan(sequences, passes []int64) {
	d["sequence"] = dataset.Field{Name: "sequence", Shape: []int{len(sequences)}, Data: sequences}
	d["pass"] = dataset.Field{Name: "pass", Shape: []int{len(passes)}, Data: passes}
}

// TestDumpOfPlan reads rows that stand in any order.
func TestDumpOfPlan(t *testing.T) {
	t.Parallel()
	toy := toyDump{}
	toy.ints("token_ids", []int64{0, 31, 5, 6, 2}, []int64{0, 7, 2, 1, 1}, []int64{0, 4, 31, 6, 2}, []int64{0, 4, 5, 6, 2}, []int64{0, 31, 31, 6, 2}, []int64{0, 31, 5, 6, 2})
	toy.ints("targets", []int64{0, 4, 5, 6, 2}, []int64{0, 7, 2, 1, 1}, []int64{0, 4, 5, 6, 2}, []int64{0, 4, 5, 6, 2}, []int64{0, 4, 5, 6, 2}, []int64{0, 4, 5, 6, 2})
	toy.ints("mask_labels", []int64{0, 1, 0, 0, 0}, make([]int64, 5), []int64{0, 0, 1, 0, 0}, make([]int64, 5), []int64{0, 1, 1, 0, 0}, []int64{0, 1, 0, 0, 0})
	toy.plan([]int64{1, 0, 1, 1, 1, 1}, []int64{0, 0, 2, 1, 3, 2})
	toy.ints("region", []int64{0}, []int64{0}, []int64{0}, []int64{0}, []int64{int64(token.HeavyCDR3)}, []int64{0})
	toy.floats("logits", 6, 5, 32)
	d := toy.open(t, nil)
	if d.Len() != 2 {
		t.Fatalf("%d sequences", d.Len())
	}
	r := record(t, d, 1)
	if !slices.Equal(r.Masked, []int{1}) || !slices.Equal(r.Tokens, []int32{0, 4, 5, 6, 2}) {
		t.Errorf("%+v", r)
	}
	for _, c := range []struct {
		pass sequence.Pass
		row  float32
	}{
		{sequence.Pass{Record: r, Kind: sequence.MaskedPass, Hidden: []int{1}}, 0}, {sequence.Pass{Record: r, Kind: sequence.SinglePass, Hidden: []int{2}}, 2}, {sequence.Pass{Record: r, Kind: sequence.CleanPass}, 3},
		{sequence.Pass{Record: r, Kind: sequence.RegionPass, Region: token.HeavyCDR3, Hidden: []int{1, 2}}, 4}, {sequence.Pass{Record: r, Kind: sequence.SinglePass, Hidden: []int{1}}, 5},
		{sequence.Pass{Record: record(t, d, 0), Kind: sequence.MaskedPass}, 1},
	} {
		if out := answer(t, d, c.pass, sequence.Logits); out.Logits[0] != 1000*c.row {
			t.Errorf("%+v is answered with %v, want row %v", c.pass, out.Logits[0], c.row)
		}
	}
	for _, c := range []struct {
		pass sequence.Pass
		want string
	}{
		{sequence.Pass{Record: r, Kind: sequence.SinglePass, Hidden: []int{3}},
			"sequence 1 has no row of the pass that masks position 3 alone"},
		{sequence.Pass{Record: r, Kind: sequence.RegionPass, Region: token.HeavyCDR2, Hidden: []int{3}},
			"sequence 1 has no row of the pass that masks the region hcdr2"},
		{sequence.Pass{Record: r, Kind: sequence.MaskedPass, Hidden: []int{3}}, "row 0, the masked pass of sequence 1, masks positions 1: [1], want 1: [3]"},
		{sequence.Pass{Record: record(t, d, 0), Kind: sequence.CleanPass}, "sequence 0 has no row of the clean pass"},
	} {
		err := d.Answer(context.Background(), []sequence.Pass{c.pass}, sequence.Logits, func(int, *sequence.Output) error { return nil })
		if err == nil || !strings.HasSuffix(err.Error(), "d.npz: "+c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestDumpOtherFormats reads a dump of safetensors and of a type that needs conversion.
func TestDumpNotes(t *testing.T) {
	t.Parallel()
	toy := newToyDump()
	toy["nontemplated_mask"] = dataset.Field{Name: "nontemplated_mask", Shape: []int{3, 8}, Data: make([]int64, 24)}
	toy["ids"] = dataset.Field{Name: "ids", Shape: []int{3}, Data: make([]int64, 3)}
	d := toy.open(t, nil)
	delete(toy, "nontemplated_mask")
	delete(toy, "mask_labels")
	bare := toy.open(t, nil)
	if notes := bare.Notes(); len(notes) != 1 || !strings.HasSuffix(notes[0], "no mask_labels, so the logits are read as logits of unmasked sequences; add mask_labels if residues were masked") {
		t.Errorf("notes %q", notes)
	}
	unknown := newToyDump()
	ids := unknown["token_ids"].Data.([]int64)
	ids[2] = int64(token.Antibody().Unknown)
	if notes := unknown.open(t, nil).Notes(); len(notes) != 1 || !strings.Contains(notes[0], "1 residue <unk>, for letters outside the vocabulary of the model") {
		t.Errorf("notes %q", notes)
	}
	if notes := d.Notes(); len(notes) != 1 || !strings.HasSuffix(notes[0], "the array nontemplated_mask is not used; did you mean non_templated_mask?") {
		t.Errorf("notes %v", fmt.Sprint(notes))
	}
}
