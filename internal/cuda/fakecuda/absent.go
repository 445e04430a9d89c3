//go:build cuda && !fakecuda

// Package fakecuda without the tag fakecuda: the driver is the machine's own, and calls to the fake one do nothing, so
// that the same tests run on hardware.
package fakecuda

// Reset would set the number of devices; the machine's are fixed.
func Reset(devices int, memory int64) {}

// Seed would choose another order between streams.
func Seed(seed int) {}

// Reverse would change the order of threads.
func Reverse(on bool) {}

// Message is empty.
func Message() string { return "" }

// Used is 0: how much of a real device is in use is not known.
func Used(device int) int64 { return 0 }

// Fail makes nothing fail; tests that need it are skipped unless Linked.
func Fail(function string, after, code int) {}

// Linked reports whether the fake driver replaces the machine's.
const Linked = false
