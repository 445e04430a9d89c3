//go:build cuda && fakecuda

/* The fake driver: devices, contexts, guarded memory, modules, launches. */
#include <cuda.h>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <regex>
#include <string>
#include <sys/mman.h>
#include <vector>
#include "fakecuda.h"
#define FAKE_SHARED "fake_shared"
#include "engine.h"

struct CUctx_st { int device; int references; int lost; };
struct CUfunc_st { const Twin *twin; CUctx_st *context; };
struct CUmod_st { CUctx_st *context; std::map<std::string, std::unique_ptr<CUfunc_st>> functions; };
struct CUstream_st { CUctx_st *context; };
struct CUevent_st { CUctx_st *context; bool recorded; };

namespace {

/* Memory ends at a page that nobody may touch; the bytes between the size asked
 * for and that page keep a pattern that is checked after each launch. */
struct Block { size_t size, mapped; unsigned char *mapping; int device; bool host; };
constexpr size_t page = 4096, alignment = 256;

std::recursive_mutex mutex;
int devices = 1;
unsigned long long capacity = 1ull << 30;
std::vector<std::unique_ptr<CUctx_st>> primary;
std::map<CUdeviceptr, Block> blocks;
std::map<std::string, std::pair<int, CUresult>> failures;
std::string message;
unsigned generation;
thread_local CUctx_st *current;
thread_local unsigned current_generation;

CUresult refuse(CUresult code, const char *format, ...) {
	char text[512];
	va_list list;
	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	message = text;
	return code;
}

CUctx_st *context() { return current_generation == generation ? current : nullptr; }

/* What every function does first: an injected failure, and whether the context works. */
CUresult enter(const char *name, bool needs_context = true) {
	auto f = failures.find(name);
	if (f != failures.end() && f->second.first-- == 0) {
		CUresult code = f->second.second;
		failures.erase(f);
		if (code >= 700 && context()) context()->lost = code;
		return refuse(code, "%s: injected error %d", name, code);
	}
	if (!needs_context) return CUDA_SUCCESS;
	if (!context()) return refuse(CUDA_ERROR_INVALID_CONTEXT, "%s: the calling thread has no current context", name);
	if (context()->lost) return CUresult(context()->lost);
	return CUDA_SUCCESS;
}
#define ENTER(...) std::lock_guard<std::recursive_mutex> lock(mutex); if (CUresult r = enter(__VA_ARGS__)) return r

std::map<CUdeviceptr, Block>::iterator find(CUdeviceptr p) {
	auto b = blocks.upper_bound(p);
	if (b == blocks.begin()) return blocks.end();
	--b;
	return p < b->first + b->second.size ? b : blocks.end();
}

CUresult check(const char *name, CUdeviceptr p, size_t n) {
	if (n == 0) return CUDA_SUCCESS;
	auto b = find(p);
	if (b == blocks.end()) return refuse(CUDA_ERROR_INVALID_VALUE, "%s: %#llx is not device memory", name, p);
	if (b->second.device != context()->device)
		return refuse(CUDA_ERROR_INVALID_VALUE, "%s: %#llx belongs to device %d, the context to device %d", name, p, b->second.device, context()->device);
	if (p + n > b->first + b->second.size)
		return refuse(CUDA_ERROR_INVALID_VALUE, "%s: %zu bytes at %#llx, only %llu are left of the allocation", name, n, p, b->first + b->second.size - p);
	return CUDA_SUCCESS;
}

unsigned long long used(int device) {
	unsigned long long n = 0;
	for (auto &b : blocks) if (b.second.device == device && !b.second.host) n += b.second.size;
	return n;
}

void *take(size_t n, int device, bool host) {
	size_t rounded = (n + alignment - 1) / alignment * alignment, mapped = (rounded + page - 1) / page * page + 2 * page;
	void *m = mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m == MAP_FAILED) return nullptr;
	auto *bytes = static_cast<unsigned char *>(m);
	mprotect(bytes + page, mapped - 2 * page, PROT_READ | PROT_WRITE);
	memset(bytes + page, poison, mapped - 2 * page);
	unsigned char *start = bytes + mapped - page - rounded;
	blocks[CUdeviceptr(start)] = {n, mapped, bytes, device, host};
	return start;
}

