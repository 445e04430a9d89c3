// Wheels of the real package for every system: what an installer relies on, and that the same commit gives the same
// bytes.

package main

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/base64"
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var everyWheel = flag.Bool("wheels", false, "build the wheels of all systems twice and look into them")

func TestEveryWheel(t *testing.T) {
	if !*everyWheel {
		t.Skip("builds the program for six systems, which takes minutes: -wheels")
	}
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed; nothing is cloned")
	}
	root, err := output(git, "rev-parse", "--show-toplevel")
	if err != nil {
		t.Skip("not a repository of git; nothing is cloned")
	}
	var folders []string
	for _, name := range []string{"a", "another name"} {
		clone := filepath.Join(t.TempDir(), name)
		if _, err := output(git, "clone", "--quiet", "--shared", "--depth", "1", "file://"+root, clone); err != nil {
			t.Fatal(err)
		}
		c := exec.Command("go", "run", "./packaging/dist", "--wheels", "--out", "made", "--version", "1.2.3")
		c.Dir, c.Env = clone, append(os.Environ(), "TZ=Asia/Tokyo", "SOURCE_DATE_EPOCH=")
		if said, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		folders = append(folders, filepath.Join(clone, "made"))
	}
	modules, err := packageFiles(filepath.Join(root, source), "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range targets {
		name := wheelName("1.2.3", target)
		first, second := read(t, filepath.Join(folders[0], name)), read(t, filepath.Join(folders[1], name))
		if !bytes.Equal(first, second) {
			t.Errorf("%s: two wheels of one commit differ", target)
		}
		if !strings.Contains(string(read(t, filepath.Join(folders[0], "SHA256SUMS.wheels"))), fmt.Sprintf("%x  %s\n", sha256.Sum256(first), name)) {
			t.Errorf("%s: not in SHA256SUMS.wheels", target)
		}
		if err := lookInto(unpack(t, filepath.Join(folders[0], name)), target, modules); err != nil {
			t.Errorf("%s: %v", target, err)
		}
		t.Logf("%s: %d bytes", name, len(first))
	}
}

// lookInto checks the files of a wheel for a target, each with its mode behind a space, by the specification of wheels.
func lookInto(packed map[string]string, target string, modules []file) error {
	const info = "repscope-1.2.3.dist-info/"
	program := "repscope-1.2.3.data/scripts/repscope"
	if strings.HasPrefix(target, "windows/") {
		program += ".exe"
	}
	want := []string{program, info + "METADATA", info + "RECORD", info + "WHEEL", info + "licenses/LICENSE", info + "licenses/THIRD_PARTY_LICENSES", info + "sboms/repscope.cdx.json"}
	for _, m := range modules {
		want = append(want, m.name)
	}
	var names []string
	contents := make(map[string]string)
	for name, text := range packed {
		at := strings.LastIndexByte(text, ' ')
		mode := "644"
		if name == program {
			mode = "755"
		}
		if text[at+1:] != mode {
			return fmt.Errorf("%s has mode %s, want %s", name, text[at+1:], mode)
		}
		names = append(names, name)
		contents[name] = text[:at]
	}
	slices.Sort(names)
	if slices.Sort(want); !slices.Equal(names, want) {
		return fmt.Errorf("files %q, want %q", names, want)
	}
	rows, err := csv.NewReader(strings.NewReader(contents[info+"RECORD"])).ReadAll()
	if err != nil || len(rows) != len(names) {
		return fmt.Errorf("RECORD has %d rows for %d files: %v", len(rows), len(names), err)
	}
	for _, row := range rows {
		sum := sha256.Sum256([]byte(contents[row[0]]))
		if own := row[0] == info+"RECORD"; own && (row[1] != "" || row[2] != "") ||
			!own && (row[1] != "sha256="+base64.RawURLEncoding.EncodeToString(sum[:]) || row[2] != strconv.Itoa(len(contents[row[0]]))) {
			return fmt.Errorf("RECORD: %q", row)
		}
	}
	for _, tag := range tags[target] {
		if !strings.Contains(contents[info+"WHEEL"], "\nTag: py3-none-"+tag+"\n") {
			return fmt.Errorf("WHEEL has no tag %s", tag)
		}
	}
	if !strings.Contains(contents[info+"METADATA"], "\nName: repscope\nVersion: 1.2.3\n") {
		return fmt.Errorf("METADATA has no version 1.2.3")
	}
	return isFor([]byte(contents[program]), target)
}

// isFor reports a program that is not of the format and for the processor of a target, or not linked as it should be.
func isFor(program []byte, target string) error {
	r := bytes.NewReader(program)
	system, processor, _ := strings.Cut(target, "/")
	arm := processor == "arm64"
	switch system {
	case "linux":
		f, err := elf.NewFile(r)
		if err != nil {
			return err
		}
		machine := map[bool]elf.Machine{false: elf.EM_X86_64, true: elf.EM_AARCH64}[arm]
		libraries, err := f.ImportedLibraries()
		if f.Machine != machine || f.Type != elf.ET_EXEC || len(libraries) > 0 {
			return fmt.Errorf("an ELF file of %v, %v, linked to %q (%v)", f.Machine, f.Type, libraries, err)
		}
		if slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
			return fmt.Errorf("it asks for an interpreter")
		}
	case "darwin":
		f, err := macho.NewFile(r)
		if err != nil {
			return err
		}
		if processor := map[bool]macho.Cpu{false: macho.CpuAmd64, true: macho.CpuArm64}[arm]; f.Cpu != processor || f.Type != macho.TypeExec {
			return fmt.Errorf("a Mach-O file of %v, %v", f.Cpu, f.Type)
		}
		libraries, err := f.ImportedLibraries()
		for _, name := range libraries {
			if !strings.HasPrefix(name, "/usr/lib/") && !strings.HasPrefix(name, "/System/Library/") {
				return fmt.Errorf("linked to %s (%v)", name, err)
			}
		}
		if arm {
			return isSigned(f, program)
		}
	case "windows":
		f, err := pe.NewFile(r)
		if err != nil {
			return err
		}
		machine := map[bool]uint16{false: pe.IMAGE_FILE_MACHINE_AMD64, true: pe.IMAGE_FILE_MACHINE_ARM64}[arm]
		head, ok := f.OptionalHeader.(*pe.OptionalHeader64)
		if f.Machine != machine || !ok || head.Subsystem != pe.IMAGE_SUBSYSTEM_WINDOWS_CUI {
			return fmt.Errorf("a PE file of machine %#x, subsystem %+v", f.Machine, f.OptionalHeader)
		}
		// All else is loaded when it is used, from the folder of the system.
		libraries, err := importsOf(f)
		if err != nil || !slices.Equal(libraries, []string{"kernel32.dll"}) {
			return fmt.Errorf("a PE file that imports %q, want kernel32.dll alone: %v", libraries, err)
		}
	}
	return nil
}
