// A text as Markdown, LaTeX with BibTeX, and JSON.

package methods

import (
	"fmt"
	"regexp"
	"strings"

	"repscope/internal/escape"
	"repscope/report"
)

// labels are how the works are cited, apart where two have the same label.
func (t *Text) labels() map[string]string {
	count, out := map[string]int{}, map[string]string{}
	references := t.References()
	for _, r := range references {
		count[r.label()]++
	}
	seen := map[string]int{}
	for _, r := range references {
		label := r.label()
		out[r.Key] = label
		if count[label] > 1 {
			out[r.Key] += string(rune('a' + seen[label]))
			seen[label]++
		}
	}
	return out
}

// Plain is the text of a section with citations by author and year, without markup.
func (t *Text) Plain(s Section) string {
	labels := t.labels()
	return citation.ReplaceAllStringFunc(s.Text, func(mark string) string {
		var cited []string
		for _, key := range keysOf(mark) {
			cited = append(cited, labels[key])
		}
		return " (" + strings.Join(cited, "; ") + ")"
	})
}

// Works are the references of the text as lines without markup, each behind the label by which it is cited.
func (t *Text) Works() []string { return t.works("") }

// works are [Text.Works] with a mark around where each was published.
func (t *Text) works(mark string) []string {
	labels := t.labels()
	var lines []string
	for _, r := range t.References() {
		lines = append(lines, "["+labels[r.Key]+"] "+r.line(mark))
	}
	return lines
}

// Markdown is the text with citations by author and year, and the list of references.
func (t *Text) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Methods: %s\n", t.Analysis)
	for _, s := range t.Sections {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", s.Title, markdownEscapes.Replace(escape.Lines(t.Plain(s))))
	}
	if works := t.works("*"); len(works) > 0 {
		b.WriteString("\n## References\n\n")
		for _, line := range works {
			fmt.Fprintf(&b, "- %s\n", line)
		}
	}
	return b.String()
}

// markdownEscapes keep what Markdown would take for markup.
var markdownEscapes = strings.NewReplacer("*", `\*`, "_", `\_`, "<", `\<`, "`", "\\`", "](", `]\(`)

// LaTeX is the text as paragraphs with \cite, for \input into a document in UTF-8; the
// works are in [Text.BibTeX].
func (t *Text) LaTeX() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%% Methods of %s, written by repscope; references are in %s_methods.bib.\n", t.Analysis, t.Analysis)
	for _, s := range t.Sections {
		text, last := "", 0
		for _, at := range citation.FindAllStringIndex(s.Text, -1) {
			text += latex(s.Text[last:at[0]]) + `~\cite{` + strings.Join(keysOf(s.Text[at[0]:at[1]]), ",") + "}"
			last = at[1]
		}
		fmt.Fprintf(&b, "\\paragraph{%s.} %s\n\n", latex(s.Title), text+latex(s.Text[last:]))
	}
	if text := b.String(); strings.Contains(text, foreignCommand) {
		return foreignDefinition + text
	}
	return b.String()
}

// A letter that LaTeX has no command for, of a model's name, is printed by XeLaTeX and LuaLaTeX; others print its
// number.
const (
	foreignCommand    = `\repscopeletter{`
	foreignDefinition = `\providecommand{\repscopeletter}[2]{\ifdefined\directlua#1\else\ifdefined\XeTeXrevision#1\else\texttt{U+#2}\fi\fi}` + "\n"
)

// withoutCommand are the Latin letters below U+0180 that LaTeX's own fonts do not have.
const withoutCommand = "«»ÐÞðþĄąĐđĘęĦħĮįĸĿŀŉŊŋŦŧŲųſ"

