//go:build cuda && fakecuda

package cuda

import _ "repscope/internal/cuda/fakecuda" // defines the driver's functions

// driverError says why there is no driver: the fake one is always there.
func driverError() string { return "" }
