// Package cluster measures groups of points: k-means finds them; silhouette,
// Davies–Bouldin and Calinski–Harabasz say how well points fall into groups; mutual
// information and the Rand index compare two partitions; and the labels of nearest
// neighbors say whether classes are kept together.
//
//	found, err := cluster.KMeans(ctx, z, 10, cluster.KMeansOptions{Seed: 42}) // z: points.Points, [N, D]
//	widths, err := cluster.Silhouette(ctx, z, found.Partition, 0)
//	table, err := cluster.NewContingency(found.Partition, cluster.NewPartition(labels))
//	fmt.Println(stat.Mean(widths), table.AMI(), table.ARI())
//
// Distances are Euclidean, in float64; no n × n matrix is ever held. Sums are taken
// in an order that does not depend on the number of threads, and equal seeds give
// equal clusters.
package cluster
