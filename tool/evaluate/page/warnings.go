// Warnings of all results, one line for each kind.

package page

import (
	"regexp"
	"slices"
	"strings"

	"repscope/report"
)

// warning is a kind of warnings: the text of the first one, and the tasks and models that have it.
type warning struct {
	Text  string
	Where []string

	kind string
}

// warn collects the warnings of all results, and of results that should not be read next to each other. Warnings that
// differ in models and numbers only are one kind.
func (b *builder) warn() {
	for _, s := range b.Sections {
		names := s.Result.Models.Keys()
		for _, full := range shownWarnings(s.Result) {
			models, text := ofModels(full, names)
			kind := kindOf(text, names)
			i := slices.IndexFunc(b.view.Warnings, func(w warning) bool { return w.kind == kind })
			if i < 0 {
				i = len(b.view.Warnings)
				b.view.Warnings = append(b.view.Warnings, warning{Text: text, kind: kind})
			}
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

// shownWarnings are the warnings of a result without those of its image files: the page draws its own figures.
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

// numberText is a number in a text.
var numberText = regexp.MustCompile(`[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?`)

// kindOf is a warning without its numbers and the names of models.
func kindOf(text string, names []string) string {
	words := strings.Fields(text)
	for i, word := range words {
		if slices.Contains(names, strings.Trim(word, ",:;()")) {
			words[i] = "…"
		}
	}
	return numberText.ReplaceAllString(strings.Join(words, " "), "0")
}
