// Paths that are no regular files, on systems where folders hold nothing else.

//go:build !unix

package regular

import "testing"

// special are paths that are no files, by kind.
func special(t *testing.T) map[string]string {
	t.Helper()
	return map[string]string{"folder": t.TempDir()}
}