const Block *damaged(CUdeviceptr *where) {
	for (auto &b : blocks) {
		auto *start = reinterpret_cast<unsigned char *>(b.first);
		for (unsigned char *p = b.second.mapping + page; p < start; p++)
			if (*p != poison) { *where = CUdeviceptr(p); return &b.second; }
		for (unsigned char *p = start + b.second.size; p < b.second.mapping + b.second.mapped - page; p++)
			if (*p != poison) { *where = CUdeviceptr(p); return &b.second; }
	}
	return nullptr;
}

/* Entries of PTX with their parameters' sizes. */
std::map<std::string, std::vector<size_t>> entries(const std::string &ptx) {
	static const std::regex entry(R"(\.entry\s+(\w+)\s*\(([^)]*)\))");
	static const std::regex parameter(R"(\.param\s+(?:\.align\s+\d+\s+)?\.([a-z]+)(\d+)[^,\[]*(?:\[(\d+)\])?)");
	std::map<std::string, std::vector<size_t>> all;
	for (std::sregex_iterator e(ptx.begin(), ptx.end(), entry), end; e != end; ++e) {
		auto &sizes = all[(*e)[1]];
		std::string list = (*e)[2];
		for (std::sregex_iterator p(list.begin(), list.end(), parameter); p != end; ++p)
			sizes.push_back(std::stoul((*p)[2]) / 8 * ((*p)[3].matched ? std::stoul((*p)[3]) : 1));
	}
	return all;
}

} // namespace

extern "C" {

void fake_reset(int n, unsigned long long memory) {
	std::lock_guard<std::recursive_mutex> lock(mutex);
	for (auto &b : blocks) munmap(b.second.mapping, b.second.mapped);
	blocks.clear();
	failures.clear();
	primary.clear();
	message.clear();
	devices = n;
	capacity = memory;
	engine_options = {};
	generation++;
}

void fake_fail(const char *function, int after, int error) {
	std::lock_guard<std::recursive_mutex> lock(mutex);
	failures[function] = {after, CUresult(error)};
}
void fake_skip_barrier(int index) { engine_options.skipped_barrier = index; }
void fake_skip_wait(int index) { engine_options.skipped_wait = index; }
int fake_waits(void) { return int(engine_waits.size()); }
void fake_reverse(int on) { engine_options.reversed = on; }
int fake_barriers(void) { return int(engine_barriers.size()); }
const char *fake_message(void) { return message.c_str(); }
unsigned long long fake_used(int device) {
	std::lock_guard<std::recursive_mutex> lock(mutex);
	return used(device);
}

int fake_families(void) { return int(Family::families().size()); }
const char *fake_family_name(int i) { return Family::families()[i]->name; }
const char *fake_family_sources(int i) { return Family::families()[i]->sources; }
const char *fake_family_hash(int i) { return Family::families()[i]->hash; }

CUresult cuInit(unsigned int) { return CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int *version) { *version = 12000; return CUDA_SUCCESS; }
CUresult cuGetErrorString(CUresult, const char **text) { *text = message.c_str(); return CUDA_SUCCESS; }

CUresult cuDeviceGetCount(int *count) { ENTER("cuDeviceGetCount", false); *count = devices; return CUDA_SUCCESS; }
CUresult cuDeviceGet(CUdevice *device, int ordinal) {
	ENTER("cuDeviceGet", false);
	if (ordinal < 0 || ordinal >= devices) return refuse(CUDA_ERROR_INVALID_DEVICE, "device %d of %d", ordinal, devices);
	*device = ordinal;
	return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char *name, int length, CUdevice device) { snprintf(name, length, "Fake GPU %d", device); return CUDA_SUCCESS; }
CUresult cuDeviceTotalMem(size_t *bytes, CUdevice) { *bytes = capacity; return CUDA_SUCCESS; }
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice) {
	switch (attribute) {
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = 8; break;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = 0; break;
	case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 4; break;
	case CU_DEVICE_ATTRIBUTE_WARP_SIZE: *value = 32; break;
	case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *value = 48 << 10; break;
	default: return refuse(CUDA_ERROR_NOT_SUPPORTED, "attribute %d", attribute);
	}
	return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device) {
	ENTER("cuDevicePrimaryCtxRetain", false);
	primary.resize(devices);
	auto &p = primary[device];
	if (!p) p.reset(new CUctx_st{device, 0, 0});
	p->references++;
	*out = p.get();
	return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
	ENTER("cuDevicePrimaryCtxRelease", false);
	if (device >= int(primary.size()) || !primary[device] || primary[device]->references == 0)
		return refuse(CUDA_ERROR_INVALID_CONTEXT, "the primary context of device %d is not retained", device);
	primary[device]->references--;
	return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext c) {
	ENTER("cuCtxSetCurrent", false);
	current = c;
	current_generation = generation;
	return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext *c) { std::lock_guard<std::recursive_mutex> lock(mutex); *c = context(); return CUDA_SUCCESS; }
