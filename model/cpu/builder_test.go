// Where kernels lie.

package cpu

import (
	"testing"

	"repscope/model/internal/graphtest"
)

// A kernel lies in the file of its operator's family.
func TestFamilies(t *testing.T) {
	t.Parallel()
	graphtest.Families(t, kernels)
}
