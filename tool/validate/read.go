// Tables of checkpoints: wide ones, with a column for each number, and long ones, as evaluate writes them.

package validate

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"repscope/dataset"
	"repscope/internal/bound"
	"repscope/internal/gunzip"
	"repscope/internal/regular"
	"repscope/internal/tabular"
	"repscope/internal/text"
	"repscope/points"
	"repscope/report"
)

// Columns say what the columns of a table are.
type Columns struct {
	Outcome        string
	OutcomeSE      string
	Halves         []string // none or two
	Run            string   // empty: a column run, seed or trial, if there is one
	After          string   // empty: a column step, epoch or iteration, if there is one; None: no order
	ValidationLoss string
	Numbers        []string // patterns of numbers; nil: all
	Higher, Lower  []string // patterns of numbers, and of the outcome
}

// None is the value of Columns.After and Columns.Run for no column.
const None = "none"

// Read reads the table of a file; digest is the SHA-256 of its bytes. directions are the directions of metrics by name,
// nil for none.
func Read(path string, c Columns, directions Directions) (in *Input, digest string, err error) {
	data, err := regular.Read(path, regular.Table)
	if err != nil {
		return nil, "", regular.PathError(err)
	}
	sum := sha256.Sum256(data)
	if data, err = gunzip.Bytes(data); err == nil {
		data, err = dataset.TableText(path, data)
	}
	if err == nil && report.IsRecords(path, data) {
		if data, err = report.Records(path, data); err != nil {
			return nil, "", err
		}
	}
	if err == nil {
		in, err = Parse(path, data, c, directions)
	}
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	return in, hex.EncodeToString(sum[:]), nil
}

// table is a table as it was read.
type table struct {
	names  []string
	values [][]float64 // by column; nil: not of numbers
	mixed  []error     // of columns, a cell that is no number among numbers
	texts  map[string][]string
	lines  []int
	rows   int
	notes  []string
}

// Parse is Read of the text of a table.
func Parse(name string, data []byte, c Columns, directions Directions) (*Input, error) {
	rows, names, err := tabular.Open(name, strings.NewReader(string(data)), tabular.Options{})
	if err != nil {
		return nil, err
	}
	var t *table
	if isLong(names) {
		t, err = readLong(rows, names, int64(len(data)))
	} else {
		t, err = readWide(rows, names, int64(len(data)), c)
	}
	if err != nil {
		return nil, err
	}
	if t.rows == 0 {
		return nil, errors.New("there are no rows")
	}
	return t.input(c, directions)
}

// missing are the words of a cell without a number.
var missing = []string{"", "na", "n/a", "none", "null", "<na>", "nan"}

// cell is the number of a cell, if it is one; NaN for a missing one and for infinity.
func cell(s string, decimals *tabular.Decimals) (v float64, ok bool, err error) {
	s = strings.TrimSpace(s)
	if slices.Contains(missing, strings.ToLower(s)) {
		return math.NaN(), true, nil
	}
	switch v, err = decimals.Float(s); {
	case errors.Is(err, tabular.ErrDecimals):
		return 0, false, err
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return 0, false, nil
	case math.IsInf(v, 0):
		return math.NaN(), true, nil
	}
	return v, true, nil
}

// The names of columns that are found by themselves.
var (
	runNames   = []string{"run", "seed", "trial"}
	stepNames  = []string{"step", "epoch", "iteration"}
	labelNames = []string{"checkpoint", "model", "name"}
)

// firstOf is the first of the columns with one of the names, in any case; empty if there is none.
func firstOf(names, wanted []string) string {
	for _, want := range wanted {
		for _, name := range names {
			if strings.EqualFold(name, want) {
				return name
			}
		}
	}
	return ""
}

