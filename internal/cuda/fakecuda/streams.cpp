//go:build cuda && fakecuda

/* Streams, events, captures and graphs. Work is queued. It runs when something waits
 * for it, or earlier, in an order between streams that a seeded generator chooses
 * among all that events allow; so a wait that is missing shows. */
#include "modules.h"
#include "fakecuda.h"
#include <algorithm>
#include <cstring>
#include <chrono>
#include <deque>
#include <functional>
#include <set>

namespace {

using Work = std::function<CUresult()>;
/* One record of an event: whether and when it was reached. */
struct Point { bool reached = false; std::chrono::steady_clock::time_point at; };
using Done = std::shared_ptr<Point>;

/* What a queue holds: work, a record, or a wait. A copy names its host memory. */
struct Item {
	Work work;
	Done records, waits;
	const char *host = nullptr;
	size_t host_size = 0;
};

/* A captured item, and the items before which it may not run. */
struct Node { Item item; std::set<size_t> after; };
using Nodes = std::vector<Node>;

struct Capture {
	CUstream origin;
	Nodes nodes;
	bool strict;
	bool invalid = false;
};

} // namespace

struct CUstream_st {
	CUctx_st *context;
	std::deque<Item> queue;
	bool destroyed = false;
	std::shared_ptr<Capture> capture;
	std::set<size_t> tail; /* of the capture: what the next node comes after */
};
struct CUevent_st {
	CUctx_st *context;
	Done done; /* of the last record */
	std::shared_ptr<Capture> capture;
	std::set<size_t> nodes;
	bool timed;
};
struct CUgraph_st { CUctx_st *context; std::shared_ptr<Nodes> nodes; };
struct CUgraphExec_st { CUctx_st *context; std::shared_ptr<Nodes> nodes; };