CUresult cuCtxSynchronize(void) { ENTER("cuCtxSynchronize"); return CUDA_SUCCESS; }

CUresult cuMemGetInfo(size_t *available, size_t *total) {
	ENTER("cuMemGetInfo");
	*total = capacity;
	*available = capacity - used(context()->device);
	return CUDA_SUCCESS;
}
CUresult cuMemAlloc(CUdeviceptr *out, size_t n) {
	ENTER("cuMemAlloc");
	if (n == 0) return refuse(CUDA_ERROR_INVALID_VALUE, "cuMemAlloc: 0 bytes");
	unsigned long long u = used(context()->device);
	if (n > capacity - u) return refuse(CUDA_ERROR_OUT_OF_MEMORY, "cuMemAlloc: %zu bytes, %llu of %llu are free", n, capacity - u, capacity);
	void *p = take(n, context()->device, false);
	if (!p) return refuse(CUDA_ERROR_OUT_OF_MEMORY, "cuMemAlloc: %zu bytes: the machine has no memory", n);
	*out = CUdeviceptr(p);
	return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr p) {
	ENTER("cuMemFree");
	auto b = blocks.find(p);
	if (b == blocks.end() || b->second.host) return refuse(CUDA_ERROR_INVALID_VALUE, "cuMemFree: %#llx is not the start of an allocation", p);
	if (CUresult r = check("cuMemFree", p, 1)) return r;
	munmap(b->second.mapping, b->second.mapped);
	blocks.erase(b);
	return CUDA_SUCCESS;
}
CUresult cuMemHostAlloc(void **out, size_t n, unsigned int) {
	ENTER("cuMemHostAlloc");
	*out = take(n, context()->device, true);
	return *out ? CUDA_SUCCESS : refuse(CUDA_ERROR_OUT_OF_MEMORY, "cuMemHostAlloc: %zu bytes", n);
}
CUresult cuMemFreeHost(void *p) {
	ENTER("cuMemFreeHost");
	auto b = blocks.find(CUdeviceptr(p));
	if (b == blocks.end() || !b->second.host) return refuse(CUDA_ERROR_INVALID_VALUE, "cuMemFreeHost: not pinned memory");
	munmap(b->second.mapping, b->second.mapped);
	blocks.erase(b);
	return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t n) {
	ENTER("cuMemcpyHtoD");
	if (CUresult r = check("cuMemcpyHtoD", to, n)) return r;
	memcpy(reinterpret_cast<void *>(to), from, n);
	return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t n) {
	ENTER("cuMemcpyDtoH");
	if (CUresult r = check("cuMemcpyDtoH", from, n)) return r;
	memcpy(to, reinterpret_cast<void *>(from), n);
	return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t n) {
	ENTER("cuMemcpyDtoD");
	if (CUresult r = check("cuMemcpyDtoD", from, n)) return r;
	if (CUresult r = check("cuMemcpyDtoD", to, n)) return r;
	memmove(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), n);
	return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t n, CUstream) { return cuMemcpyHtoD(to, from, n); }
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t n, CUstream) { return cuMemcpyDtoH(to, from, n); }

