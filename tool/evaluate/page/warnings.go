// Warnings of all results, one line for each kind.

package page

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repscope/report"
)

// warning is a kind of warnings: their text, and the tasks and models that have it. A number that differs is a range.
type warning struct {
	Text  string
	Where []string

	kind    string
	numbers []numberRange
}

// numberRange is the smallest and the largest of some numbers, as they are written.
type numberRange struct{ low, high string }

// warn collects the warnings of all results, and of results that should not be read next to each other. Warnings that
// differ in the models that they begin with and in numbers only are one kind.
func (b *builder) warn() {
	for _, s := range b.Sections {
		names := s.Result.Models.Keys()
		for _, full := range shownWarnings(s.Result) {
			models, text := ofModels(full, names)
			kind, numbers := kindOf(text, names)
			i := slices.IndexFunc(b.view.Warnings, func(w warning) bool { return w.kind == kind })
			if i < 0 {
				i = len(b.view.Warnings)
				b.view.Warnings = append(b.view.Warnings, warning{kind: kind})
			}
			b.view.Warnings[i].add(numbers)
			where := s.Name()
			if models != "" {
				where += ": " + models
			}
			if w := &b.view.Warnings[i]; !slices.Contains(w.Where, where) {
				w.Where = append(w.Where, where)
			}
		}
	}
	b.view.Warnings = append(b.view.Warnings, b.disagreements()...)
}

// shownWarnings returns the warnings of a result, but not about its image files: the page draws its own figures.
func shownWarnings(r *report.Result) []string {
	return slices.DeleteFunc(slices.Clone(r.Warnings), func(w string) bool { return strings.HasPrefix(w, "figure ") })
}

// ofModels divides a warning into the models that it begins with and the rest: "a, b and c: text". All models of the
// result are not listed.
func ofModels(warning string, names []string) (models, text string) {
	head, rest, ok := strings.Cut(warning, ": ")
	if !ok {
		return "", warning
	}
	listed := strings.Split(strings.Replace(head, " and ", ", ", 1), ", ")
	for _, name := range listed {
		if !slices.Contains(names, name) {
			return "", warning
		}
	}
	if len(listed) == len(names) {
		head = ""
	}
	return head, rest
}

// add widens the ranges of the numbers, and writes the text again.
func (w *warning) add(numbers []string) {
	for i, n := range numbers {
		if i == len(w.numbers) {
			w.numbers = append(w.numbers, numberRange{n, n})
		}
		switch r := &w.numbers[i]; {
		case valueOf(n) < valueOf(r.low):
			r.low = n
		case valueOf(n) > valueOf(r.high):
			r.high = n
		}
	}
	w.Text = w.kind
	for _, r := range w.numbers {
		text := r.low
		if r.low != r.high {
			text += "–" + r.high
		}
		w.Text = strings.Replace(w.Text, gap, text, 1)
	}
}

// numberText is a number in a text, and gap stands for one in a kind of warnings.
var numberText = regexp.MustCompile(`[0-9]+(,[0-9]{3})*(\.[0-9]+)?(e[-+]?[0-9]+)?`)

const gap = "\x00"

func valueOf(number string) float64 {
	v, _ := strconv.ParseFloat(strings.ReplaceAll(number, ",", ""), 64)
	return v
}

// kindOf is a warning with gaps for its numbers, and the numbers. Names of models stay as they are.
func kindOf(text string, names []string) (kind string, numbers []string) {
	words := strings.Fields(strings.ReplaceAll(text, gap, ""))
	for i, word := range words {
		if !slices.Contains(names, strings.Trim(word, ",:;()")) {
			numbers = append(numbers, numberText.FindAllString(word, -1)...)
			words[i] = numberText.ReplaceAllString(word, gap)
		}
	}
	return strings.Join(words, " "), numbers
}
