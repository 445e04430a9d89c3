// Tests of files of sequences.

package protein

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// textFile writes a file.
func textFile(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// sequenceText writes a file and opens it.
func sequenceText(t *testing.T, name, content string, o Options) (*File, error) {
	t.Helper()
	f, err := Open(textFile(t, name, content), o)
	if err == nil {
		t.Cleanup(func() { f.Close() })
	}
	return f, err
}

// readSequence reads one sequence.
func readSequence(t *testing.T, f *File, i int) Sequence {
	t.Helper()
	var s Sequence
	if err := f.Read(i, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSequenceTables(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"a.csv": "heavy_chain,light_chain,heavy_cdr_mask,light_cdr_mask,heavy_non_templated_mask,light_non_templated_mask,heavy_coords,light_coords,cluster\n" +
			"EVQ,DI,001,02,010,10,\"[[1,2,3],[NaN,0,0],[4.5,-1e1,0]]\",\"[[1,2,3], [null,null,null]]\",b\n" +
			"\n" +
			"EV,,00,,,,,,a\n" +
			",DIQ,,,,,,,b\n",
		"b.tsv": "\ufeffsequence_aa:0\tsequence_aa:1\tcdr_mask_aa:0\tcdr_mask_aa:1\tnongermline_mask_aa:0\tnongermline_mask_aa:1\tX\tY\tcluster\r\n" +
			"EVQ\tDI\t001\t02\t010\t10\t[[1,2,3],[NaN,0,0],[4.5,-1e1,0]]\t[[1,2,3],[nan,1,1]]\tb\r\n" +
			"EV\t\t00\t\t\t\t\t\ta\r\n" +
			"\tDIQ\t\t\t\t\t\t\tb\r\n",
	} {
		o := Options{}
		if strings.HasSuffix(name, ".tsv") {
			o.Columns = map[string]string{"heavy_coords": "X", "light_coords": "Y"}
		}
		f, err := sequenceText(t, name, content, o)
		if err != nil {
			t.Fatal(err)
		}
		if f.Len() != 3 || !slices.Equal(f.Clusters(), []int{0, 1, 0}) {
			t.Errorf("%s: %d sequences in clusters %v", name, f.Len(), f.Clusters())
		}
		s := readSequence(t, f, 0)
		if s.ID != "0" || s.Cluster != "b" || s.Chains != [2]string{"EVQ", "DI"} || s.CDR != [2]string{"001", "02"} || s.NonTemplated != [2]string{"010", "10"} {
			t.Errorf("%s: %+v", name, s)
		}
		nan := float32(math.NaN())
		for k, want := range [][]float32{{1, 2, 3, nan, nan, nan, 4.5, -10, 0}, {1, 2, 3, nan, nan, nan}} {
			if !slices.EqualFunc(s.Coordinates[k], want, func(a, b float32) bool { return a == b || a != a && b != b }) {
				t.Errorf("%s: coordinates %v, want %v", name, s.Coordinates[k], want)
			}
		}
		if s := readSequence(t, f, 2); s.Chains != [2]string{"", "DIQ"} || s.CDR[1] != "" || s.Coordinates[1] != nil || s.ID != "2" {
			t.Errorf("%s: %+v", name, s)
		}
		for role, want := range map[string]bool{"heavy": true, "light_cdr": true, "light_coords": true, "id": false, "cluster": true} {
			if f.Has(role) != want {
				t.Errorf("%s: Has(%s) = %v", name, role, !want)
			}
		}
	}
}

func TestSequencesWithoutCoordinates(t *testing.T) {
	t.Parallel()
	f, err := sequenceText(t, "s.csv", "heavy_chain,heavy_coords\nEV,not read\n", Options{NoCoordinates: true})
	if err != nil {
		t.Fatal(err)
	}
	if f.Has("heavy_coords") || readSequence(t, f, 0).Coordinates[0] != nil {
		t.Error("coordinates are there")
	}
}

func TestSequencesWithMark(t *testing.T) {
	t.Parallel()
	f, err := sequenceText(t, "s.csv", "\ufeff\"id\",\"heavy_chain\",\"heavy_coords\"\r\n\"a\",\"EV\",\"[null, [1,2,3]]\"\r\nb,QL,\r\n", Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := readSequence(t, f, 0)
	if c := s.Coordinates[0]; s.ID != "a" || s.Chains[0] != "EV" || len(c) != 6 || c[0] == c[0] || c[3] != 1 {
		t.Errorf("%+v", s)
	}
	if s := readSequence(t, f, 1); s.ID != "b" || s.Chains[0] != "QL" {
		t.Errorf("%+v", s)
	}
}

func TestSequencesNotes(t *testing.T) {
	t.Parallel()
	f, err := sequenceText(t, "s.csv", "heavy_chian,light_chain,isotype,heavy\nEV,DI,G,1\n", Options{Columns: map[string]string{"id": "heavy"}})
	if err != nil {
		t.Fatal(err)
	}
	if notes := f.Notes(); len(notes) != 1 || !strings.HasSuffix(notes[0], "s.csv: the column heavy_chian is not used; did you mean heavy_chain?") {
		t.Errorf("%q", notes)
	}
}

func TestFASTA(t *testing.T) {
	t.Parallel()
	f, err := sequenceText(t, "s.fasta", "\n>first heavy and light\r\nEVQ\r\nLV:DI\r\n\r\n>second\nACD EF\n> third\n:DIQM", Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Sequence{{ID: "first", Chains: [2]string{"EVQLV", "DI"}}, {ID: "second", Chains: [2]string{"ACDEF"}}, {ID: "third", Chains: [2]string{"", "DIQM"}}}
	if f.Len() != len(want) || !slices.Equal(f.Clusters(), []int{0, 1, 2}) {
		t.Fatalf("%d records in clusters %v", f.Len(), f.Clusters())
	}
	for i, w := range want {
		if s := readSequence(t, f, i); s.ID != w.ID || s.Chains != w.Chains {
			t.Errorf("record %d: %+v, want %+v", i, s, w)
		}
	}
	if f.Column("heavy") != "" || !f.Has("id") {
		t.Error("a FASTA file has ids and no columns")
	}
	long := strings.Repeat("ACDEFGHIKLMNPQRSTVWY", 20_000) // in one line, longer than any buffer
	if f, err = sequenceText(t, "s.fa", ">x\n"+long+"\n>y\nAC\n", Options{}); err != nil || readSequence(t, f, 0).Chains[0] != long || f.Len() != 2 {
		t.Errorf("a long line: %v", err)
	}
}

func TestBadSequences(t *testing.T) {
	t.Parallel()
	table := func(columns, row string) string {
		return columns + "\nEV" + strings.Repeat(",", strings.Count(columns, ",")) + "\n" + row + "\n"
	}
	for _, c := range []struct{ name, content, want, hint string }{
		{"e.csv", "", "e.csv: the file is empty; want a table with a line of column names, or FASTA records", ""},
		{"e.fasta", " \n\n", "e.fasta: the file is empty; want a table with a line of column names, or FASTA records", ""},
		{"n.csv", "heavy_chain\n", "n.csv: the table has column names but no rows", ""},
		{"c.csv", "Heavy,light2\nEV,DI\n", "c.csv: no column contains a chain (heavy_chain, sequence_aa:0, light_chain, sequence_aa:1); the columns are Heavy, light2",
			"name them with --columns heavy=NAME,light=NAME; a single chain is heavy=NAME"},
		{"t.csv", "heavy_chain,sequence_aa:0\nEV,DI\n", "t.csv: the columns heavy_chain and sequence_aa:0 both contain heavy", "choose one with --columns heavy=…"},
		{"o.csv", "heavy_chain,light_cdr_mask\nEV,\n", "o.csv: there is a column light_cdr_mask but no column of the light chain", ""},
		{"l.csv", table("heavy_chain", "EVJQ"), "l.csv: row 1 (line 3), column heavy_chain: position 2 is 'J', want one of the letters *-.ACDEFGHIKLMNPQRSTVWY", ""},
		{"l.csv", table("heavy_chain", "EVq"), "l.csv: row 1 (line 3), column heavy_chain: position 2 is 'q', want one of the letters *-.ACDEFGHIKLMNPQRSTVWY",
			"residues are upper-case letters; --residues upper converts lower-case letters"},
		{"u.csv", table("heavy_chain", "EÅ"), "u.csv: row 1 (line 3), column heavy_chain: position 1 is 'Å', want one of the letters *-.ACDEFGHIKLMNPQRSTVWY", ""},
		{"m.csv", table("heavy_chain,heavy_cdr_mask", "EVQ,11"), "m.csv: row 1 (line 3), column heavy_cdr_mask: the mask has 2 digits for a chain of 3 residues",
			"a mask read as a number loses its leading zeros; keep it as text (pandas: dtype=str)"},
		{"m.csv", table("heavy_chain,heavy_cdr_mask", "EVQ,0011"), "m.csv: row 1 (line 3), column heavy_cdr_mask: the mask has 4 digits for a chain of 3 residues", ""},
		{"m.csv", table("heavy_chain,heavy_cdr_mask", ",0"), "m.csv: row 1 (line 3), column heavy_cdr_mask: the mask has 1 digit for a chain of 0 residues", ""},
		{"m.csv", table("heavy_chain,heavy_cdr_mask", "EVQ,041"), "m.csv: row 1 (line 3), column heavy_cdr_mask: position 1 of the mask is '4', want a digit from 0 to 3", ""},
		{"m.csv", table("heavy_chain,heavy_non_templated_mask", "EVQ,012"), "m.csv: row 1 (line 3), column heavy_non_templated_mask: position 2 of the mask is '2', want a digit from 0 to 1", ""},
		{"p.csv", table("heavy_chain,heavy_coords", `EV,"[[1,2,3]]"`), "p.csv: row 1 (line 3), column heavy_coords: the list has 1 point for a chain of 2 residues", ""},
		{"p.csv", table("heavy_chain,heavy_coords", `E,"[[1,2,3],[1,2,3]]"`), "p.csv: row 1 (line 3), column heavy_coords: there are more points than the 1 residues of the chain", ""},
		{"p.csv", table("heavy_chain,heavy_coords", `E,"[[1,2,inf]]"`), `p.csv: row 1 (line 3), column heavy_coords: point 0 contains "inf", want a finite number, or NaN for an unresolved residue`, ""},
		{"p.csv", table("heavy_chain,heavy_coords", `E,"[[1,2]]"`), `p.csv: row 1 (line 3), column heavy_coords: point 0: found "]]" where ',' was expected; want a JSON list of points [x, y, z]`, ""},
		{"p.csv", table("heavy_chain,heavy_coords", `E,"[[1,2,3]"`), `p.csv: row 1 (line 3), column heavy_coords: the list ends where ',' was expected; want a JSON list of points [x, y, z]`, ""},
		{"p.csv", table("heavy_chain,heavy_coords", `E,"[[1,2,3]] x"`), `p.csv: row 1 (line 3), column heavy_coords: "x" follows the list`, ""},
		{"p.csv", table("heavy_chain,heavy_coords", `E,5`), `p.csv: row 1 (line 3), column heavy_coords: found "5" where '[' was expected; want a JSON list of points [x, y, z]`, ""},
		{"r.csv", table("heavy_chain,light_chain", ","), "r.csv: row 1 (line 3) has no residues", ""},
		{"w.csv", "heavy_chain\nEV,DI\n", "w.csv: line 2 does not have the same number of cells as the first line", ""},
		{"i.csv", "id,heavy_chain\na,EV\nb,EV\na,EV\n", `i.csv: row 2 (line 4) has the same id "a" as row 0 (line 2); want unique ids`, ""},
		{"i.csv", "id,heavy_chain\na,EV\n,EV\n", "i.csv: row 1 (line 3) has no id", ""},
		{"k.csv", "cluster,heavy_chain\na,EV\n,EV\n", "k.csv: row 1 (line 3), column cluster: the cluster is empty", ""},
		{"f.fa", ">a\nEV\n>b\nE9\n", "f.fa: record 1 (line 3), heavy chain: position 1 is '9', want one of the letters *-.ACDEFGHIKLMNPQRSTVWY", ""},
		{"f.fa", ">a\nEV\n>b\n\n", "f.fa: record 1 (line 3) has no residues", ""},
		{"f.fa", ">a\nEV:E:Q\n", "f.fa: record 0 (line 1) has 3 chains, want one, or a heavy and a light chain separated by a colon", ""},
		{"f.fa", ">a\nEV\n>a\nEV\n", `f.fa: record 1 (line 3) has the same id "a" as record 0 (line 1); want unique ids`, ""},
		{"f.fa", ">\nEV\n", "f.fa: record 0 (line 1) has no id", ""},
		{"f.fa", "EV\n>a\n", "f.fa: it does not begin with a FASTA record: want a line with > and an id", ""},
		{"u.csv", "\xff\xfeh\x00", "u.csv: the text is encoded as UTF-16, want UTF-8", ""},
		{"d.tsv", "heavy_chain;id\nEV;a\n", "d.tsv: no column contains a chain (heavy_chain, sequence_aa:0, " +
			"light_chain, sequence_aa:1); the columns are heavy_chain;id",
			"the cells of a .tsv file are separated by tabs"},
		{"p.csv", table("heavy_chain,heavy_coords", `E,"[nulls]"`), `p.csv: row 1 (line 3), column heavy_coords: point 0: found "nulls]" where '[' was expected; want a JSON list of points [x, y, z]`, ""},
	} {
		_, err := sequenceText(t, c.name, c.content, Options{Letters: "ACDEFGHIKLMNPQRSTVWY*.-"})
		checkSequenceError(t, c.content, err, c.want, c.hint)
	}
	for _, c := range []struct {
		columns    map[string]string
		want, hint string
	}{
		{map[string]string{"heavy": "vhh"}, `s.csv: there is no column "vhh"; the columns are VH, VL`, "did you mean VH?"},
		{map[string]string{"hevy": "VH"}, `s.csv: "hevy" is not the meaning of a column: want one of ` + strings.Join(Roles(), ", "), ""},
		{map[string]string{"heavy": "VH", "light": "VH"}, "s.csv: the column VH cannot contain both heavy and light", ""},
	} {
		_, err := sequenceText(t, "s.csv", "VH,VL\nEV,DI\n", Options{Columns: c.columns})
		checkSequenceError(t, "VH,VL", err, c.want, c.hint)
	}
}

// checkSequenceError compares an error, behind its folder, and its hint.
func checkSequenceError(t *testing.T, content string, err error, want, hint string) {
	t.Helper()
	if err == nil || !strings.HasSuffix(err.Error(), "/"+want) {
		t.Errorf("%q:\n%v, want\n%s", content, err, want)
		return
	}
	var h interface{ Hints() []string }
	if got := errors.As(err, &h); got != (hint != "") || got && h.Hints()[0] != hint {
		t.Errorf("%q: hint of %v, want %q", content, err, hint)
	}
}

// A Parquet file is read as its lines of CSV.
func TestOpen_Parquet(t *testing.T) {
	t.Parallel()
	f, err := Open("../testdata/parquet/sequences.parquet", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Len() != 2 {
		t.Errorf("%d sequences, want 2", f.Len())
	}
}
