// Tests that make test leaves to make test-programs.

package house

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPrograms holds that make test-programs runs every test that make test leaves out.
func TestPrograms(t *testing.T) {
	t.Parallel()
	makefile := text(t, "Makefile")
	pattern := regexp.MustCompile(`(?m)^PROGRAMS = (\^Test.*\$)\$$`).FindStringSubmatch(makefile)
	packages := regexp.MustCompile(`-run '\$\(PROGRAMS\)' (.*)`).FindStringSubmatch(makefile)
	if pattern == nil || packages == nil {
		t.Fatal("Makefile has no PROGRAMS, or no target that runs them")
	}
	named, run, found := regexp.MustCompile(pattern[1]), strings.Fields(packages[1]), map[string]bool{}
	for _, source := range sources(t).files {
		for _, declared := range source.file.Decls {
			function, ok := declared.(*ast.FuncDecl)
			if !ok || !source.test || !named.MatchString(function.Name.Name) {
				continue
			}
			found["./"+source.folder] = true
			if !slices.Contains(run, "./"+source.folder) {
				t.Errorf("%s: make test leaves out %s, and make test-programs does not run the package", source.path, function.Name.Name)
			}
		}
	}
	for _, folder := range run {
		if !found[folder] {
			t.Errorf("make test-programs runs %s, which has no such test", folder)
		}
	}
}
