// Tables of substitutions: reading and errors.

package protein

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readAll reads all rows of a table.
func readAllSubstitutions(table, measured string) (rows []Substitution, err error) {
	err = readSubstitutions(strings.NewReader(table), "t.csv", measured, func(s *Substitution) error {
		rows = append(rows, *s)
		return nil
	})
	return rows, err
}

func TestReadSubstitutions(t *testing.T) {
	t.Parallel()
	rows, err := readAllSubstitutions("\ufeffmutant,mutated_sequence,DMS_score,DMS_score_bin\nA1P:D2N,PNQ,0.5,1\nD2N,ANQ,,0.0\n", "")
	if err != nil {
		t.Fatal(err)
	}
	if s := rows[0]; s.Mutant != "A1P:D2N" || s.Mutated != "PNQ" || s.Measured != 0.5 || !s.Fit || !s.Classed || s.Chain != -1 || s.Line != 2 {
		t.Errorf("%+v", s)
	}
	if s := rows[1]; !math.IsNaN(s.Measured) || s.Fit || !s.Classed || s.Row != 1 || !math.IsNaN(s.GermlineDistance) {
		t.Errorf("%+v", s)
	}
	rows, err = readAllSubstitutions("mutations,kd,fit,sequence_id,wild_type,chain,assay,protein,function,cluster,germline,germline_distance\n"+
		"A1P,2e-9,,007,ADQ,L,a,p,f,c,ADR,2\n", "kd")
	if err != nil {
		t.Fatal(err)
	}
	want := Substitution{Line: 2, Mutant: "A1P", Measured: 2e-9, SequenceID: "007", WildType: "ADQ", Chain: 1, Assay: "a", Protein: "p",
		Function: "f", Cluster: "c", Germline: "ADR", GermlineDistance: 2}
	if rows[0] != want {
		t.Errorf("%+v", rows[0])
	}
	path := filepath.Join(t.TempDir(), "assay.tsv")
	if err := os.WriteFile(path, []byte("mutant\tscore\nA1P\t1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err = ReadSubstitutions(path+":score", func(*Substitution) error { return errors.New("no such residue") })
	if err == nil || err.Error() != path+": row 0 (line 2): no such residue" {
		t.Errorf("%v", err)
	}
}

func TestBadSubstitutions(t *testing.T) {
	t.Parallel()
	for table, want := range map[string]string{
		"":                                       "the table is empty",
		"mutant,score\n":                         "names but no rows",
		"mutant,effect\nA1P,1\n":                 "no column contains measurements (measured, DMS_score, score, fitness); the columns are mutant, effect",
		"score\n1\n":                             "no column contains the variant: want mutant (A23C:D45E) or mutated_sequence; the columns are score",
		"mutant,score,fitness\nA1P,1,1\n":        "the columns score and fitness both contain measured; want one of them",
		"mutant,score\nA1P,high\n":               `row 0 (line 2), column score: "high" is not a finite number`,
		"mutant,score\nA1P,1\nA1G,inf\n":         `row 1 (line 3), column score: "inf" is not a finite number`,
		"mutant,score,fit\nA1P,1,2\n":            `column fit: "2" is not a class; want 1 (fit) or 0`,
		"mutant,score,chain\nA1P,1,K\n":          `column chain: "K" is not a chain; want heavy or light`,
		"mutant,score,germline_distance\nA,1,-1": `column germline_distance: "-1" is not a distance`,
		"mutant,score\nA1P\n":                    "line 2 does not have the same number of cells",
		"mutant,mutant\nA1P,1\n":                 `two columns are named "mutant"`,
	} {
		if _, err := readAllSubstitutions(table, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", table, err, want)
		}
	}
	_, err := readAllSubstitutions("mutant,binding\nA1P,1\n", "bindin")
	var h interface{ Hints() []string }
	if err == nil || !strings.Contains(err.Error(), `no column "bindin"`) || !errors.As(err, &h) || h.Hints()[0] != "did you mean binding?" {
		t.Errorf("%v", err)
	}
}

func FuzzSubstitutions(f *testing.F) {
	f.Add("mutant,mutated_sequence,DMS_score,DMS_score_bin\nA1P:D2N,PNQ,0.5,1\n", "")
	f.Add("mutations,kd,chain,germline_distance\nA1P,2e-9,L,2\n", "kd")
	f.Add("\"a\nb\",score\n", "score")
	f.Fuzz(func(t *testing.T, table, measured string) {
		rows, err := readAllSubstitutions(table, measured)
		if err == nil && len(rows) == 0 {
			t.Error("a table without rows is read")
		}
		for i, s := range rows {
			if s.Row != i || s.Line < i+2 || math.IsInf(s.Measured, 0) {
				t.Errorf("%+v", s)
			}
		}
	})
}
