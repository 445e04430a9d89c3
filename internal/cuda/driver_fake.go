//go:build cuda && fakecuda

// The fake driver in place of NVIDIA's.

package cuda

import _ "repscope/internal/cuda/fakecuda" // defines the driver's functions

// noDriver says why there is no driver: the fake one is always there.
func noDriver() string { return "" }
