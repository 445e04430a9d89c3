// Completions of shells, as texts that call nothing.

package repscope

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"repscope/internal/run"
)

// printCompletion prints the completions of all commands for a shell.
func printCompletion(commands []run.Command, args []string, w io.Writer) error {
	shells := map[string]func([]run.Description) string{"bash": bash, "zsh": zsh, "fish": fish}
	if len(args) != 1 || shells[args[0]] == nil {
		return run.Usage("completion: name a shell: bash, zsh or fish")
	}
	all := make([]run.Description, len(commands))
	for i, c := range commands {
		all[i] = run.Describe(c)
	}
	return printTo(w, shells[args[0]](all))
}

// names are the flag's and command's names, separated by spaces.
func flagNames(d run.Description) string {
	var names []string
	for _, f := range d.AllFlags() {
		names = append(names, "--"+f.Name)
	}
	return strings.Join(names, " ")
}

// subcommands are the names of the commands of a command that is several.
func subcommands(d run.Description) string {
	var names []string
	for _, c := range d.Commands {
		names = append(names, strings.TrimPrefix(c.Name, d.Name+" "))
	}
	return strings.Join(names, " ")
}

func commandNames(all []run.Description) []string {
	names := make([]string, len(all))
	for i, d := range all {
		names[i] = d.Name
	}
	return names
}

func ownNames() []string {
	var names []string
	for _, p := range parts() {
		names = append(names, p.name)
	}
	return append(names, "help")
}

// withParts are binaries and what the program does itself with flags, by the word that names them.
func withParts(all []run.Description) []run.Description {
	all = slices.Clone(all)
	for _, p := range parts() {
		if p.command != nil {
			d := run.Describe(p.command(nil))
			d.Name = p.name
			all = append(all, d)
		}
	}
	return all
}

// takesFiles tells flags whose value is, or ends in, a path.
func takesFiles(f run.FlagInfo) bool {
	return f.Type == "path" || f.Type == "text" && len(f.Choices) == 0
}

