//go:build cuda && !fakecuda

package cuda

import "repscope/internal/cuda/forward"

// driverError says why there is no driver.
func driverError() string { return forward.Error() }
