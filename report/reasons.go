// The reason of nulls: how the reasons of several nulls are joined into one text, and split again.

package report

import (
	"slices"
	"strings"
)

// reasonKey is the key of an object under which the reasons of its nulls stand.
const reasonKey = "reason"

// missing is a key of an object that holds null, or a list with nulls.
type missing struct {
	key  string
	list bool
}

// because is the reason why there is a null under a key.
type because struct{ key, reason string }

// joinReasons is the text for the nulls of an object: the bare reason when it is
// the same for all, otherwise "key, key: reason; key: reason" in order of
// appearance.
func joinReasons(all []because) string {
	var reasons []string
	keysOf := map[string][]string{}
	for _, b := range all {
		if _, ok := keysOf[b.reason]; !ok {
			reasons = append(reasons, b.reason)
		}
		keysOf[b.reason] = append(keysOf[b.reason], b.key)
	}
	if len(reasons) == 1 {
		return reasons[0]
	}
	parts := make([]string, len(reasons))
	for i, reason := range reasons {
		parts[i] = strings.Join(keysOf[reason], ", ") + ": " + reason
	}
	return strings.Join(parts, "; ")
}

// splitReasons is the inverse of joinReasons: the reasons of each key, one of a
// null and as many as there are of a list. A text of another form is the reason
// of all.
func splitReasons(text string, nulls []missing) map[string][]string {
	byKey := map[string][]string{}
	var last []string // the keys of the reason that is being read
	for part := range strings.SplitSeq(text, "; ") {
		names, reason, ok := strings.Cut(part, ": ")
		keys := strings.Split(names, ", ")
		if ok && !slices.ContainsFunc(keys, func(key string) bool { return !awaits(key, nulls, byKey) }) {
			for _, key := range keys {
				byKey[key] = append(byKey[key], reason)
			}
			last = keys
			continue
		}
		if last == nil {
			break
		}
		for _, key := range last { // a semicolon inside a reason
			byKey[key][len(byKey[key])-1] += "; " + part
		}
	}
	var again []because
	for _, n := range nulls {
		for _, reason := range byKey[n.key] {
			again = append(again, because{n.key, reason})
		}
	}
	if len(byKey) == len(nulls) && joinReasons(again) == text {
		return byKey
	}
	for _, n := range nulls {
		byKey[n.key] = []string{text}
	}
	return byKey
}

// awaits reports whether a key may be given a reason: it belongs to a null without one, or to a
// list.
func awaits(key string, nulls []missing, of map[string][]string) bool {
	i := slices.IndexFunc(nulls, func(n missing) bool { return n.key == key })
	return i >= 0 && (nulls[i].list || len(of[key]) == 0)
}

// reasonsOf returns, for every key of an object that holds null or a list with
// nulls, their reasons: empty where the object gives none.
func reasonsOf(keys []string, value func(i int) any) map[string][]string {
	text, ok := "", false
	var nulls []missing
	for i, key := range keys {
		v := value(i)
		if key == reasonKey {
			text, ok = v.(string)
			continue
		}
		if holdsNull(v) {
			nulls = append(nulls, missing{key, v != nil})
		}
	}
	if !ok || len(nulls) == 0 {
		return nil
	}
	return splitReasons(text, nulls)
}

// holdsNull reports whether a value is null or a list (of lists) with a null.
func holdsNull(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case []any:
		return slices.ContainsFunc(v, holdsNull)
	}
	return false
}
