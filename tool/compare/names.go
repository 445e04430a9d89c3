// How patterns name metrics.

package compare

import (
	"strings"

	"repscope/internal/text"
	"repscope/report"
)

// vocabulary are the metrics among which patterns choose. A pattern without * and ? that is the
// path of a metric of an analysis names this one, with or without "published." before it; else the metrics whose path
// without rows it is, else the metrics whose last name it is: slope is slope, and not raw.slope next to it.
type vocabulary struct {
	known [][2]string    // analysis and path
	level map[string]int // of a pattern in an analysis; see levelOf
}

func (v *vocabulary) add(analysis, path string) {
	v.known = append(v.known, [2]string{analysis, path})
	v.level = map[string]int{}
}

// paths are the paths of all metrics.
func (v *vocabulary) paths() []string {
	var out []string
	for _, k := range v.known {
		out = append(out, k[1])
	}
	return out
}

// names reports whether a pattern names a metric: ANALYSIS: before it restricts it to one.
func (v *vocabulary) names(pattern, analysis, path string) bool {
	if prefix, rest, ok := strings.Cut(pattern, ":"); ok {
		if !text.Wildcard(prefix, analysis) {
			return false
		}
		pattern = rest
	}
	level := levelOf(pattern, path)
	if level == noLevel || strings.ContainsAny(pattern, "*?") {
		return level != noLevel
	}
	key := analysis + "\x00" + pattern
	least, ok := v.level[key]
	if !ok {
		least = noLevel
		for _, k := range v.known {
			if k[0] == analysis {
				least = min(least, levelOf(pattern, k[1]))
			}
		}
		v.level[key] = least
	}
	return level == least
}

// The levels at which a pattern is the name of a metric.
const (
	pathLevel   = iota // its path
	familyLevel        // its path without rows
	lastLevel          // its last name
	noLevel            // it is none
)

func levelOf(pattern, path string) int {
	for level, name := range []string{strings.TrimPrefix(path, "published."), report.Family(path), lastStep(path)} {
		if text.Wildcard(pattern, name) {
			return level
		}
	}
	return noLevel
}

// lastStep is the last name of a path.
func lastStep(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }
