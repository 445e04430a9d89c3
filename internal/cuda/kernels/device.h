/* What a kernel needs of CUDA C++, for clang without the toolkit's headers; the
 * fake driver compiles the same kernels with its own definitions (FAKE_DEVICE,
 * fakecuda/twin.h). All lanes of a warp must call a warp_, mma_ or ldmatrix_
 * function together. */
#pragma once

#ifndef FAKE_DEVICE
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
struct index3 {
	unsigned x, y, z;
};
#define threadIdx (index3{(unsigned)__nvvm_read_ptx_sreg_tid_x(), (unsigned)__nvvm_read_ptx_sreg_tid_y(), (unsigned)__nvvm_read_ptx_sreg_tid_z()})
#define blockIdx (index3{(unsigned)__nvvm_read_ptx_sreg_ctaid_x(), (unsigned)__nvvm_read_ptx_sreg_ctaid_y(), (unsigned)__nvvm_read_ptx_sreg_ctaid_z()})
#define blockDim (index3{(unsigned)__nvvm_read_ptx_sreg_ntid_x(), (unsigned)__nvvm_read_ptx_sreg_ntid_y(), (unsigned)__nvvm_read_ptx_sreg_ntid_z()})
#define gridDim (index3{(unsigned)__nvvm_read_ptx_sreg_nctaid_x(), (unsigned)__nvvm_read_ptx_sreg_nctaid_y(), (unsigned)__nvvm_read_ptx_sreg_nctaid_z()})
#define __syncthreads() __nvvm_bar_sync(0)

/* dynamic_shared declares `type *name`, the shared memory whose size the launch gives; aligned to 128 bytes. */
#define dynamic_shared(type, name) \
	extern __shared__ __attribute__((aligned(128))) unsigned char dynamic_shared_memory[]; \
	type *const name = reinterpret_cast<type *>(dynamic_shared_memory)

__device__ inline unsigned lane_id() { return (unsigned)__nvvm_read_ptx_sreg_laneid(); }
__device__ inline void warp_barrier() { __nvvm_bar_warp_sync(0xffffffffu); }
/* Bit i of the result is lane i's v. */
__device__ inline unsigned warp_ballot(bool v) { return (unsigned)__nvvm_vote_ballot_sync(0xffffffffu, v); }

/* warp_shuffle is the value of another lane, warp_shuffle_xor that of lane lane_id()^mask. */
__device__ inline int warp_shuffle(int v, unsigned lane) { return __nvvm_shfl_sync_idx_i32(0xffffffffu, v, (int)lane, 31); }
__device__ inline unsigned warp_shuffle(unsigned v, unsigned lane) { return (unsigned)warp_shuffle((int)v, lane); }
__device__ inline float warp_shuffle(float v, unsigned lane) { return __nvvm_shfl_sync_idx_f32(0xffffffffu, v, (int)lane, 31); }
__device__ inline int warp_shuffle_xor(int v, unsigned mask) { return __nvvm_shfl_sync_bfly_i32(0xffffffffu, v, (int)mask, 31); }
__device__ inline unsigned warp_shuffle_xor(unsigned v, unsigned mask) { return (unsigned)warp_shuffle_xor((int)v, mask); }
__device__ inline float warp_shuffle_xor(float v, unsigned mask) { return __nvvm_shfl_sync_bfly_f32(0xffffffffu, v, (int)mask, 31); }
/* The sum and the greatest value (NaN is passed over) of a warp, the same bits in
 * every lane: lane i adds lane i^16, then i^8, i^4, i^2, i^1. */
__device__ inline float warp_sum(float v) {
#pragma unroll
	for (unsigned mask = 16; mask; mask /= 2) v += warp_shuffle_xor(v, mask);
	return v;
}
__device__ inline float warp_max(float v) {
#pragma unroll
	for (unsigned mask = 16; mask; mask /= 2) v = __builtin_fmaxf(v, warp_shuffle_xor(v, mask));
	return v;
}

/* Matrix fragments. With g = lane/4 and t = lane%4, lane holds of a product D += A·B
 *   D [16×8]   d[0], d[1]: row g, columns 2t, 2t+1; d[2], d[3]: row g+8
 *   tf32 A [16×8], one value a register: a[0] row g column t, a[1] row g+8, a[2], a[3] the same at column t+4;
 *        B [8×8]   b[0] row t column g, b[1] row t+4
 *   bf16 A [16×16], two values: a[0] row g columns 2t, 2t+1 (low half first), a[1] row g+8, a[2], a[3] at columns 2t+8, 2t+9;
 *        B [16×8]  b[0] rows 2t, 2t+1 column g, b[1] rows 2t+8, 2t+9
 *   u8   A [16×32], four values: a[0] row g columns 4t…4t+3, a[1] row g+8, a[2], a[3] at columns 4t+16…;
 *        B [32×8]  b[0] rows 4t…4t+3 column g, b[1] rows 4t+16…
 * The order in which the hardware adds is its own; u8 is exact as long as the sums fit. */
