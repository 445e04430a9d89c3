//go:build race

package latent

const raceDetector = true
