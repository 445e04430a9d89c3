// Tests of reading journals and rows that are damaged.

package store

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"repscope/analysis/canvas"
	"repscope/internal/journal"
	"repscope/report"
)

// journalOf is a journal of some rows.
func journalOf(t testing.TB) []byte {
	t.Helper()
	dir := t.TempDir()
	j, err := openJournal(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, model := range []string{"a", "b ÿ\n", "c"} {
		var row report.Object
		row.Set(memberID, "gid1-1")
		row.Set(memberModel, model)
		row.Set("ssim", 0.1*float64(i))
		if err := j.add(record{file: ResultsFile, row: row, alone: i == 1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, JournalFile))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// recordsOf are the records of a journal.
func recordsOf(data []byte) []record {
	lines, _ := journal.Read(data)
	return parseRecords(lines)
}

func TestJournal(t *testing.T) {
	t.Parallel()
	data := journalOf(t)
	records := recordsOf(data)
	if len(records) != 3 || records[1].key.model != "b ÿ\n" || !records[1].alone || records[2].alone || records[0].key.definition != canvas.DefinitionPublished {
		t.Fatalf("%d records in %d bytes: %+v", len(records), len(data), records)
	}
	if n, ok := records[2].row.Get("ssim"); !ok || n == nil {
		t.Errorf("row: %v", n)
	}
	// Any byte that is changed costs its line alone, and a part of a line costs nothing else.
	for i := range data {
		damaged := bytes.Clone(data)
		damaged[i] ^= 0x55
		if got := recordsOf(damaged); len(got) < 1 || len(got) > 2 {
			t.Errorf("byte %d of %d was changed: %d records", i, len(data), len(got))
		}
		if got := recordsOf(data[:i]); len(got) != bytes.Count(data[:i], []byte{'\n'}) {
			t.Errorf("cut at %d: %d records", i, len(got))
		}
	}
}

func FuzzJournal(f *testing.F) {
	data := journalOf(f)
	f.Add(data)
	f.Add(data[:len(data)-9])
	f.Add([]byte("00000000{}\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if records := recordsOf(data); len(records) > bytes.Count(data, []byte{'\n'}) {
			t.Errorf("%d records in %d bytes", len(records), len(data))
		}
		if r, ok := parseRecord(data); ok && r.file != ResultsFile && r.file != baseFile {
			t.Errorf("a record of %q", r.file)
		}
	})
}

// FuzzRows reads any file of rows: what is read is written so that it is read again.
func FuzzRows(f *testing.F) {
	f.Add([]byte(`[{"id": "gid1-1", "model": "m", "snapshot_num": 2, "ssim": 0.5, "definition": "default", "reasons": {}, "computed": {"image": {"definition": "1", "inputs": "ab"}}}]`))
	f.Add([]byte(`[{"id": 1, "model": 2, "x": NaN, "list": [1, {"a": null}]}]`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		first := &table{rows: map[rowKey][]report.Object{}}
		if first.parse("rows.json", data) != nil {
			return
		}
		var text, again bytes.Buffer
		if err := report.Encode(&text, first.list()); err != nil {
			t.Fatal(err)
		}
		second := &table{rows: map[rowKey][]report.Object{}}
		if err := second.parse("again.json", text.Bytes()); err != nil {
			t.Fatalf("%v\n%s", err, text.Bytes())
		}
		if err := report.Encode(&again, second.list()); err != nil || !bytes.Equal(text.Bytes(), again.Bytes()) {
			t.Errorf("written again (%v):\n%s\n%s", err, text.Bytes(), again.Bytes())
		}
		for _, rows := range second.rows {
			for _, row := range rows {
				for _, k := range canvas.Kinds() {
					if entry, ok := computedOf(row, k.Name); ok {
						(&Store{Settings: &canvas.Setting{Definition: canvas.DefinitionDefault}}).held(&k, &entry, row)
					}
				}
			}
		}
	})
}
