// The worked example of the package comment.

package cluster_test

import (
	"context"
	"fmt"

	"repscope/measure/cluster"
	"repscope/points"
	"repscope/stat"
)

// Two clusters on a line, and labels that know one of the points to be odd.
func Example() {
	z := points.Float64([]float64{0, 1, 2, 20, 21, 22}, 1)
	found, err := cluster.KMeans(context.Background(), z, 2, cluster.KMeansOptions{Seed: 42})
	if err != nil {
		fmt.Println(err)
		return
	}
	widths, err := cluster.Silhouette(context.Background(), z, found.Partition, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	table, err := cluster.NewContingency(found.Partition, cluster.NewPartition([]int64{0, 0, 0, 1, 1, 7}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("clusters", found.Partition.Of, "inertia", found.Inertia)
	fmt.Printf("silhouette %.3f, NMI %.3f, ARI %.3f\n", stat.Mean(widths), table.NMI(), table.ARI())
	// Output:
	// clusters [0 0 0 1 1 1] inertia 4
	// silhouette 0.933, NMI 0.813, ARI 0.706
}
