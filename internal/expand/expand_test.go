// Tests of what small texts may stand for.

package expand

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestBudget_Product(t *testing.T) {
	t.Parallel()
	b := NewBudget(t.Context())
	if err := errors.Join(b.Product("a"), b.Product("b", 7), b.Product("c", 10, 0, 5), b.Product("d", 3, 4)); err != nil || b.left != Most-1-7-12 {
		t.Errorf("%d are left, %v", b.left, err)
	}
	for want, factors := range map[string][]int{
		"x expands to 10 × 20 × 1000 = 200000; the limit for a file or a command line is 100000":          {10, 20, 1000},
		"x expands to 99981; the limit for a file or a command line is 100000":                            {99981},
		"x expands to 9223372036854775807 × 9223372036854775807 = 85070591730234615847396907784232501249": {1<<63 - 1, 1<<63 - 1},
	} {
		if err := b.Product("x", factors...); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if b.left != Most-1-7-12 {
		t.Errorf("what is refused is taken: %d are left", b.left)
	}
	if err := b.Product("x", 99980); err != nil {
		t.Error(err)
	}
	var many *TooMany
	if err := b.Take("y"); !errors.As(err, &many) || many.What != "y" {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ended := NewBudget(ctx)
	if err := ended.Product("x", 2); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
	if _, err := ended.Glob(filepath.Join(t.TempDir(), "*")); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

// Glob finds what filepath.Glob finds.
func TestBudget_Glob(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"a/1.x", "a/10.x", "a/2.x", "b/1.x", "b/1.y", "b/c/1.x", "[e]/1.x", ".h/1.x", "1.x", "z*/1.x"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for _, pattern := range []string{
		"*", "*.x", "*/*.x", "a/*", "a/1.x", "a/?.x", "b/*/1.x", "*/*/*", "none/*", "none", `\[e\]/*`, "[ab]/1.*", "./*/1.x", "a//*.x", "a/1.x/*", ".*/*", `z\*/*`, "../*/a/*",
		dir + "/*/1.?", dir, "/*", "", ".", "..", "a/..", "*/", "a/*/",
	} {
		want, failed := filepath.Glob(pattern)
		got, err := NewBudget(t.Context()).Glob(pattern)
		if (err != nil) != (failed != nil) || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v; want %q, %v", pattern, got, err, want, failed)
		}
	}
	if _, err := NewBudget(t.Context()).Glob("a/[1"); !errors.Is(err, filepath.ErrBadPattern) {
		t.Errorf("got %v", err)
	}
	few := &Budget{t.Context(), 3}
	var many *TooMany
	if got, err := few.Glob("*/*.x"); !errors.As(err, &many) || len(many.Hints()) == 0 {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := (&Budget{t.Context(), 3}).Glob("a/*.x"); err != nil || len(got) != 3 {
		t.Errorf("%q, %v", got, err)
	}
}

func ExampleBudget() {
	budget := NewBudget(context.Background())
	fmt.Println(budget.Product("model run", 100, 200, 300))
	// Output: model run expands to 100 × 200 × 300 = 6000000; the limit for a file or a command line is 100000 in total
}
