// Package reward measures what can be read from latents, and what models of dynamics
// predict of them.
package reward
