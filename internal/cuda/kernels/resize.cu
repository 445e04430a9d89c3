/* Resizing: every output element is a weighted sum of a few input elements, the same ones along each axis. */
#include "walk.h"

/* One axis: `taps` input elements per index, listed from `first` on in the tables; 0 taps: the axis stays. */
struct ResizeAxis {
	size length;
	long long apart; /* how far neighbours of the input lie apart */
	int taps, first;
};

/* y[i] = the sum over all combinations of the axes' taps, those of the last resized
 * axis innermost, in the order and with the roundings of package cpu. */
extern "C" __global__ void __launch_bounds__(256) resize_f32(const float *x, float *y, size count, const ResizeAxis *axes, int rank, int last, unsigned combinations,
		const int *indices, const float *weights, float outside) {
	for_each(i, count) {
		/* The place along the axes after the last resized one, and along that. */
		size n = i;
		long long rest = 0;
		for (int a = rank - 1; a > last; a--) {
			size q = quotient(n, axes[a].length);
			rest += (long long)(n - q * axes[a].length) * axes[a].apart;
			n = q;
		}
		const ResizeAxis inner = axes[last];
		size row = quotient(n, inner.length);
		const int *index = indices + inner.first + (n - row * inner.length) * inner.taps;
		const float *weight = weights + inner.first + (n - row * inner.length) * inner.taps;
		bool beyond = index[0] < 0;
		float sum = 0.0f;
		for (unsigned combination = 0; combination < combinations && !beyond; combination++) {
			unsigned c = combination;
			size q = row;
			long long at = rest;
			float factor = 1.0f;
			for (int a = last - 1; a >= 0; a--) {
				const ResizeAxis axis = axes[a];
				size up = quotient(q, axis.length);
				size place = q - up * axis.length;
				q = up;
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
			for (int t = 0; t < inner.taps; t++) sum += factor * weight[t] * x[at + (long long)index[t] * inner.apart];
		}
		y[i] = beyond ? outside : sum;
	}
}
