/* Kernels of encoders' inputs. Every parameter takes at most 8 bytes. */
#include "walk.h"

/* levels_u8: y[i] = levels[i / plane % channels][x[i]], 256 levels per channel,
 * y aligned to 16 bytes and x to 4. Blocks of 256 threads do 4096 elements each, with
 * the levels of their channels in shared memory where these are few. */
extern "C" __global__ void __launch_bounds__(256) levels_u8(const unsigned char *x, const float *levels, float *y,
		unsigned long long count, unsigned plane, unsigned channels) {
	constexpr unsigned per_block = 4096, most = 4;
	__shared__ float table[most][256];
	unsigned long long first = (unsigned long long)blockIdx.x * per_block;
	unsigned long long run = quotient(first, plane, fits(count)); /* planes before the block's first */
	unsigned channel = (unsigned)(run - quotient(run, channels, fits(count)) * channels);
	unsigned within = (unsigned)(first - run * plane);
	unsigned length = count - first < per_block ? (unsigned)(count - first) : per_block;
	unsigned runs = (within + length - 1) / plane + 1;
	if (runs <= most)
#pragma unroll
		for (unsigned r = 0; r < most; r++)
			if (r < runs) table[r][threadIdx.x] = levels[(channel + r) % channels * 256 + threadIdx.x];
	__syncthreads();
#pragma unroll
	for (unsigned at = 0; at < per_block; at += 1024) {
		unsigned i = at + threadIdx.x * 4;
		if (i >= length) return;
		unsigned n = length - i;
		unsigned bytes = 0;
		if (n >= 4) {
			bytes = *reinterpret_cast<const unsigned *>(x + first + i);
		} else {
#pragma unroll
			for (unsigned j = 0; j < 3; j++)
				if (j < n) bytes |= (unsigned)x[first + i + j] << 8 * j;
		}
		float v[4] = {};
#pragma unroll
		for (unsigned j = 0; j < 4; j++) {
			if (j < n) {
				unsigned r = (within + i + j) / plane, byte = bytes >> 8 * j & 255;
				v[j] = runs <= most ? table[r][byte] : levels[(channel + r) % channels * 256 + byte];
			}
		}
		if (n >= 4) {
			*reinterpret_cast<float4 *>(y + first + i) = float4{v[0], v[1], v[2], v[3]};
		} else {
#pragma unroll
			for (unsigned j = 0; j < 3; j++)
				if (j < n) y[first + i + j] = v[j];
		}
	}
}

/* scale_f32: y[i] becomes ((y[i] − low)/span − mean)/std. scale holds low and span, then the
 * mean and std of every channel; the element's is i / plane % channels. Of the reciprocals see divided. */
extern "C" __global__ void __launch_bounds__(256) scale_f32(float *y, const float *scale, size count, size plane, size plane_reciprocal,
		size channels, size channels_reciprocal) {
	float low = scale[0], span = scale[1];
	for_each(i, count) {
		size rest, c;
		divided(divided(i, plane, plane_reciprocal, &rest), channels, channels_reciprocal, &c);
		const float *channel = scale + 2 + 2 * c;
		float v = (y[i] - low) / span;
		y[i] = (v - channel[0]) / channel[1];
	}
}
