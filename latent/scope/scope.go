// Package scope has the paths of modules, such as "blocks.7.attn", and their patterns:
//
//	scope.Match("blocks.*", "blocks.7")      // true: a star stands for no dot
//	scope.Match("blocks.*", "blocks.7.attn") // false
package scope

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"repscope/internal/text"
)

// Bounds of a path.
const (
	longest = 1 << 10 // letters
	deepest = 32      // modules around it
)

// Around are the modules of a path, from the outermost to the path itself. A path that is too long has none.
func Around(path string) []string {
	if path == "" || len(path) > longest || strings.Count(path, ".") > deepest {
		return nil
	}
	var modules []string
	for i := range path {
		if path[i] == '.' {
			modules = append(modules, path[:i])
		}
	}
	return append(modules, path)
}

// Match is [MatchName] for the path of a module, in which * and ? stand for no dot.
func Match(pattern, path string) bool {
	patterns, parts := strings.Split(pattern, "."), strings.Split(path, ".")
	return slices.EqualFunc(patterns, parts, MatchName)
}

// Nearest are the patterns of modules that are most like an unknown one, at most n: of all blocks of a kind, such as
// "encoder.layer.*", and of single modules.
func Nearest(unknown string, modules []string, n int) []string {
	const otherEnd = 100 // where the blocks of a list are wanted, the list itself is not
	wanted := strings.ToLower(alike(unknown))
	var patterns []string
	distance := map[string]int{}
	for _, module := range modules {
		pattern := alike(module)
		if _, seen := distance[pattern]; seen {
			continue
		}
		distance[pattern] = text.EditDistance(wanted, strings.ToLower(pattern))
		if strings.HasSuffix(pattern, "."+wanted) { // the end of a longer path
			distance[pattern] = 1
		}
		if strings.HasSuffix(wanted, "*") != strings.HasSuffix(pattern, "*") {
			distance[pattern] += otherEnd
		}
		patterns = append(patterns, pattern)
	}
	slices.SortStableFunc(patterns, func(a, b string) int {
		return cmp.Or(cmp.Compare(distance[a], distance[b]), cmp.Compare(len(a), len(b)))
	})
	return patterns[:min(n, len(patterns))]
}

var numbers = regexp.MustCompile(`\d+(\.|$)`)

// alike is the pattern of modules that differ in their numbers.
func alike(module string) string { return numbers.ReplaceAllString(module, "*$1") }

// MatchName reports whether a pattern, in which * stands for any characters and ? for any one, matches the whole name.
func MatchName(pattern, name string) bool {
	p, n := []rune(pattern), []rune(name)
	i, j := 0, 0
	star, resume := -1, 0
	for j < len(n) {
		switch {
		case i < len(p) && p[i] == '*':
			star, resume = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == n[j]):
			i, j = i+1, j+1
		case star >= 0:
			resume++
			i, j = star+1, resume
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}
