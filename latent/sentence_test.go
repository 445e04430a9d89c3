// Tests of models of sentences against ONNX Runtime.

package latent

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"repscope/internal/runtest"
)

// meaning is what testdata/generate_meaning.py wrote.
type meaning struct {
	Sizes     [][2]int
	Sentences []struct {
		Text                        string
		IDs                         []int64
		Mean, Cls, Pooler, Sentence []float64
	}
	Pictures []struct{ Clip, Cls, Mean []float64 }
	Captions map[string][]struct {
		IDs  []int64
		Text string
	}
	Clip, Vit json.RawMessage
}

// openMeaning unpacks the models and returns their folder.
func openMeaning(t *testing.T) (string, *meaning) {
	t.Helper()
	dir := runtest.Unpack(t, "testdata/meaning.tar.gz")
	data, err := os.ReadFile(filepath.Join(dir, "golden.json"))
	m := &meaning{}
	if err == nil {
		err = json.Unmarshal(data, m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir, m
}

// near5 fails unless numbers agree to 1e-5.
func near5(t *testing.T, what string, got []float32, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s has %d numbers, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if math.Abs(float64(got[i])-w) > 1e-5*max(1, math.Abs(w)) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, got[i], w)
		}
	}
}

// tokensOf are tokens without types and padding.
func tokensOf(ids []int64) SentenceTokens {
	t := SentenceTokens{IDs: ids, Types: make([]int64, len(ids)), Mask: make([]int64, len(ids))}
	for i := range t.Mask {
		t.Mask[i] = 1
	}
	return t
}

func TestSentences(t *testing.T) {
	t.Parallel()
	dir, want := openMeaning(t)
	for _, file := range []string{"sentence.onnx", "sentence_fixed.onnx"} {
		for _, pool := range SentencePools() {
			m, err := OpenSentences(filepath.Join(dir, file), SentenceOptions{Pool: SentencePool(pool), Threads: 2})
			if file == "sentence_fixed.onnx" && pool == "output" {
				if err == nil || !strings.Contains(err.Error(), "pooling output wants one output [texts, dimensions]") {
					t.Errorf("an output that is not there: %v", err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range want.Sentences {
				embedding := map[string][]float64{"auto": s.Sentence, "mean": s.Mean, "cls": s.Cls, "output": s.Sentence}[pool]
				if file == "sentence_fixed.onnx" && pool == "auto" {
					embedding = s.Mean
				}
				if len(s.IDs) > 40 && m.length > 0 {
					continue
				}
				got, err := m.Embed(context.Background(), tokensOf(s.IDs))
				if err != nil {
					t.Fatalf("%s, %s, %q: %v", file, pool, s.Text, err)
				}
				near5(t, file+" "+pool+" "+s.Text, got, embedding)
			}
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Padding at the end has no influence, and what a text is padded with neither.
func TestSentencePadding(t *testing.T) {
	t.Parallel()
	dir, want := openMeaning(t)
	m, err := OpenSentences(filepath.Join(dir, "sentence.onnx"), SentenceOptions{Pool: SentenceMean})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	padded := tokensOf(want.Sentences[0].IDs)
	padded.IDs, padded.Types, padded.Mask = append(padded.IDs, 7, 0), append(padded.Types, 1, 1), append(padded.Mask, 0, 0)
	got, err := m.Embed(context.Background(), padded)
	if err != nil {
		t.Fatal(err)
	}
	near5(t, "the padded text", got, want.Sentences[0].Mean)
}

func TestSentenceErrors(t *testing.T) {
	t.Parallel()
	dir, _ := openMeaning(t)
	for path, say := range map[string]string{
		filepath.Join(dir, "vision_vit.onnx"): `input "pixel_values" (tokens) has shape [1 3 24 24], want two axes`,
		"testdata/head_predictor.onnx":        "the purpose of input",
		"testdata/mlp.pth":                    "no known architecture",
		filepath.Join(dir, "none.onnx"):       "no such file",
	} {
		_, err := OpenSentences(path, SentenceOptions{})
		if err == nil || !strings.Contains(err.Error(), say) || !strings.Contains(err.Error(), filepath.Base(path)) {
			t.Errorf("%s gives %v, want %q", path, err, say)
		}
		var hints interface{ Hints() []string }
		if strings.HasSuffix(path, ".pth") && (!errors.As(err, &hints) || !strings.Contains(hints.Hints()[0], "optimum-cli export onnx")) {
			t.Errorf("%s has no hint: %v", path, err)
		}
	}
	if _, err := OpenSentences("x", SentenceOptions{Pool: "max"}); err == nil || !strings.Contains(err.Error(), `pooling "max": want one of auto, mean, cls, output`) {
		t.Errorf("an unknown pooling: %v", err)
	}
	m, err := OpenSentences(filepath.Join(dir, "sentence_fixed.onnx"), SentenceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, err := m.Embed(context.Background(), tokensOf(make([]int64, 41))); err == nil || !strings.Contains(err.Error(), "has 41 tokens, the input has a fixed length of 40") {
		t.Errorf("a long text: %v", err)
	}
	if _, err := m.Embed(context.Background(), SentenceTokens{}); err == nil || err.Error() != "the text has no tokens" {
		t.Errorf("a text without tokens: %v", err)
	}
	if _, err := m.Embed(context.Background(), tokensOf([]int64{9999})); err == nil || !strings.Contains(err.Error(), "sentence_fixed.onnx: a text of 1 tokens: ") {
		t.Errorf("a token that the model does not have: %v", err)
	}
}
