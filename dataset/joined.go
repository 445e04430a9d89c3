// Arrays of one file that are joined along their rows, as of files with a group for each episode.

package dataset

import (
	"errors"
	"fmt"
	pathpkg "path"
	"regexp"
	"slices"
	"strings"

	"repscope/internal/mmap"
	"repscope/internal/text"
)

// openJoined opens the arrays of a file whose names match a pattern as one array: rows follow each other in the natural
// order of the names, and each array is an episode.
func openJoined(file *mmap.File, key string) (*Array, error) {
	all, err := openAll(file)
	if err != nil {
		return nil, err
	}
	var parts []*Array
	var names []string
	pattern := strings.TrimPrefix(key, "/")
	for _, a := range all {
		names = append(names, a.key)
		name := strings.TrimPrefix(a.key, "/")
		if match, err := pathpkg.Match(pattern, name); name == pattern || err == nil && match {
			parts = append(parts, a)
		} else {
			a.Close()
		}
	}
	j := &joined{path: file.Path(), key: key, parts: parts}
	a, err := j.array(names)
	if err != nil {
		j.close()
	}
	return a, err
}

// joined are arrays whose rows follow each other.
type joined struct {
	path, key string
	parts     []*Array
	start     []int // first row of each
}

func (j *joined) close() error {
	var errs []error
	for _, a := range j.parts {
		errs = append(errs, a.Close())
	}
	return errors.Join(errs...)
}

// array presents them as one; names are the names of all arrays of the file.
func (j *joined) array(names []string) (*Array, error) {
	if len(j.parts) == 0 {
		return nil, fmt.Errorf("%s: no array matches %q (there are %s)", j.path, j.key, list(names))
	}
	slices.SortFunc(j.parts, func(a, b *Array) int { return text.CompareNatural(a.key, b.key) })
	first, rows := j.parts[0], 0
	for _, a := range j.parts {
		switch {
		case len(a.shape) == 0:
			return nil, fmt.Errorf("%s: has no rows to join with %s", a.name, first.name)
		case !slices.Equal(a.shape[1:], first.shape[1:]) || a.dtype != first.dtype || a.order != first.order:
			return nil, fmt.Errorf("%s: has the shape %v and type %v, but %s has %v and %v: joined arrays differ in their "+
				"numbers of rows alone", a.name, a.shape, a.dtype, first.name, first.shape, first.dtype)
		case a.time != first.time || a.classes != nil:
			return nil, fmt.Errorf("%s: times and texts are not joined", a.name)
		}
		j.start = append(j.start, rows)
		rows += a.rows
	}
	shape := append([]int{rows}, first.shape[1:]...)
	out := newArray(j.path+":"+j.key, j.path, j.key, shape, first.dtype, first.order, j)
	out.verified, out.same, out.time, out.notes = first.verified, first.same, first.time, first.notes
	out.digest, out.close, out.joined = first.digest, j.close, j
	return out, nil
}

// use joins the rows of several arrays in memory.
func (j *joined) use(lo, hi int, fn func(raw []byte) error) error {
	k, begins := slices.BinarySearch(j.start, lo)
	if !begins {
		k--
	}
	for k+1 < len(j.parts) && j.start[k+1] <= lo { // parts without rows
		k++
	}
	if a := j.parts[k]; hi <= j.start[k]+a.rows {
		return a.source.use(lo-j.start[k], hi-j.start[k], fn)
	}
	var raw []byte
	for ; lo < hi; k++ {
		a := j.parts[k]
		end := min(hi, j.start[k]+a.rows)
		if lo == end {
			continue
		}
		err := a.source.use(lo-j.start[k], end-j.start[k], func(part []byte) error {
			raw = append(raw, part...)
			return nil
		})
		if err != nil {
			return err
		}
		lo = end
	}
	return fn(raw)
}

// Joined returns, of an array that joins several of a file (see [Open]), the number of the array that each row comes
// from, and the names of the arrays; nil of others.
func (a *Array) Joined() (number []int64, names []string) {
	if a.joined == nil {
		return nil, nil
	}
	number = make([]int64, 0, a.rows)
	for k, part := range a.joined.parts {
		names = append(names, part.key)
		for range part.rows {
			number = append(number, int64(k))
		}
	}
	return number, names
}

// digitRuns are the numbers in names.
var digitRuns = regexp.MustCompile(`\d+`)

// joinable is a pattern that matches most of the names which differ in a number alone; empty if no two do.
func joinable(names []string) string {
	count := map[string]int{}
	best := ""
	for _, name := range names {
		pattern := digitRuns.ReplaceAllString(name, "*")
		if pattern == name || pattern == "*" {
			continue
		}
		if count[pattern]++; count[pattern] > 1 && (best == "" || count[pattern] > count[best]) {
			best = pattern
		}
	}
	return best
}
