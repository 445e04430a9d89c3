// Commands that are several.

package run

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"repscope/internal/text"
)

// chosen is the command that the first argument names, with the other arguments. A command that
// is one is itself; the help and the version of several cover all of them.
func (c Command) chosen(args []string) (Command, []string, error) {
	if len(c.Commands) == 0 {
		return c, args, nil
	}
	var names []string
	for _, sub := range c.Commands {
		names = append(names, sub.Name)
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		var summaries strings.Builder
		for _, sub := range c.Commands {
			fmt.Fprintf(&summaries, "\n  %-8s %s", sub.Name, sub.Summary)
		}
		c.Manual += "\n" + summaries.String()
		c.Setup, c.Omit = c.overview, []string{"config", "seed", "bootstrap", "out", "format", "width", "quiet", "verbose", "threads", "memory"}
		return c, args, nil
	}
	i := slices.Index(names, args[0])
	if i < 0 {
		hint := text.DidYouMean("", args[0], names)
		return c, nil, Hint(Usage("unknown command %q: want one of %s", args[0], strings.Join(names, ", ")), hint)
	}
	sub := c.Commands[i]
	sub.Name = c.Name + " " + sub.Name
	return sub, args[1:], nil
}

// overview is the job of a command of several that names none of them.
func (c Command) overview(flags *Flags) Job {
	var names []string
	for _, sub := range c.Commands {
		flags.Usage(strings.TrimSpace(sub.Name+" "+sub.Arguments) + " [flags]")
		names = append(names, sub.Name)
	}
	return Job{
		Check: func(*Options) error {
			return Hint(Usage("no command: want one of %s", strings.Join(names, ", ")),
				fmt.Sprintf("run %s --help, or %s %s --help", c.Name, c.Name, names[0]))
		},
		Direct: func(context.Context, *Options, io.Writer, io.Writer) error { return nil },
	}
}
