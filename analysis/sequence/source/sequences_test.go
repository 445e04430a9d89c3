// Tests of records from files of sequences.

package source_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/sequence"
	"repscope/analysis/sequence/source"
	"repscope/dataset/protein"
	"repscope/measure/token"
)

// openText writes a file of sequences and opens it.
func openText(t testing.TB, name, content string, alphabet *token.Alphabet) *source.FileSequences {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := source.OpenSequences(path, protein.Options{}, alphabet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestOpenSequences(t *testing.T) {
	t.Parallel()
	s := openText(t, "s.csv", "heavy_chain,light_chain,heavy_cdr_mask,light_non_templated_mask\nLA,GV,01,10\n,C,,\nL,,0,\n", token.Antibody())
	if s.Len() != 3 || s.Knows() != sequence.NeedRegions|sequence.NeedGermline|sequence.NeedChains {
		t.Errorf("%d sequences, knows %b", s.Len(), s.Knows())
	}
	r := record(t, s, 0)
	if !slices.Equal(r.Tokens, []int32{0, 4, 5, 6, 7, 2}) || !slices.Equal(r.Chains, []int8{0, 0, 0, 1, 1, 1}) || !slices.Equal(r.CDR, []int8{0, 0, 1, 0, 0, 0}) ||
		!slices.Equal(r.NonTemplated, []int8{0, -1, -1, 1, 0, 0}) || r.Coordinates != nil || r.Masked != nil {
		t.Errorf("%+v", r)
	}
	if r = record(t, s, 1); !slices.Equal(r.Chains, []int8{1, 1, 1}) || r.CDR != nil || r.NonTemplated != nil {
		t.Errorf("a light chain alone: %+v", r)
	}
	if r = record(t, s, 2); !slices.Equal(r.Chains, []int8{0, 0, 0}) || r.CDR == nil {
		t.Errorf("a heavy chain alone: %+v", r)
	}
	bare := &token.Alphabet{Names: []string{"A", "C", "*"}, CLS: -1, Pad: -1, EOS: -1, Unknown: -1, Mask: 2}
	if r := record(t, openText(t, "s.fa", ">x\nAC:C\n", bare), 0); r.ID != "x" || !slices.Equal(r.Tokens, []int32{0, 1, 1}) || !slices.Equal(r.Special, make([]bool, 3)) {
		t.Errorf("an alphabet without special tokens: %+v", r)
	}
	path := filepath.Join(t.TempDir(), "s.fa")
	if err := os.WriteFile(path, []byte(">x\nA*C\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := source.OpenSequences(path, protein.Options{}, bare); err == nil || !strings.Contains(err.Error(), "position 1 is '*', want one of the letters AC") {
		t.Errorf("the mask token as a residue: %v", err)
	}
	words := &token.Alphabet{Names: []string{"AAA", "CCC"}, CLS: -1, Pad: -1, EOS: -1, Unknown: -1, Mask: -1}
	if _, err := source.OpenSequences(path, protein.Options{}, words); err == nil || !strings.Contains(err.Error(), "s.fa: the vocabulary has no single-letter tokens") {
		t.Errorf("%v", err)
	}
}

// The numbers of residues of the regions of a published Fv, that of trastuzumab.
var fvHeavy, fvLight = []int{25, 8, 17, 8, 38, 13, 11}, []int{26, 6, 17, 3, 36, 9, 10}

// TestSampleRegions holds the regions of the published Fv, whose file is not in the repository:
// $REPSCOPE_DATA is the folder that has it.
func TestSampleRegions(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("REPSCOPE_DATA")
	if folder == "" {
		t.Skip("REPSCOPE_DATA, the folder of antibody/constructed_trastuzumab_fv.csv, is not set")
	}
	s, err := source.OpenSequences(filepath.Join(folder, "antibody", "constructed_trastuzumab_fv.csv"), protein.Options{}, token.Antibody())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	checkRegions(t, record(t, s, 0), slices.Concat(fvHeavy, fvLight))
}

// TestRegions holds the same of a sequence with its masks.
func TestRegions(t *testing.T) {
	t.Parallel()
	masks := [2]string{}
	var chains [2]string
	for k, lengths := range [][]int{fvHeavy, fvLight} {
		for i, n := range lengths {
			digit := "0"
			if i%2 == 1 {
				digit = string(rune('1' + i/2))
			}
			masks[k] += strings.Repeat(digit, n)
		}
		chains[k] = strings.Repeat("S", len(masks[k]))
	}
	s := openText(t, "fv.csv", "sequence_aa:0,sequence_aa:1,cdr_mask_aa:0,cdr_mask_aa:1\n"+chains[0]+","+chains[1]+","+masks[0]+","+masks[1]+"\n", token.Antibody())
	checkRegions(t, record(t, s, 0), slices.Concat(fvHeavy, fvLight))
}

// checkRegions compares the numbers of residues of all regions.
func checkRegions(t *testing.T, r *sequence.Record, want []int) {
	t.Helper()
	if err := r.Complete(func(*sequence.Record) []int { return nil }); err != nil {
		t.Fatal(err)
	}
	got := make([]int, token.Regions)
	for _, region := range r.Regions {
		if region != token.NoRegion {
			got[region-1]++
		}
	}
	if !slices.Equal(got, want) || len(r.Tokens) != 229 {
		t.Errorf("%d tokens, regions of %v residues, want 229 and %v", len(r.Tokens), got, want)
	}
}

// TestLetterNotes: letters beyond the 20 amino acids are tokens of the vocabulary, which is said; others are errors
// with the row and the place.
func TestLetterNotes(t *testing.T) {
	t.Parallel()
	s := openText(t, "s.csv", "id,heavy,light\na,EVXQ,D-I\nb,EVU,D.BZO\n", token.Antibody())
	want := "7 residues outside the 20 amino acids (- 1, . 1, B 1, O 1, U 1, X 1, Z 1), masked and scored like all other tokens"
	if notes := s.Notes(); len(notes) != 1 || !strings.HasSuffix(notes[0], want) {
		t.Errorf("notes %q, want %s", notes, want)
	}
	if notes := openText(t, "s.csv", "heavy\nEVQ\n", token.Antibody()).Notes(); len(notes) > 0 {
		t.Errorf("notes %q", notes)
	}
	for letter, place := range map[string]string{"J": "position 2 is 'J'", "q": "position 2 is 'q'", "*": "position 2 is '*'"} {
		path := filepath.Join(t.TempDir(), "s.fa")
		if err := os.WriteFile(path, []byte(">x\nEV\n>y\nEV"+letter+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := source.OpenSequences(path, protein.Options{}, token.Antibody()); err == nil || !strings.Contains(err.Error(), "record 1 (line 3), heavy chain: "+place) {
			t.Errorf("%s: %v", letter, err)
		}
	}
}
