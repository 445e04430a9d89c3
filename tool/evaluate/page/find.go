// Result files in folders, found by what they hold.

package page

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"repscope/internal/gunzip"
	"repscope/internal/regular"
	"repscope/internal/text"
	"repscope/report"
)

// mostBytes is the size of the largest file that is looked into.
const mostBytes = 1 << 30

// Find returns the results of all result files with models in folders and below, in natural order of their paths. The
// dataset of a result is the folder above its own, from the folder that all have in common; where that folder has two
// results of one analysis, theirs are their own folders. Results of the named tools are left out: they hold the
// numbers of others. Files that are no result files are left alone; one that is of another schema or damaged is in
// skipped, with the reason, and so is a folder without a result. Errors: a folder that cannot be read.
func Find(folders []string, tools ...string) (sections []Section, skipped []string, err error) {
	var files []string
	for _, folder := range folders {
		paths, err := jsonFiles(folder)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, paths...)
	}
	slices.SortFunc(files, text.CompareNatural)
	files = slices.Compact(files)
	root := common(folders)
	var results []string
	for _, file := range files {
		name, err := filepath.Rel(root, file)
		if err != nil {
			name = filepath.Base(file)
		}
		name = filepath.ToSlash(name)
		r, err := readResult(file, name)
		switch {
		case err != nil:
			skipped = append(skipped, err.Error())
		case r != nil && r.Models.Len() > 0 && !slices.Contains(tools, r.Analysis):
			sections = append(sections, Section{Analysis: r.Analysis, Folder: path.Dir(name), File: file, Result: r})
			results = append(results, file)
		}
	}
	for _, folder := range folders {
		if !slices.ContainsFunc(results, func(file string) bool { return inside(file, folder) }) && len(results) > 0 {
			skipped = append(skipped, folder+": there are no result files in it")
		}
	}
	nameDatasets(sections)
	slices.SortStableFunc(sections, func(a, b Section) int { return text.CompareNatural(a.Dataset, b.Dataset) })
	return sections, skipped, nil
}

// inside reports whether a file lies in a folder, or below it.
func inside(file, folder string) bool {
	rest, err := filepath.Rel(filepath.Clean(folder), file)
	return err == nil && rest != ".." && !strings.HasPrefix(rest, ".."+string(filepath.Separator))
}

// jsonFiles are the files of a folder that may be results.
func jsonFiles(folder string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(d.Name(), ".") && file != folder
		if d.IsDir() && hidden {
			return filepath.SkipDir
		}
		if d.IsDir() {
			report.Recover(file)
		}
		if d.Type().IsRegular() && !hidden && strings.HasSuffix(gunzip.Name(d.Name()), ".json") {
			files = append(files, filepath.Clean(file))
		}
		return nil
	})
	return files, regular.PathError(err)
}

// anySchema is the schema of result files of any version; other files of the program have a word in place of the number.
var anySchema = regexp.MustCompile(`"repscope/\d`)

// readResult reads a file; nil if it is something else. Of other files only the beginning is read, or all of a
// compressed one.
func readResult(file, name string) (*report.Result, error) {
	f, err := regular.Open(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, errors.Unwrap(err))
	}
	defer f.Close()
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil // empty
	}
	if gunzip.Is(head[:n]) {
		r, err := report.ReadFrom(name, io.LimitReader(io.MultiReader(bytes.NewReader(head[:n]), f), mostBytes))
		if errors.Is(err, report.ErrNotResult) {
			return nil, nil
		}
		return r, err
	}
	if !bytes.Contains(head[:n], []byte(`"schema"`)) || !anySchema.Match(head[:n]) || !bytes.Contains(head[:n], []byte(`"analysis"`)) {
		return nil, nil
	}
	return report.ReadFrom(name, io.LimitReader(io.MultiReader(bytes.NewReader(head[:n]), f), mostBytes))
}

// common is the folder in which all others are.
func common(folders []string) string {
	root := filepath.Clean(folders[0])
	for _, f := range folders[1:] {
		for f = filepath.Clean(f); root != "." && root != string(filepath.Separator) && f != root && !strings.HasPrefix(f, root+string(filepath.Separator)); {
			root = filepath.Dir(root)
		}
	}
	return root
}

// nameDatasets gives results the folder above theirs as a dataset, or their own where one would have an analysis twice.
func nameDatasets(sections []Section) {
	count := map[[2]string]int{}
	above := func(s *Section) string { return plainFolder(path.Dir(s.Folder)) }
	for i := range sections {
		count[[2]string{above(&sections[i]), sections[i].Analysis}]++
	}
	twice := map[string]bool{}
	for key, n := range count {
		twice[key[0]] = twice[key[0]] || n > 1
	}
	used := map[[2]string]bool{}
	for i := range sections {
		s := &sections[i]
		if s.Dataset = above(s); twice[s.Dataset] {
			s.Dataset = plainFolder(s.Folder)
		}
		key := [2]string{s.Dataset, s.Analysis}
		for n := 2; used[key]; n++ { // two files in one folder
			key[0] = fmt.Sprintf("%s (%d)", s.Dataset, n)
		}
		s.Dataset, used[key] = key[0], true
	}
}

func plainFolder(folder string) string {
	if folder == "." {
		return ""
	}
	return folder
}
