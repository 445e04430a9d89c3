// The text of the module.

package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"repscope/internal/run"
	"repscope/suite"
)

const head = `"""A function for each binary. Written by packaging/functions from the flags of the binaries: do not edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._client import call_named as _call

if TYPE_CHECKING:
    from typing import Any, Literal, Mapping, Optional, Sequence, Union

    from ._result import Result
    from ._types import Each, File, Files, Float, Floats, Inputs, Int, Ints, Many, Models, Path, ProgressLike, Text, Texts

`

// module is the Python text of the functions of commands.
func module(commands []run.Description) (string, error) {
	var functions, table, names strings.Builder
	for _, d := range commands {
		parameters, err := parametersOf(d)
		if err != nil {
			return "", fmt.Errorf("%s: %w", d.Name, err)
		}
		name := strings.ReplaceAll(d.Name, " ", "_")
		fmt.Fprintf(&names, "    %q,\n", name)
		writeFunction(&functions, d, name, parameters)
		fmt.Fprintf(&table, "    %q: (\n        %q,\n        %q,\n", name, d.Name, arguments[d.Name])
		for _, p := range parameters {
			fmt.Fprintf(&table, "        %q\n", entry(p))
		}
		if len(parameters) == 0 {
			table.WriteString("        \"\",\n")
		}
		table.WriteString("    ),\n")
	}
	return head + "__all__ = [\n" + names.String() + "]\n\n" +
		"# By function: the command, the keyword of its arguments, and its flags as keyword:kind:separator.\nCOMMANDS = {\n" +
		table.String() + "}\n" + functions.String(), nil
}

// entry is a flag in the table, with a space behind it.
func entry(p parameter) string {
	text := p.keyword + ":" + p.kind
	if p.separator != "," {
		text += ":" + p.separator
	}
	return text + " "
}

// parametersOf are the keywords of a command: first those that need no name.
func parametersOf(d run.Description) ([]parameter, error) {
	if (d.Arguments != "") != (arguments[d.Name] != "") && !strings.Contains(d.Name, " ") {
		return nil, fmt.Errorf("it takes %q beside flags: the table of arguments has %q", d.Arguments, arguments[d.Name])
	}
	var all []parameter
	for _, f := range d.Flags {
		if left[f.Name] {
			continue
		}
		p, err := parameterOf(f)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	place := func(p parameter) int {
		if i := slices.Index(first[d.Name], p.keyword); i >= 0 {
			return i
		}
		return len(first[d.Name])
	}
	slices.SortStableFunc(all, func(a, b parameter) int { return place(a) - place(b) })
	for i, keyword := range first[d.Name] {
		if i >= len(all) || all[i].keyword != keyword {
			return nil, fmt.Errorf("there is no flag %q for its parameter", keyword)
		}
	}
	return all, nil
}

func writeFunction(b *strings.Builder, d run.Description, name string, parameters []parameter) {
	fmt.Fprintf(b, "\n\ndef %s(\n", name)
	argument := arguments[d.Name]
	if argument != "" {
		fmt.Fprintf(b, "    %s: Optional[Inputs] = None,\n", argument)
	}
	for i, p := range parameters {
		if i == len(first[d.Name]) {
			b.WriteString("    *,\n")
		}
		fmt.Fprintf(b, "    %s: Optional[%s] = None,\n", p.keyword, p.hint)
	}
	b.WriteString("    progress: ProgressLike = None,\n    nice: Optional[Int] = 0,\n) -> Result:\n")
	fmt.Fprintf(b, "    r\"\"\"%s.\n", capital(pythonic(d.Summary)))
	for paragraph := range strings.SplitSeq(d.Manual, "\n\n") {
		if paragraph = strings.Trim(paragraph, "\n"); strings.TrimSpace(paragraph) != "" {
			b.WriteString("\n" + indent(pythonic(paragraph), "    ") + "\n")
		}
	}
	b.WriteString("\n    Args:\n")
	if argument != "" {
		what := "paths, results, or a mapping of names to them"
		switch d.Name {
		case "evaluate", "scale plan":
			what = "a path, or a mapping of what the file holds, in which arrays, readers and modules go over as files"
		case "scale slurm", "scale k8s":
			what = "a path"
		}
		b.WriteString(wrap(fmt.Sprintf("%s: %s; %s.", argument, arguedAs(d), what), "        ", "            "))
	}
	for _, p := range parameters {
		b.WriteString(wrap(p.keyword+": "+describe(p), "        ", "            "))
	}
	b.WriteString(wrap("progress: True or False, or a function of the work's name, what is done and the total; by default a line on a terminal and in a notebook.", "        ", "            "))
	b.WriteString(wrap("nice: by how much the run yields to others (nice; below normal on Windows).", "        ", "            "))
	fmt.Fprintf(b, "    \"\"\"\n    return _call(%q, locals())\n", name)
}

func arguedAs(d run.Description) string {
	if d.Arguments != "" {
		return d.Arguments
	}
	head, _, _ := strings.Cut(d.Usage[0], " [flags]")
	return head
}

// describe is the help of a flag, with its default.
func describe(p parameter) string {
	text := strings.NewReplacer(" (repeats)", "", "(repeats; ", "(", "(repeats with ", "(also ").Replace(pythonic(p.Usage))
	switch {
	case p.Name == "out":
		text += "; by default a temporary folder that goes with the result"
	case p.Default != "" && p.Default != "false":
		text += fmt.Sprintf(". Default: %s", p.Default)
	}
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

var (
	flagName = regexp.MustCompile(`--([a-z](?:[a-z0-9-]*[a-z0-9])?)`)
	// shellText is a command line of one of the binaries: what stands in quotes, or an indented line with those that
	// continue it.
	shellText = regexp.MustCompile(`"(?:` + binaries + `) [^"]*"|(?m)^  (?:` + binaries + `) (?:[^\n]*\\\n)*[^\n]*$`)
	binaries  = strings.Join(names(), "|")
)

// names are those of the binaries.
func names() []string {
	var all []string
	for _, c := range suite.Commands() {
		all = append(all, regexp.QuoteMeta(c.Name))
	}
	return all
}

// pythonic writes the names of flags as keywords, but for those of command lines.
func pythonic(text string) string {
	var b strings.Builder
	last := 0
	keywords := func(part string) {
		b.WriteString(flagName.ReplaceAllStringFunc(part, func(name string) string { return keywordOf(name[2:]) }))
	}
	for _, at := range shellText.FindAllStringIndex(text, -1) {
		keywords(text[last:at[0]])
		b.WriteString(text[at[0]:at[1]])
		last = at[1]
	}
	keywords(text[last:])
	return strings.ReplaceAll(b.String(), `"""`, `"`)
}

func capital(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

func indent(text, by string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line = strings.TrimRight(line, " \t"); line != "" {
			line = by + line
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}

// wrap breaks a text into lines of at most 120 characters.
func wrap(text, first, other string) string {
	var b strings.Builder
	line := first
	empty := true
	for word := range strings.FieldsSeq(text) {
		if !empty && len([]rune(line))+1+len([]rune(word)) > 120 {
			b.WriteString(line + "\n")
			line, empty = other, true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	return b.String() + line + "\n"
}
