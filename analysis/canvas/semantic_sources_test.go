// Tests of captions, scores and embeddings that are given.

package canvas

import (
	"context"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"repscope/analysis/canvas/internal/semantic"
	"repscope/analysis/canvas/internal/source"
	"repscope/dataset"
)

// textFiles is a reader of files in memory.
func textFiles(files map[string]string) Reader {
	return func(path string) ([]byte, error) {
		text, ok := files[path]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return []byte(text), nil
	}
}

// twoCases are those of two samples and one model, and a step of the first.
var twoCases = []Case{{ID: "gid1-m-x", Sample: "gid1", Model: "m", Snapshot: -1}, {ID: "gid1-m-x", Sample: "gid1", Model: "m", Snapshot: 2},
	{ID: "gid2-m-x", Sample: "gid2", Model: "m", Snapshot: -1}}

// scored opens the settings and scores a case by both kinds.
func scored(t *testing.T, o *semantic.Options, c *Case, cases []Case, files map[string]string) *Row {
	t.Helper()
	opened, err := o.Open(cases, textFiles(files), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	settings := &Setting{Semantic: *o}
	row, err := scoreKinds(context.Background(), []Kind{semanticMatch, imageSimilarity}, NewPair(context.Background(), c, settings, textFiles(files), nil))
	if err != nil {
		t.Fatal(err)
	}
	return row
}

// opening is what a run of two cases is told of settings.
func opening(t *testing.T, o *semantic.Options, files map[string]string) *source.Opened {
	t.Helper()
	opened, err := o.Open(twoCases, textFiles(files), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	return opened
}

func TestStoredScores(t *testing.T) {
	t.Parallel()
	files := map[string]string{"s.json": `[{"case_id":"gid1-m-x","blip_score":0.123456789,"gt_caption":"a map","gen_caption":"maps"},
		{"case_id":"gid2-m-x","blip_score":null},{"case_id":"other","blip_score":1},{"case_id":"gid1-m-x-snapshot-2","blip_score":-0.5}]`}
	o := &semantic.Options{Scores: "s.json"}
	row := scored(t, o, &twoCases[0], twoCases, files)
	if v := row.Values["semantic_match"]; v.V != 0.123456789 || row.Details["gt_caption"] != "a map" || row.Details["gen_caption"] != "maps" {
		t.Errorf("got %v with %v", v, row.Details)
	}
	if v := row.Values["image_similarity"]; v.Defined() || !strings.Contains(v.Reason, "needs a vision model") {
		t.Errorf("image_similarity is %v", v)
	}
	if v := scored(t, o, &twoCases[1], twoCases, files).Values["semantic_match"]; v.V != -0.5 {
		t.Errorf("the step has %v", v)
	}
	row = scored(t, o, &twoCases[2], twoCases, files)
	if v := row.Values["semantic_match"]; v.Defined() || v.Reason != "the stored score of gid2-m-x is null" || len(row.Failures)+len(row.Details) > 0 {
		t.Errorf("a null score gives %v, %v", v, row.Failures)
	}
	base := Case{ID: "gid3" + source.BaseSuffix, Snapshot: -1}
	if v := scored(t, o, &base, twoCases, files).Values["semantic_match"]; v.Defined() || v.Reason != "s.json has no score of gid3-base" {
		t.Errorf("a case without a score gives %v", v)
	}
	if n := opening(t, o, files).Notes; len(n) != 1 || n[0] != "s.json: 1 of its 4 cases are not in this run, such "+
		"as other" {
		t.Errorf("notes are %q", n)
	}
	if id := o.Identity(); len(id) != 1 || !strings.HasPrefix(id[0], "s.json ") || len(id[0]) != len("s.json ")+64 {
		t.Errorf("identity is %q", id)
	}
}

// A missing input is null and no failure.
func TestSemanticAbsent(t *testing.T) {
	t.Parallel()
	const captions = "case_id,gt_caption,gen_caption\ngid1-m-x,a map,a map\ngid2-m-x,a map,\n"
	for _, c := range []struct {
		o    semantic.Options
		want string
	}{
		{semantic.Options{}, "needs stored scores, caption embeddings or a sentence model"},
		{semantic.Options{Scores: "none.json"}, "needs stored scores, caption embeddings or a sentence model"},
		{semantic.Options{Captions: "c.csv"}, "captions need a sentence model or caption embeddings"},
	} {
		row := scored(t, &c.o, &twoCases[0], twoCases, map[string]string{"c.csv": captions})
		if v := row.Values["semantic_match"]; v.Defined() || v.Reason != c.want || len(row.Failures) > 0 {
			t.Errorf("got %v and %v, want %q", v, row.Failures, c.want)
		}
	}
}

// writeRows writes a matrix and returns its path.
func writeRows(t *testing.T, name string, n int, values ...float32) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := dataset.WriteNPY(path, []int{n, len(values) / n}, values); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestGivenEmbeddings(t *testing.T) {
	t.Parallel()
	a, b := writeRows(t, "a.npy", 3, 3, 4, 1, 0, 0, 0), writeRows(t, "b.npy", 3, 4, 3, 1, 0, 1, 0)
	o := &semantic.Options{Embeddings: [2]string{a, b}, ImageEmbeddings: [2]string{b, b}, Rows: "ids", Scores: "s.json"}
	files := map[string]string{"ids": "gid2-m-x\ngid1-m-x\nnobody\n", "s.json": `[{"case_id":"gid2-m-x","blip_score":0.1}]`}
	row := scored(t, o, &twoCases[2], twoCases, files)
	if v := row.Values["semantic_match"].V; math.Abs(v-0.96) > 1e-15 {
		t.Errorf("the cosine is %v, want 0.96: what is given goes before what is stored", v)
	}
	if v := row.Values["image_similarity"].V; v != 1 {
		t.Errorf("of equal rows the similarity is %v", v)
	}
	if v := scored(t, o, &twoCases[0], twoCases, files).Values["semantic_match"].V; v != 1 {
		t.Errorf("of equal rows the cosine is %v", v)
	}
	if v := scored(t, o, &Case{ID: "nobody", Snapshot: -1}, twoCases, files).Values["semantic_match"]; v.Defined() || !strings.Contains(v.Reason, "zero") {
		t.Errorf("of a zero row the cosine is %v", v)
	}
	if v := scored(t, o, &twoCases[1], twoCases, files).Values["semantic_match"]; v.Reason != "the embeddings of captions have no row for gid1-m-x-snapshot-2" {
		t.Errorf("a step without a row has %v", v)
	}
	if w := opening(t, o, files).Warnings; len(w) != 1 || w[0] != "ids: 1 of its 3 cases are not in this run, such "+
		"as nobody" {
		t.Errorf("warnings are %q", w)
	}
}

func TestGivenEmbeddingsErrors(t *testing.T) {
	t.Parallel()
	two, three := writeRows(t, "two.npy", 2, 1, 2, 3, 4), writeRows(t, "three.npy", 3, 1, 2, 3, 4, 5, 6)
	files := map[string]string{"ids": "a\nb\nc\n", "twice": "a\na\n", "c.csv": "case_id,gt_caption,gen_caption\na,b,c\n"}
	for _, c := range []struct {
		o    semantic.Options
		want string
	}{
		{semantic.Options{Embeddings: [2]string{two, two}}, "has 2 rows, but their cases are unknown"},
		{semantic.Options{Embeddings: [2]string{two, two}, Rows: "ids"}, "has 2 rows for 3 cases: --embeddings wants one row for each case"},
		{semantic.Options{ImageEmbeddings: [2]string{two, two}, Captions: "c.csv"}, "has 2 rows for 1 case: --image-embeddings wants"},
		{semantic.Options{Embeddings: [2]string{two, three}, Rows: "ids"}, "want equal ones"},
		{semantic.Options{Embeddings: [2]string{two, "none.npy"}, Rows: "ids"}, "--embeddings-generated: none.npy"},
		{semantic.Options{Embeddings: [2]string{two, two}, Rows: "twice"}, "twice: lines 1 and 2 both have case a"},
		{semantic.Options{Embeddings: [2]string{two, two}, Rows: "none"}, "cases of embeddings: none: "},
		{semantic.Options{Captions: "none"}, "captions: none: "},
		{semantic.Options{Scores: "c.csv"}, "scores of captions: c.csv: "},
	} {
		_, err := c.o.Open(twoCases, textFiles(files), 0)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	one := &semantic.Options{Embeddings: [2]string{writeRows(t, "one.npy", 1, 1, float32(math.NaN())), writeRows(t, "one.npy", 1, 1, 2)}}
	row := scored(t, one, &twoCases[0], twoCases[:1], nil)
	if len(row.Failures) != 1 || !strings.Contains(row.Failures[0], "element 1 of row 0 (gid1-m-x) is NaN") {
		t.Errorf("a row with NaN gives %v", row.Failures)
	}
}
