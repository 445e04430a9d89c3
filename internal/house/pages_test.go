// The pages of the documentation: which there are, how long they are, and where their links go.

package house

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// documents are the README and all pages below docs.
func documents(t *testing.T) []string {
	t.Helper()
	root := sources(t).root
	all := []string{filepath.Join(root, "README.md")}
	if err := filepath.WalkDir(filepath.Join(root, "docs"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			all = append(all, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// others are the texts at the root and of the Python package.
func others(t *testing.T) (all []string) {
	t.Helper()
	for _, name := range []string{"CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "python/README.md"} {
		path := filepath.Join(sources(t).root, name)
		if _, err := os.Stat(path); err == nil {
			all = append(all, path)
		}
	}
	return all
}

// A page is a document without its blocks of code.
type page struct {
	path      string // below the root, with slashes
	lines     int
	generated bool // its first line says so
	headings  []string
	links     []string
}

var (
	codeBlock   = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	codeSpan    = regexp.MustCompile("`[^`\n]*`")
	headingLine = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	linkTarget  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
)

func readPage(t *testing.T, path string) page {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	name, err := filepath.Rel(sources(t).root, path)
	if err != nil {
		t.Fatal(err)
	}
	text := codeBlock.ReplaceAllString(string(content), "")
	p := page{path: filepath.ToSlash(name), lines: strings.Count(string(content), "\n"), generated: strings.HasPrefix(text, "<!-- Generated")}
	prose := codeSpan.ReplaceAllString(text, "`")
	if i := strings.Index(prose, "***"); i >= 0 {
		t.Errorf("%s has three asterisks, which end no emphasis: %.60s", name, prose[i:])
	}
	for _, found := range headingLine.FindAllStringSubmatch(text, -1) {
		p.headings = append(p.headings, found[1])
	}
	for _, found := range linkTarget.FindAllStringSubmatch(prose, -1) {
		p.links = append(p.links, found[1])
	}
	return p
}

// anchor is the name by which a link finds a heading.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, linkTarget.ReplaceAllString(heading, "]"))
}

// TestPages holds the length of pages, their headings and their links, and that the index leads to each.
func TestPages(t *testing.T) {
	t.Parallel()
	root := sources(t).root
	pages := map[string]page{}
	for _, path := range append(documents(t), others(t)...) {
		p := readPage(t, path)
		pages[p.path] = p
	}
	next := map[string][]string{}
	for _, p := range pages {
		limit := 400
		if p.path == "README.md" {
			limit = 220
		}
		if p.lines > limit && !p.generated && p.path != "CHANGELOG.md" {
			t.Errorf("%s has %d lines, want at most %d", p.path, p.lines, limit)
		}
		headings := slices.Sorted(slices.Values(p.headings))
		for i := 1; i < len(headings); i++ {
			if headings[i] == headings[i-1] && p.path != "CHANGELOG.md" {
				t.Errorf("%s has the heading %q twice", p.path, headings[i])
			}
		}
		for _, link := range p.links {
			if strings.Contains(link, "://") {
				continue
			}
			file, name, _ := strings.Cut(link, "#")
			target := p.path
			if file != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(p.path), file))
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s links to %s, which does not exist", p.path, link)
				continue
			}
			next[p.path] = append(next[p.path], target)
			if name == "" {
				continue
			}
			if !slices.ContainsFunc(pages[target].headings, func(h string) bool { return anchor(h) == name }) {
				t.Errorf("%s links to %s: there is no such heading", p.path, link)
			}
		}
	}
	reached, open := map[string]bool{}, []string{"docs/index.md"}
	for len(open) > 0 {
		path := open[0]
		open = open[1:]
		if !reached[path] {
			reached[path] = true
			open = append(open, next[path]...)
		}
	}
	for path := range pages {
		if strings.HasPrefix(path, "docs/") && !reached[path] {
			t.Errorf("no link leads from docs/index.md to %s", path)
		}
	}
}
