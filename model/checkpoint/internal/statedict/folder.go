// The file of weights in a folder.

package statedict

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// folderFiles hold the weights of a folder, the first one that is there.
var folderFiles = []string{"model.safetensors", "model.safetensors.index.json", "pytorch_model.bin",
	"pytorch_model.bin.index.json", "open_clip_model.safetensors", "open_clip_pytorch_model.bin"}

// Besides reports which file of weights is read if a folder has several.
func Besides(dir, taken string) []string {
	var others []string
	for _, name := range folderFiles {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && name != taken && info.Mode().IsRegular() {
			others = append(others, name)
		}
	}
	if len(others) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("the weights are read from %s; the folder also contains %s", taken,
		List(others))}
}

// WeightsOf finds the file of the weights in a folder.
func WeightsOf(dir string) (string, error) {
	for _, name := range folderFiles {
		info, err := os.Stat(filepath.Join(dir, name))
		if err == nil && info.Mode().IsRegular() {
			return name, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var models []string
	for _, e := range entries {
		switch strings.ToLower(filepath.Ext(e.Name())) {
		case ".onnx", ".pth", ".pt", ".safetensors", ".bin", ".ckpt":
			models = append(models, e.Name())
		}
	}
	hint := "give the file of the encoder"
	if len(models) > 0 {
		hint = "give one of its files: " + List(models)
	}
	return "", fmt.Errorf("%s: a folder without model.safetensors or pytorch_model.bin, as save_pretrained writes "+
		"them; %s", dir, hint)
}
