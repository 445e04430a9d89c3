// Which cases of a tree are scored: --model and --ids.

package command

import (
	"path"
	"slices"
	"strings"

	"repscope/analysis/canvas/internal/source"
	"repscope/internal/run"
	"repscope/internal/text"
)

// choose keeps the cases of some models and ids; empty lists choose all.
//
// An id is the name of a sample (gid6-27) or of a case (gid6-27-gpt-4o-image_only), a pattern of one
// of them with *, ? and [abc], or a range of samples in natural order (gid6-27..gid6-40, both
// ends included; an end may be left out). Errors: an id, a pattern, a range or a model that
// nothing in the tree has.
func choose(all []source.Case, models, ids []string) ([]source.Case, error) {
	var names, samples []string
	for _, c := range all {
		names, samples = append(names, c.Model), append(samples, c.Sample)
	}
	names, samples = distinct(names), distinct(samples)
	for _, m := range models {
		if !slices.Contains(names, m) {
			return nil, run.Hint(run.Usage("no model %q in the tree; found %s", m, source.Few(names)),
				text.DidYouMean("--model ", m, names))
		}
	}
	used := make([]bool, len(ids))
	var out []source.Case
	for _, c := range all {
		wanted := len(ids) == 0
		for k, id := range ids {
			if matchesID(id, c) {
				used[k], wanted = true, true
			}
		}
		if wanted && (len(models) == 0 || slices.Contains(models, c.Model)) {
			out = append(out, c)
		}
	}
	for k, id := range ids {
		if used[k] {
			continue
		}
		candidates := samples
		if strings.Count(id, "-") > 1 {
			candidates = nil
			for _, c := range all {
				candidates = append(candidates, c.ID)
			}
		}
		return nil, run.Hint(run.Usage(
			"--ids: %q matches nothing in the tree; the samples are %s", id, source.Few(samples)),
			text.DidYouMean("", id, candidates))
	}
	if len(out) == 0 {
		return nil, run.Usage("no case of %s has one of the ids %s", strings.Join(models, ", "), strings.Join(ids, ", "))
	}
	return out, nil
}

// distinct are the texts in natural order, each once.
func distinct(texts []string) []string {
	slices.SortFunc(texts, text.CompareNatural)
	return slices.Compact(texts)
}

// matchesID reports whether an id of --ids chooses a case.
func matchesID(id string, c source.Case) bool {
	if id == c.Sample || id == c.ID {
		return true
	}
	if low, high, ok := strings.Cut(id, ".."); ok {
		return (low == "" || text.CompareNatural(low, c.Sample) <= 0) && (high == "" || text.CompareNatural(c.Sample, high) <= 0)
	}
	for _, name := range []string{c.Sample, c.ID} {
		if ok, err := path.Match(id, name); ok && err == nil {
			return true
		}
	}
	return false
}

// checkID finds ids that cannot be any.
func checkID(id string) error {
	low, high, ok := strings.Cut(id, "..")
	switch {
	case ok && low == "" && high == "":
		return run.Usage("--ids: a range needs at least one end: gid6-27..gid6-40, gid6-27.. or ..gid6-40")
	case ok && low != "" && high != "" && text.CompareNatural(low, high) > 0:
		return run.Usage("--ids: the range %s is empty: %s comes after %s", id, low, high)
	}
	if _, err := path.Match(id, ""); err != nil {
		return run.Usage("--ids: %q is not a valid pattern: a bracket is not closed", id)
	}
	return nil
}
