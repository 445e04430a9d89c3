// Package schema describes result files as JSON Schemas (draft 2020-12): one of all results, and one of the results of
// each binary, which follows from the metrics that it declares.
package schema

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"

	"repscope/report"
)

// Result is the schema of all results, as bytes of JSON.
//
//go:embed result.schema.json
var Result []byte

// resultID is the name of Result.
const resultID = "urn:repscope:schema:result:1"

// Program is what a schema says of the results of one binary.
type Program struct {
	Name       string
	Definition int                // of its numbers; 0 for none
	Metrics    []report.Described // that a result may describe; nil for a program without numbers of its own
	All        bool               // every result describes all of them
}

// Of returns the schema of the results of a program, which contains the schema of all results. Numbers of models that a
// declared metric describes are numbers in its range or null; each description has the declared direction, unit and
// range. It is strict in no other number: a later release may add numbers.
func Of(p *Program) (report.Object, error) {
	var s report.Object
	whole, err := report.Parse("result.schema.json", Result)
	if err != nil {
		return s, err
	}
	s.Set("$schema", "https://json-schema.org/draft/2020-12/schema")
	s.Set("$id", resultID+":"+p.Name)
	s.Set("title", "Result files of "+p.Name+", repscope "+report.Version)
	s.Set("$ref", resultID)
	required := []string{}
	properties := object("analysis", object("const", p.Name))
	if p.Definition > 0 {
		properties.Set("definition", object("const", p.Definition))
		required = append(required, "definition")
	}
	defs := object("result", whole)
	if p.Metrics != nil {
		if p.All {
			required = append(required, "metrics")
		}
		properties.Set("metrics", p.descriptions())
		properties.Set("models", object("additionalProperties", object("$ref", "#/$defs/model")))
		newTrie(p.Metrics).define(&defs)
	}
	s.Set("properties", properties)
	s.Set("required", required)
	s.Set("$defs", defs)
	return s, nil
}

// object is an object of keys and values in turn.
func object(members ...any) report.Object {
	var o report.Object
	for i := 0; i < len(members); i += 2 {
		o.Set(members[i].(string), members[i+1])
	}
	return o
}

// descriptions is the schema of "metrics" of a result.
func (p *Program) descriptions() report.Object {
	var each report.Object
	names := []string{}
	for i := range p.Metrics {
		d := &p.Metrics[i]
		m := d.Metric()
		members := object("direction", object("const", m.Direction))
		required := []string{"direction"}
		if m.Unit != "" {
			members.Set("unit", object("const", m.Unit))
			required = append(required, "unit")
		}
		if m.Range != nil {
			members.Set("range", object("const", m.Range))
			required = append(required, "range")
		}
		if m.Headline {
			members.Set("headline", object("const", true))
			required = append(required, "headline")
		}
		each.Set(d.Name, object("description", d.About, "properties", members, "required", required))
		names = append(names, d.Name)
	}
	o := object("properties", each, "additionalProperties", false)
	if p.All {
		o.Set("required", names)
	}
	return o
}

// A trie has the names of metrics by their keys. A state is the longest end of a path that a name begins with: what
// holds of a member follows from the state and its key alone, as in the search for several words in a text.
type trie struct {
	names map[string]*report.Described
	// states are the keys that names begin with, and the empty one.
	states []string
}

func newTrie(metrics []report.Described) *trie {
	t := &trie{names: map[string]*report.Described{}, states: []string{""}}
	for i := range metrics {
		name := metrics[i].Name
		t.names[name] = &metrics[i]
		for end, c := range name {
			if c == '.' && !slices.Contains(t.states, name[:end]) {
				t.states = append(t.states, name[:end])
			}
		}
	}
	slices.Sort(t.states)
	return t
}

// ends visits the ends of a path at its dots, the longest first.
func ends(path string, visit func(end string) bool) {
	for more := true; more && !visit(path); {
		_, path, more = strings.Cut(path, ".")
	}
}

// at is the state of a path.
func (t *trie) at(path string) (state string) {
	ends(path, func(end string) bool {
		if slices.Contains(t.states, end) {
			state = end
		}
		return state != ""
	})
	return state
}

// metric is what describes the number at a path, nil if nothing does: see [report.Result.MetricOf].
func (t *trie) metric(path string) (d *report.Described) {
	ends(path, func(end string) bool {
		d = t.names[end]
		return d != nil
	})
	return d
}

// define adds a definition for each state.
func (t *trie) define(defs *report.Object) {
	var lasts []string
	for _, name := range t.states[1:] {
		lasts = append(lasts, name[strings.LastIndexByte(name, '.')+1:])
	}
	for name := range t.names {
		lasts = append(lasts, name[strings.LastIndexByte(name, '.')+1:])
	}
	slices.Sort(lasts)
	lasts = slices.Compact(lasts)
	for _, root := range []string{exact, loose} {
		for _, state := range t.states {
			members := object("skipped", true) // the metrics that were left out, with reasons
			for _, key := range lasts {
				path := key
				if state != "" {
					path = state + "." + key
				}
				next, d := t.at(path), t.metric(path)
				if next == "" && d == nil {
					continue
				}
				from := loose
				if next == path {
					from = root
				}
				members.Set(key, number(d, reference(from, next), root == loose || d != nil && d.Name != path))
			}
			defs.Set(definition(root, state), object("if", object("type", "object"), "then", object("properties",
				members, "additionalProperties", object("$ref", reference(loose, ""))),
				"else", object("if", object("type", "array"), "then", object("items", object("$ref", reference(root,
					state))))))
		}
	}
}

// The roots of definitions: of paths that begin at the model, and of those that begin below it, where a text may have
// the name of a metric.
const (
	exact = "model"
	loose = "part"
)

// definition is the name of a state among the definitions.
func definition(root, state string) string {
	if state == "" {
		return root
	}
	return root + "." + state
}

func reference(root, state string) string { return "#/$defs/" + definition(root, state) }

// number is the schema of a member: a number, null, or a part with numbers of its own; a text where texts may have the
// name of the metric.
func number(d *report.Described, next string, texts bool) report.Object {
	part := object("$ref", next)
	if d == nil {
		return part
	}
	kinds := []string{"number", "null", "object", "array"}
	if texts {
		kinds = append(kinds, "string")
	}
	part.Set("description", d.About)
	part.Set("type", kinds)
	if limits := d.Metric().Range; limits != nil {
		if finite(limits.Low) {
			part.Set("minimum", limits.Low)
		}
		if finite(limits.High) {
			part.Set("maximum", limits.High)
		}
	}
	return part
}

func finite(v float64) bool {
	_, err := json.Marshal(v)
	return err == nil
}
