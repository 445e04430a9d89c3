// Package fidelity measures how close generated points come to real ones: whether they lie where
// real points lie and reach all of them (precision, recall, density, coverage), whether they are
// copies of what a generator was fitted on (memorization), and how well a classifier tells both
// kinds apart.
//
//	found, err := fidelity.PRDC(ctx, train, generated, fidelity.Options{Ks: []int{3, 5, 10}})
//	if err != nil { … }
//	fmt.Println(found.ByK[1].Precision, found.ByK[1].Coverage)
//	copied, err := fidelity.Memorize(ctx, train, holdout, generated, fidelity.MemorizationOptions{})
//	apart, err := fidelity.Classify(ctx, holdout, generated, fidelity.ClassifierOptions{})
//
// Points are any vectors of one type and dimension: latents, features of a network, grids laid
// flat. Distances are exact, no n × n matrix is held, and outcomes of single rows are integers, so
// that results do not depend on threads or memory.
package fidelity
