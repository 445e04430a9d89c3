// Patterns: models of a training run by their files.

package evaluate

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"repscope/dataset"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/tool/evaluate/page"
)

// variable is a name of a matrix with its values.
type variable struct {
	name   string
	values []string
}

// matrix reads {name: [value, …]}.
func (r *reader) matrix(e *entry) ([]variable, error) {
	if e == nil {
		return nil, nil
	}
	keys, err := r.mapping(e.value, e.name)
	if err != nil {
		return nil, err
	}
	var list []variable
	for _, k := range keys {
		values, err := r.texts(&k)
		if err != nil {
			return nil, err
		}
		if len(values) == 0 {
			return nil, r.errorf(k.value, "%s: %s has no values", e.name, k.name)
		}
		v := variable{name: k.name}
		for _, n := range values {
			v.values = append(v.values, n.Value)
		}
		list = append(list, v)
	}
	return list, nil
}

// expander replaces patterns by the files they match, once for every value of a suite.
type expander struct {
	*reader
	matrix []variable
	known  map[*yaml.Node]*yaml.Node
	found  []page.Checkpoint
}

// layer is some options as a command's configuration takes them: those that the command has.
func (x *expander) layer(part []entry, c *run.Command) (run.Layer, error) {
	l := run.Layer{Path: x.path}
	for _, e := range part {
		if !run.Has(*c, e.name) {
			continue
		}
		value := e.value
		if e.name == "model" || e.name == "latents" {
			var err error
			if value, err = x.expand(e); err != nil {
				return l, err
			}
		}
		l.Content = append(l.Content, e.key, value)
	}
	return l, nil
}

// expand is a mapping of names to files in which each pattern has become a name for each file it matches.
func (x *expander) expand(e entry) (*yaml.Node, error) {
	if done := x.known[e.value]; done != nil {
		return done, nil
	}
	all := *e.value
	if all.Kind == yaml.ScalarNode && strings.ContainsAny(all.Value, "*?{") && !run.Named(all.Value) && !ofArrays(all.Value) {
		return nil, run.Hint(x.errorf(e.value, "%s: the pattern %q has no name", e.name, all.Value),
			e.name+`: {run: "`+all.Value+`"}`)
	}
	if all.Kind == yaml.MappingNode {
		all.Content = nil
		for i := 0; i < len(e.value.Content); i += 2 {
			key, value := e.value.Content[i], resolve(e.value.Content[i+1])
			matches, err := x.matches(key.Value, value)
			if err != nil {
				return nil, err
			}
			if matches == nil {
				all.Content = append(all.Content, key, value)
			}
			for _, m := range matches {
				name, file := *key, *value
				name.Value, file.Value = m.name, m.file
				all.Content = append(all.Content, &name, &file)
			}
		}
	}
	x.known[e.value] = &all
	return &all, nil
}

// match is a file that a pattern matches and the name it gets.
type match struct{ name, file string }

// matches are the files of a pattern; nil if the value is none.
func (x *expander) matches(name string, value *yaml.Node) ([]match, error) {
	if value.Kind != yaml.ScalarNode || !strings.ContainsAny(value.Value, "*?{") {
		return nil, nil
	}
	if err := x.budget.Product(name, x.factors(value.Value)...); err != nil {
		return nil, x.errorf(value, "%w", err)
	}
	var list []match
	for _, m := range x.substitute(match{name, value.Value}, 0) {
		paths, err := x.glob(m, value)
		if err != nil {
			return nil, err
		}
		list = append(list, paths...)
	}
	for _, m := range list {
		x.remember(m.name)
	}
	return list, nil
}

// factors are the numbers of values that stand for the places of a pattern.
func (x *expander) factors(file string) []int {
	var list []int
	for _, v := range x.matrix {
		if strings.Contains(file, "{"+v.name+"}") {
			list = append(list, len(v.values))
		}
	}
	return list
}

// substitute puts every combination of the matrix into the places {name}.
func (x *expander) substitute(m match, from int) []match {
	for i := from; i < len(x.matrix); i++ {
		v := x.matrix[i]
		place := "{" + v.name + "}"
		if !strings.Contains(m.file, place) {
			continue
		}
		var list []match
		for _, value := range v.values {
			list = append(list, x.substitute(match{m.name + "/" + value, strings.ReplaceAll(m.file, place, value)}, i+1)...)
		}
		return list
	}
	return []match{m}
}

// glob is the files that match, in natural order; their names have what the stars stand for.
func (x *expander) glob(m match, value *yaml.Node) ([]match, error) {
	file, key := m.file, ""
	if i := strings.LastIndexByte(file, ':'); i > 1 && !strings.ContainsAny(file[i:], `/\*?`) {
		file, key = file[:i], file[i:]
	}
	if strings.ContainsAny(file, "{}") {
		return nil, x.errorf(value, "%s: a place of %q is none of the matrix", m.name, m.file)
	}
	if !strings.ContainsAny(file, "*?") || ofArrays(file) {
		return []match{m}, nil
	}
	files, err := x.budget.Glob(file)
	// An array may have a path of its own, or be a pattern of arrays: the file ends at a colon before which files match.
	for i := len(file) - 1; err == nil && len(files) == 0 && i > 1; i-- {
		if file[i] != ':' || !strings.ContainsAny(file[:i], "*?") {
			continue
		}
		if files, err = x.budget.Glob(file[:i]); len(files) > 0 {
			file, key = file[:i], file[i:]+key
		}
	}
	if err != nil {
		return nil, x.errorf(value, "%s: %q: %w", m.name, m.file, err)
	}
	if len(files) == 0 {
		return nil, x.errorf(value, "%s: no file matches %q", m.name, m.file)
	}
	slices.SortFunc(files, text.CompareNatural)
	var list []match
	stars := starsOf(file)
	for _, f := range files {
		name := m.name
		for _, part := range stars.FindStringSubmatch(filepath.ToSlash(f))[1:] {
			name += "/" + part
		}
		list = append(list, match{name, f + key})
	}
	return list, nil
}

// ofArrays reports whether a pattern is one of arrays in a file, FILE:data/demo_*/obs.
func ofArrays(value string) bool {
	path, key := dataset.SplitSpec(value)
	info, err := os.Stat(path)
	return key != "" && !strings.ContainsAny(path, "*?{") && err == nil && !info.IsDir()
}

// starsOf finds what the stars of a pattern stand for.
func starsOf(pattern string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString("^")
	for _, r := range filepath.ToSlash(filepath.Clean(pattern)) {
		switch r {
		case '*':
			b.WriteString("([^/]*)")
		case '?':
			b.WriteString("([^/])")
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	return regexp.MustCompile(b.String() + "$")
}

var lastNumber = regexp.MustCompile(`^(.*?)([0-9]+(?:\.[0-9]+)?)([^0-9]*)$`)

// remember takes the last number of a name for the step of a training run.
func (x *expander) remember(name string) {
	m := lastNumber.FindStringSubmatch(name)
	if m == nil {
		return
	}
	step, err := strconv.ParseFloat(m[2], 64)
	if err != nil {
		return
	}
	x.found = append(x.found, page.Checkpoint{Model: name, Series: strings.Trim(m[1]+m[3], "/_- "), Step: step})
}

// checkpoints are the models of series that have several steps.
func (x *expander) checkpoints() []page.Checkpoint {
	count := map[string]int{}
	for _, c := range x.found {
		count[c.Series]++
	}
	list := slices.DeleteFunc(slices.Clone(x.found), func(c page.Checkpoint) bool { return count[c.Series] < 2 })
	return page.Ordered(list)
}
