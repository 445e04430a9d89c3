//go:build cuda && !fakecuda

// Package forward stands between gorgonia.org/cu and the NVIDIA driver: it
// defines the driver's functions and passes each call on to libcuda.so.1, which
// it looks for when the program starts. So a binary runs where there is no driver.
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

// Error says why there is no driver; it is empty where the driver works.
func Error() string { return C.GoString(C.forward_error()) }
