// Agreement against scikit-learn.

package cluster

import (
	"math"
	"testing"

	"repscope/measure/measuretest"
)

func TestAgreementMatchesReference(t *testing.T) {
	t.Parallel()
	g, _, _ := measuretest.ReadGeometry(t)
	a, b := NewPartition(g.Labels), NewPartition(g.Other)
	for name, f := range map[string]struct {
		of   func(*Contingency) float64
		want float64
	}{"NMI": {(*Contingency).NMI, g.NMI}, "AMI": {(*Contingency).AMI, g.AMI}, "ARI": {(*Contingency).ARI, g.ARI}} {
		agreement := func(a, b Partition) float64 {
			c, err := NewContingency(a, b)
			if err != nil {
				t.Fatal(err)
			}
			return f.of(c)
		}
		for _, order := range [][2]Partition{{a, b}, {b, a}} {
			measuretest.Near(t, name, agreement(order[0], order[1]), f.want, 1e-10)
		}
		if got := agreement(a, a); math.Abs(got-1) > 1e-12 {
			t.Errorf("%s of a partition with itself is %v", name, got)
		}
		one := NewPartition(make([]int64, len(g.Labels)))
		if got := agreement(one, one); got != 1 {
			t.Errorf("%s of one group with itself is %v", name, got)
		}
		if got := agreement(one, a); math.Abs(got) > 1e-12 {
			t.Errorf("%s of one group with several is %v, want 0", name, got)
		}
	}
	if _, err := NewContingency(a, NewPartition([]int64{1})); err == nil {
		t.Error("partitions of different points were compared")
	}
}

// Taking a point away and putting it back leaves the agreement as it was.
func TestContingencyAdd(t *testing.T) {
	t.Parallel()
	g, _, _ := measuretest.ReadGeometry(t)
	a, b := NewPartition(g.Labels), NewPartition(g.Other)
	c, err := NewContingency(a, b)
	if err != nil {
		t.Fatal(err)
	}
	last := len(a.Of) - 1
	c.Add(a.Of[last], b.Of[last], -1)
	rest, err := NewContingency(NewPartition(g.Labels[:last]), NewPartition(g.Other[:last]))
	if err != nil {
		t.Fatal(err)
	}
	measuretest.Near(t, "ARI without a point", c.ARI(), rest.ARI(), 1e-14)
	measuretest.Near(t, "AMI without a point", c.AMI(), rest.AMI(), 1e-12)
	c.Add(a.Of[last], b.Of[last], 1)
	measuretest.Near(t, "NMI", c.NMI(), g.NMI, 1e-10)
}
