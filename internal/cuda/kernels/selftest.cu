/* Kernels that tests run to check device.h and the driver, on the fake one and on
 * hardware. They are small, and each uses one thing. */
#include "device.h"

/* product_tiles: C = A·B for matrices of n×n, n a multiple of 16, by 16×16 threads
 * with tiles in shared memory; it needs both its barriers. */
extern "C" __global__ void __launch_bounds__(256) selftest_product(const float *a, const float *b, float *c, unsigned n) {
	__shared__ float left[16][17], right[16][16];
	unsigned x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
	float sum = 0.0f;
	for (unsigned k = 0; k < n; k += 16) {
		left[y][x] = a[row * n + k + x];
		right[y][x] = b[(k + y) * n + column];
		__syncthreads();
		for (unsigned i = 0; i < 16; i++) sum = __builtin_fmaf(left[y][i], right[i][x], sum);
		__syncthreads();
	}
	c[row * n + column] = sum;
}

/* y[i] = x[i]·factor + summand; rounds times over, to take time. */
extern "C" __global__ void __launch_bounds__(256) selftest_scale(const float *x, float *y, unsigned long long count, float factor, float summand, unsigned rounds) {
	unsigned long long i = (unsigned long long)blockIdx.x * 256 + threadIdx.x;
	if (i >= count) return;
	float v = x[i];
#pragma unroll 1
	for (unsigned r = 0; r < rounds; r++) v = __builtin_fmaf(v, factor, summand);
	y[i] = v;
}

/* One warp: out[0…] the lanes from the last to the first, through shared memory, [32…] the lane beside, [64…] what lane 5 has,
 * [96…] the ballot of odd lanes. */
extern "C" __global__ void __launch_bounds__(32) selftest_lanes(unsigned *out) {
	__shared__ unsigned lanes[32];
	unsigned lane = lane_id();
	lanes[lane] = lane;
	warp_barrier();
	out[lane] = lanes[lane ^ 31];
	out[32 + lane] = warp_shuffle_xor(100 + lane, 1);
	out[64 + lane] = warp_shuffle(100 + lane, 5);
	out[96 + lane] = warp_ballot(lane % 2 == 1);
}

/* A block of whole warps: the sum and the maximum of every warp's 32 values. */
extern "C" __global__ void __launch_bounds__(256) selftest_reduce(const float *x, float *sum, float *greatest) {
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	sum[i] = warp_sum(x[i]);
	greatest[i] = warp_max(x[i]);
}

/* One warp: D[16×8] = A[16×K]·B[K×8] with operands row-major in memory, fragments
 * as device.h describes them; K is 8, 16 and 32. */
