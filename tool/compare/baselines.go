// Baselines of probes: their numbers are next to the numbers of every probe.

package compare

import (
	"regexp"
	"slices"

	"repscope/report"
)

// probeRow is the path of a probe's number: target, probe, what it was fitted and evaluated on,
// number.
var probeRow = regexp.MustCompile(`^probes\[name=(.*)/([^/\]]+)/[^/\]]+/[^/\]]+\]\.(.+)$`)

// placeBaselines puts the numbers of models whose probe has the model's own name, which read no
// latents (the mean, the commonest class), into the rows of all probes of the same target:
// `probes[name=lives/majority/true/true].f1` is what `probes[name=lives/ridge/true/true].f1` and
// that on predicted latents are measured by.
func (f *File) placeBaselines() {
	type question struct{ target, number string }
	questionOf := func(m *FileModel, n report.Named) (q question, baseline, ok bool) {
		part := probeRow.FindStringSubmatch(n.Path)
		if part == nil {
			return q, false, false
		}
		return question{part[1], part[3]}, part[2] == m.Given, true
	}
	rows := map[question][]string{}
	for _, m := range f.Models {
		for _, n := range m.Numbers {
			if q, baseline, ok := questionOf(m, n); ok && !baseline && !slices.Contains(rows[q], n.Path) {
				rows[q] = append(rows[q], n.Path)
			}
		}
	}
	for _, m := range f.Models {
		var numbers []report.Named
		for _, n := range m.Numbers {
			ownPath := n.Path
			q, baseline, ok := questionOf(m, n)
			if !ok || !baseline || len(rows[q]) == 0 {
				numbers = append(numbers, n)
				continue
			}
			for _, path := range rows[q] {
				if m.own == nil {
					m.own = map[string]string{}
				}
				m.own[path] = ownPath
				n.Path = path
				numbers = append(numbers, n)
			}
		}
		m.Numbers = numbers
		m.index()
	}
}
