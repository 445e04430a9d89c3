// The built-in example: problems on a toy climbing board, and models of it.

package generation

import (
	"fmt"

	"repscope/internal/run"
)

// loadExample makes the input of --example.
func (f *options) loadExample(*run.Env) (*Input, error) {
	return nil, fmt.Errorf("this version has no example")
}
