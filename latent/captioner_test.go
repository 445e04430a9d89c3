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
)

// picture is the picture of generate_meaning.py.
func picture(k, height, width int) []uint8 {
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
		p, err := ParsePictureProcessor("preprocessor_config.json", c.processor)
		if err != nil {
			t.Fatal(err)
		}
		m, err := OpenVision(filepath.Join(dir, c.file), VisionOptions{Pictures: *p, Pool: c.pool})
		if err != nil {
			t.Fatal(err)
		}
		for k, size := range want.Sizes {
			got, err := m.Embed(context.Background(), picture(k, size[0], size[1]), size[0], size[1])
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
			text, ids, err := c.Caption(context.Background(), picture(k, size[0], size[1]), size[0], size[1])
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
		got, err := c.Generate(context.Background(), picture(k, size[0], size[1]), size[0], size[1])
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

func TestPictureProcessor(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"size":{"height":24,"width":12},"resample":3}`:                                                           "24 × 12 (bicubic), times 0.00392157, mean [0 0 0], standard deviation [0 0 0]",
		`{"size":24,"image_processor_type":"ViTImageProcessor","do_rescale":false}`:                                "24 × 24 (bilinear), times 1, mean [0 0 0], standard deviation [0 0 0]",
		`{"size":24,"feature_extractor_type":"CLIPFeatureExtractor","crop_size":20,"do_center_crop":true}`:         "shorter side 24 (bilinear), center crop 20 × 20, times 0.00392157, mean [0 0 0], standard deviation [0 0 0]",
		`{"do_resize":false,"size":24,"image_mean":[0.5,0.5,0.5],"image_std":[0.5,0.25,0.5],"rescale_factor":0.5}`: "times 0.5, mean [0.5 0.5 0.5], standard deviation [0.5 0.25 0.5]",
	} {
		p, err := ParsePictureProcessor("p.json", []byte(text))
		if err != nil || p.String() != want {
			t.Errorf("%s gives %v (%v), want %s", text, p, err, want)
		}
	}
	for text, want := range map[string]string{
		`[]`: "p.json: it is not the configuration", `{"size":{"longest_edge":9}}`: "p.json: size is", `{"size":24,"resample":6}`: "p.json: resample is 6",
		`{"image_mean":[1],"image_std":[1]}`: "p.json: image_mean and image_std have 1 and 1 numbers", `{"image_mean":[1,1,1],"image_std":[1,0,1]}`: "p.json: image_std is 0",
		`{"size":99999999}`: "p.json: an image side of 99999999", `{"size":-1}`: "p.json: an image side of -1", `{"do_center_crop":true,"crop_size":{"height":3}}`: "p.json: crop_size is",
	} {
		if _, err := ParsePictureProcessor("p.json", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s gives %v, want %s…", text, err, want)
		}
	}
	small := PictureProcessor{CropHeight: 4, CropWidth: 4}
	if _, _, _, err := small.Apply(make([]uint8, 27), 3, 3); err == nil || !strings.Contains(err.Error(), "has no center crop of 4 × 4") {
		t.Errorf("a picture smaller than its middle: %v", err)
	}
	long := PictureProcessor{Shortest: 1000}
	if _, _, _, err := long.Apply(make([]uint8, 3*100000), 1, 100000); err == nil || !strings.Contains(err.Error(), "more than 67108864 pixels") {
		t.Errorf("a picture that would become huge: %v", err)
	}
	if v, h, w, err := (&PictureProcessor{}).Apply([]uint8{1, 2, 3}, 1, 1); err != nil || h != 1 || w != 1 || !slices.Equal(v, []float32{1, 2, 3}) {
		t.Errorf("nothing is done: %v, %d × %d (%v)", v, h, w, err)
	}
	if of := CLIPPictures(224); of.Check() != nil || of.Mean[0] < 0.4 || ImageNetPictures(224).Std[0] != 0.229 {
		t.Errorf("presets are %+v", of)
	}
}

func FuzzPictureProcessor(f *testing.F) {
	f.Add([]byte(`{"size":{"shortest_edge":24},"do_center_crop":true,"crop_size":{"height":9,"width":9},"image_mean":[0,0,0],"image_std":[1,1,1]}`), 5, 9)
	f.Fuzz(func(t *testing.T, data []byte, height, width int) {
		p, err := ParsePictureProcessor("p.json", data)
		if err != nil || height < 0 || width < 0 || height > 40 || width > 40 || p.Height*p.Width > 1<<20 || p.Shortest > 1<<10 {
			return
		}
		v, h, w, err := p.Apply(make([]uint8, 3*height*width), height, width)
		if err == nil && len(v) != 3*h*w {
			t.Errorf("%d values for %d × %d", len(v), h, w)
		}
	})
}