namespace {

std::vector<std::unique_ptr<CUstream_st>> streams;
unsigned long long generator = 1;
thread_local int strict_captures;
thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

unsigned choose(unsigned n) {
	generator = generator * 6364136223846793005ull + 1442695040888963407ull;
	return unsigned(generator >> 33) % n;
}

bool runnable(const CUstream_st &s) { return !s.queue.empty() && (!s.queue.front().waits || s.queue.front().waits->reached); }

CUresult step(CUstream_st &s) {
	Item item = std::move(s.queue.front());
	s.queue.pop_front();
	if (item.records) *item.records = {true, std::chrono::steady_clock::now()};
	if (!item.work) return CUDA_SUCCESS;
	CUresult r = item.work();
	if (r != CUDA_SUCCESS) s.context->lose(r);
	return r;
}

void sweep() {
	streams.erase(std::remove_if(streams.begin(), streams.end(), [](auto &s) { return s->destroyed && s->queue.empty(); }), streams.end());
}

/* One piece of work of the context, of `first` if it can and that is wanted. False if there is none. */
bool step_any(CUctx_st *c, CUstream first, CUresult *result) {
	std::vector<CUstream> able;
	for (auto &s : streams) if (s->context == c && runnable(*s)) able.push_back(s.get());
	if (able.empty()) return false;
	CUstream s = first && runnable(*first) ? first : able[choose(unsigned(able.size()))];
	*result = step(*s);
	return true;
}

/* Works until done() holds: on no more than it takes, or on all streams alike, and then perhaps further. */
CUresult work_until(CUctx_st *c, CUstream target, const std::function<bool()> &done) {
	CUresult r = CUDA_SUCCESS;
	bool lazy = choose(2);
	while (!done()) {
		if (!step_any(c, lazy ? target : nullptr, &r)) return refuse(CUDA_ERROR_UNKNOWN, "the streams wait for each other");
		if (r != CUDA_SUCCESS) return r;
	}
	disturb(c);
	sweep();
	return CUresult(c->lost);
}

bool overlaps(const Item &i, const void *p, size_t n) {
	auto *c = static_cast<const char *>(p);
	return i.host && i.host < c + n && c < i.host + i.host_size;
}

bool host_in_use(const void *p, size_t n) {
	for (auto &s : streams) for (auto &i : s->queue) if (overlaps(i, p, n)) return true;
	return false;
}

CUresult enqueue(CUstream s, Item item) {
	if (s->capture) {
		s->capture->nodes.push_back({std::move(item), s->tail});
		s->tail = {s->capture->nodes.size() - 1};
		return CUDA_SUCCESS;
	}
	s->queue.push_back(std::move(item));
	/* The device may have begun before the call returns; errors come with a later call. */
	disturb(s->context);
	return CUDA_SUCCESS;
}

CUresult check_stream(const char *name, CUstream s) {
	if (!s) return refuse(CUDA_ERROR_NOT_SUPPORTED, "%s: the fake driver has no default stream", name);
	if (s->context != context()) return refuse(CUDA_ERROR_INVALID_HANDLE, "%s: the stream belongs to another context", name);
	return CUDA_SUCCESS;
}
#define STREAM(name, s) ENTER(name); if (CUresult r = check_stream(name, s)) return r

CUresult run_kernel(const CUctx_st *c, const CUfunc_st *f, const Launch &launch) {
	protect_others(c->device, true);
	std::string problem = execute(c, f, launch, generator);
	protect_others(c->device, false);
	if (!problem.empty())
		return refuse(problem.find(" touches ") == std::string::npos ? CUDA_ERROR_LAUNCH_FAILED : CUDA_ERROR_ILLEGAL_ADDRESS, "%s", problem.c_str());
	CUdeviceptr where;
	if (const Block *b = damaged(&where))
		return refuse(CUDA_ERROR_ILLEGAL_ADDRESS, "%s: writes to %#llx, outside an allocation of %zu bytes", launch.twin->name, where, b->size);
	return CUDA_SUCCESS;
}

/* An error of a copy when it runs: memory that was there when it was given is gone. */
CUresult gone(CUresult r) { return r == CUDA_SUCCESS ? r : CUDA_ERROR_ILLEGAL_ADDRESS; }

CUresult run_graph(const Nodes &nodes) {
	std::vector<bool> done(nodes.size());
	for (size_t left = nodes.size(); left > 0; left--) {
		std::vector<size_t> able;
		for (size_t i = 0; i < nodes.size(); i++)
			if (!done[i] && std::all_of(nodes[i].after.begin(), nodes[i].after.end(), [&](size_t a) { return done[a]; })) able.push_back(i);
		size_t i = able[choose(unsigned(able.size()))];
		done[i] = true;
		if (!nodes[i].item.work) continue;
		if (CUresult r = nodes[i].item.work()) return r;
	}
	return CUDA_SUCCESS;
}

/* Whether every node comes before the tail, directly or through others. */
bool all_joined(const Nodes &nodes, const std::set<size_t> &tail) {
	std::vector<bool> before(nodes.size());
	for (size_t i : tail) before[i] = true;
	for (size_t i = nodes.size(); i-- > 0;) {
		if (!before[i]) return false; /* what comes after it has a greater number */
		for (size_t a : nodes[i].after) before[a] = true;
	}
	return true;
}

} // namespace

void CUctx_st::lose(CUresult code) {
	lost = code;
	drop_work(this);
}

void disturb(CUctx_st *c) {
	CUresult r = CUDA_SUCCESS;
	for (unsigned n = choose(2) ? choose(4) : 0; n > 0 && r == CUDA_SUCCESS; n--) if (!step_any(c, nullptr, &r)) return;
}

void drop_work(CUctx_st *c) {
	for (auto &s : streams) if (s->context == c) s->queue.clear();
}

void forget_streams() {
	streams.clear();
	generator = 1;
}

bool capture_forbids() { return strict_captures > 0 && thread_mode != CU_STREAM_CAPTURE_MODE_RELAXED; }

