// Which metrics there are, in the order of the result.

package canvas

import "slices"

// kinds returns the registry. Each kind is a variable of its own metric_<name>.go.
func kinds() []Kind {
	return []Kind{
		canvasFill,
		screenPixels,
		multiscale,
		gradients,
		features,
		perceptual,
		semanticMatch,
		imageSimilarity,
		saliencyKind,
		saliencyShuffledKind,
		saliencyBaselineKind,
		elementCount,
		layoutOverlap,
		alignment,
		defects,
		blocks,
		contrast,
		hierarchy,
		tools,
		toolAccuracy,
		completeness,
	}
}

// usual are those that are computed unless others are asked for.
func usual() []Kind { return slices.DeleteFunc(kinds(), func(k Kind) bool { return k.Optional }) }
