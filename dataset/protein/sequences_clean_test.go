// Tests of the cleaning of sequences, of tables of immune receptors, and of compressed files.

package protein

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"repscope/dataset"
)

// gzipped is a compressed text.
func gzipped(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestCompressedTables: every reader of tables takes them compressed, whatever they are called, and says the digest
// of the file.
func TestCompressedTables(t *testing.T) {
	t.Parallel()
	const text = "heavy,light,heavy_coords\nEVQ,DI,\nQV,DIQ,\"[[1,2,3],[4,5,6]]\"\n"
	for _, name := range []string{"a.csv.gz", "a.csv"} {
		path := textFile(t, name, gzipped(t, text))
		f, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		s := readSequence(t, f, 1)
		sum, err := f.SHA256()
		if want, wantErr := dataset.FileSHA256(path); err != nil || wantErr != nil || sum != want || s.Chains != [2]string{"QV", "DIQ"} || len(s.Coordinates[0]) != 6 {
			t.Errorf("%s: %+v, %s, want %s (%v, %v)", name, s, sum, want, err, wantErr)
		}
	}
	f, err := Open(textFile(t, "a.fasta.gz", gzipped(t, ">a\nEVQ\n>b\nQV:DI\n")), Options{})
	if err != nil || readSequence(t, f, 1).Chains != [2]string{"QV", "DI"} {
		t.Errorf("FASTA: %v", err)
	}
	columns, err := dataset.ReadTable(textFile(t, "t.tsv.gz", gzipped(t, "a\tb\n1\t2.5\n3\t4.5\n")))
	if err != nil || len(columns) != 2 || !slices.Equal(columns[0].Ints, []int64{1, 3}) || !slices.Equal(columns[1].Floats, []float64{2.5, 4.5}) {
		t.Errorf("table: %+v, %v", columns, err)
	}
	if !dataset.IsTable("x.CSV.GZ") || dataset.IsTable("x.npy.gz") {
		t.Error("tables by their names")
	}
	p, err := OpenPositions(textFile(t, "p.csv.gz", gzipped(t, "seq,pos,target,pred,nll\na,3,L,V,0.5\na,4,L,L,0.1\n")), []string{"standard"})
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := p.Read(0); err != nil || len(rows) != 2 || rows[1].At != 4 {
		t.Errorf("positions: %+v, %v", rows, err)
	}
	n := 0
	err = ReadSubstitutions(textFile(t, "s.csv.gz", gzipped(t, "mutant,DMS_score\nA1C,0.5\nA1D,0.7\n")), func(*Substitution) error { n++; return nil })
	if err != nil || n != 2 {
		t.Errorf("substitutions: %d rows, %v", n, err)
	}
	whole := gzipped(t, text)
	if _, err := Open(textFile(t, "cut.csv.gz", whole[:len(whole)-9]), Options{}); err == nil ||
		!strings.Contains(err.Error(), "cut.csv.gz: it is compressed by gzip and truncated") {
		t.Errorf("a truncated file: %v", err)
	}
	bomb := textFile(t, "bomb.csv.gz", gzipped(t, "heavy\n"+strings.Repeat("E", 1<<27)))
	if _, err := Open(bomb, Options{}); err == nil || !strings.Contains(err.Error(), "expands too much") {
		t.Errorf("128 MiB of one letter: %v", err)
	}
	if info, err := os.Stat(bomb); err != nil || info.Size() > 1<<18 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestReceptorTables: tables as AIRR and the Observed Antibody Space have them.
func TestReceptorTables(t *testing.T) {
	t.Parallel()
	// Framework and CDR lengths 3, 2, 3, 2, 4, 3, 2 of EVQ GF WVR IS RFTI ARD WG.
	const heavy, mask = "EVQGFWVRISRFTIARDWG", "0001100022000033300"
	const parts = "EVQ,GF,WVR,IS,RFTI,ARD,WG"
	const names = "fwr1_aa,cdr1_aa,fwr2_aa,cdr2_aa,fwr3_aa,cdr3_aa,fwr4_aa"
	metadata := "\"{\"\"Run\"\": \"\"SRR1\"\", \"\"Species\"\": \"\"human\"\"}\"\n"
	for name, c := range map[string]struct {
		content string
		want    []Sequence
	}{
		"a unit": {metadata + "sequence,locus,sequence_alignment_aa," + names + "\nACGT,H," + heavy + "," + parts + "\nACGT,L,DIQ,,,,,,,\n",
			[]Sequence{{ID: "0", Chains: [2]string{heavy, ""}, CDR: [2]string{mask, ""}}, {ID: "1", Chains: [2]string{"", "DIQ"}}}},
		"metadata without quotes": {"{\"Run\": \"SRR1\", \"n\": 2}\nsequence_alignment_aa\nEVQ\n", []Sequence{{ID: "0", Chains: [2]string{"EVQ", ""}}}},
		"paired": {metadata + "sequence_id_heavy,sequence_alignment_aa_heavy,sequence_alignment_aa_light,cdr1_aa_heavy,cdr2_aa_heavy,cdr3_aa_heavy\nx," + heavy +
			",DIQ,GF,IS,ARD\n", []Sequence{{ID: "x", Chains: [2]string{heavy, "DIQ"}, CDR: [2]string{mask, ""}}}},
		"AIRR": {"sequence_id,sequence_aa,sequence_alignment_aa,locus,cdr1_aa,cdr2_aa,cdr3_aa\na,ZZ," + heavy + ",IGH,GF,IS,ARD\nb,ZZ,DIQ,IGK,,,\n",
			[]Sequence{{ID: "a", Chains: [2]string{heavy, ""}, CDR: [2]string{mask, ""}}, {ID: "b", Chains: [2]string{"", "DIQ"}}}},
		"role names": {"id,cluster,heavy,light,heavy_cdr,light_non_templated\na,k,EVQ,DI,010,01\n",
			[]Sequence{{ID: "a", Cluster: "k", Chains: [2]string{"EVQ", "DI"}, CDR: [2]string{"010", ""}, NonTemplated: [2]string{"", "01"}}}},
		"CDRs of one chain": {"heavy,cdr1_aa,cdr2_aa,cdr3_aa\n" + heavy + ",GF,IS,ARD\n", []Sequence{{ID: "0", Chains: [2]string{heavy, ""}, CDR: [2]string{mask, ""}}}},
		"a mask goes first": {"heavy,heavy_cdr,cdr1_aa,cdr2_aa,cdr3_aa\nEVQ,010,E,V,Q\n", []Sequence{{ID: "0", Chains: [2]string{"EVQ", ""}, CDR: [2]string{"010", ""}}}},
	} {
		f, err := sequenceText(t, "a.csv", c.content, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, want := range c.want {
			if s := readSequence(t, f, i); s.ID != want.ID || s.Cluster != want.Cluster || s.Chains != want.Chains || s.CDR != want.CDR || s.NonTemplated != want.NonTemplated {
				t.Errorf("%s: %+v, want %+v", name, s, want)
			}
		}
		if f.Len() != len(c.want) || len(f.Notes()) > 0 {
			t.Errorf("%s: %d sequences, notes %q", name, f.Len(), f.Notes())
		}
	}
	// AS stands twice before the third CDR, and GG nowhere.
	f, err := sequenceText(t, "a.csv", "heavy,cdr1_aa,cdr2_aa,cdr3_aa\nEGFASWASRD,GF,AS,RD\nEGFASWARD,GG,AS,RD\n", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if notes := f.Notes(); len(notes) != 1 || !strings.Contains(notes[0], "match no or several positions of the chain in 2 sequences") || f.Has("heavy_cdr") {
		t.Errorf("notes %q", notes)
	}
	for content, want := range map[string]string{
		"sequence_alignment_aa,locus\nEVQ,TRB\n":          `row 0 (line 2), column locus: "TRB" is not a locus of an antibody, want IGH, IGK or IGL`,
		metadata + "sequence_alignment_aa\nEVQ\nE9\n":     "after a first line of metadata: row 1 (line 4), column sequence_alignment_aa: position 1 is '9'",
		"{not metadata}\nEVQ\n":                           "no column contains a chain",
		"sequence_alignment_aa,heavy_cdr_mask\nEVQ,000\n": "there is a column heavy_cdr_mask but no column of the heavy chain",
	} {
		if _, err := sequenceText(t, "a.csv", content, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", content, err, want)
		}
	}
}

// TestResidues: residues removed from a chain are removed from its masks and coordinates.
func TestResidues(t *testing.T) {
	t.Parallel()
	all := Options{Residues: Residues{Upper: true, Stop: true, Gaps: true}}
	f, err := sequenceText(t, "a.csv", "heavy,light,heavy_cdr,light_cdr,heavy_coords\nev-.Q*,DI,001130,02,\"[[1,1,1],[2,2,2],[3,3,3],[4,4,4],[5,5,5],[6,6,6]]\"\nE-V,,01,,\n", all)
	if err != nil {
		t.Fatal(err)
	}
	s := readSequence(t, f, 0)
	if s.Chains != [2]string{"EVQ", "DI"} || s.CDR != [2]string{"003", "02"} || !slices.Equal(s.Coordinates[0], []float32{1, 1, 1, 2, 2, 2, 5, 5, 5}) {
		t.Errorf("%+v", s)
	}
	if s := readSequence(t, f, 1); s.Chains[0] != "EV" || s.CDR[0] != "01" {
		t.Errorf("a mask of what is left: %+v", s)
	}
	if f, err = sequenceText(t, "a.fa", ">a\nevq-\nL*:d.i*\n", all); err != nil || readSequence(t, f, 0).Chains != [2]string{"EVQL", "DI"} {
		t.Errorf("FASTA: %v", err)
	}
	for letters, hint := range map[string]string{"EVq": "--residues upper", "EV*": "--residues stop", "E-V": "--residues gaps", "E.V": "--residues gaps"} {
		_, err := sequenceText(t, "a.fa", ">a\nEV\n>b\n"+letters+"\n", Options{Letters: "ACDEFGHIKLMNPQRSTVWY"})
		h, ok := errorHints(err)
		if err == nil || !strings.Contains(err.Error(), "record 1 (line 3), heavy chain: position ") || !ok || !strings.Contains(h, hint) {
			t.Errorf("%s: %v, hint %q", letters, err, h)
		}
	}
	if _, err := sequenceText(t, "a.fa", ">a\nE*V\n", Options{Letters: "ACDEFGHIKLMNPQRSTVWY", Residues: Residues{Stop: true}}); err == nil {
		t.Error("a stop inside of a chain is no end of one")
	}
	if _, err := sequenceText(t, "a.fa", ">a\n--\n", all); err == nil || !strings.Contains(err.Error(), "has no residues") {
		t.Errorf("gaps alone: %v", err)
	}
}

// errorHints is the first hint of an error.
func errorHints(err error) (string, bool) {
	var h interface{ Hints() []string }
	if !errors.As(err, &h) {
		return "", false
	}
	return h.Hints()[0], true
}
