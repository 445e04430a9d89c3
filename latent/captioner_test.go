// Tests of vision models and captioners against PyTorch, ONNX Runtime and Pillow.

package latent

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/latent/picture"
)

// picture is the picture of generate_meaning.py.
func pictureOf(k, height, width int) []uint8 {
	out := make([]uint8, 0, 3*height*width)
	for y := range height {
		for x := range width {
			for c := range 3 {
				out = append(out, uint8((x*(3+k)+y*(7+2*k)+c*29+(x*y)/(5+k)+40*((x/6+y/9+c)%2)*(k%3))%256))
			}
		}
	}
	return out
}

func TestVision(t *testing.T) {
	t.Parallel()
	dir, want := openMeaning(t)
	for _, c := range []struct {
		file      string
		processor json.RawMessage
		pool      SentencePool
		of        func(k int) []float64
	}{
		{"vision_clip.onnx", want.Clip, "", func(k int) []float64 { return want.Pictures[k].Clip }},
		{"vision_vit.onnx", want.Vit, SentenceFirst, func(k int) []float64 { return want.Pictures[k].Cls }},
		{"vision_vit.onnx", want.Vit, SentenceAuto, func(k int) []float64 { return want.Pictures[k].Mean }},
	} {
		p, err := picture.Parse("preprocessor_config.json", c.processor)
		if err != nil {
			t.Fatal(err)
		}
		m, err := OpenVision(filepath.Join(dir, c.file), VisionOptions{Pictures: *p, Pool: c.pool})
		if err != nil {
			t.Fatal(err)
		}
		for k, size := range want.Sizes {
			got, err := m.Embed(context.Background(), pictureOf(k, size[0], size[1]), size[0], size[1])
			if err != nil {
				t.Fatal(err)
			}
			near5(t, c.file, got, c.of(k))
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestVisionErrors(t *testing.T) {
	t.Parallel()
	dir, _ := openMeaning(t)
	for path, say := range map[string]string{
		filepath.Join(dir, "sentence.onnx"): "has 3 inputs", "testdata/mlp_opset17.onnx": "want images [B, 3, H, W] of float32", "testdata/mlp.pth": "no known architecture",
	} {
		if _, err := OpenVision(path, VisionOptions{}); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%s gives %v, want %q", path, err, say)
		}
	}
	m, err := OpenVision(filepath.Join(dir, "vision_vit.onnx"), VisionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if m.Pictures.Height != 24 || m.Pictures.Width != 24 {
		t.Errorf("pictures become %d × %d, the file fixes 24 × 24", m.Pictures.Height, m.Pictures.Width)
	}
	if _, err := m.Embed(context.Background(), nil, 0, 5); err == nil {
		t.Error("a picture without pixels is taken")
	}
}

// Captions equal the greedy generation of transformers, token for token.
func TestCaptions(t *testing.T) {
	t.Parallel()
	dir, want := openMeaning(t)
	for name, rows := range want.Captions {
		c, err := OpenCaptioner(filepath.Join(dir, name), CaptionerOptions{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		lengths := map[int]bool{}
		for k, size := range want.Sizes {
			text, ids, err := c.Caption(context.Background(), pictureOf(k, size[0], size[1]), size[0], size[1])
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(ids, rows[k].IDs) || text != rows[k].Text {
				t.Errorf("%s, picture %d: %v %q, want %v %q", name, k, ids, text, rows[k].IDs, rows[k].Text)
			}
			lengths[len(ids)] = true
		}
		if len(lengths) < 4 {
			t.Errorf("%s: captions have %d lengths", name, len(lengths))
		}
		if len(c.Files) != len(c.SHA256) || len(c.Files) < 5 {
			t.Errorf("%s: files are %q", name, c.Files)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Another bound, and other tokens by which texts begin and end, are followed.
func TestCaptionOptions(t *testing.T) {
	t.Parallel()
	dir, want := openMeaning(t)
	rows := want.Captions["captioner_blip"]
	end := int(rows[0].IDs[4])
	c, err := OpenCaptioner(filepath.Join(dir, "captioner_blip"), CaptionerOptions{End: &end, Tokens: 20})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for k, row := range rows {
		size := want.Sizes[k]
		got, err := c.Generate(context.Background(), pictureOf(k, size[0], size[1]), size[0], size[1])
		wanted := row.IDs[:min(20, len(row.IDs))]
		if i := slices.Index(wanted, int64(end)); i >= 0 {
			wanted = wanted[:i+1]
		}
		// The token that ended a text of transformers ends none here.
		if err != nil || !slices.Equal(got[:len(wanted)], wanted) {
			t.Errorf("picture %d: %v (%v), want %v", k, got, err, wanted)
		}
	}
}

func TestCaptionerErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ remove, file, text, say string }{
		{"tokenizer.json", "", "", "tokenizer.json: no such file"},
		{"preprocessor_config.json", "", "", "preprocessor_config.json: no such file"},
		{"vision_model.onnx", "", "", "found none of encoder_model.onnx, vision_model.onnx"},
		{"text_decoder.onnx", "", "", "found none of decoder_model.onnx, text_decoder.onnx"},
		{"", "config.json", "{", "config.json: unexpected end"},
		{"", "config.json", `{"eos_token_id":"a"}`, `config.json: "a" is not the id of a token`},
		{"generation_config.json", "config.json", "{}", "no configuration has the first token of a text"},
		{"generation_config.json", "config.json", `{"bos_token_id":1}`, "no configuration has the last token of a text"},
		{"", "config.json", `{"bos_token_id":-7,"decoder_start_token_id":-2}`, "the first token of a text"},
		{"", "tokenizer.json", `{"model":{"type":"Unigram"}}`, "tokenizer.json: the model is Unigram"},
		{"", "preprocessor_config.json", `{"do_pad":true}`, "preprocessor_config.json: do_pad is true"},
	} {
		dir, _ := openMeaning(t)
		dir = filepath.Join(dir, "captioner_blip")
		if c.remove != "" {
			if err := os.Remove(filepath.Join(dir, c.remove)); err != nil {
				t.Fatal(err)
			}
		}
		if c.file != "" {
			if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := OpenCaptioner(dir, CaptionerOptions{}); err == nil || !strings.Contains(err.Error(), c.say) || !strings.HasPrefix(err.Error(), "captioner "+dir) {
			t.Errorf("%+v gives %v", c, err)
		}
	}
}

func TestGenerationConfig(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		config, generation string
		start, pad         int
		ends               []int
		notes              int
	}{
		{`{"decoder":{"bos_token_id":5,"eos_token_id":6}}`, "", 5, 6, []int{6}, 0},
		{`{"model_type":"blip","text_config":{"bos_token_id":30,"sep_token_id":10,"eos_token_id":2,"pad_token_id":0}}`, `{"eos_token_id":2,"bos_token_id":9}`, 30, 0, []int{10}, 0},
		{`{"decoder_start_token_id":1,"eos_token_id":3}`, `{"decoder_start_token_id":2,"eos_token_id":[4,5],"pad_token_id":7,"num_beams":4,"do_sample":true}`, 2, 7, []int{4, 5}, 2},
		{`{"bos_token_id":1,"eos_token_id":null,"text_config":{"sep_token_id":3}}`, "", 1, 3, []int{3}, 0},
	} {
		var g generation
		var second []byte
		if c.generation != "" {
			second = []byte(c.generation)
		}
		err := g.read([]byte(c.config), second)
		if err == nil {
			err = g.check()
		}
		if err != nil || g.start != c.start || g.pad != c.pad || !slices.Equal(g.ends, c.ends) || len(g.notes) != c.notes {
			t.Errorf("%s and %s give %+v (%v)", c.config, c.generation, g, err)
		}
	}
}
