// What the members of objects are, besides numbers: parameters of rows, and intervals and errors of other members.

package report

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// A Layout says how numbers stand in the models of a result file, so that a reader need not know the analysis. It
// follows from the types that were written: from fields of type [Estimate], from the tags below, and from
// [Object.SetParameter].
//
//	K        int      `json:"k" report:"parameter"`
//	HalvesCI Interval `json:"mle_halves_ci" report:"interval of mle, halves"`
//
// A parameter is a member of the rows of a list that tells them apart: a row stands in a path by all of its
// parameters, by_k[k=10], however many rows there are. An interval or error belongs to another number of its object.
// The interval of x that is called x_ci, its standard error x_se and its standard deviation over samples x_sd need no
// tag.
//
// In a file, "parameters" holds the parameters of each list by its key, or by its path without rows where lists of
// one key differ; "companions" holds for each member that belongs to another one which that is.
type Layout struct {
	Parameters Object `json:"parameters,omitempty"`
	Companions Object `json:"companions,omitempty"`
	Extra      Object `json:",inline"` // keys that this version does not know, of a file that was read
}

// kind says in which way a member belongs to a number.
type kind string

const (
	isInterval kind = "interval of "
	isError    kind = "error of "
)

// companion says to which number of its object a member belongs.
type companion struct {
	kind   kind
	number string
	name   string // of one of several intervals
}

// String is the form of tags and files: "interval of mle, halves".
func (c companion) String() string {
	s := string(c.kind) + c.number
	if c.name != "" {
		s += ", " + c.name
	}
	return s
}

// companionOf reads what String wrote.
func companionOf(s string) (c companion, ok bool) {
	for _, k := range []kind{isInterval, isError} {
		if rest, cut := strings.CutPrefix(s, string(k)); cut {
			c.kind = k
			c.number, c.name, _ = strings.Cut(rest, ", ")
			return c, c.number != ""
		}
	}
	return c, false
}

// roles say what members of one object are.
type roles struct {
	parameters []string
	companions map[string]companion
}

// parameter enters that a member is a parameter.
func (r *roles) parameter(key string) {
	if !slices.Contains(r.parameters, key) {
		r.parameters = append(r.parameters, key)
	}
}

func (r *roles) companion(key string, c companion) {
	if r.companions == nil {
		r.companions = map[string]companion{}
	}
	r.companions[key] = c
}

// tag enters what the tag of a field says. A wrong tag is a fault of the program.
func (r *roles) tag(field reflect.StructField, key string) {
	text, ok := field.Tag.Lookup("report")
	if !ok {
		return
	}
	if text == "parameter" {
		r.parameter(key)
	} else if c, ok := companionOf(text); ok {
		r.companion(key, c)
	} else {
		panic(fmt.Sprintf("report: the tag %q of field %s is unknown", text, field.Name))
	}
}

// layout are the roles of all objects, as a file holds them.
type layout struct {
	lists      []listLayout
	companions []namedCompanion
}

type listLayout struct {
	path       string // without rows
	parameters []string
}

type namedCompanion struct {
	path string
	companion
}

// collect adds the roles that were found while a value was built; path is where it stands, without rows.
func (l *layout) collect(n *node, path string) {
	switch n.kind {
	case arrayNode:
		for i := range n.items {
			if n.items[i].kind == objectNode {
				l.list(path, n.items[i].roles.parameters)
			}
			l.collect(&n.items[i], path)
		}
	case objectNode:
		for i, key := range n.keys {
			place := joinedPath(path, key)
			if c, ok := n.roles.companions[key]; ok && !slices.ContainsFunc(l.companions, func(m namedCompanion) bool { return m.path == place }) {
				l.companions = append(l.companions, namedCompanion{place, c})
			}
			l.collect(&n.items[i], place)
		}
	}
}

