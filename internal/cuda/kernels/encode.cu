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

/* levels_u8: y[i] = levels[i / plane % channels][x[i]], 256 levels per channel,
 * y aligned to 16 bytes and x to 4. Blocks of 256 threads do 4096 elements each, with
 * the levels of their channels in shared memory where these are few. */
extern "C" __global__ void __launch_bounds__(256) levels_u8(const unsigned char *x, const float *levels, float *y,
		unsigned long long count, unsigned plane, unsigned channels) {
	constexpr unsigned per_block = 4096, most = 4;
	__shared__ float table[most][256];
	unsigned long long first = (unsigned long long)blockIdx.x * per_block;
	unsigned long long run = first / plane; /* planes before the block's first */
	unsigned within = (unsigned)(first - run * plane);
	unsigned length = count - first < per_block ? (unsigned)(count - first) : per_block;
	unsigned runs = (within + length - 1) / plane + 1;
	if (runs <= most)
		for (unsigned r = 0; r < runs; r++) table[r][threadIdx.x] = levels[(unsigned)((run + r) % channels) * 256 + threadIdx.x];
	__syncthreads();
#pragma unroll
	for (unsigned at = 0; at < per_block; at += 1024) {
		unsigned i = at + threadIdx.x * 4;
		if (i >= length) return;
		unsigned n = length - i < 4 ? length - i : 4;
		unsigned bytes = 0;
		if (n == 4) {
			bytes = *reinterpret_cast<const unsigned *>(x + first + i);
		} else {
			for (unsigned j = 0; j < n; j++) bytes |= (unsigned)x[first + i + j] << 8 * j;
		}
		float v[4] = {};
#pragma unroll
		for (unsigned j = 0; j < 4; j++) {
			if (j < n) {
				unsigned r = (within + i + j) / plane, byte = bytes >> 8 * j & 255;
				v[j] = runs <= most ? table[r][byte] : levels[(unsigned)((run + r) % channels) * 256 + byte];
			}
		}
		if (n == 4) {
			*reinterpret_cast<float4 *>(y + first + i) = float4{v[0], v[1], v[2], v[3]};
		} else {
#pragma unroll
			for (unsigned j = 0; j < 3; j++)
				if (j < n) y[first + i + j] = v[j];
		}
	}
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
