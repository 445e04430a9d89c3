// Scores that are computed first.

package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/casetest"
	"repscope/analysis/canvas/internal/semantic"
	"repscope/analysis/canvas/internal/source"
	"repscope/analysis/canvas/internal/store"
	"repscope/dataset/casefile"
)

// openedSettings opens settings for cases.
func openedSettings(t *testing.T, o semantic.Options, cases []source.Case) *canvas.Setting {
	t.Helper()
	s := &canvas.Setting{Semantic: o}
	opened, err := s.Semantic.Open(cases, os.ReadFile, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close() })
	return s
}

// Scores that were computed first are found later with the same numbers and captions; rows of
// other cases stay.
func TestPrecompute(t *testing.T) {
	t.Parallel()
	dir, want := casetest.SemanticModels(t)
	path := filepath.Join(dir, "out", scoresFile)
	kept := []casefile.SemanticScore{{Case: "other", Score: 0.25, Reference: "x", Generated: "y"}, {Case: "0", Score: -1}}
	k := &keptScores{at: map[string]int{}}
	for _, row := range kept {
		k.set(row)
	}
	if err := k.write(path); err != nil {
		t.Fatal(err)
	}
	side := func(k int) source.Side { return source.Side{Image: filepath.Join(dir, fmt.Sprintf("%d.png", k))} }
	cases := []source.Case{{ID: "0", Sample: "s", Snapshot: -1, Reference: side(6), Generated: side(0), Base: side(7)},
		{ID: "0", Sample: "s", Snapshot: 3, Reference: side(6), Generated: side(7)}, {ID: "gone", Snapshot: -1, Reference: side(6)}}
	o := casetest.ModelSettings(dir)
	o.Vision.Path = ""
	s := openedSettings(t, o, cases)
	var done int
	if err := precomputeSemantic(context.Background(), s, cases, os.ReadFile, path, func(n, _ int) { done = n }); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+store.Partial, path); err != nil { // as the commit does
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := casefile.ParseSemanticScores(path, data)
	var ids []string
	for _, row := range rows {
		ids = append(ids, row.Case)
	}
	if err != nil || done != 4 || strings.Join(ids, " ") != "other 0 s-base 0-snapshot-3 gone" || rows[0].Score != 0.25 || !math.IsNaN(rows[4].Score) {
		t.Fatalf("%d done: %+v (%v)", done, rows, err)
	}
	later := openedSettings(t, semantic.Options{Scores: path}, cases)
	for i := range cases[:2] {
		a, err := scoreCaptions(context.Background(), s, &cases[i], os.ReadFile)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := scoreCaptions(context.Background(), later, &cases[i], os.ReadFile); err != nil || a != b || math.IsNaN(a.Score) || a.Generated == "" {
			t.Errorf("case %d has %+v, later %+v (%v)", i, a, b, err)
		}
	}
	if rows[1].Generated != want.Captions["captioner_blip"][0].Text {
		t.Errorf("the caption is %q", rows[1].Generated)
	}
	ctx, cancel := context.WithCancel(context.Background())
	err = precomputeSemantic(ctx, s, cases, os.ReadFile, path, func(int, int) { cancel() })
	if err == nil {
		t.Error("a run that was interrupted ends well")
	}
	if again, _ := os.ReadFile(path); !bytes.Equal(again, data) {
		t.Errorf("an interrupted run leaves %s", again)
	}
	if kept, _ := os.ReadFile(path + store.Partial); !bytes.Equal(kept, data) {
		t.Errorf("an interrupted run keeps %s", kept)
	}
	if err := errors.Join(os.Remove(path+store.Partial), os.WriteFile(path, []byte("{"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := precomputeSemantic(context.Background(), s, cases, os.ReadFile, path, nil); err == nil || !strings.Contains(err.Error(), scoresFile) {
		t.Errorf("a file that is no list: %v", err)
	}
}
