// Images of two screens, made comparable.

package canvas

import "repscope/analysis/canvas/internal/screenshot"

// Images are both images, made comparable.
func (p *Pair) Images() (*screenshot.Pixels, error) {
	return p.screens.Get(func() (*screenshot.Pixels, error) { return screenshot.Read(&p.Screens) })
}