__device__ inline void mma_tf32(float d[4], const unsigned a[4], const unsigned b[2]) {
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
		: "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ inline void mma_bf16(float d[4], const unsigned a[4], const unsigned b[2]) {
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
		: "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ inline void mma_u8(int d[4], const unsigned a[4], const unsigned b[2]) {
	asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
		: "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
/* To the nearest tf32, halves away from zero. mma_tf32 cuts off what does not fit. */
__device__ inline unsigned to_tf32(float v) {
	unsigned r;
	asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
	return r;
}
/* To the nearest bf16, halves to even. */
__device__ inline unsigned pack_bf16(float lo, float hi) {
	unsigned r;
	asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(hi), "f"(lo));
	return r;
}

__device__ inline unsigned shared_address(const void *p) { return (unsigned)(unsigned long long)(const __attribute__((address_space(3))) void *)p; }
/* ldmatrix loads 8×8 matrices of 2-byte values from shared memory: lane i gives the
 * address of row i%8 of matrix i/8 (16 bytes, aligned; x2 ignores lanes from 16 on);
 * lane gets in r[m] of matrix m row lane/4, columns 2(lane%4), 2(lane%4)+1, and
 * transposed column lane/4, rows 2(lane%4), 2(lane%4)+1. */
__device__ inline void ldmatrix_x4(unsigned r[4], const void *row) {
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
		: "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_address(row)) : "memory");
}
__device__ inline void ldmatrix_x2(unsigned r[2], const void *row) {
	asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(shared_address(row)) : "memory");
}
__device__ inline void ldmatrix_x4_transposed(unsigned r[4], const void *row) {
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
		: "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_address(row)) : "memory");
}
__device__ inline void ldmatrix_x2_transposed(unsigned r[2], const void *row) {
	asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(shared_address(row)) : "memory");
}

/* Copies of 16, 8 or 4 aligned bytes from global to shared memory that run beside
 * the thread; zeros where valid is false, and nothing is read. The thread sees them
 * after copy_async_wait<N>, which leaves the N groups in flight that were committed
 * last; the other threads after a barrier besides. */
__device__ inline void copy_async16(void *shared, const void *global, bool valid) {
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" : : "r"(shared_address(shared)), "l"(global), "r"(valid ? 16 : 0) : "memory");
}
__device__ inline void copy_async8(void *shared, const void *global, bool valid) {
	asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" : : "r"(shared_address(shared)), "l"(global), "r"(valid ? 8 : 0) : "memory");
}
__device__ inline void copy_async4(void *shared, const void *global, bool valid) {
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" : : "r"(shared_address(shared)), "l"(global), "r"(valid ? 4 : 0) : "memory");
}
__device__ inline void copy_async_commit() { asm volatile("cp.async.commit_group;" : : : "memory"); }
template <int N> __device__ inline void copy_async_wait() { asm volatile("cp.async.wait_group %0;" : : "n"(N) : "memory"); }

/* Integer sums in global or shared memory, whose order does not matter; the old value. */
__device__ inline unsigned atomic_add(unsigned *p, unsigned v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
__device__ inline unsigned long long atomic_add(unsigned long long *p, unsigned long long v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }

__device__ inline float approximate_reciprocal_sqrt(float x) {
	float y;
	asm("rsqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
}
#else
#define approximate_reciprocal_sqrt fake_reciprocal_sqrt
#endif

/* Loads and stores of 16 and 8 aligned bytes. */
struct __attribute__((aligned(16))) float4 {
	float x, y, z, w;
};
struct __attribute__((aligned(16))) uint4 {
	unsigned x, y, z, w;
};
struct __attribute__((aligned(8))) float2 {
	float x, y;
};

/* 1/√x to about 1 unit in the last place. */
__device__ inline float reciprocal_sqrt(float x) {
	float y = approximate_reciprocal_sqrt(x);
	if (!(x > 0.0f) || x > 3.4028235e38f) return y; /* the step below would make NaN of 0 and ∞ */
	float rest = __builtin_fmaf(-x * y, y, 1.0f);
	return __builtin_fmaf(0.5f * y, rest, y);
}

__device__ inline float bits_float(unsigned v) {
	float f;
	__builtin_memcpy(&f, &v, sizeof f);
	return f;
}
