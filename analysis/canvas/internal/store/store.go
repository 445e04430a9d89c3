// Package store keeps the rows of all runs over a tree: the numbers of every case, metric by metric.
package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/source"
	"repscope/internal/regular"
	"repscope/report"
)

// The files of rows. Each is a list of objects: id, model, snapshot_num, the numbers and details
// under the names of the definition, definition, reasons of nulls, and computed.
const (
	ResultsFile   = "evaluation_results.json"
	snapshotsFile = "evaluation_results_with_snapshots.json"
	baseFile      = "evaluation_results_basetarget.json"
)

// RowFiles are all of them.
var RowFiles = []string{ResultsFile, snapshotsFile, baseFile}

// keyOf is whose a row of a case is.
func (s *Store) keyOf(c *source.Case) rowKey {
	return rowKey{id: c.Sample, model: c.Model, snapshot: c.Snapshot, definition: s.Settings.Definition}
}

// table are the rows of a file.
type table struct {
	name string
	rows map[rowKey][]report.Object // several of one key in files of others
	had  bool                       // there was such a file
}

// put replaces the row of its key; alone removes the rows of other
// definitions too.
func (t *table) put(key rowKey, row report.Object, alone bool) {
	if alone {
		maps.DeleteFunc(t.rows, func(k rowKey, _ []report.Object) bool { return k.same(key) })
	}
	t.rows[key] = []report.Object{row}
}

// list are the rows in their order.
func (t *table) list() []report.Object {
	out := []report.Object{}
	for _, key := range slices.SortedFunc(maps.Keys(t.rows), rowKey.compare) {
		out = append(out, t.rows[key]...)
	}
	return out
}

// readTable reads a file of rows; one that is missing is empty.
func readTable(dir, name string) (*table, error) {
	t := &table{name: name, rows: map[rowKey][]report.Object{}}
	path := filepath.Join(dir, name)
	data, err := regular.Read(path, regular.Table)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	t.had = true
	return t, t.parse(path, data)
}

// parse reads rows.
func (t *table) parse(path string, data []byte) error {
	value, err := report.Parse(path, data)
	if err != nil {
		return err
	}
	list, ok := value.([]any)
	if !ok {
		return fmt.Errorf("%s: not a list of rows", path)
	}
	for i, item := range list {
		row, ok := item.(report.Object)
		if !ok {
			return fmt.Errorf("%s: row %d is not an object", path, i)
		}
		key, err := parseKey(row)
		if err != nil {
			return fmt.Errorf("%s: row %d: %w", path, i, err)
		}
		t.rows[key] = append(t.rows[key], row)
	}
	return nil
}

// Store is what earlier runs and this one know of cases. Its methods may be called from several
// goroutines.
type Store struct {
	Dir      string
	Settings *canvas.Setting
	Kinds    []canvas.Kind // of the run
	All      []canvas.Kind // of the registry
	Cases    []source.Case
	Skipped  map[string]string // metrics that are not computed, and why
	Resume   bool
	Steps    bool // rows of steps are asked for
	Digests  *source.Digests
	journal  *rowJournal

	mu          sync.Mutex
	tables      map[string]*table
	Reused      int // metrics of cases that were taken over
	Interrupted int // rows of a run that was
}

// Open reads the files of rows and the journal of a run that was interrupted. Errors: a file that
// cannot be read, which nothing overwrites, and another run that writes there.
func (s *Store) Open(journaled bool) error {
	if journaled {
		var err error
		if s.journal, err = openJournal(s.Dir); err != nil {
			return err
		}
	}
	s.tables = map[string]*table{}
	for _, name := range RowFiles {
		t, err := readTable(s.Dir, name)
		if err != nil {
			return errors.Join(fmt.Errorf("%w; the file is not overwritten: repair or move it", err), s.Close())
		}
		s.tables[name] = t
	}
	if s.journal == nil {
		return nil
	}
	for _, r := range s.journal.records {
		s.put(r)
	}
	s.Interrupted, s.journal.records = len(s.journal.records), nil
	return nil
}

