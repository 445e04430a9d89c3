// The linked modules: a bill of materials, and the licenses.

package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// A module is one that the program links.
type module struct{ path, version string }

// modulesOf reads the modules of a program out of it.
func modulesOf(program string) ([]module, string, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, "", err
	}
	var modules []module
	for _, m := range info.Deps {
		if m.Replace != nil && strings.HasPrefix(m.Replace.Path, ".") {
			continue // ours, in the place of another
		}
		modules = append(modules, module{m.Path, m.Version})
	}
	return modules, info.GoVersion, nil
}

// billOf is the bill of materials of a program, in CycloneDX 1.6.
func billOf(program, version string) ([]byte, error) {
	modules, language, err := modulesOf(program)
	if err != nil {
		return nil, err
	}
	type component struct {
		Type     string           `json:"type"`
		Name     string           `json:"name"`
		Version  string           `json:"version"`
		PURL     string           `json:"purl,omitempty"`
		Licenses []map[string]any `json:"licenses,omitempty"`
	}
	describe := func(m module, kind string, licenses ...string) component {
		c := component{Type: kind, Name: m.path, Version: m.version}
		c.PURL = "pkg:golang/" + m.path + "@" + strings.ReplaceAll(m.version, "+", "%2B")
		for _, id := range licenses {
			c.Licenses = append(c.Licenses, map[string]any{"license": map[string]string{"id": id}})
		}
		return c
	}
	components := []component{describe(module{"std", strings.TrimPrefix(language, "go")}, "library", "BSD-3-Clause")}
	for _, m := range modules {
		texts, err := licensesOf(m)
		if err != nil {
			return nil, err
		}
		var ids []string
		for _, l := range texts {
			if id := licenseID(l.text); id != "" && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		components = append(components, describe(m, "library", ids...))
	}
	// The fonts are files, of no module that is linked.
	components = append(components, component{Type: "file", Name: fontName, Version: fontVersion,
		PURL:     "pkg:generic/liberation-fonts@" + fontVersion,
		Licenses: []map[string]any{{"license": map[string]string{"id": "OFL-1.1"}}}})
	described := describe(module{"repscope", version}, "application", "Apache-2.0")
	bill, err := json.MarshalIndent(map[string]any{"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata": map[string]any{"component": described}, "components": components}, "", "  ")
	return append(bill, '\n'), err
}

// The fonts of package internal/typeface, by what their own tables say.
const (
	fontName    = "Liberation Sans Regular and Bold"
	fontVersion = "2.1.4"
	fontLicense = "internal/typeface/LICENSE-SIL"
)

// A license is a file of a module.
type license struct{ name, text string }

// choices are the files of those that were chosen, where a module leaves the choice.
var choices = map[string]string{"github.com/golang/freetype": "licenses/ftl.txt"}

// known are the licenses that were read: every target links much the same modules.
var known = map[module][]license{}

// licensesOf reads the license files of a module.
func licensesOf(m module) ([]license, error) {
	if found, ok := known[m]; ok {
		return found, nil
	}
	folder, err := output("go", "list", "-m", "-f", "{{.Dir}}", m.path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, below := range []string{".", "THIRD_PARTY_LICENSES"} {
		entries, err := os.ReadDir(filepath.Join(folder, below))
		if err != nil && below == "." {
			return nil, err
		}
		for _, e := range entries {
			upper := strings.ToUpper(e.Name())
			begins := func(word string) bool { return strings.HasPrefix(upper, word) }
			isLicense := slices.ContainsFunc([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE"}, begins)
			if e.Type().IsRegular() && (isLicense || below != ".") {
				names = append(names, filepath.Join(below, e.Name()))
			}
		}
	}
	if name, ok := choices[m.path]; ok {
		names = append(names, name)
	}
	var licenses []license
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		licenses = append(licenses, license{filepath.ToSlash(name), asUTF8(text)})
	}
	known[m] = licenses
	return licenses, nil
}

// asUTF8 is a text in UTF-8, which wheels ask of licenses; one that is not is of Latin-1, as FreeType's.
func asUTF8(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	var b strings.Builder
	for _, c := range text {
		b.WriteRune(rune(c))
	}
	return b.String()
}

// licenseID is the SPDX name of a license by words that only it has; empty for others.
func licenseID(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for _, l := range []struct{ id, words string }{
		{"Apache-2.0", "Apache License Version 2.0"},
		{"MPL-2.0", "Mozilla Public License Version 2.0"},
		{"OFL-1.1", "SIL OPEN FONT LICENSE Version 1.1"},
		{"BSD-3-Clause", "Neither the name of"},
		{"BSD-3-Clause", "names of its contributors may be used"},
		{"BSD-2-Clause", "Redistributions in binary form"},
		{"MIT", "Permission is hereby granted, free of charge"},
		{"FTL", "The FreeType Project LICENSE"},
		{"CC-BY-4.0", "Creative Commons Attribution 4.0 International"},
	} {
		if strings.Contains(text, l.words) {
			return l.id
		}
	}
	return ""
}

// sharedFiles are the files of every archive: manual pages, completions, licenses, the README.
func sharedFiles(work, version string, moment time.Time) ([]file, error) {
	program := filepath.Join(work, "host", "repscope")
	if err := build(program, runtime.GOOS, runtime.GOARCH, version, moment); err != nil { // as it is handed out, so that nothing is compiled twice
		return nil, err
	}
	var files []file
	for name, source := range map[string]string{"README.md": "README.md", "LICENSE": "LICENSE"} {
		text, err := os.ReadFile(source)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, text, 0o644})
	}
	for shell, name := range map[string]string{"bash": "repscope.bash", "zsh": "_repscope", "fish": "repscope.fish"} {
		text, err := output(program, "completion", shell)
		if err != nil {
			return nil, err
		}
		files = append(files, file{"completions/" + name, []byte(text + "\n"), 0o644})
	}
	pages := filepath.Join(work, "man1")
	if _, err := output(program, "man", "--out", pages); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(pages)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(pages, e.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, file{"man/man1/" + e.Name(), text, 0o644})
	}
	licenses, err := thirdParty(program)
	return append(files, file{"THIRD_PARTY_LICENSES", licenses, 0o644}), err
}

// thirdParty joins the licenses of all linked modules.
func thirdParty(program string) ([]byte, error) {
	modules, _, err := modulesOf(program)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.path, b.path) })
	var b strings.Builder
	for _, m := range modules {
		texts, err := licensesOf(m)
		if err != nil {
			return nil, err
		}
		if len(texts) == 0 {
			return nil, fmt.Errorf("%s has no license file", m.path)
		}
		for _, l := range texts {
			fmt.Fprintf(&b, "==== %s %s: %s\n\n%s\n\n", m.path, m.version, l.name, strings.TrimSpace(l.text))
		}
	}
	root, err := output("go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "==== the Go standard library: LICENSE\n\n%s\n\n", strings.TrimSpace(string(text)))
	if text, err = os.ReadFile(fontLicense); err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "==== %s %s: %s\n\n%s\n",
		fontName, fontVersion, filepath.Base(fontLicense), strings.TrimSpace(string(text)))
	return []byte(b.String()), nil
}
