// Parts of a configuration that are no flags.

package run

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTree(t *testing.T) {
	t.Parallel()
	apply := func(yaml string) (*fake, *Branch, error) {
		path := filepath.Join(t.TempDir(), "run.yaml")
		if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		f := newFake()
		var read *Branch
		f.flags.Tree("tree", func(b *Branch) error {
			read = b
			return b.Known("a", "b", "list")
		})
		f.options.config = path
		err := applyConfig(f.flags, f.options)
		return f, read, err
	}
	f, b, err := apply("tree: {a: 1.5, b: {c: yes, d: null, e: text}, list: [1, x]}\nseed: 3\n")
	if err != nil {
		t.Fatal(err)
	}
	if b.Member("a").Value != 1.5 || b.Member("b").Member("e").Value != "text" || b.Member("b").Member("d").Value != nil ||
		len(b.Member("list").List) != 2 || b.Member("list").List[0].Value != 1 || b.Member("z") != nil {
		t.Errorf("%+v", b)
	}
	recorded := f.flags.recorded()
	if _, ok := recorded.Get("tree"); !ok || !f.flags.Given("seed") || f.flags.Given("threads") {
		t.Errorf("recorded %v", recorded)
	}
	for yaml, want := range map[string]string{
		"tree: {a: 1, a: 2}\n":    "a is given twice",
		"tree: 1\ntree: 2\n":      "line 2: tree is given twice",
		"tree:\n  aa: 1\n":        `line 2: unknown key "aa" of tree`,
		"tree: {a: 2001-02-03}\n": "a is 2001-02-03; want a number, a text",
		"tre: 1\n":                `unknown option "tre"`,
		// Each alias stands for ten of the one before: 10⁹ values in 300 bytes. One stands for itself.
		aliases(9):                "list expands to more than 100000; the limit",
		"tree: &t {list: [*t]}\n": "list expands to more than 100000; the limit",
	} {
		_, _, err := apply(yaml)
		if err == nil || !strings.Contains(err.Error(), want) || exitCode(err) != exitUsage {
			t.Errorf("%q: %v, want %q", yaml, err, want)
		}
	}
}

// aliases is a configuration whose list holds 10^n values by aliases of aliases.
func aliases(n int) string {
	var b strings.Builder
	b.WriteString("tree: {a: &a0 1, list: [0")
	for i := range n {
		fmt.Fprintf(&b, ", &a%d [%s]", i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), 10), ","))
	}
	return b.String() + "]}\n"
}
