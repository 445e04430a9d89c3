/* CUDA C++ for the processor: a kernel compiled with this runs in a fiber per thread.
 * FAKE_SHARED names the section of its static shared memory. */
#pragma once
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

/* Fused multiply-add in hardware, and only where the source asks for it, as in the PTX. */
#ifdef __x86_64__
#pragma GCC target("avx2,fma")
#endif
#pragma GCC optimize("fp-contract=off")

#define FAKE_DEVICE
#define __global__
#define __device__
#define __launch_bounds__(...)
/* One section per family, so that the driver can poison the shared memory before each block. */
#define __shared__ static __attribute__((section(FAKE_SHARED)))

struct index3 {
	unsigned x, y, z;
};
extern index3 fake_thread, fake_block, fake_block_size, fake_grid_size;
extern unsigned fake_lane;
extern unsigned char *fake_dynamic_shared;
#define threadIdx fake_thread
#define blockIdx fake_block
#define blockDim fake_block_size
#define gridDim fake_grid_size

/* What all lanes of a warp do together. Each lane brings pointers to its own
 * operands and finds its result behind `out`. */
enum Meeting { meet_sync, meet_ballot, meet_shuffle, meet_sum, meet_max, meet_matrix, meet_matrix_transposed, meet_mma_tf32, meet_mma_bf16, meet_mma_u8 };
void fake_meet(Meeting kind, int line, void *out, const void *a, const void *b);
void fake_barrier(int line);
void fake_copy_async(void *shared, const void *global, unsigned size, bool valid, int line);
void fake_copy_async_commit();
void fake_copy_async_wait(unsigned groups, int line);
/* Ends the launch with an error. */
[[noreturn]] void fake_fail_launch(int line, const char *what);

#define __syncthreads() fake_barrier(__LINE__)
#define FAKE_LINE int line = __builtin_LINE()

inline unsigned lane_id() { return fake_lane; }
inline void warp_barrier(FAKE_LINE) { fake_meet(meet_sync, line, nullptr, nullptr, nullptr); }
inline unsigned warp_ballot(bool v, FAKE_LINE) {
	unsigned r;
	fake_meet(meet_ballot, line, &r, &v, nullptr);
	return r;
}
template <class T> T fake_shuffle(T v, unsigned source, int line) {
	static_assert(sizeof v == 4, "a shuffle moves 4 bytes");
	T r;
	fake_meet(meet_shuffle, line, &r, &v, &source);
	return r;
}
template <class T> T warp_shuffle(T v, unsigned lane, FAKE_LINE) { return fake_shuffle(v, lane & 31, line); }
template <class T> T warp_shuffle_xor(T v, unsigned mask, FAKE_LINE) { return fake_shuffle(v, (lane_id() ^ mask) & 31, line); }
inline float warp_sum(float v, FAKE_LINE) {
	float r;
	fake_meet(meet_sum, line, &r, &v, nullptr);
	return r;
}
inline float warp_max(float v, FAKE_LINE) {
	float r;
	fake_meet(meet_max, line, &r, &v, nullptr);
	return r;
}

inline void fake_matrix(Meeting kind, unsigned *r, int count, const void *row, int line) { fake_meet(kind, line, r, row, reinterpret_cast<void *>(size_t(count))); }
inline void ldmatrix_x4(unsigned r[4], const void *row, FAKE_LINE) { fake_matrix(meet_matrix, r, 4, row, line); }
inline void ldmatrix_x2(unsigned r[2], const void *row, FAKE_LINE) { fake_matrix(meet_matrix, r, 2, row, line); }
inline void ldmatrix_x4_transposed(unsigned r[4], const void *row, FAKE_LINE) { fake_matrix(meet_matrix_transposed, r, 4, row, line); }
inline void ldmatrix_x2_transposed(unsigned r[2], const void *row, FAKE_LINE) { fake_matrix(meet_matrix_transposed, r, 2, row, line); }
inline void mma_tf32(float d[4], const unsigned a[4], const unsigned b[2], FAKE_LINE) { fake_meet(meet_mma_tf32, line, d, a, b); }
inline void mma_bf16(float d[4], const unsigned a[4], const unsigned b[2], FAKE_LINE) { fake_meet(meet_mma_bf16, line, d, a, b); }
inline void mma_u8(int d[4], const unsigned a[4], const unsigned b[2], FAKE_LINE) { fake_meet(meet_mma_u8, line, d, a, b); }

inline void copy_async16(void *shared, const void *global, bool valid, FAKE_LINE) { fake_copy_async(shared, global, 16, valid, line); }
inline void copy_async8(void *shared, const void *global, bool valid, FAKE_LINE) { fake_copy_async(shared, global, 8, valid, line); }
inline void copy_async4(void *shared, const void *global, bool valid, FAKE_LINE) { fake_copy_async(shared, global, 4, valid, line); }
inline void copy_async_commit() { fake_copy_async_commit(); }
template <int N> void copy_async_wait(FAKE_LINE) { fake_copy_async_wait(N, line); }

inline unsigned fake_bits(float f) {
	unsigned v;
	memcpy(&v, &f, sizeof v);
	return v;
}
inline unsigned to_tf32(float f) { return f != f ? 0x7fffe000u : (fake_bits(f) + 0x1000u) & 0xffffe000u; }
inline unsigned fake_bf16(float f) {
	unsigned v = fake_bits(f);
	return f != f ? 0x7fffu : (v + 0x7fffu + (v >> 16 & 1)) >> 16;
}
inline unsigned pack_bf16(float lo, float hi) { return fake_bf16(hi) << 16 | fake_bf16(lo); }
inline float fake_reciprocal_sqrt(float x) { return 1.0f / __builtin_sqrtf(x); }
inline unsigned atomic_add(unsigned *p, unsigned v) { unsigned old = *p; *p += v; return old; }
inline unsigned long long atomic_add(unsigned long long *p, unsigned long long v) { unsigned long long old = *p; *p += v; return old; }
#define dynamic_shared(type, name) type *const name = reinterpret_cast<type *>(fake_dynamic_shared ? fake_dynamic_shared : (fake_fail_launch(__LINE__, "was launched without dynamic shared memory"), nullptr))

struct Family;
struct Twin {
	const char *name;
	std::vector<size_t> sizes;
	void (*function)();
	void (*call)(void (*)(), void **);
	const Family *family;
};

template <class... A, size_t... I> void twin_apply(void (*f)(A...), void **p, std::index_sequence<I...>) {
	f(*static_cast<A *>(p[I])...);
}
template <class... A> Twin twin(const char *name, void (*f)(A...)) {
	return {name, {sizeof(A)...}, reinterpret_cast<void (*)()>(f), [](void (*g)(), void **p) {
		twin_apply(reinterpret_cast<void (*)(A...)>(g), p, std::index_sequence_for<A...>{});
	}, nullptr};
}

/* The kernels of one file, the files they are made of with their SHA-256, and
 * their static shared memory. It enters itself in families(). */
struct Family {
	const char *name, *sources, *hash;
	char *shared, *shared_end;
	std::vector<Twin> twins;
	Family(const char *name, const char *sources, const char *hash, char *shared, char *shared_end, std::vector<Twin> list)
			: name(name), sources(sources), hash(hash), shared(shared), shared_end(shared_end), twins(std::move(list)) {
		for (auto &t : twins) t.family = this;
		families().push_back(this);
	}
	Family(const Family &) = delete;
	static std::vector<const Family *> &families() {
		static std::vector<const Family *> all;
		return all;
	}
};
