/* Resizing: every output element is a weighted sum of a few input elements, the same ones along each axis. */
#include "math.h"
#include "walk.h"

/* One axis: `taps` input elements per index, listed from `first` on in the tables; 0 taps: the axis stays. */
struct ResizeAxis {
	size length, reciprocal; /* of the output; see divided */
	long long apart; /* how far neighbours of the input lie apart */
	unsigned taps, first;

	__device__ inline size divide(size i, size *rest) const { return divided(i, length, reciprocal, rest); }
};

/* y[i] = the sum over all combinations of the axes' taps, those of the last resized
 * axis innermost, in the order and with the roundings of package cpu. */
extern "C" __global__ void __launch_bounds__(256) resize_f32(const float *x, float *y, size count, const ResizeAxis *axes, unsigned rank, unsigned last, unsigned combinations,
		const int *indices, const float *weights, float outside) {
	for_each(i, count) {
		/* The place along the axes after the last resized one, and along that. */
		size n = i;
		long long rest = 0;
#pragma unroll 1
		for (unsigned a = rank - 1; a > last; a--) {
			size place;
			n = axes[a].divide(n, &place);
			rest += (long long)place * axes[a].apart;
		}
		const ResizeAxis inner = axes[last];
		size place, row = inner.divide(n, &place);
		const int *index = indices + inner.first + place * inner.taps;
		const float *weight = weights + inner.first + place * inner.taps;
		bool beyond = index[0] < 0;
		float sum = 0.0f;
		for (unsigned combination = 0; combination < combinations && !beyond; combination++) {
			unsigned c = combination;
			size q = row;
			long long at = rest;
			float factor = 1.0f;
#pragma unroll 1
			for (unsigned a = last; a-- > 0;) {
				const ResizeAxis &axis = axes[a];
				size place;
				q = axis.divide(q, &place);
				if (axis.taps == 0) {
					at += (long long)place * axis.apart;
					continue;
				}
				unsigned t = axis.first + (unsigned)place * axis.taps + c % axis.taps;
				c /= axis.taps;
				beyond = beyond || indices[t] < 0;
				at += (long long)indices[t] * axis.apart;
				factor *= weights[t];
			}
			if (beyond) break;
			if (inner.taps == 2 && inner.apart == 1) {
				sum += factor * (x[at + index[0]] * weight[0] + x[at + index[1]] * weight[1]);
				continue;
			}
#pragma unroll 2
			for (unsigned t = 0; t < inner.taps; t++) sum += factor * weight[t] * x[at + (long long)index[t] * inner.apart];
		}
		y[i] = beyond ? outside : sum;
	}
}

enum { NEAREST, LINEAR, CUBIC };
enum { ZEROS, BORDER, REFLECTION };

/* x folded back between two mirrors. */
__device__ inline float reflected(float x, float low, float high) {
	float span = high - low;
	if (span == 0.0f) return low;
	float distance = bits_float(float_bits(x - low) & 0x7fffffffu);
	float turns = __builtin_floorf(distance / span);
	float rest = distance - turns * span;
	return ((int)turns & 1) == 0 ? low + rest : high - rest;
}

/* The nearest of the n places of an axis. */
__device__ inline int clamped(int i, int n) {
	int j = i > 0 ? i : 0;
	return j < n - 1 ? j : n - 1;
}

/* The pixels along one axis that make up a sample, and their weights; −1 is outside the image. */
struct Taps {
	int count, index[4];
	float weight[4];

	__device__ void set(float point, int n, int mode, int padding, int align_corners) {
		float length = (float)n, x = ((point + 1.0f) * length - 1.0f) / 2.0f;
		float low = -0.5f, high = length - 0.5f;
		if (align_corners) {
			x = (point + 1.0f) * (float)(n - 1) / 2.0f;
			low = 0.0f, high = (float)(n - 1);
		}
		if (!(bits_float(float_bits(x) & 0x7fffffffu) < 1073741824.0f)) x = -1073741824.0f; /* neither infinite nor NaN */
		else if (mode == CUBIC) {
		} else if (padding == BORDER) x = __builtin_fminf(__builtin_fmaxf(x, 0.0f), (float)(n - 1));
		else if (padding == REFLECTION) x = reflected(x, low, high);
		float floor = __builtin_floorf(x), d = x - floor;
		int first = (int)floor;
		float w[4] = {1.0f, 0.0f, 0.0f, 0.0f};
		count = mode == NEAREST ? 1 : mode == LINEAR ? 2 : 4;
		if (mode == NEAREST) first = (int)__builtin_rintf(x);
		if (mode == LINEAR) w[0] = 1.0f - d, w[1] = d;
		if (mode == CUBIC) {
			first--;
			cubic(w, (double)d);
		}
#pragma unroll
		for (int k = 0; k < 4; k++) weight[k] = w[k];
#pragma unroll
		for (int k = 0; k < 4; k++) {
			int i = first + k;
			if (padding == BORDER) i = clamped(i, n);
			else if (padding == REFLECTION) i = clamped((int)reflected((float)i, low, high), n);
			else if ((unsigned)i >= (unsigned)n) i = -1;
			index[k] = i;
		}
	}

	/* The weights of four neighbours of a point x after the second one, as graph.Cubic has them. */
	__device__ static void cubic(float w[4], double x) {
		const double a = -0.75;
		w[0] = (float)(((a * (x + 1.0) - 5.0 * a) * (x + 1.0) + 8.0 * a) * (x + 1.0) - 4.0 * a);
		w[1] = (float)(((a + 2.0) * x - (a + 3.0)) * x * x + 1.0);
		w[2] = (float)(((a + 2.0) * (1.0 - x) - (a + 3.0)) * (1.0 - x) * (1.0 - x) + 1.0);
		w[3] = (float)(((a * (2.0 - x) - 5.0 * a) * (2.0 - x) + 8.0 * a) * (2.0 - x) - 4.0 * a);
	}
};

/* grid_sample_f32: y[n, c, p] = image [n, c] at point p = (x, y) of grid [n, p, 2], for `parts` parts of
 * each image's channels; a thread takes all channels of a part. */
extern "C" __global__ void __launch_bounds__(256) grid_sample_f32(const float *image, const float *grid, float *y, size images, size points, unsigned channels, unsigned parts,
		unsigned height, unsigned width, int mode, int padding, int align_corners) {
	size plane = (size)height * width;
	unsigned share = (channels + parts - 1) / parts;
	for_each(i, images * parts * points) {
		size q = quotient(i, points, fits(images * parts * points)), point = i - q * points, n = quotient(q, parts, fits(images * parts * points));
		Taps rows, columns;
		rows.set(grid[2 * (n * points + point) + 1], (int)height, mode, padding, align_corners);
		columns.set(grid[2 * (n * points + point)], (int)width, mode, padding, align_corners);
		unsigned first = (unsigned)(q - n * parts) * share;
		for (unsigned c = first; c < first + share && c < channels; c++) {
			const float *from = image + (n * channels + c) * plane;
			float sum = 0.0f;
#pragma unroll
			for (int j = 0; j < 4; j++) {
				if (j >= rows.count || rows.index[j] < 0) continue;
				float line = 0.0f;
#pragma unroll
				for (int k = 0; k < 4; k++)
					if (k < columns.count && columns.index[k] >= 0) line += columns.weight[k] * from[(size)(unsigned)rows.index[j] * width + (unsigned)columns.index[k]];
				sum += rows.weight[j] * line;
			}
			y[(n * channels + c) * points + point] = sum;
		}
	}
}