CUresult cuStreamCreate(CUstream *s, unsigned int) { ENTER("cuStreamCreate"); *s = new CUstream_st{context()}; return CUDA_SUCCESS; }
CUresult cuStreamDestroy(CUstream s) { ENTER("cuStreamDestroy"); delete s; return CUDA_SUCCESS; }
CUresult cuStreamSynchronize(CUstream s) {
	ENTER("cuStreamSynchronize");
	if (s && s->context != context()) return refuse(CUDA_ERROR_INVALID_HANDLE, "cuStreamSynchronize: the stream belongs to another context");
	return CUDA_SUCCESS;
}
CUresult cuStreamWaitEvent(CUstream, CUevent, unsigned int) { ENTER("cuStreamWaitEvent"); return CUDA_SUCCESS; }
CUresult cuEventCreate(CUevent *e, unsigned int) { ENTER("cuEventCreate"); *e = new CUevent_st{context(), false}; return CUDA_SUCCESS; }
CUresult cuEventDestroy(CUevent e) { ENTER("cuEventDestroy"); delete e; return CUDA_SUCCESS; }
CUresult cuEventRecord(CUevent e, CUstream) { ENTER("cuEventRecord"); e->recorded = true; return CUDA_SUCCESS; }
CUresult cuEventSynchronize(CUevent) { ENTER("cuEventSynchronize"); return CUDA_SUCCESS; }

CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned int count, CUjit_option *options, void **values) {
	ENTER("cuModuleLoadDataEx");
	char *log = nullptr;
	size_t size = 0;
	for (unsigned i = 0; i < count; i++) {
		if (options[i] == CU_JIT_ERROR_LOG_BUFFER) log = static_cast<char *>(values[i]);
		if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) size = size_t(values[i]) & 0xffffffffu;
	}
	auto module = std::make_unique<CUmod_st>();
	module->context = context();
	std::string problem;
	auto all = entries(static_cast<const char *>(image));
	if (all.empty()) problem = "the PTX has no entry";
	for (auto &e : all) {
		const Twin *found = nullptr;
		for (auto *f : Family::families()) for (auto &t : f->twins) if (e.first == t.name) found = &t;
		if (!found) problem = "kernel " + e.first + " is not compiled into the fake driver";
		else if (found->sizes != e.second) problem = "kernel " + e.first + " has other parameters in the PTX than in its source";
		else module->functions[e.first].reset(new CUfunc_st{found, context()});
	}
	if (!problem.empty()) {
		if (log && size) snprintf(log, size, "%s", problem.c_str());
		return refuse(CUDA_ERROR_INVALID_PTX, "%s", problem.c_str());
	}
	*out = module.release();
	return CUDA_SUCCESS;
}
CUresult cuModuleLoadData(CUmodule *out, const void *image) { return cuModuleLoadDataEx(out, image, 0, nullptr, nullptr); }
CUresult cuModuleUnload(CUmodule m) { ENTER("cuModuleUnload"); delete m; return CUDA_SUCCESS; }
CUresult cuModuleGetFunction(CUfunction *out, CUmodule m, const char *name) {
	ENTER("cuModuleGetFunction");
	auto f = m->functions.find(name);
	if (f == m->functions.end()) return refuse(CUDA_ERROR_NOT_FOUND, "the module has no kernel %s", name);
	*out = f->second.get();
	return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
		unsigned shared, CUstream stream, void **parameters, void **) {
	ENTER("cuLaunchKernel");
	if (f->context != context()) return refuse(CUDA_ERROR_INVALID_HANDLE, "%s: the kernel belongs to another context", f->twin->name);
	if (stream && stream->context != context()) return refuse(CUDA_ERROR_INVALID_HANDLE, "%s: the stream belongs to another context", f->twin->name);
	if (!gx || !gy || !gz || !bx || !by || !bz || gy > 65535 || gz > 65535 || bz > 64 || size_t(bx) * by * bz > 1024 || shared > 48 << 10)
		return refuse(CUDA_ERROR_INVALID_VALUE, "%s: grid %u×%u×%u, block %u×%u×%u, %u bytes", f->twin->name, gx, gy, gz, bx, by, bz, shared);
	std::string problem = engine_run({f->twin, {gx, gy, gz}, {bx, by, bz}, shared, parameters});
	CUresult result = problem.empty() ? CUDA_SUCCESS : refuse(problem.find("touches") == std::string::npos ? CUDA_ERROR_LAUNCH_FAILED : CUDA_ERROR_ILLEGAL_ADDRESS, "%s", problem.c_str());
	CUdeviceptr where;
	if (result == CUDA_SUCCESS) if (const Block *b = damaged(&where))
		result = refuse(CUDA_ERROR_ILLEGAL_ADDRESS, "%s: writes to %#llx, outside an allocation of %zu bytes", f->twin->name, where, b->size);
	if (result != CUDA_SUCCESS) context()->lost = result;
	return result;
}

} // extern "C"
