// Command calibration measures the coverage of repscope's intervals and the false-positive rates of its tests. It
// draws dependent states and passes models that are equal by construction through the same Analyze functions that
// the binaries call. The tables are written to docs/statistics/tables, and the pages of docs/statistics with them.
//
//	go run ./internal/calibration                              # every analysis: minutes to hours
//	go run ./internal/calibration -draws 1000                  # hours
//	go run ./internal/calibration -analyses smoothness            # one analysis
//	go run ./internal/calibration -designs 0/1,0.8/1,0.95/1       # some columns of the tables again, the others stay
//	go run ./internal/calibration -analyses manifold -designs 0.8/16,differ -draws 50 -out -
//	go run ./internal/calibration -harness -draws 2000         # one section
//	go run ./internal/calibration -pages                       # the pages again, from the tables
//
// Sections are sizes, series, studies, comparisons, runs, harness, decisions, accuracy, lines, logarithms, windows,
// unrelated, similarity, stitched, samples, leaks, alarms, surprise and selection.
//
// Results depend on the seed and the number of draws, not on the number of threads.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"repscope/internal/calibration/celltable"
	"repscope/internal/calibration/summary"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "calibration:", err)
		os.Exit(1)
	}
}

func run() error {
	draws := flag.Int("draws", 40, "`N` draws of every design")
	seed := flag.Uint64("seed", 42, "`SEED` of the draws")
	threads := flag.Int("threads", runtime.GOMAXPROCS(0), "`N` draws at once")
	only := flag.String("analyses", "", "`LIST` of analyses (default all)")
	which := flag.String("designs", "", "`LIST` of designs (default all)")
	chosen := map[string]*bool{}
	for _, part := range sections() {
		chosen[part.name] = flag.Bool(part.name, false, "write the tables of "+part.about+" alone")
	}
	pages := flag.Bool("pages", false, "only write the pages again, from the tables")
	out := flag.String("out", "docs/statistics", "`FOLDER` of the pages; -: print the tables")
	flag.Parse()
	if flag.NArg() > 0 || *draws < 2 {
		return fmt.Errorf("want no arguments and at least 2 draws")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *pages {
		return described().WritePages(*out)
	}
	for _, part := range sections() {
		if *chosen[part.name] {
			return writeSection(ctx, part, *draws, *seed, *threads, *out)
		}
	}
	if *which != "" && *out != "-" {
		*draws, *seed = given("draws", *draws), given("seed", *seed)
	}
	return runAnalyses(ctx, *only, *which, *draws, *seed, *threads, *out)
}

// given is the value of a flag, 0 where the command line does not have it.
func given[T any](name string, value T) T {
	var out T
	flag.Visit(func(f *flag.Flag) {
		if f.Name == name {
			out = value
		}
	})
	return out
}

// runAnalyses writes the tables of the analyses of a list, each when it is done; an empty list is all, with the sizes.
// Of tables that are there, designs of a list are computed again and the others stay; draws and seed come from the
// tables where they are 0.
func runAnalyses(ctx context.Context, only, which string, draws int, seed uint64, threads int, out string) error {
	designs, err := choose("design", slices.Concat(allDesigns(), worse()), Design.String, which)
	if err != nil {
		return err
	}
	selected, err := choose("analysis", analyses(), func(r Analysis) string { return r.Name }, only)
	if err != nil {
		return err
	}
	started := time.Now()
	for _, subject := range selected {
		var before *celltable.File
		draws, seed := draws, seed
		if which != "" && out != "-" {
			if before, err = tablesOf(out, subject.Name); err != nil {
				return err
			}
			if draws, seed, err = before.Drawn(draws, seed); err != nil {
				return err
			}
		}
		var equal, unequal []*Tally
		for _, d := range designs {
			t, err := tally(ctx, subject, d, draws, seed, threads)
			if err != nil {
				return err
			}
			if d.Noise > 0 {
				unequal = append(unequal, t)
			} else {
				equal = append(equal, t)
			}
			fmt.Fprintf(os.Stderr, "%-12s %-8s %5.0f s\n", subject.Name, d, time.Since(started).Seconds())
		}
		var tables bytes.Buffer
		write(&tables, equal, unequal)
		if err := storeColumns(out, subject.Name, tables.String(), before, draws, seed); err != nil {
			return err
		}
	}
	if only != "" || which != "" {
		return nil
	}
	return writeSection(ctx, sections()[0], draws, seed, threads, out)
}

// store saves the tables of an analysis or section, and writes the pages again; or prints them.
func store(out, name, command, tables string) error {
	if out == "-" {
		_, err := os.Stdout.WriteString(tables)
		return err
	}
	parsed, err := celltable.Parse(tables)
	if err != nil {
		return err
	}
	f := &celltable.File{Name: name, Command: command, Tables: parsed}
	if err := f.Save(filepath.Join(out, summary.Folder)); err != nil {
		return err
	}
	return described().WritePages(out)
}

// described returns the analyses and designs for the pages.
func described() summary.Study {
	var out summary.Study
	for _, a := range analyses() {
		out.Analyses = append(out.Analyses, a.Name)
	}
	for _, d := range strained() {
		out.Strained = append(out.Strained, d.Name)
	}
	for _, d := range worse() {
		out.Worse = append(out.Worse, summary.Worse{Name: d.Name, Episodes: d.Episodes})
	}
	return out
}

// choose keeps what a list names, in its order; an empty list is all.
func choose[T any](kind string, all []T, name func(T) string, list string) ([]T, error) {
	if list == "" {
		return all, nil
	}
	var out []T
	for part := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(all, func(v T) bool { return name(v) == part })
		if i < 0 {
			var names []string
			for _, v := range all {
				names = append(names, name(v))
			}
			return nil, fmt.Errorf("there is no %s %q; there are %s", kind, part, strings.Join(names, ", "))
		}
		out = append(out, all[i])
	}
	return out, nil
}

