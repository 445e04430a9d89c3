// The digests that a result may have recorded of an input.

package repscope

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"

	"repscope/dataset"
	"repscope/internal/gunzip"
	"repscope/internal/regular"
	"repscope/latent"
	"repscope/report"
)

// expandedDigests is the digest of the plain content of a compressed table.
func (v *verifier) expandedDigests(path string) ([]string, error) {
	data, err := regular.ReadContext(v.ctx, path, regular.Table)
	if err == nil {
		data, err = gunzip.Bytes(data)
	}
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	return []string{hex.EncodeToString(sum[:])}, nil
}

// digestsOf are the digests of a path: of its bytes, and, for an input, the others that results record: of the images
// of a folder, of a column of a table, of the first file of a model in a folder. Errors are of the first.
func (v *verifier) digestsOf(path string, in *report.Input) ([]string, error) {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() && in != nil {
		return v.folderDigests(path, in)
	}
	file := path
	if err != nil {
		if i := strings.LastIndexByte(path, ':'); i > 0 {
			file = path[:i]
		}
		info, err := os.Stat(file)
		if in != nil && (err == nil && info.IsDir() || len(dataset.FilesOf(path)) > 1) {
			return v.folderDigests(path, in) // an array of several files
		}
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() && in != nil {
		return v.folderDigests(path, in) // an array of a store
	}
	sum, err := v.fileDigest(file)
	if err != nil {
		return nil, err
	}
	sums := []string{sum}
	if in != nil {
		sums = append(sums, tableDigests(file)...)
	}
	return sums, nil
}

// fileDigest is the digest of a file, which is read once.
func (v *verifier) fileDigest(path string) (string, error) {
	if sum, known := v.digests[path]; known {
		return sum, nil
	}
	sum, err := report.FileSum(path)
	if err == nil {
		v.digests[path] = sum
	}
	return sum, err
}

// tableDigests are the digests of the columns of a table, which are arrays in memory for results.
func tableDigests(path string) []string {
	if !dataset.IsTable(path) {
		return nil
	}
	columns, err := dataset.ReadTable(path)
	if err != nil {
		return nil
	}
	var sums []string
	for i := range columns {
		if columns[i].Texts != nil {
			continue
		}
		a, err := columns[i].Array(path)
		if err != nil {
			continue
		}
		if sum, err := a.SHA256(); err == nil {
			sums = append(sums, sum)
		}
	}
	return sums
}

// folderDigests are the digests of an array of several files, such as a folder of images, as stored and resized as in
// the result, and of the files of a model.
func (v *verifier) folderDigests(path string, in *report.Input) ([]string, error) {
	var sums []string
	options := []dataset.ImageOptions{{}}
	if n := len(in.Shape); n >= 3 {
		for _, nearest := range []bool{false, true} {
			options = append(options, dataset.ImageOptions{Height: in.Shape[n-2], Width: in.Shape[n-1], Nearest: nearest})
		}
	}
	var first error
	for _, o := range options {
		r, err := dataset.OpenRecording(path, o)
		if err == nil {
			var sum string
			if sum, err = r.Frames.SHA256(); err == nil {
				sums = append(sums, sum)
			}
			r.Frames.Close()
		}
		if first == nil {
			first = err
		}
	}
	for _, file := range latent.Beside(path) {
		if sum, err := v.fileDigest(file); err == nil {
			sums = append(sums, sum)
		}
	}
	if len(sums) == 0 {
		return nil, first
	}
	return sums, nil
}
