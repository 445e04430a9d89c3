// Tests of tables of positions as sequences and answers.

package source_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/sequence"
	"repscope/analysis/sequence/source"
	"repscope/measure/token"
)

const positionNames = "seq,pos,region_mode,target,pred,nll,prob\n"

// openPositions writes a table and opens it.
func openPositions(t testing.TB, rows string, beside sequence.Sequences) (*source.Positions, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.csv")
	if err := os.WriteFile(path, []byte(positionNames+rows), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := source.OpenPositions(path, token.Antibody(), beside)
	if err == nil {
		t.Cleanup(func() { p.Close() })
	}
	return p, err
}

func TestPositions(t *testing.T) {
	t.Parallel()
	s := openText(t, "s.fa", ">x\nLAG:V\n>y\nSE\n", token.Antibody())
	// Tokens by name and by id, sequences by id and by number.
	for _, names := range [][2]string{{"x", "y"}, {"0", "1"}} {
		p, err := openPositions(t, strings.NewReplacer("X", names[0], "Y", names[1]).Replace(
			"Y,1,standard,S,A,0.693147,0.5\nX,3,standard,G,G,0,1\nX,1,standard,4,5,1.609438,0.2\nX,1,per-position,L,L,0,1\nX,2,per-position,A,L,0.693147,0.5\n"), s)
		if err != nil {
			t.Fatal(err)
		}
		if p.Len() != 2 || !slices.Equal(p.Clusters(), []int{0, 1}) || p.Knows() != sequence.NeedChains || p.Has(sequence.MaskedPass) != sequence.Predicted || p.Has(sequence.SinglePass) != sequence.Predicted ||
			p.Has(sequence.RegionPass) != 0 || p.Has(sequence.CleanPass) != 0 {
			t.Errorf("%d sequences, knows %b", p.Len(), p.Knows())
		}
		r := record(t, p, 0)
		if r.ID != "x" || !slices.Equal(r.Masked, []int{1, 3}) || !slices.Equal(r.Chains, []int8{0, 0, 0, 0, 1, 1}) {
			t.Errorf("%+v", r)
		}
		got := answer(t, p, sequence.Pass{Record: r, Kind: sequence.MaskedPass, Hidden: r.Masked}, sequence.Predicted).Predictions
		if len(got) != 2 || got[0].Position != 1 || got[0].Target != 4 || got[0].Predicted != 5 || got[0].Prob != 0.2 || got[1].Target != 6 || !got[1].Correct() {
			t.Errorf("%+v", got)
		}
		if got := answer(t, p, sequence.Pass{Record: r, Kind: sequence.SinglePass, Hidden: []int{2}}, sequence.Predicted).Predictions; got[0].Predicted != 4 {
			t.Errorf("%+v", got)
		}
		err = p.Answer(context.Background(), []sequence.Pass{{Record: r, Kind: sequence.SinglePass, Hidden: []int{3}}}, sequence.Predicted, func(int, *sequence.Output) error { return nil })
		if err == nil || !strings.HasSuffix(err.Error(), "p.csv: sequence x has no row of position 3 with region_mode per-position") {
			t.Errorf("%v", err)
		}
	}
	alone, err := openPositions(t, "b,2,standard,A,A,0,1\na,1,standard,L,A,0.1,0.905\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	r := record(t, alone, 0)
	if r.ID != "b" || !slices.Equal(r.Tokens, []int32{3, 3, 5}) || !slices.Equal(r.Special, []bool{true, true, false}) || alone.Knows() != 0 {
		t.Errorf("without sequences: %+v", r)
	}
}

func TestBadPositions(t *testing.T) {
	t.Parallel()
	s := openText(t, "s.fa", ">x\nLAG\n>y\nSE\n", token.Antibody())
	for rows, want := range map[string]string{
		"x,1,standard,L,L,0,1\n":                                                 `p.csv: no row for sequence y of --sequences`,
		"x,1,standard,L,L,0,1\nz,1,standard,L,L,0,1\n":                           `p.csv: seq "z" is neither the id nor the index of any of the 2 sequences of --sequences`,
		"0,1,standard,L,L,0,1\n2,1,standard,L,L,0,1\n":                           `p.csv: seq "2" is neither the id nor the index of any of the 2 sequences of --sequences`,
		"0,1,standard,L,L,0,1\n00,1,standard,L,L,0,1\n":                          `p.csv: seq "0" and "00" are the same sequence`,
		"x,1,standard,L,L,0,1\ny,4,standard,L,L,0,1\n":                           `p.csv: row 1: column pos: 4, but sequence y has 4 tokens`,
		"x,0,standard,<cls>,L,0,1\ny,1,standard,S,L,0,1\n":                       `p.csv: row 0: column pos: position 0 of sequence x is the special token <cls>`,
		"x,1,standard,L,L,0,1\ny,1,standard,E,L,0,1\n":                           `p.csv: row 1: column target: E, but sequence y has S at position 1`,
		"x,1,standard,L,L,0,1\ny,1,standard,J,L,0,1\n":                           `p.csv: row 1: column target: "J" is neither a token of the vocabulary nor a token id, 0 to 31`,
		"x,1,standard,L,L,0,1\ny,1,standard,S,32,0,1\n":                          `p.csv: row 1: column pred: "32" is neither a token of the vocabulary nor a token id, 0 to 31`,
		"x,1,standard,L,L,0,1\nx,1,standard,L,A,0,1\ny,1,standard,S,S,0,1\n":     `p.csv: seq "x" has position 1 twice with region_mode standard`,
		"x,1,standard,L,L,0,1\ny,1,standard,S,S,0,1\ny,2,region,S,S,0,1\n":       `p.csv: row 2 (line 4), column region_mode: "region", want one of standard, per-position, region-level`,
		"x,1,standard,L,L,0,1\ny,99999999999,standard,S,S,0,1\n":                 `p.csv: row 1: column pos: 99999999999, want less than 1048576`,
		"x,1,per-position,L,L,0,1\ny,1,standard,S,S,0,1\ny,1,standard,S,S,0,1\n": `p.csv: seq "y" has position 1 twice with region_mode standard`,
	} {
		if _, err := openPositions(t, rows, s); err == nil || !strings.HasSuffix(err.Error(), "/"+want) {
			t.Errorf("%q: %v, want\n%s", rows, err, want)
		}
	}
	if _, err := openPositions(t, "x,99999999999,standard,L,L,0,1\n", nil); err == nil || !strings.Contains(err.Error(), "row 0: column pos: 99999999999, want less than 1048576") {
		t.Errorf("%v", err)
	}
	if _, err := openPositions(t, "x,0,standard,<cls>,L,0,1\n", nil); err == nil || !strings.HasSuffix(err.Error(), "row 0: column pos: position 0 of sequence x is the special token <cls>") {
		t.Errorf("%v", err)
	}
}
