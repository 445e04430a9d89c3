/* Positions in row-major arrays with strides. Quotients of 64 bits are divided in 32 where
 * both numbers fit: the compiler sees to that. */
#pragma once
#include "device.h"

typedef unsigned long long size;

/* One axis of a box and how far each of K operands moves along it. Indices below
 * 2³¹ are divided by a multiplication: i/length = i·magic >> shift. */
template <int K> struct Axis {
	size length;
	unsigned magic, shift;
	long long stride[K];
};

/* The places of element i of a box of at most `count` elements, axes from the outermost. */
template <int K> __device__ inline void locate(const Axis<K> *axes, int rank, size i, size count, long long at[K]) {
#pragma unroll
	for (int k = 0; k < K; k++) at[k] = 0;
	if (count <= 0x7fffffffu) {
		unsigned n = (unsigned)i;
		for (int a = rank - 1; a > 0; a--) {
			unsigned q = (unsigned)((size)n * axes[a].magic >> axes[a].shift);
			long long r = n - q * (unsigned)axes[a].length;
#pragma unroll
			for (int k = 0; k < K; k++) at[k] += r * axes[a].stride[k];
			n = q;
		}
		i = n;
	} else {
		for (int a = rank - 1; a > 0; a--) {
			size q = i / axes[a].length;
			long long r = (long long)(i - q * axes[a].length);
#pragma unroll
			for (int k = 0; k < K; k++) at[k] += r * axes[a].stride[k];
			i = q;
		}
	}
	if (rank > 0)
#pragma unroll
		for (int k = 0; k < K; k++) at[k] += (long long)i * axes[0].stride[k];
}

/* A loop over the elements of a grid of one-dimensional blocks. */
#define for_each(i, count) \
	for (size i = (size)blockIdx.x * blockDim.x + threadIdx.x, step_##i = (size)gridDim.x * blockDim.x; i < (count); i += step_##i)
