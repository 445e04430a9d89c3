// Names and numbers as readers see them.

package page

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"repscope/report"
)

func itoa(i int) string { return strconv.Itoa(i) }

// number is a value with four significant digits.
func number(v float64) string {
	if a := math.Abs(v); a != 0 && (a < 1e-4 || a >= 1e6) {
		return minus(strconv.FormatFloat(v, 'e', 2, 64))
	}
	if v == math.Trunc(v) {
		return minus(strconv.FormatFloat(v, 'f', -1, 64))
	}
	digits := 3 - int(math.Floor(math.Log10(math.Abs(v))))
	return minus(strconv.FormatFloat(v, 'f', max(digits, 0), 64))
}

func minus(text string) string { return strings.ReplaceAll(text, "-", "−") }

// interval is [low, high], empty where there is none.
func interval(i report.Interval) string {
	if !i.Defined() {
		return ""
	}
	return "[" + end(i.Low) + ", " + end(i.High) + "]"
}

func end(v float64) string {
	if math.IsInf(v, 0) {
		return minus(strings.TrimPrefix(strings.Replace(strconv.FormatFloat(v, 'g', -1, 64), "Inf", "∞", 1), "+"))
	}
	return number(v)
}

// direction says in words which values are better.
func direction(d report.Direction) string {
	switch d {
	case report.Higher:
		return "higher is better"
	case report.Lower:
		return "lower is better"
	}
	return ""
}

// arrow is the same as a sign.
func arrow(d report.Direction) string {
	switch d {
	case report.Higher:
		return "↑"
	case report.Lower:
		return "↓"
	}
	return ""
}

// shorten cuts the middle out of a text that has more characters.
func shorten(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	runes := []rune(text)
	head := limit / 2
	return string(runes[:head]) + "…" + string(runes[len(runes)-(limit-head-1):])
}

// relative is a path as a page names it: one from the root of a machine says nothing elsewhere, and stays here.
func relative(path string) string {
	if filepath.IsAbs(path) {
		return "…/" + filepath.Base(path)
	}
	return filepath.ToSlash(path)
}
