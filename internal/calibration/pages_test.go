// The pages and tables: complete, and the same again from the tables.

package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"repscope/internal/calibration/celltable"
	"repscope/internal/calibration/summary"
)

// documents is the folder of the pages.
const documents = "../../docs/statistics"

func committed(t *testing.T) []*celltable.File {
	t.Helper()
	files, err := celltable.Read(filepath.Join(documents, summary.Folder))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Every analysis and every section has tables, and says the command that wrote them.
func TestTablesOfEverySection(t *testing.T) {
	t.Parallel()
	commands := map[string]string{}
	for _, f := range committed(t) {
		commands[f.Name] = f.Command
		for _, table := range f.Tables {
			if len(table.Lines) == 0 || len(table.Columns) == 0 {
				t.Errorf("%s: table %s is empty", f.Name, table.Name)
			}
		}
	}
	want := func(name, command string) {
		if got := commands[name]; !strings.HasPrefix(got, "go run ./internal/calibration "+command+" -d") {
			t.Errorf("%s: command %q, want %q", name, got, command)
		}
		delete(commands, name)
	}
	for _, part := range sections() {
		want(part.name, "-"+part.name)
	}
	for _, subject := range analyses() {
		want(subject.Name, "-analyses "+subject.Name)
	}
	if len(commands) > 0 {
		t.Errorf("tables of nothing that is measured: %v", commands)
	}
}

// The pages are those that the tables give: after a change of tables or findings, write them with -pages.
func TestPages(t *testing.T) {
	t.Parallel()
	pages, err := described().Pages(documents, committed(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range pages {
		got, err := os.ReadFile(filepath.Join(documents, name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s is not what the tables give; run go run ./internal/calibration -pages", name)
		}
	}
}

// Text, table and CSV file say the same.
func TestTables_SameFromTextAndCSV(t *testing.T) {
	t.Parallel()
	const text = "### part\n\nCoverage in percent, 3 draws:\n\n" +
		"| a\\|b | 0/1 | power |\n| --- | --- | --- |\n| x | **48 ±1.9 (0.83)** | – |\n| y | 98 ±1.0 (–) | 5.3 ±0.6 of 97.0 % |\n\n" +
		"Confidence set:\n\n| m | 8 blocks |\n| --- | --- |\n| 2 | **89.3 ±1.8**; 10.8; 39 |\n| 3 | 4.9 ±1.0 of 43 %; 2.1 of all |\n\n"
	tables, err := celltable.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	saved := &celltable.File{Name: "one", Command: "go run", Tables: tables}
	for _, f := range []*celltable.File{{Name: "other", Tables: tables[:1]}, {Name: "one"}, saved} {
		if err := f.Save(folder); err != nil {
			t.Fatal(err)
		}
	}
	read, err := celltable.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(read) != 2 || !reflect.DeepEqual(read[1], saved) {
		t.Errorf("read %+v, want %+v", read, saved)
	}
	var b strings.Builder
	for i := range read[1].Tables {
		read[1].Tables[i].WriteText(&b)
	}
	if got := "### part\n\n" + strings.ReplaceAll(b.String(), "part: ", ""); got != text {
		t.Errorf("got\n%s\nwant\n%s", got, text)
	}
	if _, err := celltable.Parse("T:\n\n| a | b |\n| --- | --- |\n| x | about 5 |\n"); err == nil {
		t.Error("a cell that is no number is accepted")
	}
}
