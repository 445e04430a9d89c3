//go:build cuda && fakecuda

/* Guarded memory. */
#include "fake.h"
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

std::map<CUdeviceptr, Block> blocks;

namespace {
constexpr size_t page = 4096, alignment = 256;

std::map<CUdeviceptr, Block>::iterator find(CUdeviceptr p) {
	auto b = blocks.upper_bound(p);
	if (b == blocks.begin()) return blocks.end();
	--b;
	return p < b->first + b->second.size ? b : blocks.end();
}

constexpr unsigned char untouched = 0xa5; /* around allocations; not what a kernel finds and passes on */

/* The first of n bytes that was written to, or null. */
unsigned char *changed(unsigned char *p, size_t n) {
	static const std::vector<unsigned char> clean(page, untouched);
	if (memcmp(p, clean.data(), n) == 0) return nullptr;
	while (*p == untouched) p++;
	return p;
}
} // namespace

void *take(size_t n, int device, bool host) {
	size_t rounded = (n + alignment - 1) / alignment * alignment, mapped = (rounded + page - 1) / page * page + 2 * page;
	void *m = mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m == MAP_FAILED) return nullptr;
	auto *bytes = static_cast<unsigned char *>(m);
	mprotect(bytes + page, mapped - 2 * page, PROT_READ | PROT_WRITE);
	unsigned char *start = bytes + mapped - page - rounded;
	memset(bytes + page, untouched, size_t(start - bytes) - page);
	memset(start, poison, n);
	memset(start + n, untouched, rounded - n);
	blocks[CUdeviceptr(start)] = {n, mapped, bytes, host ? nullptr : static_cast<unsigned char *>(calloc(n, 1)), device, host};
	return start;
}

void release(std::map<CUdeviceptr, Block>::iterator b) {
	munmap(b->second.mapping, b->second.mapped);
	free(b->second.known);
	blocks.erase(b);
}

void free_device(int device) {
	for (auto b = blocks.begin(); b != blocks.end();) {
		auto next = std::next(b);
		if (b->second.device == device && !b->second.host) release(b);
		b = next;
	}
}

void free_all() {
	while (!blocks.empty()) release(blocks.begin());
}

unsigned long long used(int device) {
	unsigned long long n = 0;
	for (auto &b : blocks) if (b.second.device == device && !b.second.host) n += b.second.size;
	return n;
}

CUresult check(const char *name, const CUctx_st *c, CUdeviceptr p, size_t n) {
	if (n == 0) return CUDA_SUCCESS;
	auto b = find(p);
	if (b == blocks.end() || b->second.host) return refuse(CUDA_ERROR_INVALID_VALUE, "%s: %#llx is not device memory", name, p);
	if (b->second.device != c->device)
		return refuse(CUDA_ERROR_INVALID_VALUE, "%s: %#llx belongs to device %d, the context to device %d", name, p, b->second.device, c->device);
	if (p + n > b->first + b->second.size)
		return refuse(CUDA_ERROR_INVALID_VALUE, "%s: %zu bytes at %#llx, only %llu are left of the allocation", name, n, p, b->first + b->second.size - p);
	return CUDA_SUCCESS;
}

CUresult check_host(const char *name, const void *p, size_t n) {
	auto b = find(CUdeviceptr(p));
	if (b == blocks.end() || !b->second.host) return refuse(CUDA_ERROR_INVALID_VALUE, "%s: %p is not pinned memory", name, p);
	if (CUdeviceptr(p) + n > b->first + b->second.size) return refuse(CUDA_ERROR_INVALID_VALUE, "%s: %zu bytes at %p are more than is pinned", name, n, p);
	return CUDA_SUCCESS;
}

void learn(CUdeviceptr to, size_t n, CUdeviceptr from) {
	if (n == 0) return;
	auto t = find(to);
	unsigned char *known = t->second.known + (to - t->first);
	if (!from) {
		memset(known, 1, n);
		return;
	}
	auto f = find(from);
	memmove(known, f->second.known + (from - f->first), n);
}

const Block *damaged(CUdeviceptr *where) {
	for (auto &[first, b] : blocks) {
		auto *start = reinterpret_cast<unsigned char *>(first), *bottom = b.mapping + page, *end = start + b.size;
		unsigned char *p = changed(bottom, size_t(start - bottom));
		if (!p) p = changed(end, size_t(b.mapping + b.mapped - page - end));
		if (p) {
			*where = CUdeviceptr(p);
			return &b;
		}
	}
	return nullptr;
}

void protect_others(int device, bool on) {
	for (auto &[first, b] : blocks)
		if (!b.host && b.device != device) mprotect(b.mapping + page, b.mapped - 2 * page, on ? PROT_NONE : PROT_READ | PROT_WRITE);
}
