//go:build !race

// Without the race detector: tests of memory run.

package latent

const raceDetector = false
