// Archives of the real program: what each holds, for the tools that read it on the system it is for.

package main

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

var archives = flag.String("archives", "", "folder of make dist, whose archives are looked into")

// TestArchives looks into what make dist has written.
func TestArchives(t *testing.T) {
	if *archives == "" {
		t.Skip("-archives names no folder of make dist")
	}
	sums := string(read(t, filepath.Join(*archives, "SHA256SUMS")))
	found := 0
	for _, target := range targets {
		system, processor, _ := strings.Cut(target, "/")
		names, err := filepath.Glob(filepath.Join(*archives, "repscope-*-"+system+"-"+machine(processor)+".*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			found++
			if line := fmt.Sprintf("%x  %s\n", sha256.Sum256(read(t, name)), filepath.Base(name)); !strings.Contains(sums, line) {
				t.Errorf("SHA256SUMS has no line %q", line)
			}
			t.Run(filepath.Base(name), func(t *testing.T) { checkArchive(t, name, target) })
		}
	}
	if found == 0 {
		t.Errorf("%s has no archive", *archives)
	}
}

// reserved are names that Windows gives no file, with any ending, and characters that its names have not.
var reserved = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)|[<>:"|?*\\]|[. ]$`)

// checkArchive reads an archive for a target.
func checkArchive(t *testing.T, archive, target string) {
	t.Helper()
	top := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(archive), ".zip"), ".tar.gz") + "/"
	program := "repscope"
	if strings.HasPrefix(target, "windows/") {
		program += ".exe"
	}
	contents := map[string]string{}
	folded := map[string]bool{}
	for name, text := range unpack(t, archive) {
		at := strings.LastIndexByte(text, ' ')
		short, ok := strings.CutPrefix(name, top)
		if mode := text[at+1:]; !ok || mode != map[bool]string{true: "755", false: "644"}[short == program] {
			t.Errorf("%s has mode %s", name, mode)
		}
		for part := range strings.SplitSeq(name, "/") {
			if reserved.MatchString(part) {
				t.Errorf("%s: a name that Windows does not have", name)
			}
		}
		if lower := strings.ToLower(name); folded[lower] {
			t.Errorf("%s appears twice where upper and lower case are one", name)
		} else {
			folded[lower] = true
		}
		contents[short] = text[:at]
		if short != program && !utf8.ValidString(text) {
			t.Errorf("%s is not UTF-8", name)
		}
	}
	for _, name := range []string{program, "README.md", "LICENSE", "THIRD_PARTY_LICENSES", "sbom.cdx.json",
		"completions/repscope.bash", "completions/_repscope", "completions/repscope.fish", "man/man1/repscope.1", "man/man1/neighborhood.1"} {
		if len(contents[name]) < 100 {
			t.Errorf("%s: %d bytes", name, len(contents[name]))
		}
	}
	if err := isFor([]byte(contents[program]), target); err != nil {
		t.Error(err)
	}
	checkBill(t, contents["sbom.cdx.json"], contents["THIRD_PARTY_LICENSES"])
	folder := t.TempDir()
	writeAll(t, folder, contents, 0o755)
	checkModules(t, filepath.Join(folder, program), contents["sbom.cdx.json"])
	checkTexts(t, folder, contents)
}

// checkModules compares the bill with the modules that the program itself names.
func checkModules(t *testing.T, program, bill string) {
	t.Helper()
	modules, _, err := modulesOf(program)
	if err != nil || len(modules) < 5 {
		t.Fatalf("%d modules: %v", len(modules), err)
	}
	for _, m := range modules {
		if !strings.Contains(bill, `"pkg:golang/`+m.path+"@"+m.version+`"`) {
			t.Errorf("the bill has no %s %s", m.path, m.version)
		}
	}
}

// checkTexts has the tools that are installed read manual pages and completions.
func checkTexts(t *testing.T, folder string, contents map[string]string) {
	t.Helper()
	tool := func(name string, args ...string) string {
		if _, err := exec.LookPath(name); err != nil {
			t.Logf("%s is not installed, and reads nothing", name)
			return ""
		}
		c := exec.Command(name, args...)
		c.Dir = folder
		var said bytes.Buffer
		c.Stdout, c.Stderr = &said, &said
		if err := c.Run(); err != nil {
			t.Errorf("%s %q: %v\n%s", name, args, err, said.Bytes())
		}
		return said.String()
	}
	for name := range contents {
		if path.Ext(name) == ".1" {
			tool("mandoc", "-Tlint", "-W", "warning", name)
		}
	}
	tool("bash", "-n", "completions/repscope.bash")
	tool("zsh", "-n", "completions/_repscope")
	tool("fish", "--no-execute", "completions/repscope.fish")
	const ask = `source completions/repscope.bash; COMP_WORDS=(smoothness --boot); COMP_CWORD=1; COMP_LINE="smoothness --boot"; COMP_POINT=${#COMP_LINE}
f=$(complete -p smoothness | sed 's/.*-F \([^ ]*\).*/\1/'); $f smoothness --boot smoothness 2>/dev/null; echo "${COMPREPLY[@]}"`
	if got := strings.TrimSpace(tool("bash", "--norc", "-c", ask)); got != "--bootstrap" && got != "" {
		t.Errorf("bash completes --boot to %q", got)
	} else if _, err := exec.LookPath("bash"); err == nil && got == "" {
		t.Error("bash completes --boot to nothing")
	}
	if _, err := exec.LookPath("fish"); err == nil {
		got := tool("fish", "--no-config", "-c", `source completions/repscope.fish; complete -C "smoothness --boot"`)
		if !strings.HasPrefix(got, "--bootstrap") {
			t.Errorf("fish completes --boot to %q", got)
		}
	}
}
