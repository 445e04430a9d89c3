// The figures.

package generation

import "repscope/internal/run"

// writeFigures writes the figures of what was computed.
func (r *Result) writeFigures(*run.Env) error { return nil }
