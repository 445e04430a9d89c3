// Package embedding lays points out in a plane to be looked at: their principal components, and
// t-SNE, which keeps neighbors together and says little about large distances.
//
//	flat, err := embedding.PCA(latents, 2)
//	near, err := embedding.TSNE(ctx, latents, embedding.TSNEOptions{Perplexity: 30})
//	fmt.Println(near.Coordinates[0], near.Coordinates[1], near.KL)
//
// Both are functions of the points and options alone: the same bytes for any number of threads.
package embedding
