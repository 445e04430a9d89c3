// The files of a folder that say how its encoder wants images.

package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"repscope/internal/regular"
)

// ProcessorFiles say how the encoder of a folder wants its images; the first one that is there counts. They are of
// transformers, of open_clip, and of timm, whose configuration has it as pretrained_cfg.
var ProcessorFiles = []string{"preprocessor_config.json", "processor_config.json", "video_preprocessor_config.json",
	"open_clip_config.json", "config.json"}

// Processor is the content of such a file.
type Processor struct {
	Name string // of the file
	Data []byte
}

// Processors reads those that a folder has, in the order in which they count: a folder may have the files of two
// libraries, and that of its weights comes first. There are none of a file.
func Processors(dir string) ([]Processor, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, nil
	}
	names := ProcessorFiles
	if weights, err := weightsOf(dir); err == nil && strings.HasPrefix(weights, "open_clip") {
		names = append([]string{"open_clip_config.json"}, names...)
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
