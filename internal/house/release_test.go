// A release: one version in all places, fields that cite it, and a module that can be installed.

package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"repscope/report"
)

// versions are the places outside Go sources that name the release, each with a pattern of one group.
var versions = map[string]string{
	"CITATION.cff":                     `(?m)^version: (.*)$`,
	"CHANGELOG.md":                     `(?m)^## ([0-9].*) \([0-9-]+\)$`, // the newest section
	"python/repscope/_version.py":      `(?m)^VERSION = "(.*)"$`,
	"packaging/conda/recipe.yaml":      `env\.get\("REPSCOPE_VERSION", default="(.*)"\)`,
	"packaging/docker/Dockerfile":      `org\.opencontainers\.image\.version=(\S+)`,
	"packaging/apptainer/repscope.def": `(?m)^ *org\.opencontainers\.image\.version (\S+)$`,
	"docs/reference/compatibility.md":  `(?m)^This page holds from version (\S+) on\.`,
	"report/schema/result.schema.json": `"title": "Result files of repscope (\S+)"`,
}

func TestVersion_Places(t *testing.T) {
	t.Parallel()
	for name, pattern := range versions {
		m := regexp.MustCompile(pattern).FindStringSubmatch(text(t, name))
		if m == nil || m[1] != report.Version {
			t.Errorf("%s: version %q, want %q of package report", name, m, report.Version)
		}
	}
}

// TestCitation holds CITATION.cff against the parts of Citation File Format 1.2.0 that it uses.
func TestCitation(t *testing.T) {
	t.Parallel()
	var c struct {
		Format   string              `yaml:"cff-version"`
		Message  string              `yaml:"message"`
		Type     string              `yaml:"type"`
		Title    string              `yaml:"title"`
		Version  string              `yaml:"version"`
		Released string              `yaml:"date-released"`
		License  string              `yaml:"license"`
		Authors  []map[string]string `yaml:"authors"`
		Keywords []string            `yaml:"keywords"`
		Abstract string              `yaml:"abstract"`
	}
	d := yaml.NewDecoder(strings.NewReader(text(t, "CITATION.cff")))
	d.KnownFields(true)
	if err := d.Decode(&c); err != nil {
		t.Fatal(err)
	}
	if c.Format != "1.2.0" || c.Type != "software" || c.License != "Apache-2.0" || c.Message == "" || c.Title == "" || c.Abstract == "" || len(c.Keywords) == 0 {
		t.Errorf("fields are missing or wrong: %+v", c)
	}
	if len(c.Authors) == 0 || c.Authors[0]["name"] == "" {
		t.Errorf("authors are %v, want an entity with a name", c.Authors)
	}
	if want := "## " + c.Version + " (" + c.Released + ")\n"; !strings.Contains(text(t, "CHANGELOG.md"), want) {
		t.Errorf("CHANGELOG.md has no section %q", want)
	}
}

// TestModule holds that go install PATH@VERSION takes the module: its go.mod replaces nothing. What go.work replaces for
// builds in a clone is required by go.mod in the same version.
func TestModule(t *testing.T) {
	t.Parallel()
	module := text(t, "go.mod")
	if m := regexp.MustCompile(`(?m)^(replace|exclude)\b.*$`).FindString(module); m != "" {
		t.Errorf("go.mod: %q would make go install refuse the module; see internal/liberation/README.md", m)
	}
	replaced := regexp.MustCompile(`(?m)^replace (\S+ \S+) => (\S+)$`).FindAllStringSubmatch(text(t, "go.work"), -1)
	if len(replaced) == 0 {
		t.Error("go.work replaces nothing")
	}
	for _, m := range replaced {
		if !strings.Contains(module, "\t"+m[1]+" ") {
			t.Errorf("go.work replaces %s, which go.mod does not require", m[1])
		}
	}
}

// text returns a file of the repository.
func text(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