// readWide reads a table with a row for each checkpoint.
func readWide(rows *csv.Reader, names []string, size int64, c Columns) (*table, error) {
	run := c.Run
	if run == "" {
		run = firstOf(names, runNames)
	}
	t := &table{names: names, values: make([][]float64, len(names)), mixed: make([]error, len(names)),
		texts: map[string][]string{}}
	outcome := map[string]bool{c.Outcome: true}
	for _, name := range c.Halves {
		outcome[name] = true
	}
	words := make([]bool, len(names)) // columns that are kept as text
	for k, name := range names {
		words[k] = name != "" && (name == run || name == firstOf(names, labelNames))
	}
	budget := bound.NewBudget(size)
	numbers, others, decimals := make([]int, len(names)), make([]int, len(names)), make([]tabular.Decimals, len(names))
	for k := range decimals {
		decimals[k].Comma = rows.Comma == ';'
	}
	for {
		record, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, tabular.Error(err)
		}
		if err := budget.Take("the table", int64(8*len(names)+16)); err != nil {
			return nil, err
		}
		line, _ := rows.FieldPos(0)
		t.lines = append(t.lines, line)
		t.rows++
		for k, s := range record {
			if words[k] {
				t.texts[names[k]] = append(t.texts[names[k]], strings.Clone(strings.TrimSpace(s)))
			}
			v, ok, err := cell(s, &decimals[k])
			if err != nil {
				return nil, fmt.Errorf("line %d: the column %s: %w", line, names[k], err)
			}
			if !ok && outcome[names[k]] {
				v, err = tabular.ParseTruth(strings.TrimSpace(s))
				ok = err == nil
			}
			if !ok {
				if v = math.NaN(); t.mixed[k] == nil {
					t.mixed[k] = fmt.Errorf("line %d: the column %s holds %q, want a number", line, names[k], short(s))
				}
				others[k]++
			} else if !math.IsNaN(v) {
				numbers[k]++
			}
			t.values[k] = append(t.values[k], v)
		}
	}
	var texts []string
	var all tabular.Decimals
	for k, name := range names {
		if others[k] == 0 {
			if err := all.Join(&decimals[k]); err != nil {
				return nil, fmt.Errorf("the column %s: %w", name, err)
			}
		}
		if others[k] > 0 && numbers[k] <= others[k] {
			t.values[k] = nil
			if name != "" && !words[k] {
				texts = append(texts, name)
			}
		}
	}
	if len(texts) > 0 {
		t.notes = append(t.notes, "columns of text are left out: "+text.Few(texts, mostListed))
	}
	return t, nil
}

