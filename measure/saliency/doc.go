// Package saliency scores saliency maps, which say where people look: against another map
// (CC, SIM, KL), and against fixations (NSS, AUC of Judd and of Borji, shuffled AUC,
// information gain), as Bylinskii et al. 2019 name them.
//
//	truth, err := saliency.NewMap(375, 812, make([]uint8, 375*812)) // pixels of an image
//	…
//	predicted, err := saliency.NewMap(375, 812, make([]float32, 375*812)) // values of a model
//	…
//	correlation, err := saliency.CC(truth, predicted)
//	divergence, err := saliency.KL(truth, predicted, saliency.Epsilon)
//	looked, err := saliency.FixationsAt(375, 812, []float64{20.5, 301}, []float64{40, 77.2})
//	…
//	area, err := saliency.AUCBorji(predicted, looked, saliency.Step)
//
// Maps are rows of pixels, from the top; x counts columns to the right, y rows downward.
// A map has finite values only: NaN and infinities are errors of NewMap, with their place.
// What cannot be computed (maps of other sizes, a constant map that orders no pixels, no
// fixations) is a [stat.UndefinedError] with its reason and NaN, never a number.
//
// CC, NSS and all AUC are the same for a·map + b, a > 0, but for rounding. SIM, KL and
// information gain take maps as distributions, v/Σv, which b changes; [Map.Rescaled] makes
// the smallest value 0 where that is wanted. A map that is constant is a distribution (the
// uniform one) and has a SIM, KL and information gain, but no CC, NSS or AUC.
//
// Everything is computed in float64, always in the same order and with products rounded
// before they are added: the same inputs give the same bits.
package saliency
