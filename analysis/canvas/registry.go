// Which metrics there are, in the order of the result.

package canvas

import "slices"

// Kinds returns the registry. Each kind is a variable of its own metric_<name>.go.
func Kinds() []Kind {
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

// Usual are those that are computed unless others are asked for.
func Usual() []Kind { return slices.DeleteFunc(Kinds(), func(k Kind) bool { return k.Optional }) }
