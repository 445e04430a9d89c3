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
	"repscope/model/checkpoint/internal/settings"
	"repscope/model/checkpoint/internal/statedict"
)

// ProcessorFiles say how the encoder of a folder wants its images; the first one that is there counts. They are of
// transformers, of open_clip, and of timm, whose configuration has it as pretrained_cfg.
var ProcessorFiles = []string{"preprocessor_config.json", "processor_config.json", "video_preprocessor_config.json",
	settings.OpenCLIPFile, "config.json"}

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
	if weights, err := statedict.WeightsOf(dir); err == nil && strings.HasPrefix(weights, "open_clip") {
		others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == settings.OpenCLIPFile })
		names = append([]string{settings.OpenCLIPFile}, others...)
	}
	var list []Processor
	for _, name := range names {
		data, err := regular.Read(filepath.Join(dir, name), settings.FileSize)
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