extern "C" {

void fake_seed(unsigned long long seed) {
	std::lock_guard<std::recursive_mutex> lock(mutex);
	generator = seed;
}

CUresult cuCtxSynchronize(void) {
	ENTER("cuCtxSynchronize");
	REFUSE_IN_CAPTURE("cuCtxSynchronize");
	CUctx_st *c = context();
	return work_until(c, nullptr, [c] { return std::all_of(streams.begin(), streams.end(), [c](auto &s) { return s->context != c || s->queue.empty(); }); });
}

CUresult cuStreamCreate(CUstream *s, unsigned int flags) {
	ENTER("cuStreamCreate");
	if (flags != CU_STREAM_NON_BLOCKING) return refuse(CUDA_ERROR_NOT_SUPPORTED, "cuStreamCreate: the fake driver has streams without relation to the default stream alone");
	streams.push_back(std::make_unique<CUstream_st>());
	*s = streams.back().get();
	(*s)->context = context();
	return CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream s) {
	STREAM("cuStreamDestroy", s);
	s->destroyed = true;
	sweep();
	return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream s) {
	STREAM("cuStreamSynchronize", s);
	if (s->capture) {
		s->capture->invalid = true;
		return refuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "cuStreamSynchronize: the stream captures");
	}
	return work_until(context(), s, [s] { return s->queue.empty(); });
}
CUresult cuStreamQuery(CUstream s) {
	STREAM("cuStreamQuery", s);
	disturb(context());
	return s->queue.empty() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuEventCreate(CUevent *e, unsigned int flags) {
	ENTER("cuEventCreate");
	*e = new CUevent_st{context(), nullptr, nullptr, {}, !(flags & CU_EVENT_DISABLE_TIMING)};
	return CUDA_SUCCESS;
}
CUresult cuEventDestroy(CUevent e) { ENTER("cuEventDestroy"); delete e; return CUDA_SUCCESS; }
CUresult cuEventRecord(CUevent e, CUstream s) {
	STREAM("cuEventRecord", s);
	if (e->context != context()) return refuse(CUDA_ERROR_INVALID_HANDLE, "cuEventRecord: the event belongs to another context");
	e->capture = s->capture;
	e->nodes = s->tail;
	if (s->capture) return CUDA_SUCCESS;
	Item item;
	item.records = e->done = std::make_shared<Point>();
	return enqueue(s, item);
}
CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned int) {
	STREAM("cuStreamWaitEvent", s);
	if (e->capture) {
		if (s->capture && s->capture != e->capture) return refuse(CUDA_ERROR_STREAM_CAPTURE_MERGE, "cuStreamWaitEvent: two captures meet");
		if (!s->capture) s->tail.clear();
		s->capture = e->capture;
		s->tail.insert(e->nodes.begin(), e->nodes.end());
		return CUDA_SUCCESS;
	}
	if (s->capture) {
		s->capture->invalid = true;
		return refuse(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "cuStreamWaitEvent: the event was recorded outside of the capture");
	}
	if (!e->done) return CUDA_SUCCESS;
	Item item;
	item.waits = e->done;
	return enqueue(s, item);
}
CUresult cuEventSynchronize(CUevent e) {
	ENTER("cuEventSynchronize");
	if (e->capture) return refuse(CUDA_ERROR_CAPTURED_EVENT, "cuEventSynchronize: the event was recorded in a capture");
	if (!e->done) return CUDA_SUCCESS;
	Done done = e->done;
	/* The stream that records it is the one to hurry. */
	CUstream target = nullptr;
	for (auto &s : streams) for (auto &i : s->queue) if (i.records == done) target = s.get();
	return work_until(context(), target, [done] { return done->reached; });
}
CUresult cuEventQuery(CUevent e) {
	ENTER("cuEventQuery");
	disturb(context());
	return !e->done || e->done->reached ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
	ENTER("cuEventElapsedTime");
	if (!start->timed || !end->timed) return refuse(CUDA_ERROR_INVALID_HANDLE, "cuEventElapsedTime: an event was made without times");
	if (start->capture || end->capture || !start->done || !end->done) return refuse(CUDA_ERROR_INVALID_HANDLE, "cuEventElapsedTime: an event was not recorded");
	if (!start->done->reached || !end->done->reached) return CUDA_ERROR_NOT_READY;
	*milliseconds = std::chrono::duration<float, std::milli>(end->done->at - start->done->at).count();
	return CUDA_SUCCESS;
}

