//go:build cuda && !fakecuda

// Package forward connects gorgonia.org/cu and the NVIDIA driver. It defines the driver's functions and passes each
// call on to libcuda.so.1, which it loads when the program starts. A binary therefore also runs without a driver.
//
//	if why := forward.Error(); why != "" { … } // no driver, no devices
package forward

/*
#cgo CFLAGS: -I${SRCDIR}/../include
#cgo LDFLAGS: -L${SRCDIR}/lib -ldl -lpthread
#include <cuda.h>
#include "forward.h"
*/
import "C"

// symbols.c, here and in fakecuda, is written by `go run generate.go`.

// Error is the reason why there is no driver; it is empty if the driver works.
func Error() string { return C.GoString(C.forward_error()) }