// Close leaves the journal to the next run.
func (s *Store) Close() error {
	if s.journal == nil {
		return nil
	}
	err := s.journal.close()
	s.journal = nil
	return err
}

// Finish removes the journal, whose rows are in the files of rows.
func (s *Store) Finish() error {
	if s.journal == nil {
		return nil
	}
	return regular.PathError(s.journal.Remove())
}

// put enters a record.
func (s *Store) put(r record) {
	if r.key.snapshot < 0 || r.file == baseFile {
		s.tables[r.file].put(r.key, r.row, r.alone)
	}
	if r.file == ResultsFile && (r.key.snapshot >= 0 || r.steps || s.tables[snapshotsFile].had) {
		s.tables[snapshotsFile].put(r.key, r.row, r.alone)
	}
}

// row is the stored row of a key.
func (s *Store) row(key rowKey, base bool) (report.Object, bool) {
	names := []string{ResultsFile, snapshotsFile}
	if base {
		names = []string{baseFile}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range names {
		if rows := s.tables[name].rows[key]; len(rows) > 0 {
			return rows[len(rows)-1], true
		}
	}
	return report.Object{}, false
}

// caseOf is a case, or the case of the design that its modification began with.
func (s *Store) caseOf(i int, base bool) source.Case {
	if base {
		return s.Cases[i].BaseCase()
	}
	return s.Cases[i]
}

// Known are the rows of metrics that need not be computed: see [canvas.Options.Known].
func (s *Store) Known(i int, base bool) map[string]*canvas.Row {
	if !s.Resume && len(s.Skipped) == 0 {
		return nil
	}
	c := s.caseOf(i, base)
	earlier, _ := s.row(s.keyOf(&c), base)
	out := map[string]*canvas.Row{}
	for k := range s.Kinds {
		kind := &s.Kinds[k]
		why, skip := s.Skipped[kind.Name]
		if !skip && (!s.Resume || kind.Needs == 0) {
			continue
		}
		row := s.stored(kind, &c, earlier)
		if row != nil && !skip && !base && s.Settings.HasReports(kind) && !s.reported(&c, kind, earlier) {
			row = nil
		}
		if row == nil && skip {
			row = canvas.NewRow()
			for _, key := range kind.Keys {
				row.Undefined(key.Name, "%s", why)
			}
		}
		if row != nil {
			out[kind.Name] = row
		}
	}
	s.mu.Lock()
	s.Reused += len(out)
	s.mu.Unlock()
	return out
}

// Reusable is how many metrics could be taken over, of cases and of designs that modifications began with: all
// but those that follow from others.
func (s *Store) Reusable() int {
	count := func(kinds []canvas.Kind) (n int) {
		for i := range kinds {
			if kinds[i].Needs != 0 {
				n++
			}
		}
		return n
	}
	n := len(s.Cases) * count(s.Kinds)
	seen := map[string]bool{}
	for i := range s.Cases {
		if s.Cases[i].Base != (source.Side{}) {
			seen[canvas.BaseKey(&s.Cases[i])] = true
		}
	}
	return n + len(seen)*count(canvas.BaseKinds(s.Kinds))
}

// stored is what an earlier row holds of a metric; nil if it is of other inputs or of another
// definition.
func (s *Store) stored(k *canvas.Kind, c *source.Case, earlier report.Object) *canvas.Row {
	entry, ok := computedOf(earlier, k.Name)
	if !ok || entry.definition != s.Settings.DefinitionOf(k) || entry.shared != s.Settings.SharedInputs(k) ||
		entry.inputs != k.Inputs(s.Digests, c) {
		return nil
	}
	return s.held(k, &entry, earlier)
}

// held are the numbers and details of a metric in a row; nil if some are missing.
func (s *Store) held(k *canvas.Kind, entry *computed, record report.Object) *canvas.Row {
	reasons := objectOf(record, memberReasons)
	row := canvas.NewRow()
	for _, key := range k.Keys {
		name := nameIn(s.Settings.Definition, key.Name)
		value, ok := record.Get(name)
		if !ok {
			return nil
		}
		reason, _ := reasons.Get(name)
		v, ok := valueOf(value, reason)
		if !ok {
			return nil
		}
		row.Values[key.Name] = v
	}
	for _, detail := range entry.details {
		value, ok := record.Get(nameIn(s.Settings.Definition, detail))
		if !ok {
			return nil
		}
		row.Details[detail] = value
		row.Owners[detail] = k.Name
	}
	return row
}

// derived are the metrics that read nothing but the numbers of others.
func (s *Store) derived() []string {
	var out []string
	for _, k := range s.All {
		if k.Needs == 0 {
			out = append(out, k.Name)
		}
	}
	return out
}

// valueOf is a number of a row.
func valueOf(value, reason any) (report.Value, bool) {
	switch v := value.(type) {
	case nil:
		why, _ := reason.(string)
		if why == "" {
			why = "an earlier run gives no reason"
		}
		return report.Undefined("%s", why), true
	case json.Number:
		f, err := v.Float64()
		return report.Number(f), err == nil
	}
	return report.Value{}, false
}

// Done enters the row of a case that is finished: see [canvas.Options.Done].
func (s *Store) Done(i int, row *canvas.CaseRow) error {
	if err := s.enter(i, row.Row, row.Base, false); err != nil {
		return err
	}
	if row.Base == nil {
		return nil
	}
	return s.enter(i, row.Base, nil, true)
}

// EnterAll enters the rows of all cases, which others have computed.
func (s *Store) EnterAll(rows []canvas.CaseRow) error {
	for i := range rows {
		if err := s.Done(i, &rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// enter makes the row of a case, writes its reports and the journal, and takes the row's place.
func (s *Store) enter(i int, row, base *canvas.Row, ofBase bool) error {
	c := s.caseOf(i, ofBase)
	key := s.keyOf(&c)
	earlier, ok := s.row(key, ofBase)
	b := builder{store: s, c: &c, row: row, base: base, earlier: earlier, reported: !ofBase}
	r := record{file: ResultsFile, key: key, row: b.build(), alone: !s.Resume, steps: s.Steps}
	if ofBase {
		r.file = baseFile
	}
	if ok && (ofBase || s.Resume) && equalRows(earlier, r.row) && s.everywhere(r) {
		return nil // the cases of a sample share a base
	}
	if s.journal != nil {
		if err := s.journal.add(r); err != nil {
			return err
		}
	}
	s.mu.Lock()
	s.put(r)
	s.mu.Unlock()
	return nil
}

// everywhere reports whether the row of a record has its place in all files that have such rows.
func (s *Store) everywhere(r record) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return r.file == baseFile || r.key.snapshot >= 0 || !r.steps && !s.tables[snapshotsFile].had ||
		len(s.tables[snapshotsFile].rows[r.key]) > 0
}

// equalRows reports whether two rows are written alike.
func equalRows(a, b report.Object) bool {
	var x, y bytes.Buffer
	return report.Encode(&x, a) == nil && report.Encode(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// Write writes the files that have rows.
func (s *Store) Write(files *report.Transaction) error {
	for _, name := range RowFiles {
		t := s.tables[name]
		if len(t.rows) == 0 && name != ResultsFile {
			continue
		}
		if err := files.JSON(name, t.list()); err != nil {
			return err
		}
	}
	return nil
}

// Names are the files that write would write after a run.
func (s *Store) Names() []string {
	out := []string{ResultsFile}
	if s.Steps || len(s.tables[snapshotsFile].rows) > 0 {
		out = append(out, snapshotsFile)
	}
	modified := slices.ContainsFunc(s.Cases, func(c source.Case) bool { return c.Base != (source.Side{}) }) && len(canvas.BaseKinds(s.Kinds)) > 0
	if modified || len(s.tables[baseFile].rows) > 0 {
		out = append(out, baseFile)
	}
	return out
}
