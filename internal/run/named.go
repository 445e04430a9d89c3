// Values with a name: NAME=VALUE.

package run

import (
	"os"
	"slices"
	"strings"
)

// CutName splits NAME=VALUE at its first equals sign; named is false where there is none, and
// value is then the whole text. In a text \= is an equals sign that splits nothing, and \\ in a
// name a backslash: so names have them that a configuration or Python gives, where name and
// value are apart already ([JoinName]).
func CutName(text string) (name, value string, named bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && (text[i+1] == '=' || text[i+1] == '\\'):
			i++
			b.WriteByte(text[i])
		case c == '=':
			return b.String(), text[i+1:], true
		default:
			b.WriteByte(c)
		}
	}
	return "", strings.ReplaceAll(text, `\=`, "="), false
}

// CutFile is [CutName] for NAME=FILE; a text that as a whole is a file or folder that is there
// has no name.
func CutFile(text string) (name, path string, named bool) {
	name, path, named = CutName(text)
	if named {
		if whole := Expand(text); exists(whole) {
			return "", whole, false
		}
	}
	return name, Expand(path), named
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// InOrder sorts what values NAME=FILE of some flags gave, by its names, as these stand first on
// the command line or in the configuration, whichever of the flags named them; what no flag
// named keeps its place behind them.
func InOrder[T any](f *Flags, items []T, name func(T) string, flags ...string) {
	if f == nil {
		return
	}
	place := map[string]int{}
	for i, set := range f.given {
		if slices.Contains(flags, set.Name) {
			key, _, _ := CutName(set.Value)
			if _, ok := place[key]; !ok {
				place[key] = i
			}
		}
	}
	rank := func(item T) int {
		if i, ok := place[name(item)]; ok {
			return i
		}
		return len(f.given)
	}
	slices.SortStableFunc(items, func(a, b T) int { return rank(a) - rank(b) })
}

// JoinName is the text of a name and a value that [CutName] splits again.
func JoinName(name, value string) string {
	return strings.NewReplacer(`\`, `\\`, "=", `\=`).Replace(name) + "=" + value
}

// JoinUnnamed is the text of a value without a name that [CutName] takes as a whole.
func JoinUnnamed(value string) string { return strings.ReplaceAll(value, "=", `\=`) }

// Named reports whether a text has a name.
func Named(text string) bool {
	_, _, named := CutName(text)
	return named
}