extern "C" __global__ void __launch_bounds__(32) selftest_mma_tf32(const float *a, const float *b, float *d) {
	unsigned g = lane_id() / 4, t = lane_id() % 4;
	unsigned fa[4], fb[2];
	float fd[4] = {};
	for (unsigned i = 0; i < 4; i++) fa[i] = to_tf32(a[(g + i % 2 * 8) * 8 + t + i / 2 * 4]);
	for (unsigned i = 0; i < 2; i++) fb[i] = to_tf32(b[(t + i * 4) * 8 + g]);
	mma_tf32(fd, fa, fb);
	for (unsigned i = 0; i < 4; i++) d[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = fd[i];
}

extern "C" __global__ void __launch_bounds__(32) selftest_mma_bf16(const float *a, const float *b, float *d) {
	unsigned g = lane_id() / 4, t = lane_id() % 4;
	unsigned fa[4], fb[2];
	float fd[4] = {};
	for (unsigned i = 0; i < 4; i++) {
		const float *p = a + (g + i % 2 * 8) * 16 + 2 * t + i / 2 * 8;
		fa[i] = pack_bf16(p[0], p[1]);
	}
	for (unsigned i = 0; i < 2; i++) {
		const float *p = b + (2 * t + i * 8) * 8 + g;
		fb[i] = pack_bf16(p[0], p[8]);
	}
	mma_bf16(fd, fa, fb);
	for (unsigned i = 0; i < 4; i++) d[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = fd[i];
}

extern "C" __global__ void __launch_bounds__(32) selftest_mma_u8(const unsigned char *a, const unsigned char *b, int *d) {
	unsigned g = lane_id() / 4, t = lane_id() % 4;
	unsigned fa[4] = {}, fb[2] = {};
	int fd[4] = {};
	for (unsigned i = 0; i < 4; i++)
		for (unsigned p = 0; p < 4; p++) fa[i] |= (unsigned)a[(g + i % 2 * 8) * 32 + 4 * t + i / 2 * 16 + p] << 8 * p;
	for (unsigned i = 0; i < 2; i++)
		for (unsigned p = 0; p < 4; p++) fb[i] |= (unsigned)b[(4 * t + i * 16 + p) * 8 + g] << 8 * p;
	mma_u8(fd, fa, fb);
	for (unsigned i = 0; i < 4; i++) d[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = fd[i];
}

/* One warp: the fragments that bf16 products need, by ldmatrix from matrices of
 * 2-byte values in dynamic shared memory, filled by asynchronous copies. A [16×16]
 * row-major; B [16×8] once as its transpose [8×16] and once as it is. */
extern "C" __global__ void __launch_bounds__(32) selftest_ldmatrix(const unsigned short *a, const unsigned short *bt, const unsigned short *b, unsigned *fa, unsigned *fb, unsigned *fbt) {
	dynamic_shared(unsigned short, memory);
	unsigned short *sa = memory, *sbt = memory + 256, *sb = memory + 384;
	unsigned lane = lane_id(), ra[4], rb[2];
	copy_async16(sa + lane * 8, a + lane * 8, true);
	/* Half of the lanes: two that copy to one place race, even with the same bytes. */
	if (lane < 16) {
		copy_async16(sbt + lane * 8, bt + lane * 8, true);
		copy_async16(sb + lane * 8, b + lane * 8, true);
	}
	copy_async_commit();
	copy_async_wait<0>();
	__syncthreads();
	/* Matrices in the order of the fragment's registers: rows 0, rows 8, then columns 8. */
	ldmatrix_x4(ra, sa + lane % 16 * 16 + lane / 16 * 8);
	for (unsigned i = 0; i < 4; i++) fa[i * 32 + lane] = ra[i];
	ldmatrix_x2(rb, sbt + lane % 8 * 16 + lane / 8 % 2 * 8);
	for (unsigned i = 0; i < 2; i++) fb[i * 32 + lane] = rb[i];
	ldmatrix_x2_transposed(rb, sb + lane % 16 * 8);
	for (unsigned i = 0; i < 2; i++) fbt[i * 32 + lane] = rb[i];
}

/* Doubles `count` values (fewer than `blocks`·128) in a pipeline of two stages. */
extern "C" __global__ void __launch_bounds__(32) selftest_pipeline(const float *x, float *y, unsigned count, unsigned blocks) {
	__shared__ __attribute__((aligned(16))) float stage[2][128];
	unsigned lane = lane_id();
	copy_async16(&stage[0][lane * 4], x + lane * 4, lane * 4 + 3 < count);
	copy_async_commit();
	for (unsigned b = 0; b < blocks; b++) {
		unsigned next = (b + 1) * 128 + lane * 4;
		copy_async16(&stage[(b + 1) % 2][lane * 4], x + next, b + 1 < blocks && next + 3 < count);
		copy_async_commit();
		copy_async_wait<1>();
		__syncthreads();
		/* Values that another lane has copied. */
		for (unsigned i = lane; i < 128 && b * 128 + i < count; i += 32) y[b * 128 + i] = 2.0f * stage[b % 2][i];
		__syncthreads();
	}
}

/* Elementary functions and conversions by number. */
extern "C" __global__ void __launch_bounds__(256) selftest_function(const float *x, float *y, unsigned count, unsigned function) {
	unsigned i = blockIdx.x * 256 + threadIdx.x;
	if (i >= count) return;
	float v = x[i];
	switch (function) {
	case 0: v = reciprocal_sqrt(v); break;
	case 1: v = bits_float(to_tf32(v)); break;
	case 2: v = bits_float(pack_bf16(0.0f, v)); break; /* the high half */
	case 3: v = bits_float(pack_bf16(v, 0.0f) << 16); break;
	}
	y[i] = v;
}

extern "C" __global__ void __launch_bounds__(256) selftest_count(const unsigned *x, unsigned long long *total, unsigned *bins, unsigned count) {
	__shared__ unsigned local[4];
	if (threadIdx.x < 4) local[threadIdx.x] = 0;
	__syncthreads();
	unsigned i = blockIdx.x * 256 + threadIdx.x;
	if (i < count) {
		atomic_add(total, (unsigned long long)x[i]);
		atomic_add(&local[x[i] % 4], 1u);
	}
	__syncthreads();
	if (threadIdx.x < 4) atomic_add(&bins[threadIdx.x], local[threadIdx.x]);
}

/* Mistakes that the fake driver must notice; never run on hardware. */
extern "C" __global__ void __launch_bounds__(64) selftest_mistake(float *x, unsigned kind) {
	float v = (float)threadIdx.x;
	switch (kind) {
	case 0: /* half a warp */
		if (lane_id() < 16) v = warp_shuffle_xor(v, 1);
		break;
	case 1: /* lanes at different places */
		if (lane_id() < 16) v = warp_shuffle_xor(v, 1);
		else v = warp_shuffle_xor(v, 2);
		break;
	case 2: /* a lane that has left */
		if (lane_id() == 7) return;
		v = warp_shuffle_xor(v, 1);
		break;
	case 3: /* a barrier that half the block reaches */
		if (threadIdx.x < 32) __syncthreads();
		break;
	case 4: /* shared memory of the launch before the first write */
	{
		__shared__ float never[64];
		if (x[threadIdx.x] != 0.0f) never[threadIdx.x] = v;
		v = never[threadIdx.x ^ 1];
		break;
	}
	case 5: /* a 16-byte copy from an address that is not a multiple of 16 */
	{
		__shared__ __attribute__((aligned(16))) float to[4];
		copy_async16(to, x + 1, true);
		break;
	}
	case 6: /* dynamic shared memory beyond what the launch gives */
	{
		dynamic_shared(float, memory);
		memory[threadIdx.x] = v;
		v = memory[threadIdx.x];
		break;
	}
	case 7: v = (float)(7 / (unsigned)(x[0] - x[0])); break;
	case 8: /* lanes at different barriers and meetings */
		if (lane_id() < 16) __syncthreads();
		else v = warp_shuffle_xor(v, 1);
		break;
	}
	x[threadIdx.x] = v;
}
