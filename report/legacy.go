// The layout of files that state none: results of versions before [Layout], and JSON of other programs. Nothing else
// takes a meaning from how members are called.

package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// inferring finds the layout of an object that states none.
type inferring struct {
	layout
	foreign bool // of another program: no fraction is a parameter
}

// infer enters the inferred layout into an object that was read.
func infer(o *Object, foreign bool) {
	i := inferring{foreign: foreign}
	i.object(*o, "")
	f := i.inFile()
	f.apply(o, "")
}

func (i *inferring) object(o Object, path string) {
	for _, key := range o.keys {
		place := joinedPath(path, key)
		if c, ok := ownerOf(o, key); ok {
			i.companions = append(i.companions, namedCompanion{place, c})
		}
		switch v := o.values[key].(type) {
		case Object:
			i.object(v, place)
		case []any:
			i.rows(v, place)
		}
	}
}

// rows enters the parameters of a list.
func (i *inferring) rows(list []any, path string) {
	var rows []Object
	for _, item := range list {
		row, ok := item.(Object)
		if !ok {
			return
		}
		rows = append(rows, row)
	}
	if len(rows) > 0 {
		i.list(path, i.parametersOf(rows))
	}
	for _, row := range rows {
		i.object(row, path)
	}
}

// pairedParameters are members of a row that are parameters together with the one before.
var pairedParameters = map[string]string{"source": "groups", "n1": "n2"}

// parametersOf are the first members of rows that tell them apart, with those that belong to them; none where nothing
// does.
func (i *inferring) parametersOf(rows []Object) []string {
	first := rows[0].keys
	for n := 1; n < len(first); n++ {
		seen := map[string]bool{}
		for _, row := range rows {
			if len(row.keys) < n || !slices.Equal(row.keys[:n], first[:n]) || !i.names(row.values[first[n-1]]) {
				return nil
			}
			name := ""
			for _, key := range first[:n] {
				name += fmt.Sprintf("%v\x00", row.values[key])
			}
			seen[name] = true
		}
		if len(seen) == len(rows) {
			for n < len(first) && pairedParameters[first[n-1]] == first[n] {
				n++
			}
			return first[:n]
		}
	}
	return nil
}

// names reports whether a value can name a row.
func (i *inferring) names(v any) bool {
	switch v := v.(type) {
	case json.Number:
		_, err := strconv.ParseInt(string(v), 10, 64)
		return !i.foreign || err == nil
	case string:
		return true
	}
	return false
}

// shortNames are the numbers whose intervals and errors had a shorter name.
var shortNames = map[string]string{"trust": "trustworthiness", "cont": "continuity"}

// ownerOf is the number to which a member belongs by its name: x_ci, x_se or x_error of x, x_halves_ci a second
// interval. What belongs by the rules of [Layout] is left out.
func ownerOf(o Object, key string) (c companion, ok bool) {
	for suffix, k := range map[string]kind{intervalSuffix: isInterval, errorSuffix: isError, "_error": isError} {
		base, cut := strings.CutSuffix(key, suffix)
		if !cut {
			continue
		}
		if full := shortNames[base]; full != "" && hasNumber(o, full) {
			return companion{kind: k, number: full}, true
		}
		if hasNumber(o, base) {
			return companion{kind: k, number: base}, suffix == "_error"
		}
		if k != isInterval {
			return c, false
		}
		for _, number := range o.keys {
			if rest, ok := strings.CutPrefix(base, number+"_"); ok && hasNumber(o, number) && len(number) > len(c.number) {
				c = companion{kind: k, number: number, name: rest}
			}
		}
		return c, c.number != ""
	}
	return c, false
}
