// Tests of models that make captions and embeddings, and of scores that are kept.

package canvas

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"repscope/dataset"
	"repscope/internal/runtest"
	"repscope/latent"
)

// semanticGolden are the answers of the models of latent/testdata, by ONNX Runtime and PyTorch.
type semanticGolden struct {
	Sizes     [][2]int
	Sentences []struct {
		Text     string
		Sentence []float64
	}
	Pictures []struct{ Clip []float64 }
	Captions map[string][]struct{ Text string }
}

// semanticFiles are those models, and screens: picture k is k.png.
func semanticFiles(t *testing.T) (string, *semanticGolden) {
	t.Helper()
	dir := runtest.Unpack(t, "../../latent/testdata/meaning.tar.gz")
	data, err := os.ReadFile(filepath.Join(dir, "golden.json"))
	g := &semanticGolden{}
	if err == nil {
		err = json.Unmarshal(data, g)
	}
	if err != nil {
		t.Fatal(err)
	}
	for k, size := range g.Sizes {
		m := image.NewNRGBA(image.Rect(0, 0, size[1], size[0]))
		for y := range size[0] {
			for x := range size[1] {
				v := func(c int) uint8 {
					return uint8((x*(3+k) + y*(7+2*k) + c*29 + (x*y)/(5+k) + 40*((x/6+y/9+c)%2)*(k%3)) % 256)
				}
				m.SetNRGBA(x, y, color.NRGBA{v(0), v(1), v(2), 255})
			}
		}
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.png", k)), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, g
}

// modelSettings are those of all models in a folder.
func modelSettings(dir string) SemanticSettings {
	return SemanticSettings{Sentence: filepath.Join(dir, "sentence.onnx"), Tokenizer: filepath.Join(dir, "captioner_blip", "tokenizer.json"),
		Captioner: filepath.Join(dir, "captioner_blip"), CaptionTokens: 50, Vision: VisionSettings{Path: filepath.Join(dir, "vision_clip.onnx"), Preset: "clip"}}
}

// plainCosine is a cosine as it is written.
func plainCosine(a, b []float64) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab, aa, bb = ab+a[i]*b[i], aa+a[i]*a[i], bb+b[i]*b[i]
	}
	return ab / math.Sqrt(aa*bb)
}

// openSettings opens settings for cases.
func openSettings(t *testing.T, o SemanticSettings, cases []Case) *Settings {
	t.Helper()
	s := &Settings{Semantic: o, Images: ImageSettings{Alpha: alphaWhite}}
	opened, err := s.Semantic.Open(cases, os.ReadFile, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close() })
	return s
}

func semanticRow(t *testing.T, o *Settings, c *Case) *Row {
	t.Helper()
	p := NewPair(context.Background(), c, o, os.ReadFile, newView(c.Reference, "reference design", os.ReadFile))
	row, err := scoreKinds(context.Background(), []Kind{semanticMatch, imageSimilarity}, p)
	if err != nil {
		t.Fatal(err)
	}
	return row
}

