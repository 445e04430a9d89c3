//go:build cuda && fakecuda

// The fake driver instead of NVIDIA's.

package cuda

import _ "repscope/internal/cuda/fakecuda" // defines the driver's functions

// noDriver is the reason why there is no driver: the fake one always exists.
func noDriver() string { return "" }
