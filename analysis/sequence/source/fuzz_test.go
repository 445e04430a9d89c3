// Fuzz targets of what models answered elsewhere.

package source_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"repscope/analysis/sequence"
	"repscope/analysis/sequence/source"
	"repscope/dataset"
	"repscope/dataset/protein"
	"repscope/measure/token"
)

// FuzzDump makes arrays of bytes: what is read of them fits together, and errors name the file.
func FuzzDump(f *testing.F) {
	valid := []byte{0, 4, 31, 2, 0, 9, 2, 1, 0, 4, 5, 2} // token_ids [3, 4]
	f.Add(valid, []byte{0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0}, []byte{0, 4, 5, 2, 0, 9, 2, 1, 0, 4, 5, 2}, []byte{0, 1, 0}, []byte{0, 0, 2})
	f.Add([]byte{0, 4, 5, 2, 0, 9, 2, 1, 0, 4, 5, 2}, []byte{156, 156, 5, 156, 156, 156, 156, 156, 156, 156, 6, 156}, []byte{}, []byte{}, []byte{})
	f.Fuzz(func(t *testing.T, ids, labels, targets, numbers, pass []byte) {
		const n, l = 3, 4
		var fields []dataset.Field
		add := func(name string, values []byte, shape ...int) {
			size := 1
			for _, k := range shape {
				size *= k
			}
			if len(values) != size {
				return
			}
			out := make([]int32, size)
			for i, v := range values {
				out[i] = int32(int8(v))
			}
			fields = append(fields, dataset.Field{Name: name, Shape: shape, Data: out})
		}
		add("token_ids", ids, n, l)
		add("mask_labels", labels, n, l)
		add("targets", targets, n, l)
		add("sequence", numbers, n)
		add("pass", pass, n)
		fields = append(fields, dataset.Field{Name: "logits", Shape: []int{n, l, 32}, Data: make([]float32, n*l*32)})
		path := filepath.Join(t.TempDir(), "d.npz")
		if err := dataset.WriteNPZ(path, fields...); err != nil {
			t.Fatal(err)
		}
		d, err := source.OpenDump(path, token.Antibody(), nil)
		if err != nil {
			if !strings.HasPrefix(err.Error(), path) {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		defer d.Close()
		for i := range d.Len() {
			r := record(t, d, i)
			if err := r.Complete(nil); err != nil {
				t.Error(err)
			}
			for _, at := range r.Masked {
				if r.Special[at] || int(r.Tokens[at]) == token.Antibody().Mask {
					t.Errorf("position %d of %+v is hidden", at, r)
				}
			}
			if d.Has(sequence.MaskedPass) == 0 {
				continue
			}
			p := sequence.Pass{Record: r, Kind: sequence.MaskedPass, Hidden: r.Masked}
			err := d.Answer(context.Background(), []sequence.Pass{p}, sequence.Logits, func(_ int, out *sequence.Output) error {
				if len(out.Logits) != 32*len(r.Tokens) {
					t.Errorf("%d logits of %d tokens", len(out.Logits), len(r.Tokens))
				}
				return nil
			})
			if err != nil && !strings.HasPrefix(err.Error(), path) {
				t.Error(err)
			}
		}
	})
}

// FuzzPositionRows holds that a table that was opened beside sequences answers what it says.
func FuzzPositionRows(f *testing.F) {
	f.Add([]byte("x,1,standard,L,A,0.5,0.6065\nx,2,standard,5,A,0,1\n"))
	f.Add([]byte("0,1,per-position,L,A,0.5,0.6065\n"))
	f.Fuzz(func(t *testing.T, rows []byte) {
		folder := t.TempDir()
		write := func(name, text string) string {
			path := filepath.Join(folder, name)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}
		s, err := source.OpenSequences(write("s.fa", ">x\nLAG\n"), protein.Options{}, token.Antibody())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		path := write("p.csv", positionNames+string(rows))
		for _, beside := range []sequence.Sequences{nil, s} {
			p, err := source.OpenPositions(path, token.Antibody(), beside)
			if err != nil {
				if !strings.HasPrefix(err.Error(), path) {
					t.Errorf("the error does not name the file: %v", err)
				}
				continue
			}
			for i := range p.Len() {
				r := record(t, p, i)
				got := answer(t, p, sequence.Pass{Record: r, Kind: sequence.MaskedPass, Hidden: r.Masked}, sequence.Predicted).Predictions
				for k, q := range got {
					if q.Position != r.Masked[k] || q.Target != int(r.Tokens[q.Position]) {
						t.Errorf("%+v of %+v", q, r)
					}
				}
			}
			p.Close()
		}
	})
}