// bash completes names of flags, and values that are choices; files are left to readline,
// which completes behind NAME= too.
func bash(all []run.Description) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# bash completion of repscope and its binaries
_repscope() {
	local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} name=${COMP_WORDS[0]##*/} flags=
	COMPREPLY=()
	if [[ $name == %[1]s ]]; then
		if ((COMP_CWORD == 1)); then
			COMPREPLY=($(compgen -W "%[2]s" -- "$current"))
			return
		fi
		name=${COMP_WORDS[1]}
		if [[ $name == help || $name == man || $name == describe ]]; then
			COMPREPLY=($(compgen -W "%[3]s" -- "$current"))
			return
		fi
		if [[ $name == completion ]]; then
			COMPREPLY=($(compgen -W "bash zsh fish" -- "$current"))
			return
		fi
	fi
	# --flag=value comes as three words
	if [[ $current == "=" ]]; then
		current=
	elif [[ $before == "=" ]]; then
		before=${COMP_WORDS[COMP_CWORD-2]}
	fi
	case $name:$before in
`, Name, strings.Join(append(commandNames(all), ownNames()...), " "), strings.Join(commandNames(all), " "))
	for _, d := range withParts(all) {
		if len(d.Commands) > 0 {
			fmt.Fprintf(&b, "\t%s:%s | %s:*/%s) COMPREPLY=($(compgen -W \"%s\" -- \"$current\")); return ;;\n",
				d.Name, d.Name, d.Name, d.Name, subcommands(d))
		}
		for _, f := range d.AllFlags() {
			if len(f.Choices) > 0 {
				fmt.Fprintf(&b, "\t%s:--%s) COMPREPLY=($(compgen -W \"%s\" -- \"$current\")); return ;;\n",
					d.Name, f.Name, strings.Join(f.Choices, " "))
			}
		}
	}
	b.WriteString("\tesac\n\tcase $name in\n")
	for _, d := range withParts(all) {
		fmt.Fprintf(&b, "\t%s) flags=\"%s\" ;;\n", d.Name, flagNames(d))
	}
	fmt.Fprintf(&b, "\tesac\n\tif [[ $current == -* ]]; then\n\t\tCOMPREPLY=($(compgen -W \"$flags\" -- \"$current\"))\n\tfi\n}\ncomplete -o default -F _repscope %s %s\n",
		Name, strings.Join(commandNames(all), " "))
	return b.String()
}

// brief is the beginning of a usage text, for one line of a menu.
func brief(usage string) string {
	for _, end := range []string{"; ", ": ", ", "} {
		if head, _, ok := strings.Cut(usage, end); ok && len(head) > 12 {
			usage = head
			break
		}
	}
	if i := strings.LastIndex(usage, " ("); i > 0 && !strings.Contains(usage[i:], ")") {
		usage = usage[:i] // a parenthesis was cut
	}
	if runes := []rune(usage); len(runes) > 70 {
		cut := string(runes[:70])
		if i := strings.LastIndex(cut, " "); i > 0 {
			cut = cut[:i]
		}
		usage = cut + " …"
	}
	return usage
}

// zsh uses _arguments, which knows --flag value and --flag=value.
func zsh(all []run.Description) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#compdef %s %s\n# zsh completion of repscope and its binaries\n",
		Name, strings.Join(commandNames(all), " "))
	quote := strings.NewReplacer("'", `'\''`, "[", `\[`, "]", `\]`, ":", `\:`, `\`, `\\`)
	for _, d := range withParts(all) {
		fmt.Fprintf(&b, "\n_repscope_%s() {\n\t_arguments -s -S", d.Name)
		if len(d.Commands) > 0 {
			fmt.Fprintf(&b, " \\\n\t\t'1:command:(%s)'", subcommands(d))
		}
		for _, f := range d.AllFlags() {
			star := ""
			if f.Repeats {
				star = "*"
			}
			assign, action := "=", ""
			switch {
			case f.Type == "bool":
				assign = ""
			case len(f.Choices) > 0 && f.Type == "texts":
				action = fmt.Sprintf(":%s:_values -s , %s %s",
					quote.Replace(f.Placeholder), quote.Replace(f.Name), strings.Join(f.Choices, " "))
			case len(f.Choices) > 0:
				action = fmt.Sprintf(":%s:(%s)", quote.Replace(f.Name), strings.Join(f.Choices, " "))
			case takesFiles(f):
				action = fmt.Sprintf(":%s:_repscope_files", quote.Replace(f.Placeholder))
			default:
				action = fmt.Sprintf(":%s: ", quote.Replace(f.Placeholder))
			}
			fmt.Fprintf(&b, " \\\n\t\t'%s--%s%s[%s]%s'", star, f.Name, assign, quote.Replace(brief(f.Usage)), action)
		}
		if d.Arguments != "" || len(d.Commands) > 0 {
			b.WriteString(" \\\n\t\t'*:file:_files'")
		}
		b.WriteString("\n}\n")
	}
	fmt.Fprintf(&b, `
# NAME=FILE: what stands behind the last equals sign is the path
_repscope_files() {
	compset -P '*='
	_files
}

_repscope() {
	local name=${service:t}
	if [[ $name == %[1]s ]]; then
		if ((CURRENT == 2)); then
			compadd -- %[2]s
			return
		fi
		name=$words[2]
		if [[ $name == (help|man|describe) ]]; then
			compadd -- %[3]s
			return
		fi
		if [[ $name == completion ]]; then
			compadd -- bash zsh fish
			return
		fi
		shift words
		((CURRENT--))
	fi
	if ((${+functions[_repscope_$name]})); then
		_repscope_$name
	else
		_files
	fi
}

# sourced, or loaded by the completion system, which calls it
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
	_repscope "$@"
else
	compdef _repscope %[1]s %[3]s
fi
`, Name, strings.Join(append(commandNames(all), ownNames()...), " "), strings.Join(commandNames(all), " "))
	return b.String()
}

// fish has a line for each flag of each command, once for its own name and once behind the
// program's.
func fish(all []run.Description) string {
	var b strings.Builder
	quote := strings.NewReplacer(`\`, `\\`, "'", `\'`)
	fmt.Fprintf(&b, "# fish completion of repscope and its binaries\nset -l names %s\n",
		strings.Join(commandNames(all), " "))
	for _, d := range all {
		fmt.Fprintf(&b, "complete -c %s -n \"not __fish_seen_subcommand_from $names\" -f -a %s -d '%s'\n",
			Name, d.Name, quote.Replace(d.Summary))
	}
	for _, p := range parts() {
		fmt.Fprintf(&b, "complete -c %s -n \"not __fish_seen_subcommand_from $names\" -f -a %s -d '%s'\n",
			Name, p.name, quote.Replace(p.summary))
	}
	fmt.Fprintf(&b, "complete -c %s -n '__fish_seen_subcommand_from help man describe' -f -a \"$names\"\n", Name)
	fmt.Fprintf(&b, "complete -c %s -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n", Name)
	for _, d := range withParts(all) {
		if len(d.Commands) > 0 {
			fmt.Fprintf(&b, "complete -c %s -a '%s'\ncomplete -c %s -n '__fish_seen_subcommand_from %s' -a '%s'\n",
				d.Name, subcommands(d), Name, d.Name, subcommands(d))
		}
		for _, f := range d.AllFlags() {
			value := ""
			switch {
			case f.Type == "bool":
			case len(f.Choices) > 0:
				value = fmt.Sprintf(" -x -a '%s'", strings.Join(f.Choices, " "))
			case takesFiles(f):
				value = " -r -F"
			default:
				value = " -x"
			}
			text := quote.Replace(brief(f.Usage))
			if slices.Contains(commandNames(all), d.Name) {
				fmt.Fprintf(&b, "complete -c %s -l %s%s -d '%s'\n", d.Name, f.Name, value, text)
			}
			fmt.Fprintf(&b, "complete -c %s -n '__fish_seen_subcommand_from %s' -l %s%s -d '%s'\n",
				Name, d.Name, f.Name, value, text)
		}
	}
	return b.String()
}
