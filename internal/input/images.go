// Frames from folders of images: the size that all are brought to, and folders as episodes.

package input

import (
	"fmt"
	"os"

	"repscope/dataset"
	"repscope/internal/run"
	"repscope/latent"
	"repscope/report"
)

// imageSize is the size that images of several sizes are brought to: the one to which all
// models resize their frames.
func (in *Inputs) imageSize() (dataset.ImageOptions, error) {
	p, err := in.preprocessing("", nil) // of all models
	return dataset.ImageOptions{Height: p.Height, Width: p.Width, Nearest: p.Interpolation == latent.Nearest}, err
}

// isFolder reports whether a path is a folder of images.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir() && !dataset.IsStore(path)
}

// takeFolders takes the folders of images for episodes.
func (in *frameInput) takeFolders(r *dataset.Recording) {
	if r.Episodes == nil {
		return
	}
	in.numbers = r.Episodes
	in.episodes = &report.Input{Role: "episodes", Path: in.path, Kind: r.Kind, Shape: []int{len(r.Episodes)},
		Episodes: len(r.Folders)}
}

// agree is an error where given episodes are others than the folders of the images.
func (in *frameInput) agree(r *dataset.Recording, episodes *dataset.Episodes, path string) error {
	n := len(r.Episodes)
	numbers := dataset.NumberEpisodes(n, episodes.Numbers, episodes.Ends)
	folders := dataset.NumberEpisodes(n, r.Episodes, nil)
	i := -1
	for k := range n {
		if numbers[k] != folders[k] {
			i = k
			break
		}
	}
	if i < 0 {
		return nil
	}
	what := "goes on"
	if numbers[i] > folders[i] {
		what = "begins"
	}
	return run.Hint(fmt.Errorf("episodes: %s contradicts the folders of %s: by %s an episode %s at frame %d, which is in folder %s",
		path, in.path, path, what, i, r.Folders[r.Episodes[i]]), "leave --episodes out: each folder is an episode")
}
