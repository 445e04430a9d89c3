/* Kernels of encoders. Every parameter takes at most 8 bytes; sizes are in
 * elements; matrices are row-major. */
#include "device.h"

/* normalize_u8: y[i] = x[i]·scale[c] + shift[c] for frames of `channels` planes
 * of `plane` pixels each. One thread per pixel, 256 threads per block. */
extern "C" __global__ void __launch_bounds__(256) normalize_u8(const unsigned char *x, const float *scale,
		const float *shift, float *y, unsigned long long count, unsigned plane, unsigned channels) {
	unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= count) return;
	unsigned c = (unsigned)(i / plane % channels);
	y[i] = __builtin_fmaf((float)x[i], scale[c], shift[c]);
}

/* product_f32: C[m,n] = activate(A[m,k]·B[k,n] + bias[n]); bias may be null.
 * Blocks of 16×16 threads compute tiles of 64×64, each thread 4×4 of them, in
 * steps of 16 along k. Every element is summed in the order of k with fused
 * multiply-add. */
extern "C" __global__ void __launch_bounds__(256) product_f32(const float *a, const float *b, const float *bias,
		float *c, unsigned m, unsigned n, unsigned k, int activation) {
	__shared__ float left[16][64 + 1]; /* transposed: [k][row] */
	__shared__ float right[16][64];
	unsigned tx = threadIdx.x, ty = threadIdx.y, thread = ty * 16 + tx;
	unsigned row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
	float sum[4][4] = {};
	for (unsigned k0 = 0; k0 < k; k0 += 16) {
		for (unsigned i = thread; i < 64 * 16; i += 256) {
			unsigned row = row0 + i / 16, depth = k0 + i % 16;
			left[i % 16][i / 16] = row < m && depth < k ? a[(unsigned long long)row * k + depth] : 0.0f;
			unsigned column = column0 + i % 64;
			depth = k0 + i / 64;
			right[i / 64][i % 64] = column < n && depth < k ? b[(unsigned long long)depth * n + column] : 0.0f;
		}
		__syncthreads();
		for (unsigned d = 0; d < 16; d++) {
#pragma unroll
			for (unsigned i = 0; i < 4; i++)
#pragma unroll
				for (unsigned j = 0; j < 4; j++)
					sum[i][j] = __builtin_fmaf(left[d][ty + 16 * i], right[d][tx + 16 * j], sum[i][j]);
		}
		__syncthreads();
	}
#pragma unroll
	for (unsigned i = 0; i < 4; i++) {
#pragma unroll /* sum stays in registers */
		for (unsigned j = 0; j < 4; j++) {
			unsigned row = row0 + ty + 16 * i, column = column0 + tx + 16 * j;
			if (row < m && column < n)
				c[(unsigned long long)row * n + column] = activate(sum[i][j] + (bias ? bias[column] : 0.0f), activation);
		}
	}
}
