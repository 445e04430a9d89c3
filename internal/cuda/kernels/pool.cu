/* Pooling over windows. */
#include "math.h"
#include "walk.h"

/* One spatial axis, the innermost last. */
struct Window {
	int in, out, kernel, stride, dilation, before, after;
	int apart; /* how far neighbours of the input lie apart */
};

/* y = the greatest element or the mean of every window of planes of x, a thread per
 * output. Elements outside count for the mean if they are padding and counted. */
template <class T, bool AVERAGE> __device__ inline void pool(const T *x, T *y, size count, const Window *windows, int rank, size plane, size cells, size positions, int padding) {
	for_each(t, count) {
		size p = quotient(t, cells), cell = t - p * cells;
		double a = AVERAGE ? 0.0 : -infinity();
		unsigned n = 0;
		for (size q = 0; q < positions; q++) {
			unsigned rest = (unsigned)cell, k = (unsigned)q;
			long long at = 0;
			bool inside = true, counted = true;
			for (int i = rank - 1; i >= 0; i--) {
				Window w = windows[i];
				unsigned up = rest / (unsigned)w.out, next = k / (unsigned)w.kernel;
				int place = (int)(rest - up * w.out) * w.stride - w.before + (int)(k - next * w.kernel) * w.dilation;
				rest = up, k = next;
				inside = inside && place >= 0 && place < w.in;
				counted = counted && place < w.in + w.after;
				at += (long long)place * w.apart;
			}
			n += inside || (counted && padding) ? 1 : 0;
			if (!inside) continue;
			double v = (double)x[p * plane + at];
			a = AVERAGE ? a + v : larger(a, v);
		}
		if (AVERAGE) a /= (double)n;
		y[t] = sizeof(T) == 8 ? (T)integer_of(a) : (T)a;
	}
}
extern "C" __global__ void __launch_bounds__(256) max_pool_f32(const float *x, float *y, size count, const Window *windows, int rank, size plane, size cells, size positions) {
	pool<float, false>(x, y, count, windows, rank, plane, cells, positions, 0);
}
extern "C" __global__ void __launch_bounds__(256) max_pool_i64(const long long *x, long long *y, size count, const Window *windows, int rank, size plane, size cells,
		size positions) {
	pool<long long, false>(x, y, count, windows, rank, plane, cells, positions, 0);
}
extern "C" __global__ void __launch_bounds__(256) average_pool_f32(const float *x, float *y, size count, const Window *windows, int rank, size plane, size cells,
		size positions, int padding) {
	pool<float, true>(x, y, count, windows, rank, plane, cells, positions, padding);
}

/* The same over two axes without divisions in the loop. */
template <bool AVERAGE> __device__ inline void pool_images(const float *x, float *y, size count, const Window *windows, int padding) {
	const Window h = windows[0], w = windows[1];
	for_each(t, count) {
		size row = quotient(t, (size)w.out), p = quotient(row, (size)h.out);
		int top = (int)(row - p * h.out) * h.stride - h.before, left = (int)(t - row * w.out) * w.stride - w.before;
		const float *from = x + p * ((size)h.in * w.in);
		double sum = 0.0;
		float greatest = -bits_float(0x7f800000u);
		unsigned n = 0;
		for (int ky = 0; ky < h.kernel; ky++) {
			int iy = top + ky * h.dilation;
			bool inside_y = iy >= 0 && iy < h.in;
			for (int kx = 0; kx < w.kernel; kx++) {
				int ix = left + kx * w.dilation;
				bool inside = inside_y && ix >= 0 && ix < w.in;
				if (AVERAGE) n += inside || (padding && iy < h.in + h.after && ix < w.in + w.after) ? 1 : 0;
				if (!inside) continue;
				float v = from[(long long)iy * w.in + ix];
				if (AVERAGE) sum += (double)v;
				else greatest = larger(greatest, v);
			}
		}
		y[t] = AVERAGE ? (float)(sum / (double)n) : greatest;
	}
}
extern "C" __global__ void __launch_bounds__(256) max_pool_images_f32(const float *x, float *y, size count, const Window *windows) {
	pool_images<false>(x, y, count, windows, 0);
}
extern "C" __global__ void __launch_bounds__(256) average_pool_images_f32(const float *x, float *y, size count, const Window *windows, int padding) {
	pool_images<true>(x, y, count, windows, padding);
}
