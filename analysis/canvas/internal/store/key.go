// Whose a row is, and the members of rows.

package store

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/source"
	"repscope/internal/text"
	"repscope/report"
)

// The members of rows that are neither numbers nor details.
const (
	memberID         = "id"
	memberModel      = "model"
	memberSnapshot   = "snapshot_num"
	memberDefinition = "definition"
	memberReasons    = "reasons"
	memberComputed   = "computed"
)

// rowKey is whose a row is.
type rowKey struct {
	id, model  string
	snapshot   int // −1: the final design
	definition string
}

// same reports whether two rows are of one case, by whatever definition.
func (k rowKey) same(other rowKey) bool {
	k.definition = other.definition
	return k == other
}

// compare is the order of rows in a file.
func (k rowKey) compare(other rowKey) int {
	return cmp.Or(text.CompareNatural(k.id, other.id), text.CompareNatural(k.model, other.model),
		source.CompareSteps(k.snapshot, other.snapshot), cmp.Compare(k.definition, other.definition))
}

// parseKey returns the key of a row. A row without a definition has the definition of publications.
func parseKey(row report.Object) (rowKey, error) {
	key := rowKey{snapshot: -1, definition: canvas.DefinitionPublished}
	for _, member := range []struct {
		name string
		to   *string
	}{{memberID, &key.id}, {memberModel, &key.model}, {memberDefinition, &key.definition}} {
		value, _ := row.Get(member.name)
		switch v := value.(type) {
		case string:
			*member.to = v
		case json.Number:
			*member.to = v.String()
		case nil:
		default:
			return key, fmt.Errorf("%q is not a text", member.name)
		}
		if *member.to == "" {
			return key, fmt.Errorf("%q is missing", member.name)
		}
	}
	switch v, _ := row.Get(memberSnapshot); v := v.(type) {
	case nil:
	case json.Number:
		n, err := strconv.Atoi(v.String())
		if err != nil || n < 0 {
			return key, fmt.Errorf("%s is %s, want the number of a step or null", memberSnapshot, v)
		}
		key.snapshot = n
	default:
		return key, fmt.Errorf("%s is neither a number nor null", memberSnapshot)
	}
	return key, nil
}

// objectOf is a member of an object that is one too; empty if it is none.
func objectOf(o report.Object, key string) report.Object {
	value, _ := o.Get(key)
	of, _ := value.(report.Object)
	return of
}

// textsOf is a member that is a list of texts.
func textsOf(o report.Object, key string) []string {
	value, _ := o.Get(key)
	var out []string
	switch list := value.(type) {
	case []string:
		return list
	case []any:
		for _, item := range list {
			if text, ok := item.(string); ok {
				out = append(out, text)
			}
		}
	}
	return out
}

// ofText is a member that is a text.
func ofText(o report.Object, key string) (string, bool) {
	value, _ := o.Get(key)
	text, ok := value.(string)
	return text, ok
}