// short cuts a cell for a message.
func short(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

// mostListed is the most names in a message.
const mostListed = 12

// longNames are the columns of a long table; there can be Dataset and Analysis, too.
var longNames = []string{"Model", "Metric", "Parameter", "Estimate"}

// isLong reports whether a table has a row for each number, by its columns: the layout of evaluate's summary.csv, or of
// the file _metrics.csv of an analysis.
func isLong(names []string) bool {
	for _, name := range longNames {
		if !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

// The keys by which rows of a long table are put together.
const (
	longRun   = "run"
	longStep  = "step"
	longLabel = "model"
)

// longCell is one number of a long table.
type longCell struct {
	row, column int
	value       float64
}

// readLong reads a table with a row for each number. Models are rows. Names of
// models that end with a number are checkpoints of a run.
func readLong(rows *csv.Reader, names []string, size int64) (*table, error) {
	index := func(name string) int { return slices.Index(names, name) }
	field := func(record []string, k int) string {
		if k < 0 {
			return ""
		}
		return strings.TrimSpace(record[k])
	}
	t := &table{texts: map[string][]string{}}
	rowOf, columnOf, lines := map[[2]string]int{}, map[string]int{}, map[[2]int]int{}
	var keys [][2]string
	var cells []longCell
	decimals := tabular.Decimals{Comma: rows.Comma == ';'}
	for {
		record, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, tabular.Error(err)
		}
		line, _ := rows.FieldPos(0)
		key := [2]string{strings.Clone(field(record, index("Dataset"))), strings.Clone(field(record, index("Model")))}
		name := field(record, index("Metric"))
		if analysis := field(record, index("Analysis")); analysis != "" {
			name = analysis + "." + name
		}
		if parameter := field(record, index("Parameter")); parameter != "" {
			name += "[" + parameter + "]"
		}
		v, ok, err := cell(field(record, index("Estimate")), &decimals)
		if err != nil {
			return nil, fmt.Errorf("line %d: the column Estimate: %w", line, err)
		}
		if !ok {
			return nil, fmt.Errorf("line %d: the column Estimate holds %q, want a number", line,
				short(field(record, index("Estimate"))))
		}
		row, ok := rowOf[key]
		if !ok {
			row = len(keys)
			rowOf[key], keys, t.lines = row, append(keys, key), append(t.lines, line)
		}
		name = strings.Clone(name)
		column, ok := columnOf[name]
		if !ok {
			column = len(t.names)
			columnOf[name], t.names = column, append(t.names, name)
		}
		if first, twice := lines[[2]int{row, column}]; twice {
			return nil, fmt.Errorf("line %d: %s of the model %s is in line %d, too; want it once", line, name, key[1], first)
		}
		lines[[2]int{row, column}] = line
		cells = append(cells, longCell{row, column, v})
	}
	err := bound.Check("the table with a row for each model", 8*int64(len(keys))*int64(len(t.names)), size)
	if err != nil {
		return nil, err
	}
	t.rows = len(keys)
	t.values, t.mixed = make([][]float64, len(t.names)), make([]error, len(t.names))
	for k := range t.values {
		t.values[k] = slices.Repeat([]float64{math.NaN()}, t.rows)
	}
	for _, c := range cells {
		t.values[c.column][c.row] = c.value
	}
	t.checkpoints(keys)
	return t, nil
}

// checkpoints enters runs and steps by the names of models, within each dataset.
func (t *table) checkpoints(keys [][2]string) {
	datasets, count := map[string]bool{}, map[[2]string]int{}
	for _, key := range keys {
		datasets[key[0]] = true
		if run, _, ok := text.CutStep(key[1]); ok {
			count[[2]string{key[0], run}]++
		}
	}
	dated := false
	step := make([]float64, len(keys))
	ordered := true
	for i, key := range keys {
		label, run := key[1], key[1]
		series, number, ok := text.CutStep(key[1])
		if ok = ok && count[[2]string{key[0], series}] > 1; ok {
			step[i], run, dated = number, series, true
		}
		ordered = ordered && ok
		if len(datasets) > 1 {
			label, run = key[0]+": "+label, key[0]+": "+run
		}
		t.texts[longLabel], t.texts[longRun] = append(t.texts[longLabel], label), append(t.texts[longRun], run)
	}
	if !dated && len(datasets) > 1 {
		// Models of several datasets: a dataset is what its rows have in common.
		for i, key := range keys {
			t.texts[longRun][i] = key[0]
		}
	}
	if ordered {
		t.names, t.values, t.mixed = append(t.names, longStep), append(t.values, step), append(t.mixed, nil)
	} else if dated {
		t.notes = append(t.notes, "some models are no checkpoints of a run by their names: rows have no order")
	}
}

// column is the index of a column of numbers. Errors: no column of this name, text in it.
func (t *table) column(flag, name string) (int, error) {
	k := slices.Index(t.names, name)
	if k < 0 {
		for i, have := range t.names {
			if strings.EqualFold(have, name) {
				k = i
			}
		}
	}
	if k < 0 {
		var names []string
		for _, have := range t.names {
			if have != "" {
				names = append(names, have)
			}
		}
		err := fmt.Errorf("%s: there is no column %q; the columns are %s", flag, name, text.Few(names, mostListed))
		if near := text.Nearest(name, names); near != "" {
			err = text.WithHint(err, "did you mean "+near+"?")
		}
		return 0, err
	}
	if t.mixed[k] != nil {
		return 0, fmt.Errorf("%s: %w", flag, t.mixed[k])
	}
	return k, nil
}

// input gives columns their meaning.
func (t *table) input(c Columns, directions Directions) (*Input, error) {
	in := &Input{OutcomeName: c.Outcome, ValidationLoss: c.ValidationLoss, notes: t.notes}
	used := map[string]bool{"": true}
	get := func(flag, name string, into *[]float64) error {
		k, err := t.column(flag, name)
		if err == nil {
			*into, used[t.names[k]] = t.values[k], true
		}
		return err
	}
	if c.Outcome != "" {
		if err := get("--outcome", c.Outcome, &in.Outcome); err != nil {
			return nil, err
		}
	}
	if len(c.Halves) == 2 {
		in.Halves = new([2][]float64)
		for k, name := range c.Halves {
			if err := get("--outcome-halves", name, &in.Halves[k]); err != nil {
				return nil, err
			}
		}
		if c.Outcome == "" {
			in.OutcomeName = "mean of " + c.Halves[0] + " and " + c.Halves[1]
			in.Outcome = make([]float64, t.rows)
			for i := range in.Outcome {
				in.Outcome[i] = (in.Halves[0][i] + in.Halves[1][i]) / 2
			}
		}
	}
	if c.OutcomeSE != "" {
		if err := get("--outcome-se", c.OutcomeSE, &in.Errors); err != nil {
			return nil, err
		}
		for i, s := range in.Errors {
			if s < 0 {
				return nil, fmt.Errorf("line %d: the standard error %s is %v, want a number of at least 0", t.lines[i],
					c.OutcomeSE, s)
			}
		}
	}
	if err := t.order(in, c, used); err != nil {
		return nil, err
	}
	if err := t.numbers(in, c, directions, used); err != nil {
		return nil, err
	}
	in.Lower = directions.of(in.OutcomeName, c).direction == report.Lower
	in.withoutEmpty()
	return in, nil
}

// order enters runs, steps and labels.
func (t *table) order(in *Input, c Columns, used map[string]bool) error {
	long := t.texts[longLabel] != nil && t.texts[longRun] != nil && len(t.texts) == 2 && !slices.Contains(t.names, longRun)
	run := c.Run
	switch {
	case run == None:
		run = ""
	case run == "" && long:
		run = longRun
	case run == "":
		run = firstOf(t.names, runNames)
	case t.texts[run] == nil:
		k, err := t.column("--run", run)
		if err != nil {
			return err
		}
		run = t.names[k]
		for _, v := range t.values[k] {
			t.texts[run] = append(t.texts[run], strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	if run != "" {
		in.Run, used[run] = t.texts[run], true
		for i, name := range in.Run {
			if name == "" {
				return fmt.Errorf("line %d: the column %s is empty, want the run", t.lines[i], run)
			}
		}
	}
	step := c.After
	if step == "" {
		step = firstOf(t.names, stepNames)
	}
	if step != "" && step != None {
		flag := "--after"
		k, err := t.column(flag, step)
		if err != nil {
			return err
		}
		in.Step, in.StepName, used[t.names[k]] = t.values[k], t.names[k], true
		if in.Run == nil {
			in.Run = slices.Repeat([]string{"all"}, t.rows)
		}
		type place struct {
			run  string
			step float64
		}
		seen := map[place]int{}
		for i, v := range in.Step {
			if math.IsNaN(v) {
				return fmt.Errorf("line %d: the column %s is empty, want the step", t.lines[i], in.StepName)
			}
			key := place{in.Run[i], v}
			if first, twice := seen[key]; twice {
				err := fmt.Errorf("line %d: the run %s has %s %v in line %d, too", t.lines[i], in.Run[i], in.StepName, v,
					t.lines[first])
				return text.WithHint(err, "name the column that tells runs apart with --run, or give --after none")
			}
			seen[key] = i
		}
	}
	label := t.texts[firstOf(t.names, labelNames)]
	if long {
		label = t.texts[longLabel]
	}
	for i := range t.rows {
		switch {
		case label != nil && label[i] != "":
			in.Labels = append(in.Labels, label[i])
		case in.Step != nil:
			in.Labels = append(in.Labels, fmt.Sprintf("%s %s %v", in.Run[i], in.StepName, in.Step[i]))
		default:
			in.Labels = append(in.Labels, fmt.Sprintf("line %d", t.lines[i]))
		}
	}
	return nil
}

// numbers enters the numbers that patterns choose.
func (t *table) numbers(in *Input, c Columns, directions Directions, used map[string]bool) error {
	matched := make([]bool, len(c.Numbers))
	for k, name := range t.names {
		chosen := len(c.Numbers) == 0
		for i, pattern := range c.Numbers {
			if text.Wildcard(pattern, name) && !used[name] {
				chosen, matched[i] = true, true
			}
		}
		if used[name] || !chosen && name != c.ValidationLoss {
			continue
		}
		isText := t.values[k] == nil
		if isText && len(c.Numbers) == 0 && name != c.ValidationLoss || isText && t.texts[name] != nil {
			continue
		}
		if t.mixed[k] != nil {
			return text.WithHint(t.mixed[k], "choose other columns with --numbers")
		}
		d := directions.of(name, c)
		if name == c.ValidationLoss && d.from != fromFlag {
			d = direction{report.Lower, fromFlag}
		}
		in.Numbers = append(in.Numbers, Candidate{Name: name, Values: t.values[k], Direction: d.direction, From: d.from})
	}
	for i, pattern := range c.Numbers {
		if !matched[i] {
			_, err := t.column("--numbers", pattern)
			if err == nil {
				err = fmt.Errorf("--numbers: the column %s is the outcome, a run or a step", pattern)
			}
			return err
		}
	}
	isLoss := func(n Candidate) bool { return n.Name == c.ValidationLoss }
	if c.ValidationLoss != "" && !slices.ContainsFunc(in.Numbers, isLoss) {
		_, err := t.column("--validation-loss", c.ValidationLoss)
		if err == nil {
			err = fmt.Errorf("--validation-loss: the column %s is the outcome, a run or a step", c.ValidationLoss)
		}
		return err
	}
	if len(in.Numbers) == 0 {
		return fmt.Errorf("there is no column of numbers next to %s; want at least one that may predict it", in.OutcomeName)
	}
	return nil
}

// withoutEmpty leaves out the rows without an outcome, an error of it or a half.
func (in *Input) withoutEmpty() {
	var kept []int
	for i, v := range in.Outcome {
		lacks := math.IsNaN(v) || in.Errors != nil && math.IsNaN(in.Errors[i]) ||
			in.Halves != nil && (math.IsNaN(in.Halves[0][i]) || math.IsNaN(in.Halves[1][i]))
		if !lacks {
			kept = append(kept, i)
		}
	}
	if in.Empty = len(in.Outcome) - len(kept); in.Empty == 0 {
		return
	}
	in.Outcome, in.Errors = points.Pick(in.Outcome, kept), points.Pick(in.Errors, kept)
	in.Step = points.Pick(in.Step, kept)
	in.Labels, in.Run = points.Pick(in.Labels, kept), points.Pick(in.Run, kept)
	if in.Halves != nil {
		in.Halves = &[2][]float64{points.Pick(in.Halves[0], kept), points.Pick(in.Halves[1], kept)}
	}
	for k := range in.Numbers {
		in.Numbers[k].Values = points.Pick(in.Numbers[k].Values, kept)
	}
}
