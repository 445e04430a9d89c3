// Images of two screens, made comparable.

package canvas

// images are both images, made comparable.
func (p *Pair) images() (*screenPair, error) {
	return p.screens.get(func() (*screenPair, error) { return newPixels(&p.Screens) })
}
