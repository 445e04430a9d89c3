// The bibliography: one file in BibTeX, read once.

package methods

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed references.bib
var bibliographyText string

// Reference is one work of the bibliography.
type Reference struct {
	Type   string // article, inproceedings, book, misc
	Key    string
	Fields []Field // in the order of the file
}

// Field is one field of a reference.
type Field struct{ Name, Value string }

// Get is the value of a field, empty without.
func (r Reference) Get(name string) string {
	if i := slices.IndexFunc(r.Fields, func(f Field) bool { return f.Name == name }); i >= 0 {
		return r.Fields[i].Value
	}
	return ""
}

// bibliography is the file, read at the first use. A test holds that it can be read.
var bibliography = sync.OnceValues(func() ([]Reference, error) { return parseBibTeX(bibliographyText) })

// Bibliography returns all works that texts may cite, by key.
func Bibliography() []Reference {
	all, _ := bibliography()
	return slices.Clone(all)
}

// Lookup returns the work of a key.
func Lookup(key string) (Reference, bool) {
	all, _ := bibliography()
	i := slices.IndexFunc(all, func(r Reference) bool { return r.Key == key })
	if i < 0 {
		return Reference{}, false
	}
	return all[i], true
}

var (
	entryHead  = regexp.MustCompile(`^@([a-z]+)\{([a-z0-9]+),$`)
	entryField = regexp.MustCompile(`^  ([a-z]+) = \{(.*)\},$`)
)

// required are the fields that a work of each type must have.
var required = map[string][]string{
	"article":       {"author", "title", "journal", "year"},
	"inproceedings": {"author", "title", "booktitle", "year"},
	"book":          {"author", "title", "publisher", "year"},
	"misc":          {"author", "title", "howpublished", "year"},
}

// parseBibTeX reads the part of BibTeX that the bibliography is written in: entries of a
// line with type and key, a line for each field in braces that are balanced, and a closing
// brace. Errors name the line: anything else, a key or a field given twice, a type that is
// not known, a field that its type needs.
func parseBibTeX(text string) ([]Reference, error) {
	var all []Reference
	open := false
	number := 0
	fail := func(format string, args ...any) ([]Reference, error) {
		return nil, fmt.Errorf("line %d: %w", number, fmt.Errorf(format, args...))
	}
	for line := range strings.SplitSeq(text, "\n") {
		number++
		switch {
		case !open && (line == "" || strings.HasPrefix(line, "%")):
		case !open:
			head := entryHead.FindStringSubmatch(line)
			if head == nil {
				return fail("%q: want @type{key,", line)
			}
			if required[head[1]] == nil {
				return fail("%s: type %q is not known", head[2], head[1])
			}
			if slices.ContainsFunc(all, func(r Reference) bool { return r.Key == head[2] }) {
				return fail("%s appears twice", head[2])
			}
			all, open = append(all, Reference{Type: head[1], Key: head[2]}), true
		case line == "}":
			if err := all[len(all)-1].check(); err != nil {
				return fail("%w", err)
			}
			open = false
		default:
			r := &all[len(all)-1]
			field := entryField.FindStringSubmatch(line)
			switch {
			case field == nil:
				return fail("%s: %q: want   name = {value},", r.Key, line)
			case !balanced(field[2]):
				return fail("%s: the braces of %s are not balanced", r.Key, field[1])
			case r.Get(field[1]) != "":
				return fail("%s: %s appears twice", r.Key, field[1])
			}
			r.Fields = append(r.Fields, Field{field[1], field[2]})
		}
	}
	if open {
		return fail("%s is not closed", all[len(all)-1].Key)
	}
	return all, nil
}

// check finds missing and impossible fields.
func (r Reference) check() error {
	for _, name := range required[r.Type] {
		if r.Get(name) == "" {
			return fmt.Errorf("%s has no %s", r.Key, name)
		}
	}
	year := r.Get("year")
	if len(year) != 4 || strings.Trim(year, "0123456789") != "" || !strings.HasSuffix(r.Key, year) {
		return fmt.Errorf("%s: year %q: want four digits that end the key", r.Key, year)
	}
	for author := range strings.SplitSeq(r.Get("author"), " and ") {
		if last, first, ok := strings.Cut(author, ", "); author != others && (!ok || last == "" || first == "") {
			return fmt.Errorf("%s: author %q: want Last, First", r.Key, author)
		}
	}
	if doi := r.Get("doi"); doi != "" && !strings.HasPrefix(doi, "10.") {
		return errors.New(r.Key + ": a DOI begins with 10.")
	}
	return nil
}

// others stands for further authors in BibTeX.
const others = "others"

// balanced reports whether braces are closed in their order.
func balanced(text string) bool {
	depth := 0
	for _, c := range text {
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0
}

// authors are the last names.
func (r Reference) authors() []string {
	var out []string
	for author := range strings.SplitSeq(r.Get("author"), " and ") {
		last, _, _ := strings.Cut(author, ", ")
		out = append(out, plain(last)) // also "others": a name more
	}
	return out
}

// label is the work as it is cited: "Venna & Kaski 2001".
func (r Reference) label() string {
	names := r.authors()
	switch {
	case len(names) == 2 && names[1] != others:
		return names[0] + " & " + names[1] + " " + r.Get("year")
	case len(names) > 1:
		return names[0] + " et al. " + r.Get("year")
	}
	return names[0] + " " + r.Get("year")
}

// plain is a value without BibTeX's braces and with dashes of their own.
func plain(value string) string {
	return strings.NewReplacer("{", "", "}", "", "--", "–", `\&`, "&", "`", "‘", "'", "’").Replace(value)
}

// line is the work as a list of references has it, with a mark around where it was published.
func (r Reference) line(mark string) string {
	var people []string
	for author := range strings.SplitSeq(r.Get("author"), " and ") {
		last, first, _ := strings.Cut(author, ", ")
		if author == others {
			first, last = "et", "al."
		}
		people = append(people, plain(first+" "+last))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s). %s. ", strings.Join(people, ", "), r.Get("year"), plain(r.Get("title")))
	places := []string{}
	for _, place := range []string{"journal", "booktitle", "howpublished", "publisher"} {
		if v := r.Get(place); v != "" {
			places = append(places, mark+plain(v)+mark)
		}
	}
	b.WriteString(strings.Join(places, ", "))
	if v := r.Get("volume"); v != "" {
		b.WriteString(" " + v)
		if n := r.Get("number"); n != "" {
			b.WriteString("(" + plain(n) + ")")
		}
	}
	if v := r.Get("pages"); v != "" {
		b.WriteString(", " + plain(v))
	}
	b.WriteString(".")
	if v := r.Get("doi"); v != "" {
		b.WriteString(" https://doi.org/" + v)
	} else if v := r.Get("url"); v != "" {
		b.WriteString(" " + v)
	}
	return b.String()
}

// BibTeX is the work as the bibliography has it.
func (r Reference) BibTeX() string {
	var b strings.Builder
	fmt.Fprintf(&b, "@%s{%s,\n", r.Type, r.Key)
	for _, f := range r.Fields {
		fmt.Fprintf(&b, "  %s = {%s},\n", f.Name, f.Value)
	}
	b.WriteString("}\n")
	return b.String()
}
