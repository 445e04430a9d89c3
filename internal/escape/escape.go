// Package escape writes texts that come from files, such as names of arrays, models and columns, so that they are
// displayed literally and completely. No terminal, spreadsheet or shell interprets them.
//
//	fmt.Fprintln(os.Stderr, escape.Line("a\nb"))
package escape

import (
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Hidden reports whether a character is not simply visible: a control character, one that changes the direction of
// others, one without width, a separator of lines. Characters that join or vary the letters of scripts and emoji do not
// count.
func Hidden(r rune) bool {
	switch {
	case r < 0x7f:
		return r < ' '
	case r == '\u200c', r == '\u200d': // joiners
		return false
	case r == '\u061c', r == '\u2028', r == '\u2029', r == '\u034f', r == '\u115f', r == '\u1160', r == '\u3164', r == '\uffa0':
		return true // characters without width, of other categories
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Noncharacter_Code_Point) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// Line is a text for a line: hidden characters, and bytes that are no UTF-8, become escapes such as \n, \x1b
// and \u202e.
func Line(text string) string { return escaped(text, Hidden) }

// Lines is Line that leaves line feeds and tabs.
func Lines(text string) string {
	return escaped(text, func(r rune) bool { return r != '\n' && r != '\t' && Hidden(r) })
}

// Sprintf is [fmt.Sprintf] with [Line] of every string among the values, so that none of them ends the line.
func Sprintf(format string, values ...any) string {
	shown := make([]any, len(values))
	for i, value := range values {
		if text, ok := value.(string); ok {
			value = Line(text)
		}
		shown[i] = value
	}
	return fmt.Sprintf(format, shown...)
}

// escaped escapes some characters.
func escaped(text string, hidden func(rune) bool) string {
	i := first(text, hidden)
	if i < 0 {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:i])
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case hidden(r):
			b.WriteString(code(r))
		default:
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

// first is the index of the first character to be escaped; −1 if there is none.
func first(text string, hidden func(rune) bool) int {
	for i, r := range text {
		if hidden(r) {
			return i
		}
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return i
			}
		}
	}
	return -1
}

func code(r rune) string {
	quoted := strconv.QuoteToASCII(string(r))
	return quoted[1 : len(quoted)-1]
}

// Writer is w with [Lines] of all that is written to it. A character may come in several writes.
func Writer(w io.Writer) io.Writer { return &writer{w: w} }

type writer struct {
	w    io.Writer
	part []byte // the begin of a character
}

func (e *writer) Write(p []byte) (int, error) {
	text := append(e.part, p...)
	whole := len(text)
	for k := max(0, whole-utf8.UTFMax+1); k < len(text); k++ {
		if utf8.RuneStart(text[k]) && !utf8.FullRune(text[k:]) {
			whole = k
			break
		}
	}
	e.part = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(e.w, Lines(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// formula are the characters by which a cell begins that spreadsheets compute or run, ASCII or full width.
const formula = "=+-@\t\r＝＋－＠"

// Cell is a text for a cell of a CSV file: one that a spreadsheet would compute gets an apostrophe before it,
// by which spreadsheets know text, but a number stays one. Control characters other than line ends and tabs become
// escapes, as they break readers. [Uncell] takes the apostrophe away.
func Cell(text string) string {
	text = escaped(text, func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\n\r\t", r) })
	if computed(text) {
		return "'" + text
	}
	return text
}

// Uncell is the text of a cell that [Cell] wrote.
func Uncell(cell string) string {
	if text, ok := strings.CutPrefix(cell, "'"); ok && computed(text) {
		return text
	}
	return cell
}

// computed reports whether a spreadsheet takes a text for more than text, which none does with a sign alone;
// apostrophes before it count as part of it, so that Uncell is the inverse of Cell.
func computed(text string) bool {
	rest := strings.TrimLeft(text, "'")
	begin, size := utf8.DecodeRuneInString(strings.TrimLeft(rest, " \n"))
	if len(rest) <= size || !strings.ContainsRune(formula, begin) {
		return false
	}
	if rest != text {
		return true
	}
	_, err := strconv.ParseFloat(text, 64)
	return err != nil
}

// JSON is the encoding of a text in JSON whose hidden characters are escapes too; readers of JSON see no
// difference. Line feeds and tabs between values stay.
func JSON(encoded string) string {
	hidden := func(r rune) bool { return r != '\n' && r != '\t' && Hidden(r) } // which no text in JSON holds as they are
	if first(encoded, hidden) < 0 {
		return encoded
	}
	var b strings.Builder
	for _, r := range encoded {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// Shell is a text as shells take it for one word. Hidden characters are written as octal digits, which printf of any
// shell turns back; a text that ends with a line break, which would be lost, is only quoted.
func Shell(word string) string {
	if first(word, Hidden) >= 0 && !strings.HasSuffix(word, "\n") {
		var b strings.Builder
		for rest := word; rest != ""; {
			r, size := utf8.DecodeRuneInString(rest)
			if Hidden(r) || r == '\\' || r == '\'' || r == utf8.RuneError {
				for _, c := range []byte(rest[:size]) {
					fmt.Fprintf(&b, `\0%03o`, c)
				}
			} else {
				b.WriteString(rest[:size])
			}
			rest = rest[size:]
		}
		return `"$(printf '%b' '` + b.String() + `')"`
	}
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// HTML is a text that HTML and XML show literally.
func HTML(text string) string { return html.EscapeString(Line(text)) }

// Glob is a pattern that matches a path alone.
func Glob(path string) string { return glob.Replace(path) }

var glob = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)

// Markdown is a text that Markdown shows literally, in a line or in a cell of a table.
func Markdown(text string) string { return markdown.Replace(Line(text)) }

// LaTeX is a text that LaTeX prints literally, also as the first one of a row of a table, where it would take [ and *
// for options of the line before.
func LaTeX(text string) string {
	text = latex.Replace(Line(text))
	if strings.HasPrefix(text, "[") || strings.HasPrefix(text, "*") {
		return "{}" + text
	}
	return text
}

// LaTeXNumber is a number, or – for none, with a true minus and powers of ten.
func LaTeXNumber(s string) string {
	mantissa, exponent, ok := strings.Cut(s, "e")
	switch {
	case s == "–":
		return "--"
	case ok:
		sign := strings.TrimPrefix(exponent, "+")
		negative := strings.HasPrefix(sign, "-")
		sign = strings.TrimLeft(strings.TrimPrefix(sign, "-"), "0")
		if negative {
			sign = "-" + sign
		}
		return "$" + mantissa + `\times 10^{` + sign + "}$"
	case strings.HasPrefix(s, "-"):
		return "$" + s + "$"
	case strings.Contains(s, "Inf"):
		return strings.Replace(strings.Replace(s, "+", "", 1), "Inf", `$\infty$`, 1)
	}
	return s
}

var latex = strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "_", `\_`, "%", `\%`,
	"^", `\textasciicircum{}`, "~", `\textasciitilde{}`, "<", `\textless{}`, ">", `\textgreater{}`,
	"|", `\textbar{}`, "²", "$^2$", "³", "$^3$", "τ", `$\tau$`, "°", `$^\circ$`, "×", `$\times$`, "−", "$-$", "–", "--",
	"·", `$\cdot$`, "µ", `$\mu$`, "√", `$\surd$`, "≥", `$\geq$`, "≤", `$\leq$`)

var markdown = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "[", `\[`)
