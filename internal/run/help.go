// The help text and the version line.

package run

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"repscope/internal/kernel"
	"repscope/report"
)

var groupTitles = []struct {
	group Group
	title string
}{
	{Inputs, "inputs"},
	{own, ""}, // titled by the binary's name
	{Statistics, "statistics"},
	{Settings, "settings"},
	{Output, "output"},
	{Running, "running"},
}

// help writes the manual: usage, what the binary does, every flag in its group,
// exit statuses.
func help(w io.Writer, c *Command, flags *Flags) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\nusage:\n", c.Name, c.Summary)
	for _, line := range usageLines(c, flags) {
		fmt.Fprintf(&b, "  %s %s\n", c.Name, line)
	}
	if c.Manual != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(c.Manual))
	}
	for _, s := range sections(c, flags) {
		fmt.Fprintf(&b, "\n%s:\n", s.title)
		for _, f := range s.flags {
			writeFlag(&b, f)
		}
	}
	b.WriteString(`
exit status:
  0  done, all files are written
  1  the run failed or was interrupted; an earlier result is untouched
  2  wrong usage
`)
	_, err := io.WriteString(w, b.String())
	return err
}

// section is a heading of the help and what stands under it.
type section struct {
	title string
	flags []*flag.Flag
}

// sections are the sections of a command that have flags.
func sections(c *Command, flags *Flags) []section {
	var all []section
	for _, g := range groupTitles {
		s := section{title: g.title}
		if t := flags.titles[g.group]; t != "" {
			s.title = t
		}
		if g.group == own {
			s.title = c.Name
		}
		for _, name := range flags.order {
			if flags.groups[name] == g.group {
				s.flags = append(s.flags, flags.Lookup(name))
			}
		}
		flags.VisitAll(func(f *flag.Flag) {
			if flags.own(f.Name) && flags.groups[f.Name] == g.group {
				s.flags = append(s.flags, f)
			}
		})
		if len(s.flags) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// usageLines are the ways in which the command is called.
func usageLines(c *Command, flags *Flags) []string {
	switch {
	case c.Arguments != "":
		return append([]string{c.Arguments + " [flags]"}, flags.usage...)
	case len(flags.usage) == 0:
		return []string{"[flags]"}
	}
	return flags.usage
}

func writeFlag(b *strings.Builder, f *flag.Flag) {
	placeholder, usage := flag.UnquoteUsage(f)
	b.WriteString("  --" + f.Name)
	if placeholder != "" {
		b.WriteString(" " + placeholder)
	}
	switch f.DefValue {
	case "", "false":
	default:
		usage += " (default " + f.DefValue + ")"
	}
	b.WriteString("\n")
	for _, line := range wrap(usage, 72) {
		b.WriteString("        " + line + "\n")
	}
}

// wrap breaks text at spaces into lines of at most width characters.
func wrap(text string, width int) []string {
	var lines []string
	line, length := "", 0
	for word := range strings.FieldsSeq(text) {
		n := len([]rune(word))
		if length > 0 && length+1+n > width {
			lines = append(lines, line)
			line, length = "", 0
		}
		if length > 0 {
			line += " "
			length++
		}
		line += word
		length += n
	}
	return append(lines, line)
}

// WriteVersion tells everything that the numbers depend on, as a line or as JSON.
func WriteVersion(w io.Writer, name string, asJSON bool) error {
	build := report.ReadBuild()
	if asJSON {
		var o report.Object
		o.Set("name", name)
		o.Set("version", build.Version)
		o.Set("revision", build.Revision)
		o.Set("go", build.Go)
		o.Set("kernel", report.Kernel{Name: kernel.Name(), KC: kernel.KC})
		return report.Encode(w, o)
	}
	line := name + " (repscope) " + build.Version
	if build.Revision != "" {
		line += " revision " + build.Revision
	}
	_, err := fmt.Fprintf(w, "%s %s kernel %s KC %d\n", line, build.Go, kernel.Name(), kernel.KC)
	return err
}
