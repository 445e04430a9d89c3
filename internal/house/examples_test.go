// Every public package shows how it is used.

package house

import (
	"go/doc"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// notShown are folders without examples: programs, whose manuals show commands, and contracts of tests.
const notShown = "beam cmd packaging docs tool measure/measuretest shard/shardtest"

// TestExamples holds that each public package has an example that runs and whose output is compared.
func TestExamples(t *testing.T) {
	t.Parallel()
	tree := sources(t)
	public, shown := map[string]bool{}, map[string]bool{}
	for _, s := range tree.files {
		steps := strings.Split(s.folder, "/")
		if within(s.folder, notShown) || slices.Contains(steps, "internal") || path.Base(s.folder) == "command" {
			continue
		}
		if !s.test {
			public[s.folder] = public[s.folder] || s.file.Name.Name != "main"
			continue
		}
		for _, example := range doc.Examples(s.file) {
			if example.Output != "" {
				shown[s.folder] = true
			}
		}
	}
	if len(public) < 55 {
		t.Errorf("%d public packages: too few to be all", len(public))
	}
	for _, folder := range slices.Sorted(maps.Keys(public)) {
		if public[folder] && !shown[folder] {
			t.Errorf("%s has no example with output; write one into example_test.go", folder)
		}
	}
}
