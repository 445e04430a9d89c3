// How the numbers of all results were computed, once for each analysis.

package page

import (
	"slices"
	"strings"
)

// methods has the methods of one analysis on all datasets.
type methods struct {
	Id, Name string
	Parts    []Method
}

// describe enters the methods of each analysis: in full for its first result, and only the sentences that differ for
// other datasets. References are in one list.
func (b *builder) describe() {
	if b.Page.Methods == nil {
		return
	}
	for i := range b.Sections {
		s := &b.Sections[i]
		parts := b.Page.Methods(s.Result)
		if len(parts) == 0 {
			continue
		}
		b.view.Sections[i].Methods = "methods-" + anchor(s.Analysis)
		k := slices.IndexFunc(b.view.Methods, func(m methods) bool { return m.Name == s.Analysis })
		if k < 0 {
			k = len(b.view.Methods)
			b.view.Methods = append(b.view.Methods, methods{Id: b.view.Sections[i].Methods, Name: s.Analysis})
		}
		for _, part := range parts {
			for _, work := range part.References {
				if !slices.Contains(b.view.Works, work) {
					b.view.Works = append(b.view.Works, work)
				}
			}
			if part.Text != "" {
				b.view.Methods[k].add(s.Dataset, part)
			}
		}
	}
}

// add adds a part, or what it says that the part of this title does not say yet.
func (m *methods) add(dataset string, part Method) {
	part.References = nil
	i := slices.IndexFunc(m.Parts, func(p Method) bool { return p.Title == part.Title })
	if i < 0 {
		m.Parts = append(m.Parts, part)
		return
	}
	present := sentences(m.Parts[i].Text)
	added := slices.DeleteFunc(sentences(part.Text), func(s string) bool { return slices.Contains(present, s) })
	if len(added) > 0 {
		m.Parts[i].Text += " " + dataset + ": " + strings.Join(added, " ")
	}
}

// sentences splits a text.
func sentences(text string) []string {
	var list []string
	for rest := text; rest != ""; {
		end := strings.Index(rest, ". ")
		if end < 0 {
			return append(list, rest)
		}
		list, rest = append(list, rest[:end+1]), rest[end+2:]
	}
	return list
}
