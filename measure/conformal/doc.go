// Package conformal says how unusual the prediction errors of an episode are among the errors of other, untouched
// episodes, and raises alarms that may be watched at every step. Episodes are exchangeable; transitions within an
// episode depend on each other in any way, unless a function says more.
//
//	reference, err := conformal.NewReference(untouched, conformal.Options{}) // untouched: conformal.Transitions
//	p, err := reference.P(violated)                                          // violated: conformal.Transitions
//	alarms, err := reference.EpisodeAlarms(violated, 0.01)                   // needs 100 untouched episodes
//	alarms, err = reference.InnovationAlarms(violated, 0.01)                 // any number, under a model of dependence
//
// Ranks in a bag of episodes: Vovk, Gammerman & Shafer 2005, "Algorithmic learning in a random world"; Dunn,
// Wasserman & Ramdas 2023, "Distribution-free prediction sets for two-layer hierarchical models". Martingales: Vovk,
// Nouretdinov & Gammerman 2003, "Testing exchangeability on-line"; Ville 1939.
package conformal
