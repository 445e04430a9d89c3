//go:build race

// Under the race detector, which takes memory of its own.

package latent

const raceDetector = true
