//go:build cuda && !fakecuda

// The driver that is looked for when the program runs.

package cuda

import "repscope/internal/cuda/forward"

// noDriver is the reason why there is no driver.
func noDriver() string { return forward.Error() }
