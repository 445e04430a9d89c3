// This file is for console tables.

package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Table is an aligned table for the console. Text columns are left-aligned,
// columns of numbers right-aligned. A number with an interval shows as many
// digits as the interval supports (two digits of its half-width), one without
// shows four significant digits; what is undefined is a dash with a numbered
// note below the table.
type Table struct {
	title   string
	columns []string
	rows    [][]string
	number  []bool   // the column holds only numbers
	reasons []string // of undefined cells, numbered from 1
	notes   []string
}

// NewTable returns a table with the given title (may be empty) and columns.
func NewTable(title string, columns ...string) *Table {
	t := &Table{title: title, columns: columns, number: make([]bool, len(columns))}
	for i := range t.number {
		t.number[i] = true
	}
	return t
}

// Row adds a row: strings, integers, booleans, float64, [Value], [Interval],
// [Estimate] or anything fmt can print. Missing cells are blank, cells beyond
// the columns are dropped.
func (t *Table) Row(cells ...any) {
	row := make([]string, len(t.columns))
	for i := range row {
		if i >= len(cells) {
			continue
		}
		text, number := t.cell(cells[i])
		row[i] = text
		if !number && text != "" {
			t.number[i] = false
		}
	}
	t.rows = append(t.rows, row)
}

// Note adds a line below the table.
func (t *Table) Note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

func (t *Table) cell(cell any) (text string, number bool) {
	switch v := cell.(type) {
	case nil:
		return "", true
	case string:
		return v, false
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return fmt.Sprint(v), true
	case float32:
		return t.cell(Number(float64(v)))
	case float64:
		return t.cell(Number(v))
	case Value:
		return t.estimate(v, Interval{}), true
	case Interval:
		if !v.Defined() {
			return t.undefined(v.why()), true
		}
		return formatInterval(v), true
	case Estimate:
		return t.estimate(v.Value, v.Interval), true
	}
	return fmt.Sprint(cell), false
}

func (t *Table) estimate(v Value, i Interval) string {
	if !v.Defined() {
		if v.Reason == "" && math.IsInf(v.V, 0) {
			return strings.Replace(strconv.FormatFloat(v.V, 'g', -1, 64), "+", "", 1)
		}
		return t.undefined(v.why())
	}
	return FormatEstimate(v.V, i)
}

// undefined returns a dash that points to a note; equal reasons share a note.
func (t *Table) undefined(reason string) string {
	i := slices.Index(t.reasons, reason)
	if i < 0 {
		i = len(t.reasons)
		t.reasons = append(t.reasons, reason)
	}
	return "–" + mark(i)
}

// mark returns the superscript number of reason i.
func mark(i int) string {
	const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹"
	var b strings.Builder
	for _, d := range strconv.Itoa(i + 1) {
		b.WriteRune([]rune(digits)[d-'0'])
	}
	return b.String()
}

// Write writes the table.
func (t *Table) Write(w io.Writer) error {
	var b strings.Builder
	if t.title != "" {
		b.WriteString(t.title + "\n")
	}
	width := make([]int, len(t.columns))
	for i, column := range t.columns {
		width[i] = utf8.RuneCountInString(column)
		for _, row := range t.rows {
			width[i] = max(width[i], utf8.RuneCountInString(row[i]))
		}
	}
	t.line(&b, t.columns, width)
	rule := make([]string, len(width))
	for i := range rule {
		rule[i] = strings.Repeat("─", width[i])
	}
	t.line(&b, rule, width)
	for _, row := range t.rows {
		t.line(&b, row, width)
	}
	for i, reason := range t.reasons {
		b.WriteString(mark(i) + " " + reason + "\n")
	}
	for _, note := range t.notes {
		b.WriteString(note + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *Table) line(b *strings.Builder, cells []string, width []int) {
	var line strings.Builder
	for i, cell := range cells {
		if i > 0 {
			line.WriteString("  ")
		}
		pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
		if t.number[i] {
			line.WriteString(pad + cell)
		} else {
			line.WriteString(cell + pad)
		}
	}
	b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}

// FormatEstimate formats a number for people: "0.9134 [0.9102, 0.9167]", with
// the decimals that two digits of the interval's half-width call for, or four
// significant digits without an interval. Use the result file for all digits.
func FormatEstimate(v float64, i Interval) string {
	if !finite(v) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	if !i.Defined() {
		return significant(v, 4)
	}
	half := (i.High - i.Low) / 2
	if !finite(half) || half <= 0 {
		return fmt.Sprintf("%s [%s, %s]", significant(v, 4), significant(i.Low, 4), significant(i.High, 4))
	}
	format := digitsFor(half, math.Max(math.Abs(v), math.Max(math.Abs(i.Low), math.Abs(i.High))))
	return fmt.Sprintf("%s [%s, %s]", format(v), format(i.Low), format(i.High))
}

func formatInterval(i Interval) string {
	half := (i.High - i.Low) / 2
	if !finite(half) || half <= 0 {
		return fmt.Sprintf("[%s, %s]", significant(i.Low, 4), significant(i.High, 4))
	}
	format := digitsFor(half, math.Max(math.Abs(i.Low), math.Abs(i.High)))
	return fmt.Sprintf("[%s, %s]", format(i.Low), format(i.High))
}

// digitsFor returns a formatter that shows numbers of size up to largest down
// to the second digit of the uncertainty half.
func digitsFor(half, largest float64) func(float64) string {
	last := int(math.Floor(math.Log10(half))) - 1 // power of ten of the last digit
	if largest > 0 && (largest < 1e-3 || largest >= 1e7) {
		digits := max(int(math.Floor(math.Log10(largest)))-last, 0)
		return func(v float64) string { return strconv.FormatFloat(v, 'e', digits, 64) }
	}
	return func(v float64) string { return strconv.FormatFloat(v, 'f', max(-last, 0), 64) }
}

// significant formats v with n significant digits, without an exponent for
// ordinary sizes.
func significant(v float64, n int) string {
	if v == 0 {
		return "0"
	}
	if !finite(v) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	exponent := int(math.Floor(math.Log10(math.Abs(v))))
	if exponent < -4 || exponent >= 7 {
		return strconv.FormatFloat(v, 'e', n-1, 64)
	}
	return strconv.FormatFloat(v, 'f', max(n-1-exponent, 0), 64)
}
