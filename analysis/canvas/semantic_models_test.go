// Tests of models that make captions and embeddings, and of scores that are kept.

package canvas

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"repscope/analysis/canvas/internal/casetest"
	"repscope/analysis/canvas/internal/design"
	"repscope/analysis/canvas/internal/screenshot"
	"repscope/analysis/canvas/internal/semantic"
	"repscope/latent"
)

// plainCosine is a cosine as it is written.
func plainCosine(a, b []float64) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab, aa, bb = ab+a[i]*b[i], aa+a[i]*a[i], bb+b[i]*b[i]
	}
	return ab / math.Sqrt(aa*bb)
}

// openSettings opens settings for cases.
func openSettings(t *testing.T, o semantic.Options, cases []Case) *Setting {
	t.Helper()
	s := &Setting{Semantic: o, Images: screenshot.Options{Alpha: screenshot.AlphaWhite}}
	opened, err := s.Semantic.Open(cases, os.ReadFile, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close() })
	return s
}

func semanticRow(t *testing.T, o *Setting, c *Case) *Row {
	t.Helper()
	p := NewPair(context.Background(), c, o, os.ReadFile, design.NewView(c.Reference, "reference design", os.ReadFile))
	row, err := scoreKinds(context.Background(), []Kind{semanticMatch, imageSimilarity}, p)
	if err != nil {
		t.Fatal(err)
	}
	return row
}

// Given captions are compared by the sentence model, as ONNX Runtime's embeddings are.
func TestSentenceModel(t *testing.T) {
	t.Parallel()
	dir, want := casetest.SemanticModels(t)
	captions := filepath.Join(dir, "captions.csv")
	a, b := want.Sentences[0], want.Sentences[2]
	text := fmt.Sprintf("case_id,gt_caption,gen_caption\na,%s,%s\nsame,%[1]s,%[1]s\nhalf,%[1]s,\n", a.Text, b.Text)
	if err := os.WriteFile(captions, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := casetest.ModelSettings(dir)
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
	if len(s.Semantic.Identity()) != 3 {
		t.Errorf("identity is %q", s.Semantic.Identity())
	}
}

// Screens are described and compared as by PyTorch and ONNX Runtime, whatever the number of
// workers; a screen beside itself has 1; one that cannot be read is a failure, one that is
// missing none.
func TestScreenModels(t *testing.T) {
	t.Parallel()
	dir, want := casetest.SemanticModels(t)
	side := func(k int) Side { return Side{Image: filepath.Join(dir, fmt.Sprintf("%d.png", k))} }
	var cases []Case
	for k := range want.Sizes {
		cases = append(cases, Case{ID: fmt.Sprint(k), Sample: fmt.Sprint(k), Snapshot: -1, Reference: side(1), Generated: side(k)})
	}
	o := casetest.ModelSettings(dir)
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

func TestSemanticModelErrors(t *testing.T) {
	t.Parallel()
	dir, _ := casetest.SemanticModels(t)
	for _, c := range []struct {
		change func(o *semantic.Options)
		want   string
	}{
		{func(o *semantic.Options) { o.Tokenizer = "none.json" }, "--tokenizer: none.json: "},
		{func(o *semantic.Options) { o.Tokenizer = filepath.Join(dir, "captioner_blip", "config.json") }, "config.json: it has no model"},
		{func(o *semantic.Options) { o.Sentence = o.Vision.Path }, "--sentence-model: model "},
		{func(o *semantic.Options) { o.Captioner = dir }, "--captioner: captioner "},
		{func(o *semantic.Options) { o.Vision.Path = o.Sentence }, "--vision-model: model "},
		{func(o *semantic.Options) { o.Vision.Processor = "none.json" }, "--vision-preprocessor: none.json: "},
	} {
		o := casetest.ModelSettings(dir)
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
	o := &Setting{Images: screenshot.Options{Alpha: screenshot.AlphaWhite}}
	seen := map[string]bool{}
	for _, of := range []semantic.Options{{}, {Embeddings: [2]string{"a", "b"}}, {Sentence: "a", Pool: latent.SentenceMean}, {Sentence: "a", Pool: latent.SentenceFirst},
		{Sentence: "a", Captioner: "b"}, {Vision: semantic.VisionOptions{Path: "a"}}, {Vision: semantic.VisionOptions{Path: "a", Size: 9}}, {ImageEmbeddings: [2]string{"a", "b"}}} {
		o.Semantic = of
		seen[semanticMatch.Definition(o)+imageSimilarity.Definition(o)] = true
	}
	if len(seen) != 8 {
		t.Errorf("8 settings have %d definitions: %v", len(seen), seen)
	}
}
