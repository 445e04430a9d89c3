// Tests of texts that come from files.

package escape

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// hostile are texts with what must not be obeyed by whoever reads them.
var hostile = []string{
	"\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "a\rb", "a\nb", "a\x00b", "\x7f", "\u009b31m", "a\u202eb\u202c", "\u2066x\u2069", "\u200b", "\ufeffx",
	"\u00ad", "\u2028", "\u061c", "\U000e0041", "\xff\xfe", "é\xc3", "\u3164", "\ufdd0",
}

// harmless are texts of all scripts, which stay as they are.
var harmless = []string{"", "plain", "größer ≤ 3", "نص", "שלום", "日本語　名", "👩\u200d🔬", "क्\u200dष", "é", "a b", `C:\x`, "\u0601x"}

func TestLine(t *testing.T) {
	t.Parallel()
	for _, s := range harmless {
		if got := Line(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
	for _, s := range hostile {
		got := Line(s)
		if got == s || !utf8.ValidString(got) || strings.ContainsFunc(got, Hidden) || strings.ContainsFunc(got, unicode.IsControl) {
			t.Errorf("%q became %q", s, got)
		}
	}
	for s, want := range map[string]string{
		"\x1b[31m": `\x1b[31m`, "a\nb\tc": `a\nb\tc`, "a\u202eb": `a\u202eb`, "\xff": `\xff`, "\U000e0041": `\U000e0041`, "é\xc3": `é\xc3`, "\ufffd": "\ufffd",
	} {
		if got := Line(s); got != want {
			t.Errorf("Line(%q) is %q, want %q", s, got, want)
		}
	}
	if got := Lines("a\n\tb\r\x1b"); got != "a\n\tb"+`\r\x1b` {
		t.Errorf("Lines: %q", got)
	}
	if got := Sprintf("%s %v %d\n", "a\nb", []int{1}, 2); got != `a\nb`+" [1] 2\n" {
		t.Errorf("Sprintf: %q", got)
	}
}

// Texts written in pieces are escaped as a whole.
func TestWriter(t *testing.T) {
	t.Parallel()
	text := strings.Join(append(append([]string{}, hostile...), harmless...), "\n") + "\n"
	want := Lines(text)
	for size := 1; size < 6; size++ {
		var out bytes.Buffer
		w := Writer(&out)
		for rest := []byte(text); len(rest) > 0; {
			n, err := w.Write(rest[:min(size, len(rest))])
			if err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if out.String() != want {
			t.Errorf("pieces of %d bytes: %q, want %q", size, out.String(), want)
		}
	}
}

func TestCell(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"=1+1": "'=1+1", "+cmd|x": "'+cmd|x", "@SUM(A1)": "'@SUM(A1)", "-2+3": "'-2+3", "\tx": "'\tx", "\r=x": "'\r=x", " =x": "' =x", "\n=x": "'\n=x", "＝1": "'＝1",
		"-0.5": "-0.5", "+1e-3": "+1e-3", "-inf": "-inf", "-1": "-1", "-": "-", "+": "+", "@": "@", "": "", "model": "model", "a=b": "a=b", "it's": "it's",
		"'quoted'": "'quoted'", "'=1": "''=1", "a\x1bb": `a\x1bb`, "a\nb": "a\nb",
	} {
		if got := Cell(text); got != want {
			t.Errorf("Cell(%q) is %q, want %q", text, got, want)
		}
	}
}

// A cell is read as the text it was, and no two texts make one cell.
func FuzzCell(f *testing.F) {
	for _, s := range append(append([]string{"=1", "'=1", "''-x", "-0.5", "'-0.5", " @x"}, hostile...), harmless...) {
		f.Add(s)
	}
	f.Add("0\r\r\n0")
	f.Fuzz(func(t *testing.T, text string) {
		for strings.Contains(text, "\r\n") { // readers of CSV take each for a line feed
			text = strings.ReplaceAll(text, "\r\n", "\n")
		}
		cell := Cell(text)
		shown := escaped(text, func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\n\r\t", r) })
		if got := Uncell(cell); got != shown {
			t.Errorf("%q became %q and %q", text, cell, got)
		}
		if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) && cell != text {
			t.Errorf("%q became %q", text, cell)
		}
		var out bytes.Buffer
		w := csv.NewWriter(&out)
		if err := w.Write([]string{"x", cell}); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		if row, err := csv.NewReader(&out).Read(); err != nil || Uncell(row[1]) != shown {
			t.Errorf("%q: %q, %v", text, row, err)
		}
	})
}

func TestJSON(t *testing.T) {
	t.Parallel()
	for _, s := range append(append([]string{}, hostile...), harmless...) {
		encoded, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		got := JSON(string(encoded))
		var back, want string
		if err := json.Unmarshal([]byte(got), &back); err != nil {
			t.Errorf("%q: %v", got, err)
		}
		_ = json.Unmarshal(encoded, &want)
		if back != want || strings.ContainsFunc(got, Hidden) {
			t.Errorf("%q became %s, which is %q", s, got, back)
		}
	}
}

// A shell makes one word of the text that stands in it.
func TestShell(t *testing.T) {
	t.Parallel()
	words := append([]string{"", "a b", "it's", "$(touch x)", "`x`", "a\nb", `\`, "*", "~", "!x", "-n", "a;b", "é",
		"a\u202eb", "\ufeff", "\\n\u202e'\"$x", "\x1b[31m%b %s", "\xff\u200b", "ends\u202e\n", "a\n\u202e"}, harmless...)
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	for _, word := range words {
		out, err := exec.Command(shell, "-c", "printf %s "+Shell(word)).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q: a shell reads %q, %v", word, out, err)
		}
		if text := Shell(word); first(text, Hidden) >= 0 && !strings.HasSuffix(word, "\n") {
			t.Errorf("%q: hidden characters in %q", word, text)
		}
	}
}

func TestMarkup(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"a_b|c":     {`a\_b\|c`, `a\_b\textbar{}c`},
		"[x](y)":    {`\[x](y)`, `{}[x](y)`},
		"*x*":       {`\*x\*`, `{}*x*`},
		"a\nb":      {`a\\nb`, `a\textbackslash{}nb`},
		"<b>&`":     {"&lt;b>&\\`", "\\textless{}b\\textgreater{}\\&`"},
		`\input{x}`: {`\\input{x}`, `\textbackslash{}input\{x\}`},
		"50 % of $": {"50 % of $", `50 \% of \$`},
	} {
		if got := Markdown(text); got != want[0] {
			t.Errorf("Markdown(%q) is %q, want %q", text, got, want[0])
		}
		if got := LaTeX(text); got != want[1] {
			t.Errorf("LaTeX(%q) is %q, want %q", text, got, want[1])
		}
	}
}

// Indented JSON stays JSON.
func TestJSON_Indented(t *testing.T) {
	t.Parallel()
	if got := JSON("{\n\t\"a\u202e\": 1\n}\n"); got != "{\n\t\"a\\u202e\": 1\n}\n" {
		t.Errorf("got %q", got)
	}
}