/* An upload reads the host's memory when it runs. */
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t n, CUstream s) {
	STREAM("cuMemcpyHtoDAsync", s);
	if (CUresult r = check("cuMemcpyHtoDAsync", context(), to, n)) return r;
	if (CUresult r = check_host("cuMemcpyHtoDAsync", from, n)) return r;
	CUctx_st *c = context();
	Item item;
	item.host = static_cast<const char *>(from);
	item.host_size = n;
	item.work = [=] {
		if (CUresult r = check("an upload", c, to, n)) return gone(r);
		if (CUresult r = check_host("an upload", from, n)) return gone(r);
		memcpy(reinterpret_cast<void *>(to), from, n);
		learn(to, n);
		return CUDA_SUCCESS;
	};
	return enqueue(s, item);
}
/* Before a download has run nobody may count on what the host's memory has. */
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t n, CUstream s) {
	STREAM("cuMemcpyDtoHAsync", s);
	if (CUresult r = check("cuMemcpyDtoHAsync", context(), from, n)) return r;
	if (CUresult r = check_host("cuMemcpyDtoHAsync", to, n)) return r;
	CUctx_st *c = context();
	Item item;
	item.host = static_cast<const char *>(to);
	item.host_size = n;
	item.work = [=] {
		if (CUresult r = check("a download", c, from, n)) return gone(r);
		if (CUresult r = check_host("a download", to, n)) return gone(r);
		memcpy(to, reinterpret_cast<void *>(from), n);
		return CUDA_SUCCESS;
	};
	if (!s->capture && !host_in_use(to, n)) memset(to, poison, n);
	return enqueue(s, item);
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s) {
	STREAM("cuMemcpyDtoDAsync", s);
	if (CUresult r = check("cuMemcpyDtoDAsync", context(), from, n)) return r;
	if (CUresult r = check("cuMemcpyDtoDAsync", context(), to, n)) return r;
	if (to < from + n && from < to + n) return refuse(CUDA_ERROR_INVALID_VALUE, "cuMemcpyDtoDAsync: the ranges overlap");
	CUctx_st *c = context();
	Item item;
	item.work = [=] {
		if (CUresult r = check("a copy", c, from, n)) return gone(r);
		if (CUresult r = check("a copy", c, to, n)) return gone(r);
		memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), n);
		learn(to, n, from);
		return CUDA_SUCCESS;
	};
	return enqueue(s, item);
}
CUresult cuMemsetD8Async(CUdeviceptr p, unsigned char value, size_t n, CUstream s) {
	STREAM("cuMemsetD8Async", s);
	if (CUresult r = check("cuMemsetD8Async", context(), p, n)) return r;
	CUctx_st *c = context();
	Item item;
	item.work = [=] {
		if (CUresult r = check("a fill", c, p, n)) return gone(r);
		memset(reinterpret_cast<void *>(p), value, n);
		learn(p, n);
		return CUDA_SUCCESS;
	};
	return enqueue(s, item);
}

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
		unsigned shared, CUstream s, void **parameters, void **) {
	STREAM("cuLaunchKernel", s);
	const char *name = f->twin->name;
	if (f->context != context()) return refuse(CUDA_ERROR_INVALID_HANDLE, "%s: the kernel belongs to another context", name);
	size_t count = size_t(bx) * by * bz;
	if (!gx || !gy || !gz || !count || gx > 0x7fffffff || gy > 65535 || gz > 65535 || bz > 64 || count > 1024)
		return refuse(CUDA_ERROR_INVALID_VALUE, "%s: grid %u×%u×%u, block %u×%u×%u", name, gx, gy, gz, bx, by, bz);
	if (count > f->most_threads) return refuse(CUDA_ERROR_INVALID_VALUE, "%s: %zu threads in a block, __launch_bounds__ allows %u", name, count, f->most_threads);
	if (f->shared + shared > std::max<size_t>(static_limit, f->dynamic + f->shared))
		return refuse(CUDA_ERROR_INVALID_VALUE, "%s: %u bytes of dynamic and %zu of static shared memory, of %d", name, shared, f->shared, static_limit);
	size_t first = engine_options.first_block, blocks = engine_options.blocks;
	if (first >= size_t(gx) * gy * gz) return refuse(CUDA_ERROR_INVALID_VALUE, "%s: block %zu of a grid of %u×%u×%u", name, first, gx, gy, gz);
	/* The arguments are those of now. */
	auto cells = std::make_shared<std::vector<unsigned long long>>(f->twin->sizes.size());
	for (size_t i = 0; i < cells->size(); i++) {
		if (f->twin->sizes[i] > 8) return refuse(CUDA_ERROR_INVALID_VALUE, "%s: parameter %zu has %zu bytes", name, i, f->twin->sizes[i]);
		memcpy(&(*cells)[i], parameters[i], f->twin->sizes[i]);
	}
	CUctx_st *c = context();
	/* The module may be gone by then. */
	auto kernel = std::make_shared<const CUfunc_st>(*f);
	Item item;
	item.work = [=] {
		std::vector<void *> arguments;
		for (auto &cell : *cells) arguments.push_back(&cell);
		return run_kernel(c, kernel.get(), {kernel->twin, {gx, gy, gz}, {bx, by, bz}, shared, arguments.data(), first, blocks});
	};
	return enqueue(s, item);
}

