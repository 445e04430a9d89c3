// The optional numbers.

package manifold

import "context"

// extras fills in the optional numbers of model i.
func (m *Model) extras(ctx context.Context, i int, p *plan) error {
	if err := m.lidar(ctx, i, p); err != nil {
		return err
	}
	z := p.in.Models[i].Latents
	if err := m.gaussian(ctx, z, p.memory[i], p); err != nil {
		return err
	}
	return m.learn(ctx, z, p)
}

// undefinedExtras gives the optional numbers a reason.
func (m *Model) undefinedExtras(p *plan, reason string) {
	if p.o.Views > 0 || p.in.Groups != nil {
		m.LiDAR = &LiDAR{}
		m.LiDAR.undefined(reason)
	}
	if p.o.GaussianSlices > 0 {
		m.Gaussianity = &Gaussianity{Scale: p.o.GaussianScale}
		m.Gaussianity.undefined(reason)
	}
	if p.o.Clusters > 0 {
		m.Learnability = &Learnability{Clusters: p.o.Clusters, Neighbors: learningNeighbors}
		m.Learnability.undefined(reason)
	}
}
