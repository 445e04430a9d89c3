// What is no regular file, where folders hold nothing else.

//go:build !unix

package regular

import "testing"

// special are paths of what is no file, by its kind.
func special(t *testing.T) map[string]string {
	t.Helper()
	return map[string]string{"folder": t.TempDir()}
}
