// Messages that are equal for several names.

package text

import (
	"fmt"
	"slices"
	"strings"
)

// mostNamed is the number of names listed before the others are counted.
const mostNamed = 4

// Together merges texts that begin with "NAME: " and are otherwise equal, at the position of the first one: "a, b and
// c: too short", for more than four names "a, b, c and 2 more: too short". Texts that begin with no name, or are
// unique, do not change; duplicates are dropped.
func Together(texts, names []string) []string {
	type statement struct {
		named bool
		what  string
	}
	var order []statement
	statements := map[statement][]string{} // names
	for _, t := range texts {
		name, what := owner(t, names)
		s := statement{name != "", what}
		if _, known := statements[s]; !known {
			order = append(order, s)
		}
		if !slices.Contains(statements[s], name) {
			statements[s] = append(statements[s], name)
		}
	}
	out := make([]string, len(order))
	for i, s := range order {
		if out[i] = s.what; s.named {
			out[i] = Names(statements[s]) + ": " + s.what
		}
	}
	return out
}

// owner is the longest of the names that a text begins with, and the rest of the text.
func owner(t string, names []string) (name, what string) {
	what = t
	for _, n := range names {
		if rest, ok := strings.CutPrefix(t, n+": "); ok && len(n) > len(name) {
			name, what = n, rest
		}
	}
	return name, what
}

// Few lists at most that many names, "a, b and 3 more".
func Few(names []string, limit int) string {
	if len(names) <= limit {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:limit], ", "), len(names)-limit)
}

// Names lists names: "a", "a and b", "a, b, c and d", of more than four "a, b, c and 2 more".
func Names(names []string) string {
	switch n := len(names); {
	case n == 0:
		return ""
	case n == 1:
		return names[0]
	case n > mostNamed:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNamed-1], ", "), n-mostNamed+1)
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}