// list enters the parameters of a row.
func (l *layout) list(path string, parameters []string) {
	i := slices.IndexFunc(l.lists, func(known listLayout) bool { return known.path == path })
	if i < 0 {
		l.lists = append(l.lists, listLayout{path: path})
		i = len(l.lists) - 1
	}
	for _, p := range parameters {
		if !slices.Contains(l.lists[i].parameters, p) {
			l.lists[i].parameters = append(l.lists[i].parameters, p)
		}
	}
}

// inFile is the layout in the form of the file: by the last key, and by the whole path where that says different
// things.
func (l *layout) inFile() Layout {
	var f Layout
	shorten(l.lists, func(e listLayout) (string, any) { return e.path, e.parameters }, &f.Parameters)
	shorten(l.companions, func(e namedCompanion) (string, any) { return e.path, e.companion.String() }, &f.Companions)
	return f
}

// shorten enters the description of each path under its last key, if all paths that end with it have the same.
func shorten[E any](all []E, entry func(E) (path string, says any), into *Object) {
	described := map[string]any{}
	several := map[string]bool{}
	for _, e := range all {
		path, says := entry(e)
		key := lastKey(path)
		if before, ok := described[key]; ok && !reflect.DeepEqual(before, says) {
			several[key] = true
		}
		described[key] = says
	}
	for _, e := range all {
		path, says := entry(e)
		key := lastKey(path)
		if several[key] {
			key = dotted(path)
		}
		into.Set(key, says)
	}
}

func joinedPath(path, key string) string {
	if path == "" {
		return key
	}
	return path + "\x00" + key
}

// dotted is a path as files have it.
func dotted(path string) string { return strings.ReplaceAll(path, "\x00", ".") }

// lastKey is the last key of a path, whose keys may hold dots.
func lastKey(path string) string { return path[strings.LastIndexByte(path, 0)+1:] }

// apply enters the roles of a layout that was read, or collected, into the objects of a model.
func (f *Layout) apply(o *Object, path string) {
	o.roles = roles{}
	for _, key := range o.keys {
		place := joinedPath(path, key)
		if text, ok := lookup(f.Companions, place).(string); ok {
			if c, ok := companionOf(text); ok {
				o.roles.companion(key, c)
			}
		}
		switch v := o.values[key].(type) {
		case Object:
			f.apply(&v, place)
			o.values[key] = v
		case []any:
			parameters := texts(lookup(f.Parameters, place))
			for i, item := range v {
				row, ok := item.(Object)
				if !ok {
					continue
				}
				f.apply(&row, place)
				for _, p := range parameters {
					if _, has := row.values[p]; has {
						row.roles.parameter(p)
					}
				}
				v[i] = row
			}
		}
	}
}

// lookup finds the description of a path, or of its last key.
func lookup(described Object, path string) any {
	if v, ok := described.values[dotted(path)]; ok {
		return v
	}
	return described.values[lastKey(path)]
}

// texts is a list of texts, as it was made or read.
func texts(v any) []string {
	switch v := v.(type) {
	case []string:
		return v
	case []any:
		var list []string
		for _, item := range v {
			if s, ok := item.(string); ok {
				list = append(list, s)
			}
		}
		return list
	}
	return nil
}

// companionsOf are the companions of an object: the named ones, and x_ci and x_se of a number x.
func companionsOf(o Object) map[string]companion {
	all := maps.Clone(o.roles.companions)
	for _, key := range o.keys {
		if _, named := all[key]; named {
			continue
		}
		for suffix, k := range map[string]kind{intervalSuffix: isInterval, errorSuffix: isError} {
			if base, ok := strings.CutSuffix(key, suffix); ok && hasNumber(o, base) {
				if all == nil {
					all = map[string]companion{}
				}
				all[key] = companion{kind: k, number: base}
			}
		}
	}
	return all
}

// The names of what belongs to a number x: x_ci, x_se, x_sd.
const (
	intervalSuffix = "_ci"
	errorSuffix    = "_se"
	spreadSuffix   = "_sd"
)

// hasNumber reports whether an object has a number, or null, under a key.
func hasNumber(o Object, key string) bool {
	v, ok := o.values[key]
	if !ok {
		return false
	}
	_, number := valueOf(v, nil)
	return number
}
