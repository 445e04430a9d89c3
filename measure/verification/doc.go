// Package verification scores forecasts of fields as weather services do: events at
// thresholds (contingency tables, Brier score, ROC, CORP reliability), the fractions
// skill score, radial power spectra, and errors of fields that are not means over
// cells.
//
// A field has Height × Width cells row by row, an ensemble Members of them one after the
// other. The computed values of one field are sums; scores are functions of sums, so that
// the sums of samples can be added in any grouping, and the sums of a block left out:
//
//	event := verification.Event{Threshold: 20}
//	var all verification.Table
//	for i := range truth {
//		all.Add(event.Table(forecast[i], truth[i], weights))
//	}
//	csi, err := all.CSI()
//
// Weights are per cell; nil weighs all equally. A cell of weight 0 counts nowhere, whatever
// it holds: scores of a masked field equal the scores of the field without these cells. A score that is undefined,
// such as the probability of detection of an event that never occurs, is a [stat.UndefinedError].
// Fields must be finite where they have a weight: what NaN does there is not defined.
package verification
