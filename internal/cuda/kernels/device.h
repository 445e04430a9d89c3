/* What a kernel needs of CUDA C++, for clang without the toolkit's headers; the
 * fake driver compiles the same kernels with its own definitions (FAKE_DEVICE). */
#pragma once

#ifndef FAKE_DEVICE
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(threads) __attribute__((launch_bounds(threads)))
struct index3 {
	unsigned x, y, z;
};
#define threadIdx (index3{(unsigned)__nvvm_read_ptx_sreg_tid_x(), (unsigned)__nvvm_read_ptx_sreg_tid_y(), (unsigned)__nvvm_read_ptx_sreg_tid_z()})
#define blockIdx (index3{(unsigned)__nvvm_read_ptx_sreg_ctaid_x(), (unsigned)__nvvm_read_ptx_sreg_ctaid_y(), (unsigned)__nvvm_read_ptx_sreg_ctaid_z()})
#define blockDim (index3{(unsigned)__nvvm_read_ptx_sreg_ntid_x(), (unsigned)__nvvm_read_ptx_sreg_ntid_y(), (unsigned)__nvvm_read_ptx_sreg_ntid_z()})
#define gridDim (index3{(unsigned)__nvvm_read_ptx_sreg_nctaid_x(), (unsigned)__nvvm_read_ptx_sreg_nctaid_y(), (unsigned)__nvvm_read_ptx_sreg_nctaid_z()})
#define __syncthreads() __nvvm_bar_sync(0)
#endif

/* Elementary functions, from additions and multiplications alone: the same on
 * the GPU and in the fake driver. */

__device__ inline float bits_float(unsigned v) {
	float f;
	__builtin_memcpy(&f, &v, sizeof f);
	return f;
}

/* e^x, to 2 units in the last place; 0 below −87, inf above 88.7. */
__device__ inline float exponential(float x) {
	if (x != x) return x;
	if (x < -87.0f) return 0.0f;
	if (x > 88.72f) return bits_float(0x7f800000u);
	float shifted = __builtin_fmaf(x, 1.44269504f, 12582912.0f);
	float n = shifted - 12582912.0f;
	float r = __builtin_fmaf(n, -0.693359375f, x);
	r = __builtin_fmaf(n, 2.12194440e-4f, r);
	float p = 1.3888889e-3f;
	p = __builtin_fmaf(p, r, 8.3333333e-3f);
	p = __builtin_fmaf(p, r, 4.1666667e-2f);
	p = __builtin_fmaf(p, r, 1.6666667e-1f);
	p = __builtin_fmaf(p, r, 0.5f);
	p = __builtin_fmaf(p, r, 1.0f);
	p = __builtin_fmaf(p, r, 1.0f);
	/* In two steps: 2^n itself may overflow where the product does not. */
	int half = (int)n / 2;
	return p * bits_float((unsigned)(half + 127) << 23) * bits_float((unsigned)((int)n - half + 127) << 23);
}

__device__ inline float hyperbolic_tangent(float x) {
	float a = x < 0 ? -x : x;
	float t;
	if (a < 0.1f) {
		/* The series, since 1 − 2/(e^2a + 1) cancels. */
		float s = a * a;
		float p = __builtin_fmaf(s, -0.053968254f, 0.13333333f);
		p = __builtin_fmaf(p, s, -0.33333333f);
		t = __builtin_fmaf(p * s, a, a);
	} else {
		t = 1.0f - 2.0f / (exponential(2.0f * a) + 1.0f);
	}
	return x < 0 ? -t : t;
}

/* erf by Abramowitz and Stegun 7.1.26, absolute error 1.5e-7, and by its series near 0. */
__device__ inline float error_function(float x) {
	float a = x < 0 ? -x : x;
	float y;
	if (a < 0.3f) {
		float s = a * a;
		float p = __builtin_fmaf(s, 4.6296296e-3f, -2.3809524e-2f);
		p = __builtin_fmaf(p, s, 0.1f);
		p = __builtin_fmaf(p, s, -0.33333333f);
		y = 1.12837917f * __builtin_fmaf(p * s, a, a);
	} else {
		float t = 1.0f / __builtin_fmaf(0.3275911f, a, 1.0f);
		float p = __builtin_fmaf(1.061405429f, t, -1.453152027f);
		p = __builtin_fmaf(p, t, 1.421413741f);
		p = __builtin_fmaf(p, t, -0.284496736f);
		p = __builtin_fmaf(p, t, 0.254829592f);
		y = 1.0f - p * t * exponential(-a * a);
	}
	return x < 0 ? -y : y;
}

/* The activations of an epilogue; the numbers are those of cuda.Activation. */
__device__ inline float activate(float x, int kind) {
	switch (kind) {
	case 1: return x < 0 ? 0.0f : x;
	case 2: return x / (1.0f + exponential(-x));
	case 3: return 0.5f * x * (1.0f + error_function(0.70710678f * x));
	case 4: return 0.5f * x * (1.0f + hyperbolic_tangent(0.79788456f * __builtin_fmaf(0.044715f * x * x, x, x)));
	case 5: return hyperbolic_tangent(x);
	default: return x;
	}
}
