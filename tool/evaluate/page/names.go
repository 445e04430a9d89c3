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

// parts are a path of a number: its steps, and what is in brackets.
type parts struct {
	steps      []string // without the lists whose rows are named
	rows       []string // "k = 10"
	key        string   // of the last row that is a number
	value      float64
	group      string // the path without that number
	parametric bool   // there is such a row
}

// split takes a path apart: by_k[k=10].trustworthiness is trustworthiness (k = 10).
func split(path string) parts {
	p := parts{group: path}
	rest := path
	for rest != "" {
		at := strings.IndexAny(rest, ".[")
		if at < 0 {
			p.steps = append(p.steps, rest)
			break
		}
		step := rest[:at]
		if rest[at] == '.' {
			if step != "" {
				p.steps = append(p.steps, step)
			}
			rest = rest[at+1:]
			continue
		}
		inside, after, _ := strings.Cut(rest[at+1:], "]")
		before := path[:len(path)-len(rest)+at]
		for row := range strings.SplitSeq(inside, ";") {
			key, value, named := strings.Cut(row, "=")
			switch number, err := strconv.ParseFloat(value, 64); {
			case !named:
				p.rows = append(p.rows, "row "+row)
			case key == "name" || key == "source":
				p.rows = append(p.rows, value)
			default:
				p.rows = append(p.rows, words(key)+" = "+value)
				if err == nil && inside == row {
					p.key, p.value, p.parametric = key, number, true
					p.group = before + "[" + key + "]" + after
				}
			}
		}
		rest = strings.TrimPrefix(after, ".")
	}
	return p
}

func words(text string) string { return strings.ReplaceAll(text, "_", " ") }

// name is the metric in words: its steps and, in brackets, its rows.
func (p parts) name(rows bool) string {
	text := words(strings.Join(p.steps, " "))
	if rows && len(p.rows) > 0 {
		text += " (" + strings.Join(p.rows, ", ") + ")"
	}
	return text
}

// pretty is a path in words.
func pretty(path string) string { return split(path).name(true) }

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
func shorten(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	runes := []rune(text)
	head := most / 2
	return string(runes[:head]) + "…" + string(runes[len(runes)-(most-head-1):])
}

// relative is a path as a page names it: one from the root of a machine says nothing elsewhere, and stays here.
func relative(path string) string {
	if filepath.IsAbs(path) {
		return "…/" + filepath.Base(path)
	}
	return filepath.ToSlash(path)
}
