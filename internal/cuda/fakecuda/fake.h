/* What the parts of the fake driver know of each other. */
#pragma once
#include <cuda.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>
#define FAKE_SHARED "fake_shared"
#include "engine.h"

/* driver.cpp: contexts and errors. */

struct CUctx_st {
	int device, references, lost;
	void lose(CUresult code);
};

extern std::recursive_mutex mutex; /* held by every function of the driver */
extern std::string message;        /* of the last error */

CUctx_st *context(); /* of the calling thread, or null */
CUresult refuse(CUresult code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What every function does first: an injected error, and whether the context works. */
CUresult enter(const char *name, bool needs_context = true);
#define ENTER(...) std::lock_guard<std::recursive_mutex> lock(mutex); if (CUresult r = enter(__VA_ARGS__)) return r

/* memory.cpp: memory ends at a page that nobody may touch; the bytes between the size
 * asked for and that page keep a pattern that is checked after each launch. */

struct Block {
	size_t size, mapped;
	unsigned char *mapping, *known; /* known: a byte for each, 1 once it is written; of device memory alone */
	int device;
	bool host;
};
extern std::map<CUdeviceptr, Block> blocks;

void *take(size_t n, int device, bool host);
void release(std::map<CUdeviceptr, Block>::iterator);
void free_device(int device);
void free_all();
unsigned long long used(int device);
/* Whether n bytes at p are device memory of the context; the error otherwise. */
CUresult check(const char *name, const CUctx_st *c, CUdeviceptr p, size_t n);
/* Whether n bytes at p are pinned memory. */
CUresult check_host(const char *name, const void *p, size_t n);
/* Notes that n bytes are written, with what is known of their source or all. */
void learn(CUdeviceptr to, size_t n, CUdeviceptr from = 0);
/* A block with a changed byte around it, and where. */
const Block *damaged(CUdeviceptr *where);
/* Takes other devices' memory out of reach, or gives it back. */
void protect_others(int device, bool on);

/* streams.cpp: queued work, captures, graphs. */

/* Runs some queued work of the context, or none, as the hardware might at any time. */
void disturb(CUctx_st *c);
/* Forgets what is queued. */
void drop_work(CUctx_st *c);
void forget_streams();
/* Whether this thread captures and may not do such things. */
bool capture_forbids();
#define REFUSE_IN_CAPTURE(name) if (capture_forbids()) return refuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "%s: not while this thread captures", name)

constexpr int static_limit = 48 << 10, shared_limit = 163 << 10; /* of a block: without, and with cuFuncSetAttribute */
