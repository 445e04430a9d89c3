//go:build cuda && !fakecuda

package cuda

import "repscope/internal/cuda/forward"

// noDriver says why there is no driver.
func noDriver() string { return forward.Error() }
