// Fuzz targets of the readers: damaged files are errors, and what was checked is read again.

package protein

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzSequences checks that the data read from a file of sequences are consistent, and that errors name the file.
func FuzzSequences(f *testing.F) {
	f.Add([]byte("id,heavy_chain,light_chain,heavy_cdr_mask,heavy_non_templated_mask,light_coords\na,EV,D,01,00,\"[[1,2,NaN]]\"\nb,,DI,,,\n"), false)
	f.Add([]byte("sequence_aa:0\tcluster\r\nEVQ\tx\r\n"), true)
	f.Add([]byte(">a b\nEVQ:DI\n>c\nE V\n"), false)
	f.Fuzz(func(t *testing.T, data []byte, tabs bool) {
		path := filepath.Join(t.TempDir(), map[bool]string{false: "s.csv", true: "s.tsv"}[tabs])
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(path, Options{})
		if err != nil {
			if !strings.HasPrefix(err.Error(), path) {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		defer s.Close()
		ids := map[string]bool{}
		for i := range s.Len() {
			var q Sequence
			if err := s.Read(i, &q); err != nil {
				t.Fatalf("sequence %d of a file that was checked: %v", i, err)
			}
			if ids[q.ID] || q.Chains[0]+q.Chains[1] == "" {
				t.Errorf("sequence %d: %+v", i, q)
			}
			ids[q.ID] = true
			for k, chain := range q.Chains {
				if m := q.CDR[k]; m != "" && len(m) != len(chain) || q.Coordinates[k] != nil && len(q.Coordinates[k]) != 3*len(chain) {
					t.Errorf("sequence %d: %+v", i, q)
				}
			}
		}
	})
}

// FuzzPositions holds that rows that were checked are read again, and that errors name the file.
func FuzzPositions(f *testing.F) {
	f.Add([]byte("seq,pos,region_mode,target,pred,nll,prob\na,1,standard,E,V,0.5,0.6065\nb,1,standard,E,E,0,1\n\na,2,per-position,5,6,1e9,0\n"))
	f.Add([]byte("\"seq\",pos,target,pred,prob\r\n\"a\"\"b\",0,E,E,1\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "p.csv")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := OpenPositions(path, testModes)
		if err != nil {
			if !strings.HasPrefix(err.Error(), path) {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		defer p.Close()
		seen := map[int]bool{}
		for i := range p.IDs() {
			rows, err := p.Read(i)
			if err != nil || len(rows) == 0 {
				t.Fatalf("sequence %d of a table that was checked: %v", i, err)
			}
			for _, r := range rows {
				if seen[r.Row] || r.At < 0 || !(r.NLL >= 0) || !(r.Prob >= 0 && r.Prob <= 1) {
					t.Errorf("%+v", r)
				}
				seen[r.Row] = true
			}
		}
		for row := range len(seen) {
			if !seen[row] {
				t.Errorf("row %d was not read", row)
			}
		}
	})
}

// FuzzVocabulary holds that special tokens are tokens, and that errors name the file.
func FuzzVocabulary(f *testing.F) {
	f.Add([]byte(`["<cls>", "A", "<mask>"]`))
	f.Add([]byte(`{"<cls>": 0, "A": 1}`))
	f.Add([]byte(`{"added_tokens": [{"id": 4, "content": "[MASK]"}], "model": {"vocab": {"[PAD]": 0, "A": 1}}}`))
	f.Add([]byte(`{"tokens": ["<", "A"], "cls_token": "<", "mask_token": null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "v.json")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		v, err := ReadVocabulary(path)
		if err != nil {
			if !strings.HasPrefix(err.Error(), path) {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		for _, id := range []int{v.CLS, v.Pad, v.EOS, v.Unknown, v.Mask} {
			if id < -1 || id >= len(v.Names) || id >= 0 && v.Names[id] == "" {
				t.Errorf("special token %d of %d", id, len(v.Names))
			}
		}
	})
}
