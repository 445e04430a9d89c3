// The figure of calibration.

package sequence

// keptReliability are the bins of [calibration], for figures.
const keptReliability = "reliability"
