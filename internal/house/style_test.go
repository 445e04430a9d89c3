// How files and functions look.

package house

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

const (
	longFunction = 60   // lines
	longShare    = 0.02 // of all functions that may be longer
	longFile     = 800  // lines
)

// TestFunctionLength holds that hardly any function is long.
func TestFunctionLength(t *testing.T) {
	t.Parallel()
	tree := sources(t)
	all, long := 0, []string{}
	for _, s := range tree.files {
		if s.test || s.generated {
			continue
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			all++
			if n := tree.lines(f); n > longFunction {
				long = append(long, s.path+": "+f.Name.Name)
			}
		}
	}
	if share := float64(len(long)) / float64(all); share > longShare {
		t.Errorf("%d of %d functions, %.1f %%, have more than %d lines, want at most %g %%:\n%s",
			len(long), all, 100*share, longFunction, 100*longShare, strings.Join(long, "\n"))
	}
}

// TestFileLength holds that files can be read.
func TestFileLength(t *testing.T) {
	t.Parallel()
	tree := sources(t)
	for _, s := range tree.files {
		if n := tree.set.File(s.file.Pos()).LineCount(); n >= longFile && !s.generated {
			t.Errorf("%s has %d lines, want fewer than %d", s.path, n, longFile)
		}
	}
}

// TestFirstComment holds that every file says what it is for, directly above its
// package clause: as the package comment, or as a comment of its own that an empty
// line keeps apart.
func TestFirstComment(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t).files {
		if s.generated || s.file.Doc != nil {
			continue
		}
		above := slices.ContainsFunc(s.file.Comments, func(c *ast.CommentGroup) bool {
			return c.End() < s.file.Package && !strings.HasPrefix(c.List[0].Text, "//go:") && strings.TrimSpace(c.Text()) != ""
		})
		if !above {
			t.Errorf("%s: no comment above the package clause says what the file is for", s.path)
		}
	}
}

// TestPackageComment holds that every package says what it is.
func TestPackageComment(t *testing.T) {
	t.Parallel()
	commented := map[string]bool{}
	for _, s := range sources(t).files {
		if !s.test {
			commented[s.folder] = commented[s.folder] || s.file.Doc != nil
		}
	}
	for folder, ok := range commented {
		if !ok {
			t.Errorf("%s has no package comment", folder)
		}
	}
}
