// Flags of lists and pairs.

package command

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/filename"
	"repscope/internal/gunzip"
	"repscope/internal/run"
	"repscope/internal/text"
)

// pairs is a flag of ROLE=NAME pairs.
type pairs struct {
	known  []string
	values map[string]string
}

func (p *pairs) String() string {
	var parts []string
	for _, role := range slices.Sorted(maps.Keys(p.values)) {
		parts = append(parts, role+"="+p.values[role])
	}
	return strings.Join(parts, ",")
}

// Get returns the text.
func (p *pairs) Get() any { return p.String() }

// Set reads the pairs.
func (p *pairs) Set(list string) error {
	out := map[string]string{}
	for part := range strings.SplitSeq(list, ",") {
		role, name, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok || name == "" {
			return fmt.Errorf("%q: want ROLE=NAME; the roles are %s", part, strings.Join(p.known, ", "))
		}
		if err := text.CheckChoice(role, p.known); err != nil {
			return err
		}
		if out[role] != "" {
			return fmt.Errorf("%s occurs twice", role)
		}
		out[role] = name
	}
	p.values = out
	return nil
}

// setFlag are options of metrics.
type setFlag struct{ values map[string]map[string]any }

func (s *setFlag) String() string {
	var parts []string
	for _, metric := range slices.Sorted(maps.Keys(s.values)) {
		for _, key := range slices.Sorted(maps.Keys(s.values[metric])) {
			parts = append(parts, fmt.Sprintf("%s.%s=%v", metric, key, s.values[metric][key]))
		}
	}
	return strings.Join(parts, ",")
}

// Get returns the text.
func (s *setFlag) Get() any { return s.String() }

// Repeats says that the flag may be given several times.
func (s *setFlag) Repeats() bool { return true }

// Set reads one option.
func (s *setFlag) Set(text string) error {
	path, value, ok := strings.Cut(text, "=")
	metric, key, dotted := strings.Cut(path, ".")
	if !ok || !dotted || metric == "" || key == "" || value == "" {
		return fmt.Errorf("%q: want METRIC.KEY=VALUE, such as p_at_l.min_seq_sep=6", text)
	}
	if k := registry.Find(metric); k != nil {
		metric, key = k.Name, k.Canonical(key)
	}
	values := maps.Clone(s.values)
	if values == nil {
		values = map[string]map[string]any{}
	}
	if _, ok := values[metric][key]; ok {
		return fmt.Errorf("%s.%s occurs twice", metric, key)
	}
	options := maps.Clone(values[metric])
	if options == nil {
		options = map[string]any{}
	}
	options[key] = parseValue(value)
	values[metric] = options
	s.values = values
	return nil
}

// parseValue reads a whole number, a number, true, false, null, or a text.
func parseValue(text string) any {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	if v, err := run.ParseFloat(text); err == nil {
		return v
	}
	switch text {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}
	return text
}

// datasetFiles is the flag --sequences: a file for each dataset.
type datasetFiles struct{ files []datasetFile }

// datasetFile is the file of one dataset.
type datasetFile struct{ dataset, path string }

func (d *datasetFiles) String() string {
	var parts []string
	for _, f := range d.files {
		parts = append(parts, run.JoinName(f.dataset, f.path))
	}
	return strings.Join(parts, ",")
}

// Repeats says that the flag may be given several times.
func (d *datasetFiles) Repeats() bool { return true }

// Set reads FILE or DATASET=FILE. A dataset without a name has the name of its file.
func (d *datasetFiles) Set(text string) error {
	name, path, ok := run.CutFile(text)
	if !ok {
		name = filename.Stem(gunzip.Name(path))
	}
	if path == "" || name == "" || strings.Contains(name, "/") {
		return fmt.Errorf("%q: want FILE or DATASET=FILE", text)
	}
	if slices.ContainsFunc(d.files, func(f datasetFile) bool { return f.dataset == name }) {
		return fmt.Errorf("two datasets are named %q", name)
	}
	d.files = append(d.files, datasetFile{name, path})
	return nil
}
