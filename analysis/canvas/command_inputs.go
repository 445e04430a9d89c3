// What a run enters of its inputs.

package canvas

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// digestOfTree is the digest of all files that metrics read of cases, in the order of their paths: that of
// a tree. Files that are missing are part of it.
func digestOfTree(d *digests, kinds []Kind, cases []Case) (digest string, files int) {
	all := sha256.New()
	for _, path := range filesOf(kinds, cases) {
		fmt.Fprintf(all, "%s\n", d.of(path))
		files++
	}
	return hex.EncodeToString(all.Sum(nil)), files
}
