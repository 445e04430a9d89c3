/* Pooling over windows. */
#include "math.h"
#include "walk.h"

/* One spatial axis, the innermost last. */
struct Window {
	unsigned in, out, kernel, stride, dilation;
	int before, after;
	unsigned apart; /* how far neighbours of the input lie apart */
};

/* Where kernel position q of an output cell lies in a plane, if it is inside of it; and whether it is not
 * beyond the padding at the ends. */
__device__ inline size window_place(const Window *windows, unsigned rank, unsigned cell, unsigned q, bool *inside, bool *counted) {
	size at = 0;
	*inside = *counted = true;
#pragma unroll 1
	for (unsigned i = rank; i-- > 0;) {
		const Window w = windows[i];
		unsigned up = cell / w.out, next = q / w.kernel;
		int place = (int)((cell - up * w.out) * w.stride + (q - next * w.kernel) * w.dilation) - w.before;
		cell = up, q = next;
		*inside = *inside && (unsigned)place < w.in;
		*counted = *counted && place < (int)w.in + w.after;
		at += (size)(unsigned)place * w.apart;
	}
	return at;
}

/* A place in a plane as it is counted with the first axis fastest. */
__device__ inline size column_major(const Window *windows, unsigned rank, size at, bool narrow) {
	size sum = 0, stride = 1;
#pragma unroll 1
	for (unsigned i = 0; i < rank; i++) {
		size in = (size)windows[i].in, q = quotient(at, (size)windows[i].apart, narrow);
		sum += (q - quotient(q, in, narrow) * in) * stride;
		stride *= in;
	}
	return sum;
}

/* y = the greatest element of every window of planes of x, the last NaN if there is one, and
 * places = where it lies in x; one of them may be null. A thread per output. Of a
 * window in the padding they are the lowest number and −1. */
template <class T> __device__ inline void max_pool(const T *x, T *y, long long *places, size count, const Window *windows, unsigned rank, size plane, unsigned cells,
		unsigned positions, int columns_first, T lowest) {
	for_each(t, count) {
		size p = quotient(t, cells, fits(count));
		unsigned cell = (unsigned)(t - p * cells);
		T greatest = lowest;
		long long found = -1;
		for (unsigned q = 0; q < positions; q++) {
			bool inside, counted;
			size at = window_place(windows, rank, cell, q, &inside, &counted);
			if (!inside) continue;
			T v = x[p * plane + at];
			if (found < 0 || v > greatest || v != v) found = (long long)at, greatest = v;
		}
		if (y) y[t] = greatest;
		if (places) places[t] = found < 0 ? -1 : (long long)(p * plane + (columns_first ? column_major(windows, rank, (size)found, fits(plane)) : (size)found));
	}
}
extern "C" __global__ void __launch_bounds__(256) max_pool_f32(const float *x, float *y, long long *places, size count, const Window *windows, unsigned rank, size plane,
		unsigned cells, unsigned positions, int columns_first) {
	max_pool<float>(x, y, places, count, windows, rank, plane, cells, positions, columns_first, -bits_float(0x7f800000u));
}
extern "C" __global__ void __launch_bounds__(256) max_pool_i64(const long long *x, long long *y, long long *places, size count, const Window *windows, unsigned rank, size plane,
		unsigned cells, unsigned positions, int columns_first) {
	max_pool<long long>(x, y, places, count, windows, rank, plane, cells, positions, columns_first, -0x7fffffffffffffffll - 1);
}

/* y = the mean of every window. Elements outside count if they are padding and that is asked for. */
extern "C" __global__ void __launch_bounds__(256) average_pool_f32(const float *x, float *y, size count, const Window *windows, unsigned rank, size plane, unsigned cells,
		unsigned positions, int padding) {
	for_each(t, count) {
		size p = quotient(t, cells, fits(count));
		unsigned cell = (unsigned)(t - p * cells), n = 0;
		double sum = 0.0;
		for (unsigned q = 0; q < positions; q++) {
			bool inside, counted;
			size at = window_place(windows, rank, cell, q, &inside, &counted);
			n += inside || (counted && padding) ? 1 : 0;
			if (inside) sum += (double)x[p * plane + at];
		}
		y[t] = (float)(sum / (double)n);
	}
}

/* The same over two axes without divisions in the loop. */
template <bool AVERAGE> __device__ inline void pool_images(const float *x, float *y, size count, const Window *windows, int padding) {
	const Window h = windows[0], w = windows[1];
	for_each(t, count) {
		size row = quotient(t, (size)w.out, fits(count)), p = quotient(row, (size)h.out, fits(count));
		unsigned top = (unsigned)(row - p * h.out) * h.stride - h.before, left = (unsigned)(t - row * w.out) * w.stride - w.before;
		const float *from = x + p * ((size)h.in * w.in);
		double sum = 0.0;
		float greatest = -bits_float(0x7f800000u);
		unsigned n = 0;
		/* Places before the first wrap around. */
		for (unsigned ky = 0, iy = top; ky < h.kernel; ky++, iy += h.dilation)
			for (unsigned kx = 0, ix = left; kx < w.kernel; kx++, ix += w.dilation) {
				bool inside = iy < h.in && ix < w.in;
				if (AVERAGE) n += inside || (padding && (int)iy < (int)h.in + h.after && (int)ix < (int)w.in + w.after) ? 1 : 0;
				if (!inside) continue;
				float v = from[(size)iy * w.in + ix];
				if (AVERAGE) sum += (double)v;
				else if (v > greatest || v != v) greatest = v;
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
