// Tests of the bibliography and of its reader.

package methods

import (
	"strings"
	"testing"
)

// The bibliography can be read, is in order, and every work can be written and read again.
func TestBibliography(t *testing.T) {
	t.Parallel()
	all, err := ParseBibTeX(bibliographyText)
	if err != nil || len(all) < 80 {
		t.Fatalf("%d works, %v", len(all), err)
	}
	dois := map[string]string{}
	for i, r := range all {
		if i > 0 && r.Key < all[i-1].Key {
			t.Errorf("%s after %s", r.Key, all[i-1].Key)
		}
		if doi := r.Get("doi"); doi != "" {
			if other, ok := dois[doi]; ok {
				t.Errorf("%s and %s have one DOI", r.Key, other)
			}
			dois[doi] = r.Key
		}
		again, err := ParseBibTeX(r.BibTeX())
		if err != nil || len(again) != 1 || again[0].BibTeX() != r.BibTeX() {
			t.Errorf("%s: %v", r.Key, err)
		}
		if line := r.line("*"); strings.ContainsAny(line, `{}\`) || strings.Contains(line, "--") {
			t.Errorf("%s: %s", r.Key, line)
		}
	}
	if len(Bibliography()) != len(all) {
		t.Error("the bibliography is another")
	}
}

func TestParseBibTeXRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"@article{a2000,\n}": "has no author",
		"@poem{a2000,\n}":    "not known",
		"article{a2000,":     "want @type{key,",
		"@article{a2000,\n  title = {A},\n  title = {B},\n}":                                                                "is there twice",
		"@article{a2000,\n  title = {{A},\n}":                                                                               "not balanced",
		"@article{a2000,\n  title = A,\n}":                                                                                  "want   name = {value},",
		"@article{a2000,\n  author = {Alpha},\n}":                                                                           "has no title",
		"@misc{a2000,\n  author = {A},\n  title = {T},\n  howpublished = {H},\n  year = {2000},\n}":                         "want Last, First",
		"@misc{a2001,\n  author = {A, B},\n  title = {T},\n  howpublished = {H},\n  year = {2000},\n}":                      "end the key",
		"@misc{a2000,\n  author = {A, B},\n  title = {T},\n  howpublished = {H},\n  year = {2000},\n  doi = {doi:10.1},\n}": "begins with 10.",
		"@misc{a2000,\n  author = {A, B},":                                                                                  "not closed",
	} {
		if _, err := ParseBibTeX(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