/* Captures and graphs. */

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
	ENTER("cuThreadExchangeStreamCaptureMode", false);
	std::swap(*mode, thread_mode);
	return CUDA_SUCCESS;
}
CUresult cuStreamBeginCapture(CUstream s, CUstreamCaptureMode mode) {
	STREAM("cuStreamBeginCapture", s);
	if (s->capture) return refuse(CUDA_ERROR_ILLEGAL_STATE, "cuStreamBeginCapture: the stream captures already");
	s->capture = std::make_shared<Capture>();
	s->capture->origin = s;
	s->capture->strict = mode != CU_STREAM_CAPTURE_MODE_RELAXED;
	s->tail.clear();
	strict_captures += s->capture->strict;
	return CUDA_SUCCESS;
}
CUresult cuStreamEndCapture(CUstream s, CUgraph *graph) {
	*graph = nullptr;
	STREAM("cuStreamEndCapture", s);
	auto capture = s->capture;
	if (!capture || capture->origin != s) return refuse(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "cuStreamEndCapture: no capture began in this stream");
	auto tail = s->tail;
	strict_captures -= capture->strict;
	for (auto &other : streams) if (other->capture == capture) other->capture = nullptr;
	if (capture->invalid) return refuse(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "cuStreamEndCapture: the capture did what captures must not");
	if (!all_joined(capture->nodes, tail)) return refuse(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "cuStreamEndCapture: nothing waits for the end of another stream's work");
	*graph = new CUgraph_st{context(), std::make_shared<Nodes>(capture->nodes)};
	return CUDA_SUCCESS;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph graph, unsigned long long) {
	ENTER("cuGraphInstantiateWithFlags");
	*out = new CUgraphExec_st{graph->context, graph->nodes};
	return CUDA_SUCCESS;
}
CUresult cuGraphDestroy(CUgraph graph) { ENTER("cuGraphDestroy"); delete graph; return CUDA_SUCCESS; }
CUresult cuGraphExecDestroy(CUgraphExec x) { ENTER("cuGraphExecDestroy"); delete x; return CUDA_SUCCESS; }
CUresult cuGraphLaunch(CUgraphExec x, CUstream s) {
	STREAM("cuGraphLaunch", s);
	if (x->context != context()) return refuse(CUDA_ERROR_INVALID_HANDLE, "cuGraphLaunch: the graph belongs to another context");
	if (s->capture) return refuse(CUDA_ERROR_NOT_SUPPORTED, "cuGraphLaunch: the fake driver has no graphs in graphs");
	Item item;
	item.work = [nodes = x->nodes] { return run_graph(*nodes); };
	return enqueue(s, item);
}

} // extern "C"
