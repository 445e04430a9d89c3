//go:build cuda

// Errors with the driver's own text.

package cuda

//#include <cuda.h>
import "C"

import (
	"fmt"
	"reflect"
	"slices"
)

// driverError is a CUresult with the text that the driver has for it.
type driverError struct {
	code int
	text string
}

func (e *driverError) Error() string { return fmt.Sprintf("%s (CUDA error %d)", e.text, e.code) }

// lost are the errors after which a context does nothing any more.
var lost = []int{
	C.CUDA_ERROR_DEINITIALIZED, C.CUDA_ERROR_ECC_UNCORRECTABLE, C.CUDA_ERROR_NVLINK_UNCORRECTABLE,
	C.CUDA_ERROR_ILLEGAL_ADDRESS, C.CUDA_ERROR_LAUNCH_TIMEOUT, C.CUDA_ERROR_CONTEXT_IS_DESTROYED, C.CUDA_ERROR_ASSERT,
	C.CUDA_ERROR_HARDWARE_STACK_ERROR, C.CUDA_ERROR_ILLEGAL_INSTRUCTION, C.CUDA_ERROR_MISALIGNED_ADDRESS,
	C.CUDA_ERROR_INVALID_ADDRESS_SPACE, C.CUDA_ERROR_INVALID_PC, C.CUDA_ERROR_LAUNCH_FAILED, C.CUDA_ERROR_UNKNOWN,
}

func (e *driverError) Is(target error) bool {
	switch target {
	case ErrOutOfMemory:
		return e.code == C.CUDA_ERROR_OUT_OF_MEMORY
	case ErrDeviceLost:
		return slices.Contains(lost, e.code)
	}
	return false
}

func newError(code int) error {
	if code == C.CUDA_SUCCESS {
		return nil
	}
	var text *C.char
	if C.cuGetErrorString(C.CUresult(code), &text) != C.CUDA_SUCCESS || text == nil {
		return &driverError{code, "unknown error"}
	}
	return &driverError{code, C.GoString(text)}
}

// explain gives an error of gorgonia.org/cu, which is a number with a short name,
// the driver's text. Its type is not exported.
func explain(err error) error {
	if err == nil {
		return nil
	}
	if v := reflect.ValueOf(err); v.Kind() == reflect.Int {
		return newError(int(v.Int()))
	}
	return err
}
