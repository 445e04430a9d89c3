// Package expand bounds the expansion of small texts: the products, patterns and aliases of a command line or a
// configuration are counted before they are expanded.
//
//	budget := expand.NewBudget(ctx)
//	if err := budget.Product("model run", 10, 20, 3); err != nil {
//		return err // "model run stands for 10 × 20 × 3 = 600 names, …" if that exceeds the rest of the budget
//	}
//	files, err := budget.Glob("runs/*/step_*.onnx")
package expand

import (
	"context"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Most is the maximum total expansion of a text: names of models, files of patterns, parts of a configuration, tasks of
// a division.
const Most = 100_000

// TooMany is the error of a larger expansion.
type TooMany struct {
	What string // the text that expands: "model run"
	Text string // how many, as a product or a sum
	Left int    // how many more there may be
}

func (e *TooMany) Error() string {
	return fmt.Sprintf("%s expands to %s; the limit for a file or a command line is %d in total", e.What, e.Text, Most)
}

// Hints say how there are fewer.
func (e *TooMany) Hints() []string {
	return []string{"name fewer values, or divide the work into several runs"}
}

// Budget counts the expansion of one file or command line. It is used by one goroutine at a time.
type Budget struct {
	ctx  context.Context
	left int
}

// NewBudget is a budget of [Most] things. Its methods return the error of the context when that has ended.
func NewBudget(ctx context.Context) *Budget { return &Budget{ctx: ctx, left: Most} }

// Product takes the product of some numbers from the budget.
func (b *Budget) Product(what string, factors ...int) error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	product := big.NewInt(1)
	texts := make([]string, len(factors))
	for i, n := range factors {
		product.Mul(product, big.NewInt(int64(n)))
		texts[i] = strconv.Itoa(n)
	}
	if product.Cmp(big.NewInt(int64(b.left))) > 0 {
		text := product.String()
		if len(factors) > 1 {
			text = strings.Join(texts, " × ") + " = " + text
		}
		return &TooMany{what, text, b.left}
	}
	b.left -= int(product.Int64())
	return nil
}

// Take takes one from the budget.
func (b *Budget) Take(what string) error {
	if b.left == 0 {
		return &TooMany{what, fmt.Sprintf("more than %d", Most), 0}
	}
	b.left--
	if b.left%1024 == 0 {
		return b.ctx.Err()
	}
	return nil
}

// mostEntries is how many entries of folders are looked at for one pattern.
const mostEntries = 100 * Most

// Glob is [filepath.Glob] within the budget: the files that match, in the order of their names by folder. It looks at
// the context at every folder.
func (b *Budget) Glob(pattern string) ([]string, error) {
	if _, err := filepath.Match(pattern, ""); err != nil {
		return nil, err
	}
	g := &globber{Budget: b, pattern: pattern, entries: mostEntries}
	return g.match(pattern, 0)
}

type globber struct {
	*Budget
	pattern string
	entries int
}

// deepest bounds the folders of a pattern.
const deepest = 1000

// match are the matches of a pattern, which is part of the whole one.
func (g *globber) match(pattern string, depth int) ([]string, error) {
	if depth > deepest {
		return nil, filepath.ErrBadPattern
	}
	if !strings.ContainsAny(pattern, `*?[\`) {
		if _, err := os.Lstat(pattern); err != nil {
			return nil, nil // as in filepath.Glob, unreadable files do not match
		}
		return []string{pattern}, nil
	}
	dir, file := filepath.Split(pattern)
	volume := filepath.VolumeName(pattern)
	clean := strings.TrimRightFunc(dir[len(volume):], func(c rune) bool { return c == '/' || c == filepath.Separator })
	switch {
	case dir == "":
		clean = "."
	case clean == "":
		clean = dir
	default:
		clean = volume + clean
	}
	folders := []string{clean}
	if strings.ContainsAny(clean[len(volume):], `*?[\`) && clean != pattern {
		var err error
		if folders, err = g.match(clean, depth+1); err != nil {
			return nil, err
		}
	}
	var all []string
	for _, folder := range folders {
		names, err := g.names(folder)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			ok, err := filepath.Match(file, name)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			if depth == 0 {
				if err := g.Take("the pattern " + g.pattern); err != nil {
					return nil, err
				}
			}
			path := filepath.Join(folder, name)
			if dir == "" {
				path = name
			}
			all = append(all, path)
		}
	}
	return all, nil
}

// names are the names in a folder, sorted; none if it is no readable folder.
func (g *globber) names(folder string) ([]string, error) {
	if err := g.ctx.Err(); err != nil {
		return nil, err
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() { // only folders are opened: a pipe would block
		return nil, nil
	}
	f, err := os.Open(folder)
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	var all []string
	for {
		names, err := f.Readdirnames(1024)
		all = append(all, names...)
		if g.entries -= len(names); g.entries < 0 {
			return nil, &TooMany{"the pattern " + g.pattern, fmt.Sprintf("more than %d folder entries to search", mostEntries), g.left}
		}
		if err := g.ctx.Err(); err != nil {
			return nil, err
		}
		if err != nil || len(names) == 0 {
			break
		}
	}
	slices.Sort(all)
	return all, nil
}
