// Manual pages, in the macros of man.

package repscope

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"repscope/internal/run"
	"repscope/report"
)

// manual prints the page of one command, or writes the pages of all into a folder.
func manual(commands []run.Command, args []string, w io.Writer) error {
	switch {
	case len(args) == 1 && !strings.HasPrefix(args[0], "-"):
		if args[0] == Name {
			return printTo(w, programPage(commands))
		}
		c, err := find(commands, args[0])
		if err != nil {
			return err
		}
		return printTo(w, page(run.Describe(c), commands))
	case len(args) == 2 && args[0] == "--out":
		return writePages(commands, run.Expand(args[1]), w)
	}
	return run.Usage("man: want a binary, or --out and a folder for the pages of all binaries")
}

func printTo(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}

func writePages(commands []run.Command, folder string, w io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	files, err := report.Begin(folder)
	if err != nil {
		return err
	}
	defer files.Abort()
	pages := map[string]string{Name: programPage(commands)}
	for _, c := range commands {
		pages[c.Name] = page(run.Describe(c), commands)
	}
	for name, text := range pages {
		if err := files.File(name+".1", func(w io.Writer) error { return printTo(w, text) }); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return errors.New("man: interrupted; no file was written")
	}
	if err := files.Commit(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%d pages in %s\n", len(pages), folder)
	return err
}

// page is the manual page of a command.
func page(d run.Description, commands []run.Command) string {
	var b strings.Builder
	heading(&b, d.Name, d.Summary)
	b.WriteString(".SH SYNOPSIS\n")
	for i, line := range d.Usage {
		if i > 0 {
			b.WriteString(".br\n")
		}
		fmt.Fprintf(&b, ".B %s\n%s\n", roff(d.Name), roff(line))
	}
	b.WriteString(".SH DESCRIPTION\n")
	paragraphs(&b, d.Manual)
	b.WriteString(".SH OPTIONS\n")
	options(&b, d)
	for _, c := range d.Commands {
		fmt.Fprintf(&b, ".SH %s\n%s\n", roff(strings.ToUpper(c.Name)), filled(c.Summary))
		options(&b, c)
	}
	b.WriteString(".SH EXIT STATUS\n.TP\n.B 0\ndone, all files are written\n.TP\n.B 1\nthe run failed or was interrupted; an earlier result is untouched\n" +
		".TP\n.B 2\nwrong usage\n.TP\n.B SIGABRT\nthe program crashed\n.SH SEE ALSO\n")
	var others []string
	for _, c := range commands {
		if c.Name != d.Name {
			others = append(others, ".BR "+roff(c.Name)+" (1)")
		}
	}
	b.WriteString(strings.Join(others, ",\n") + "\n")
	return b.String()
}

// options writes the flags of a command under the headings of its help.
func options(b *strings.Builder, d run.Description) {
	group := ""
	for _, f := range d.Flags {
		if f.Group != group {
			group = f.Group
			fmt.Fprintf(b, ".SS %s\n", roff(group))
		}
		fmt.Fprintf(b, ".TP\n.BR %s", roff("--"+f.Name))
		if f.Placeholder != "" {
			fmt.Fprintf(b, " \" \\fI%s\\fP\"", roff(f.Placeholder))
		}
		usage := f.Usage
		if f.Default != "" && f.Default != "false" {
			usage += " (default " + f.Default + ")"
		}
		fmt.Fprintf(b, "\n%s\n", filled(usage))
	}
}

// programPage is the page of the program itself.
func programPage(commands []run.Command) string {
	var b strings.Builder
	heading(&b, Name, "numbers, intervals and figures of learned representations")
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n.I BINARY\n[flags]\n", Name)
	for _, p := range parts() {
		fmt.Fprintf(&b, ".br\n.B %s %s\n%s\n", Name, p.name, roff(p.arguments))
	}
	b.WriteString(".SH DESCRIPTION\n" + filled("One program with every binary. It runs the binary named by its first argument, or the binary under whose name it is called.") + "\n")
	for _, c := range commands {
		fmt.Fprintf(&b, ".TP\n.BR %s (1)\n%s\n", roff(c.Name), filled(c.Summary))
	}
	for _, p := range parts() {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(p.name), filled(p.summary))
	}
	for _, p := range parts() {
		if p.command == nil {
			continue
		}
		d := run.Describe(p.command(commands))
		fmt.Fprintf(&b, ".SH %s\n", roff(strings.ToUpper(p.name)))
		paragraphs(&b, d.Manual)
		options(&b, d)
	}
	return b.String()
}

func heading(b *strings.Builder, name, summary string) {
	build := report.ReadBuild()
	day, _, _ := strings.Cut(build.Time, "T")
	fmt.Fprintf(b, ".TH %s 1 %q \"repscope %s\"\n.SH NAME\n%s \\- %s\n",
		strings.ToUpper(name), day, roff(build.Version), roff(name), roff(summary))
}

// paragraphs writes a text whose indented lines are examples, set as they stand.
func paragraphs(b *strings.Builder, text string) {
	example, gap := false, false
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if line == "" {
			gap = true // a paragraph, if text follows
			continue
		}
		indented := strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t")
		switch {
		case indented && !example:
			b.WriteString(".PP\n.nf\n")
		case indented && gap:
			b.WriteString("\n")
		case example && !indented:
			b.WriteString(".fi\n.PP\n")
		case gap:
			b.WriteString(".PP\n")
		}
		example, gap = indented, false
		if indented {
			b.WriteString(roff(line) + "\n")
		} else {
			b.WriteString(filled(line) + "\n")
		}
	}
	if example {
		b.WriteString(".fi\n")
	}
}

// filled is a text that the formatter fills, in lines of the usual width.
func filled(text string) string {
	var b strings.Builder
	width := 0
	for _, word := range strings.Fields(text) {
		word = roff(word) // which may begin a line
		switch {
		case width == 0:
		case width+1+len(word) > 78:
			b.WriteByte('\n')
			width = 0
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += len(word)
	}
	return b.String()
}

// roff escapes what the formatter would take for requests or escapes of its own, and
// characters outside ASCII, which some read as Latin-1.
func roff(text string) string {
	var b strings.Builder
	for i, c := range text {
		switch {
		case i == 0 && (c == '.' || c == '\''):
			b.WriteString(`\&` + string(c))
		case c == '\\':
			b.WriteString(`\e`)
		case c == '-':
			b.WriteString(`\-`)
		case c == '\n':
			b.WriteByte(' ')
		case c > 126:
			fmt.Fprintf(&b, `\[u%04X]`, c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}
