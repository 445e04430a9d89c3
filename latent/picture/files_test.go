// Configurations of processors: what is refused, and that nothing in them ends the program.

package picture

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// folderWith is a folder with one file.
func folderWith(t testing.TB, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestProcessor(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"size":{"height":24,"width":12},"resample":3}`:                                                           "24 × 12 (bicubic), times 0.00392157, mean [0 0 0], standard deviation [0 0 0]",
		`{"size":24,"image_processor_type":"ViTImageProcessor","do_rescale":false}`:                                "24 × 24 (bilinear), times 1, mean [0 0 0], standard deviation [0 0 0]",
		`{"size":24,"feature_extractor_type":"CLIPFeatureExtractor","crop_size":20,"do_center_crop":true}`:         "shorter side 24 (bilinear), center crop 20 × 20, times 0.00392157, mean [0 0 0], standard deviation [0 0 0]",
		`{"do_resize":false,"size":24,"image_mean":[0.5,0.5,0.5],"image_std":[0.5,0.25,0.5],"rescale_factor":0.5}`: "times 0.5, mean [0.5 0.5 0.5], standard deviation [0.5 0.25 0.5]",
	} {
		p, err := Parse("p.json", []byte(text))
		if err != nil || p.String() != want {
			t.Errorf("%s gives %v (%v), want %s", text, p, err, want)
		}
	}
	for text, want := range map[string]string{
		`[]`: "p.json: it is not the configuration", `{"size":{"longest_edge":9}}`: "p.json: size is", `{"size":24,"resample":6}`: "p.json: resample is 6",
		`{"image_mean":[1],"image_std":[1]}`: "p.json: image_mean and image_std have 1 and 1 numbers", `{"image_mean":[1,1,1],"image_std":[1,0,1]}`: "p.json: image_std is 0",
		`{"size":99999999}`: "p.json: an image side of 99999999", `{"size":-1}`: "p.json: an image side of -1", `{"do_center_crop":true,"crop_size":{"height":3}}`: "p.json: crop_size is",
	} {
		if _, err := Parse("p.json", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s gives %v, want %s…", text, err, want)
		}
	}
	small := Processor{CropHeight: 4, CropWidth: 4}
	if _, _, _, err := small.Apply(make([]uint8, 27), 3, 3); err == nil || !strings.Contains(err.Error(), "has no center crop of 4 × 4") {
		t.Errorf("a picture smaller than its middle: %v", err)
	}
	long := Processor{Shortest: 1000}
	if _, _, _, err := long.Apply(make([]uint8, 3*100000), 1, 100000); err == nil || !strings.Contains(err.Error(), "more than 67108864 pixels") {
		t.Errorf("a picture that would become huge: %v", err)
	}
	if v, h, w, err := (&Processor{}).Apply([]uint8{1, 2, 3}, 1, 1); err != nil || h != 1 || w != 1 || !slices.Equal(v, []float32{1, 2, 3}) {
		t.Errorf("nothing is done: %v, %d × %d (%v)", v, h, w, err)
	}
	if clip := CLIP(224); clip.Check() != nil || clip.Mean[0] < 0.4 || ImageNet(224).Std[0] != 0.229 {
		t.Errorf("presets are %+v", clip)
	}
}

func FuzzProcessor(f *testing.F) {
	f.Add([]byte(`{"size":{"shortest_edge":24},"do_center_crop":true,"crop_size":{"height":9,"width":9},"image_mean":[0,0,0],"image_std":[1,1,1]}`), 5, 9)
	f.Fuzz(func(t *testing.T, data []byte, height, width int) {
		p, err := Parse("p.json", data)
		if err != nil || height < 0 || width < 0 || height > 40 || width > 40 || p.Height*p.Width > 1<<20 || p.Shortest > 1<<10 {
			return
		}
		v, h, w, err := p.Apply(make([]uint8, 3*height*width), height, width)
		if err == nil && len(v) != 3*h*w {
			t.Errorf("%d values for %d × %d", len(v), h, w)
		}
	})
}

// TestFolder_Refused: what a file asks and this package does not do is an error that names file and key; a file
// that says nothing gives nothing.
func TestFolder_Refused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, text, want string }{
		{"preprocessor_config.json", `{"do_pad":true,"do_flip_channel_order":true}`, "do_flip_channel_order is true"},
		{"preprocessor_config.json", `{"include_top":true,"size":{"height":8,"width":8}}`, "include_top is true"},
		{"preprocessor_config.json", `{"feature_extractor_type":"LevitFeatureExtractor","size":8}`, "LevitFeatureExtractor is not supported"},
		{"preprocessor_config.json", `{"size":{"height":20000,"width":8}}`, "an image side of 20000"},
		{"preprocessor_config.json", `[`, "not the configuration"},
		{"processor_config.json", `{"image_processor":{"size":{"longest_edge":8}}}`, "size is"},
		{"processor_config.json", `{"image_processor":null}`, ""},
		{"processor_config.json", `7`, "not the configuration"},
		{"config.json", `{"pretrained_cfg":{"input_size":[1,8,8]}}`, "input_size is [1 8 8]"},
		{"config.json", `{"pretrained_cfg":{"input_size":[3,8,9]}}`, "want a square"},
		{"config.json", `{"pretrained_cfg":{"input_size":[3,8,8],"crop_pct":1e-300}}`, "an image side of 16385"},
		{"config.json", `{"pretrained_cfg":{"input_size":[3,8,8],"crop_pct":-1}}`, "crop_pct is -1"},
		{"config.json", `{"pretrained_cfg":{"input_size":[3,8,8],"crop_mode":"border"}}`, `crop_mode is "border"`},
		{"config.json", `{"pretrained_cfg":{"input_size":[3,8,8],"interpolation":"random"}}`, `interpolation is "random"`},
		{"config.json", `{"pretrained_cfg":{"input_size":[3,8,8],"mean":[1]}}`, "mean has 1 numbers"},
		{"config.json", `{"pretrained_cfg":{"input_size":[3,8,8],"std":[1,0,1]}}`, "std is 0"},
		{"config.json", `{"model_type":"vit","hidden_size":8}`, ""},
		{"open_clip_config.json", `{"preprocess_cfg":{"size":8,"resize_mode":"longest"}}`, `resize_mode is "longest"`},
		{"open_clip_config.json", `{"preprocess_cfg":{"size":"big"}}`, "the size is"},
		{"open_clip_config.json", `{"preprocess_cfg":{}}`, ""},
	} {
		p, name, err := Folder(folderWith(t, c.file, c.text))
		switch {
		case c.want == "" && (p != nil || err != nil):
			t.Errorf("%s %s gives %v (%v)", c.file, c.text, p, err)
		case c.want != "" && (err == nil || name != c.file || !strings.HasPrefix(err.Error(), c.file+": ") || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s %s gives %v (%v), want %s", c.file, c.text, p, err, c.want)
		}
	}
}

func FuzzFolder(f *testing.F) {
	f.Add([]byte(`{"pretrained_cfg":{"input_size":[3,8,8],"crop_pct":0.9,"crop_mode":"squash","interpolation":"lanczos"}}`), 5, 9)
	f.Add([]byte(`{"preprocess_cfg":{"size":[8,8],"resize_mode":"shortest","mean":[0,0,0]},"model_cfg":{"vision_cfg":{"image_size":9}}}`), 9, 5)
	f.Add([]byte(`{"image_processor":{"size":{"height":4,"width":9},"resample":1},"video_processor":null}`), 9, 9)
	f.Fuzz(func(t *testing.T, data []byte, height, width int) {
		if height < 1 || width < 1 || height > 40 || width > 40 {
			return
		}
		for _, parse := range []func([]byte) (*Processor, error){parseTIMM, parseOpenCLIP, parseWithin, parseProcessor} {
			p, err := parse(data)
			if err != nil || p == nil || p.Check() != nil {
				continue
			}
			if h, w := p.Size(height, width); h*w > 1<<16 {
				continue
			}
			v, h, w, err := p.Apply(make([]uint8, 3*height*width), height, width)
			if err == nil && len(v) != 3*h*w {
				t.Errorf("%d values for %d × %d", len(v), h, w)
			}
		}
	})
}
