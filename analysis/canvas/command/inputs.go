// What a run enters of its inputs.

package command

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/source"
)

// digestOfTree is the digest of all files that metrics read of cases, in the order of their paths: that of
// a tree. Files that are missing are part of it.
func digestOfTree(d *source.Digests, kinds []canvas.Kind, cases []source.Case) (digest string, files int) {
	all := sha256.New()
	for _, path := range canvas.FilesOf(kinds, cases) {
		fmt.Fprintf(all, "%s\n", d.Of(path))
		files++
	}
	return hex.EncodeToString(all.Sum(nil)), files
}
