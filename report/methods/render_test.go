// Tests of labels, and of LaTeX where it is installed.

package methods

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Works of one label are told apart.
func TestLabels(t *testing.T) {
	t.Parallel()
	text := &Text{Sections: []Section{{Title: "A", Text: "One [@venna2001] and others [@polykovskiy2020; @lee2013; @roy2007]."}}}
	if got, want := text.Plain(text.Sections[0]), "One (Venna & Kaski 2001) and others (Polykovskiy et al. 2020; Lee et al. 2013; Roy & Vetterli 2007)."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Quotes open and close, exponents are one, and what LaTeX has no command for is left to those who have.
// Places of publication are marked in Markdown only.
func TestWorks(t *testing.T) {
	t.Parallel()
	text := &Text{Sections: []Section{{Text: "One [@venna2001]."}}}
	if works := text.Works(); len(works) != 1 || strings.Contains(works[0], "*") {
		t.Errorf("works %q", works)
	}
	if markdown := text.Markdown(); strings.Count(markdown, "*") < 2 {
		t.Errorf("nothing is marked in %q", markdown)
	}
}

func TestEscape(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"a" ("b") 10⁻¹² 5² a_b`: "``a'' (``b'') 10$^{-12}$ 5$^2$ a\\_b",
		"x\ny 模":                 `x y \repscopeletter{模}{6A21}`,
		"Łukasz þ":               `Łukasz \repscopeletter{þ}{00FE}`,
	} {
		if got := latex(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A text goes through LaTeX and BibTeX, where they are installed.
func TestLaTeX(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"pdflatex", "bibtex"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	var cite []string
	for _, r := range Bibliography() {
		cite = append(cite, "@"+r.Key)
	}
	var all strings.Builder
	for c := range escapes {
		all.WriteString(string(c) + " ")
	}
	text := &Text{Analysis: "x", Sections: []Section{{Title: "A_b", Text: "Everything [" + strings.Join(cite, "; ") + "]. " + all.String() + "模型 þ Łukasz Žižek"}}}
	dir := t.TempDir()
	for name, content := range map[string]string{"x_methods.tex": text.LaTeX(), "x_methods.bib": text.BibTeX(),
		"main.tex": "\\documentclass{article}\\begin{document}\\input{x_methods}\\bibliographystyle{plain}\\bibliography{x_methods}\\end{document}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, call := range [][]string{{"pdflatex", "-interaction=nonstopmode", "-halt-on-error", "main"}, {"bibtex", "main"},
		{"pdflatex", "-interaction=nonstopmode", "-halt-on-error", "main"}, {"pdflatex", "-interaction=nonstopmode", "-halt-on-error", "main"}} {
		command := exec.Command(call[0], call[1:]...)
		command.Dir = dir
		out, err := command.CombinedOutput()
		if err != nil || call[0] == "bibtex" && strings.Contains(string(out), "Warning--") {
			t.Fatalf("%v: %v\n%s", call, err, out)
		}
	}
	if log, err := os.ReadFile(filepath.Join(dir, "main.log")); err != nil || strings.Contains(string(log), "undefined") {
		t.Errorf("%v: undefined citations", err)
	}
}