// A section has tables of its own, which a flag of its name writes.
type section struct {
	name, about string
	write       writer
}

// A writer writes tables of a number of draws.
type writer = func(ctx context.Context, w io.Writer, draws int, seed uint64, threads int) error

// under makes a writer of one that takes designs.
func under[D any](designs []D, write func(context.Context, io.Writer, []D, int, uint64, int) error) writer {
	return func(ctx context.Context, w io.Writer, draws int, seed uint64, threads int) error {
		return write(ctx, w, designs, draws, seed, threads)
	}
}

func sections() []section {
	return []section{
		{"sizes", "effective sample sizes", under(allDesigns(), writeSizes)},
		{"series", "one series of short and of long memory", under(seriesDesigns(), writeSeries)},
		{"studies", "studies over tasks and runs", under(studyDesigns(), writeStudies)},
		{"comparisons", "what compare makes of two models", under(comparisonDesigns(), writeComparisons)},
		{"runs", "runs of unequal number and variance", under(runDesigns(), writeRuns)},
		{"harness", "what compare makes of results of lm-evaluation-harness", under(harnessSizes(), writeHarness)},
		{"decisions", "confidence sets for the best, of families of tests and of runs", writeDecisions},
		{"accuracy", "tests of equal accuracy of two forecasts", under(accuracyDesigns(), writeAccuracy)},
		{"lines", "lines, ranks and the pairs that decide them", under(lineDesigns(), writeLines)},
		{"logarithms", "intervals of logarithms", under(logarithmDesigns(), writeLogarithms)},
		{"windows", "automatic exclusion windows", under(windowDesigns(), writeWindows)},
		{"unrelated", "similarities of spaces that share nothing", under(unrelatedDesigns(), writeUnrelated)},
		{"similarity", "similarities of two models, and of their layers", under(alikeDesigns(), writeAlike)},
		{"stitched", "networks that are stitched to each other", under(stitchDesigns(), writeStitched)},
		{"samples", "fidelity to real samples, which repetitions draw too", under(sampleDesigns(), writeSamples)},
		{"leaks", "test sets without leaks, and with planted ones", under(leakDesigns(), writeLeaks)},
		{"alarms", "prediction errors of untouched and changed episodes", writeAlarms},
		{"surprise", "errors of violated episodes, and equal models of them",
			under(surpriseDesigns(), writeSurprise)},
		{"selection", "numbers that predict an outcome, and numbers that share its trend alone",
			under(selectDesigns(), writeSelection)},
	}
}

// writeSection writes the tables of a section.
func writeSection(ctx context.Context, part section, draws int, seed uint64, threads int, out string) error {
	var b bytes.Buffer
	if err := part.write(ctx, &b, draws, seed, threads); err != nil {
		return err
	}
	command := fmt.Sprintf("go run ./internal/calibration -%s -draws %d -seed %d", part.name, draws, seed)
	return store(out, part.name, command, b.String())
}