// Given captions are compared by the sentence model, as ONNX Runtime's embeddings are.
func TestSentenceModel(t *testing.T) {
	t.Parallel()
	dir, want := semanticFiles(t)
	captions := filepath.Join(dir, "captions.csv")
	a, b := want.Sentences[0], want.Sentences[2]
	text := fmt.Sprintf("case_id,gt_caption,gen_caption\na,%s,%s\nsame,%[1]s,%[1]s\nhalf,%[1]s,\n", a.Text, b.Text)
	if err := os.WriteFile(captions, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := modelSettings(dir)
	o.Captions, o.Captioner, o.Vision.Path = captions, "", ""
	s := openSettings(t, o, []Case{{ID: "a", Snapshot: -1}})
	row := semanticRow(t, s, &Case{ID: "a", Snapshot: -1})
	if v := row.Values["semantic_match"]; math.Abs(v.V-plainCosine(a.Sentence, b.Sentence)) > 1e-5 || row.Details["gen_caption"] != b.Text {
		t.Errorf("got %v and %v, want %v", v, row.Details, plainCosine(a.Sentence, b.Sentence))
	}
	if v := semanticRow(t, s, &Case{ID: "same", Snapshot: -1}).Values["semantic_match"]; v.V != 1 {
		t.Errorf("equal captions have %v", v)
	}
	row = semanticRow(t, s, &Case{ID: "half", Snapshot: -1})
	if v := row.Values["semantic_match"]; v.Defined() || v.Reason != "half has no caption of the generated design" || row.Details["gt_caption"] != a.Text || len(row.Failures) > 0 {
		t.Errorf("half a pair has %v and %v", v, row.Details)
	}
	if len(s.Semantic.identity()) != 3 {
		t.Errorf("identity is %q", s.Semantic.identity())
	}
}

// Screens are described and compared as by PyTorch and ONNX Runtime, whatever the number of
// workers; a screen beside itself has 1; one that cannot be read is a failure, one that is
// missing none.
func TestScreenModels(t *testing.T) {
	t.Parallel()
	dir, want := semanticFiles(t)
	side := func(k int) Side { return Side{Image: filepath.Join(dir, fmt.Sprintf("%d.png", k))} }
	var cases []Case
	for k := range want.Sizes {
		cases = append(cases, Case{ID: fmt.Sprint(k), Sample: fmt.Sprint(k), Snapshot: -1, Reference: side(1), Generated: side(k)})
	}
	o := modelSettings(dir)
	o.Vision.Processor = filepath.Join(dir, "clip.json")
	processor := `{"size":{"shortest_edge":24},"resample":3,"do_center_crop":true,"crop_size":{"height":24,"width":24},` +
		`"image_mean":[0.48145466,0.4578275,0.40821073],"image_std":[0.26862954,0.26130258,0.27577711]}`
	if err := os.WriteFile(o.Vision.Processor, []byte(processor), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openSettings(t, o, cases)
	rows := make([]*Row, len(cases))
	var wait sync.WaitGroup
	for k := range cases {
		wait.Go(func() { rows[k] = semanticRow(t, s, &cases[k]) })
	}
	wait.Wait()
	again := openSettings(t, o, cases)
	for k, row := range rows {
		if row.Details["gen_caption"] != want.Captions["captioner_blip"][k].Text || row.Details["gt_caption"] != want.Captions["captioner_blip"][1].Text {
			t.Errorf("captions of screen %d are %v", k, row.Details)
		}
		if v, w := row.Values["image_similarity"].V, plainCosine(want.Pictures[1].Clip, want.Pictures[k].Clip); math.Abs(v-w) > 1e-5 {
			t.Errorf("image_similarity of screen %d is %v, want %v", k, v, w)
		}
		for key, v := range semanticRow(t, again, &cases[k]).Values {
			if row.Values[key] != v {
				t.Errorf("%s of screen %d is %v alone and %v beside others", key, k, v, row.Values[key])
			}
		}
	}
	for key, v := range rows[1].Values {
		if v.V != 1 {
			t.Errorf("%s of a screen with itself is %v", key, v)
		}
	}
	missing := Case{ID: "m", Snapshot: -1, Reference: side(0)}
	row := semanticRow(t, s, &missing)
	if v := row.Values["semantic_match"]; v.Defined() || v.Reason != "m has no caption of the generated design" || len(row.Failures) > 0 {
		t.Errorf("a missing screen gives %v, %v", v, row.Failures)
	}
	bad := Case{ID: "b", Snapshot: -1, Reference: side(0), Generated: Side{Image: filepath.Join(dir, "golden.json")}}
	if row = semanticRow(t, s, &bad); len(row.Failures) != 1 || row.Values["image_similarity"].Defined() {
		t.Errorf("a screen that cannot be read gives %v", row.Failures)
	}
}

// Scores that were computed first are found later with the same numbers and captions; rows of
// other cases stay.
func TestPrecompute(t *testing.T) {
	t.Parallel()
	dir, want := semanticFiles(t)
	path := filepath.Join(dir, "out", scoresFile)
	kept := []dataset.SemanticScore{{Case: "other", Score: 0.25, Reference: "x", Generated: "y"}, {Case: "0", Score: -1}}
	k := &keptScores{at: map[string]int{}}
	for _, row := range kept {
		k.set(row)
	}
	if err := k.write(path); err != nil {
		t.Fatal(err)
	}
	side := func(k int) Side { return Side{Image: filepath.Join(dir, fmt.Sprintf("%d.png", k))} }
	cases := []Case{{ID: "0", Sample: "s", Snapshot: -1, Reference: side(6), Generated: side(0), Base: side(7)},
		{ID: "0", Sample: "s", Snapshot: 3, Reference: side(6), Generated: side(7)}, {ID: "gone", Snapshot: -1, Reference: side(6)}}
	o := modelSettings(dir)
	o.Vision.Path = ""
	s := openSettings(t, o, cases)
	var done int
	if err := s.precomputeSemantic(context.Background(), cases, os.ReadFile, path, func(n, _ int) { done = n }); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+partial, path); err != nil { // as the commit does
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := dataset.ParseSemanticScores(path, data)
	var ids []string
	for _, row := range rows {
		ids = append(ids, row.Case)
	}
	if err != nil || done != 4 || strings.Join(ids, " ") != "other 0 s-base 0-snapshot-3 gone" || rows[0].Score != 0.25 || !math.IsNaN(rows[4].Score) {
		t.Fatalf("%d done: %+v (%v)", done, rows, err)
	}
	later := openSettings(t, SemanticSettings{Scores: path}, cases)
	for i := range cases[:2] {
		a, b := semanticRow(t, s, &cases[i]), semanticRow(t, later, &cases[i])
		if a.Values["semantic_match"] != b.Values["semantic_match"] || !a.Values["semantic_match"].Defined() || a.Details["gen_caption"] != b.Details["gen_caption"] {
			t.Errorf("case %d has %v and %v, later %v and %v", i, a.Values, a.Details, b.Values, b.Details)
		}
	}
	if rows[1].Generated != want.Captions["captioner_blip"][0].Text {
		t.Errorf("the caption is %q", rows[1].Generated)
	}
	ctx, cancel := context.WithCancel(context.Background())
	err = s.precomputeSemantic(ctx, cases, os.ReadFile, path, func(int, int) { cancel() })
	if err == nil {
		t.Error("a run that was interrupted ends well")
	}
	if again, _ := os.ReadFile(path); !bytes.Equal(again, data) {
		t.Errorf("an interrupted run leaves %s", again)
	}
	if kept, _ := os.ReadFile(path + partial); !bytes.Equal(kept, data) {
		t.Errorf("an interrupted run keeps %s", kept)
	}
	if err := errors.Join(os.Remove(path+partial), os.WriteFile(path, []byte("{"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := s.precomputeSemantic(context.Background(), cases, os.ReadFile, path, nil); err == nil || !strings.Contains(err.Error(), scoresFile) {
		t.Errorf("a file that is no list: %v", err)
	}
}

func TestSemanticModelErrors(t *testing.T) {
	t.Parallel()
	dir, _ := semanticFiles(t)
	for _, c := range []struct {
		change func(o *SemanticSettings)
		want   string
	}{
		{func(o *SemanticSettings) { o.Tokenizer = "none.json" }, "--tokenizer: none.json: "},
		{func(o *SemanticSettings) { o.Tokenizer = filepath.Join(dir, "captioner_blip", "config.json") }, "config.json: it has no model"},
		{func(o *SemanticSettings) { o.Sentence = o.Vision.Path }, "--sentence-model: model "},
		{func(o *SemanticSettings) { o.Captioner = dir }, "--captioner: captioner "},
		{func(o *SemanticSettings) { o.Vision.Path = o.Sentence }, "--vision-model: model "},
		{func(o *SemanticSettings) { o.Vision.Processor = "none.json" }, "--vision-preprocessor: none.json: "},
	} {
		o := modelSettings(dir)
		c.change(&o)
		_, err := o.Open(nil, func(path string) ([]byte, error) {
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
			}
			return data, nil
		}, 0)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// What the numbers mean follows from the inputs that are given.
func TestSemanticDefinition(t *testing.T) {
	t.Parallel()
	o := &Settings{Images: ImageSettings{Alpha: alphaWhite}}
	seen := map[string]bool{}
	for _, of := range []SemanticSettings{{}, {Embeddings: [2]string{"a", "b"}}, {Sentence: "a", Pool: latent.SentenceMean}, {Sentence: "a", Pool: latent.SentenceFirst},
		{Sentence: "a", Captioner: "b"}, {Vision: VisionSettings{Path: "a"}}, {Vision: VisionSettings{Path: "a", Size: 9}}, {ImageEmbeddings: [2]string{"a", "b"}}} {
		o.Semantic = of
		seen[semanticMatch.Definition(o)+imageSimilarity.Definition(o)] = true
	}
	if len(seen) != 8 {
		t.Errorf("8 settings have %d definitions: %v", len(seen), seen)
	}
}

// A memo computes equal contents once, and holds no more than its bound.
func TestMemo(t *testing.T) {
	t.Parallel()
	var m memo[int]
	n := 0
	for round := range 2 {
		for i := range memoSize + 5 {
			key := sha256.Sum256(fmt.Append(nil, i))
			if v, err := m.get(key, func() (int, error) { n++; return i, nil }); err != nil || v != i {
				t.Fatalf("round %d: %d is %d (%v)", round, i, v, err)
			}
			if v, _ := m.get(key, func() (int, error) { t.Error("computed twice"); return 0, nil }); v != i {
				t.Fatalf("the second time %d is %d", i, v)
			}
		}
	}
	if len(m.entries) != memoSize || len(m.order) != memoSize || n < memoSize+5 {
		t.Errorf("%d entries, %d in order, %d computed", len(m.entries), len(m.order), n)
	}
}