// escapes are the characters that LaTeX does not print as they are.
var escapes = map[rune]string{
	'\\': `\textbackslash{}`, '{': `\{`, '}': `\}`, '$': `\$`, '&': `\&`, '#': `\#`, '%': `\%`, '_': `\_`, '^': `\^{}`, '~': `\~{}`,
	'<': `$<$`, '>': `$>$`, '|': `$|$`, '"': `''`,
	'≤': `$\leq$`, '≥': `$\geq$`, '×': `$\times$`, '·': `$\cdot$`, '−': `$-$`, '±': `$\pm$`, '√': `$\surd$`, 'Σ': `$\Sigma$`, '∞': `$\infty$`,
	'‖': `$\Vert$`, '→': `$\to$`, '≈': `$\approx$`, '∈': `$\in$`, '²': `$^2$`, '³': `$^3$`, '₀': `$_0$`, '₁': `$_1$`, '₂': `$_2$`, '½': `$\frac12$`,
	'⁻': `$^{-}$`, '⁰': `$^0$`, '¹': `$^1$`, '⁴': `$^4$`, '⁵': `$^5$`, '⁶': `$^6$`, '⁷': `$^7$`, '⁸': `$^8$`, '⁹': `$^9$`, '…': `\ldots{}`, '–': `--`, '—': `---`, '’': `'`, '“': "``", '”': `''`, '°': `$^\circ$`, '∩': `$\cap$`, '∪': `$\cup$`,
	'α': `$\alpha$`, 'β': `$\beta$`, 'γ': `$\gamma$`, 'δ': `$\delta$`, 'Δ': `$\Delta$`, 'ε': `$\varepsilon$`, 'κ': `$\kappa$`, 'λ': `$\lambda$`,
	'μ': `$\mu$`, 'π': `$\pi$`, 'ρ': `$\rho$`, 'σ': `$\sigma$`, 'τ': `$\tau$`, 'φ': `$\varphi$`,
}

// powers matches digits of an exponent that would each be a formula.
var powers = regexp.MustCompile(`\$\^(?:\{-\}|\d)\$(?:\$\^\d\$)+`)

// latex writes text for LaTeX.
func latex(text string) string {
	var b strings.Builder
	before := ' '
	for _, c := range escape.Lines(text) {
		e, ok := escapes[c]
		switch {
		case c == '"' && strings.ContainsRune(" ([", before):
			b.WriteString("``")
		case ok:
			b.WriteString(e)
		case c == '\n' || c == '\t':
			b.WriteByte(' ')
		case c > 0x17f || strings.ContainsRune(withoutCommand, c):
			fmt.Fprintf(&b, `%s%c}{%04X}`, foreignCommand, c, c)
		default:
			b.WriteRune(c)
		}
		before = c
	}
	return powers.ReplaceAllStringFunc(b.String(), func(found string) string {
		return "$^{" + strings.NewReplacer("$", "", "^", "", "{", "", "}", "").Replace(found) + "}$"
	})
}

// BibTeX has the works that are cited.
func (t *Text) BibTeX() string {
	var b strings.Builder
	for i, r := range t.References() {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(r.BibTeX())
	}
	return b.String()
}

// schema is the version of the layout of [Text.Object].
const schema = "repscope/methods/1"

// Object is the text for a file in JSON: sections with citations as [@key], the same text
// by author and year, the works with their fields, and all of it as Markdown, LaTeX and
// BibTeX.
func (t *Text) Object() *report.Object {
	var o report.Object
	o.Set("schema", schema)
	o.Set("analysis", t.Analysis)
	sections, works, labels := []any{}, []any{}, t.labels()
	for _, s := range t.Sections {
		var part report.Object
		part.Set("title", s.Title)
		part.Set("text", s.Text)
		part.Set("plain", t.Plain(s))
		sections = append(sections, part)
	}
	for _, r := range t.References() {
		var work report.Object
		work.Set("key", r.Key)
		work.Set("label", labels[r.Key])
		work.Set("type", r.Type)
		for _, f := range r.Fields {
			work.Set(f.Name, f.Value)
		}
		works = append(works, work)
	}
	o.Set("sections", sections)
	o.Set("references", works)
	o.Set("markdown", t.Markdown())
	o.Set("latex", t.LaTeX())
	o.Set("bibtex", t.BibTeX())
	return &o
}
