// The files of a folder that say how its encoder wants images.

package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/regular"
)

// ProcessorFiles say how the encoder of a folder wants its images; the first one that is there counts. They are of
// transformers, of open_clip, and of timm, whose configuration has it as pretrained_cfg.
var ProcessorFiles = []string{"preprocessor_config.json", "processor_config.json", "video_preprocessor_config.json",
	openCLIPFile, "config.json"}

const openCLIPFile = "open_clip_config.json" // of open_clip

// Processor is the content of such a file.
type Processor struct {
	Name string // of the file
	Data []byte
}

// Processors reads the ProcessorFiles of a folder, in the order in which they count: a folder may have the files of two
// libraries, and the library of its weights comes first. There are none of a file.
func Processors(dir string) ([]Processor, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, nil
	}
	names := ProcessorFiles
	if weights, err := weightsOf(dir); err == nil && strings.HasPrefix(weights, "open_clip") {
		others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == openCLIPFile })
		names = append([]string{openCLIPFile}, others...)
	}
	var list []Processor
	for _, name := range names {
		data, err := regular.Read(filepath.Join(dir, name), configSize)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("preprocessing: %w", err)
		}
		list = append(list, Processor{name, data})
	}
	return list, nil
}

// visionOf is the configuration of open_clip's tower of images in the terms of transformers: open_clip tells the width
// of a head, and the activation for both towers.
func visionOf(root any) any {
	all, _ := root.(map[string]any)
	model, _ := all["model_cfg"].(map[string]any)
	vision, _ := model["vision_cfg"].(map[string]any)
	settings := map[string]any{}
	if quick, ok := model["quick_gelu"].(bool); ok && quick {
		settings["hidden_act"] = "quick_gelu"
	}
	width, wide := vision["width"].(int)
	head, ok := vision["head_width"].(int)
	if !ok {
		head = 64 // the default of open_clip
	}
	if wide && head > 0 && width > 0 && width%head == 0 {
		settings["num_attention_heads"] = width / head
	}
	return settings
}
