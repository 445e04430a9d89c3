//go:build cuda && fakecuda

/* Threads as fibers, barriers, what warps do together, and faults.
 *
 * Between two barriers the warps of a block run one after the other, and in a warp
 * the lanes, each as far as it can: to a barrier, to a meeting of its warp, or to
 * its end. A meeting is executed once all 32 lanes wait at the same one. */
#define FAKE_SHARED "fake_shared"
#include "engine.h"
#include <csetjmp>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

EngineOptions engine_options;
std::vector<int> engine_barriers, engine_waits;
index3 fake_thread, fake_block, fake_block_size, fake_grid_size;
unsigned fake_lane;
unsigned char *fake_dynamic_shared;

/* Stacks and the switch between them. */

#if defined(__x86_64__) && !defined(FAKE_UCONTEXT)
using Stack = void *; /* the stack pointer, registers that calls preserve above it */
extern "C" void fake_switch(Stack *from, Stack to);
asm(R"(
	.text
	.hidden fake_switch
	.type fake_switch, @function
fake_switch:
	pushq %rbp
	pushq %rbx
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	movq %rsp, (%rdi)
	movq %rsi, %rsp
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbx
	popq %rbp
	ret
	.size fake_switch, .-fake_switch
)");
static void prepare(Stack *s, char *bottom, size_t size, void (*body)()) {
	auto *top = reinterpret_cast<void **>(bottom + size);
	top[-2] = reinterpret_cast<void *>(body); /* where ret goes; the stack is then aligned as after a call */
	*s = top - 2 - 6;
}
#else
#include <ucontext.h>
using Stack = ucontext_t;
static void fake_switch(Stack *from, Stack &to) { swapcontext(from, &to); }
static void prepare(Stack *s, char *bottom, size_t size, void (*body)()) {
	getcontext(s);
	s->uc_stack.ss_sp = bottom;
	s->uc_stack.ss_size = size;
	s->uc_link = nullptr;
	makecontext(s, body, 0);
}
#endif

namespace {

constexpr size_t page = 4096, stack_size = 64 << 10;
constexpr unsigned lanes = 32, most_threads = 1024, most_dynamic = 256 << 10;

struct Fiber { Stack stack; char *memory; };

struct Copy { unsigned char *to; const void *from; unsigned size; bool valid; unsigned group; };

enum State { fresh, ready, at_barrier, at_meeting, done };

struct Thread {
	index3 index;
	State state;
	Fiber *fiber; /* while it is neither fresh nor done */
	int line;     /* where it waits */
	Meeting meeting;
	void *out;
	const void *a, *b;
	unsigned group; /* the group of copies that is not committed yet */
	std::vector<Copy> copies;
};

const Twin *kernel;
void **arguments;
std::vector<Fiber> fibers;
std::vector<Fiber *> idle;
std::vector<Thread> threads;
Thread *running;
Stack scheduler;
size_t warp_start, warp_end, cursor; /* of the warp that runs, in the order of running */
sigjmp_buf escape;
thread_local bool launching;
std::string problem;
unsigned char *dynamic_memory;
unsigned char *written, *written_end; /* of static shared memory, by the first block */

[[gnu::format(printf, 1, 2)]] std::string text(const char *format, ...) {
	char t[512];
	va_list list;
	va_start(list, format);
	vsnprintf(t, sizeof t, format, list);
	va_end(list);
	return t;
}

std::string where() {
	return text("%s: block (%u %u %u), thread (%u %u %u)", kernel->name, fake_block.x, fake_block.y, fake_block.z, fake_thread.x, fake_thread.y, fake_thread.z);
}

[[noreturn]] void give_up(std::string why) {
	problem = std::move(why);
	siglongjmp(escape, 1);
}

Thread &nth(size_t i) { return threads[engine_options.reversed ? threads.size() - 1 - i : i]; }

void enter(Thread &t) {
	running = &t;
	fake_thread = t.index;
	fake_lane = unsigned(&t - threads.data()) % lanes;
}

void body();

/* A fiber runs threads to their end one after the other; while one of them waits
 * the scheduler takes another fiber. */
void body() {
	for (;;) {
		kernel->call(kernel->function, arguments);
		running->state = done;
		Fiber *fiber = running->fiber;
		if (cursor + 1 < warp_end && nth(cursor + 1).state == fresh) {
			Thread &next = nth(++cursor);
			next.fiber = fiber;
			enter(next);
			continue;
		}
		idle.push_back(fiber);
		fake_switch(&fiber->stack, scheduler);
	}
}

void resume(Thread &t) {
	if (t.state == fresh) {
		if (idle.empty()) {
			fibers.push_back({{}, nullptr});
			give_up("no fiber"); /* there are as many as threads of a block */
		}
		t.fiber = idle.back();
		idle.pop_back();
	}
	enter(t);
	fake_switch(&scheduler, t.fiber->stack);
}

void wait(State state) {
	running->state = state;
	fake_switch(&running->fiber->stack, scheduler);
}

void make_fibers() {
	if (!fibers.empty()) return;
	size_t each = page + stack_size;
	auto *memory = static_cast<char *>(mmap(nullptr, most_threads * each, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
	fibers.resize(most_threads);
	for (size_t i = 0; i < most_threads; i++) {
		fibers[i].memory = memory + i * each + page;
		mprotect(memory + i * each, page, PROT_NONE);
	}
	dynamic_memory = static_cast<unsigned char *>(mmap(nullptr, most_dynamic + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	mprotect(dynamic_memory + most_dynamic, page, PROT_NONE);
}

/* All fibers to their beginning: after an error they hang where they were. */
void reset_fibers() {
	idle.clear();
	for (size_t i = fibers.size(); i-- > 0;) {
		prepare(&fibers[i].stack, fibers[i].memory, stack_size, body);
		idle.push_back(&fibers[i]);
	}
}

/* What a warp does together. */

template <class T> T value(const void *p) {
	T v;
	memcpy(&v, p, sizeof v);
	return v;
}

float tf32(unsigned v) {
	v &= 0xffffe000u;
	return value<float>(&v);
}
float bf16(unsigned v) {
	v <<= 16;
	return value<float>(&v);
}

/* D[16×8] += A[16×K]·B[K×8], in the order of k. */
template <int K, class T> void multiply(T d[16][8], const T a[16][K], const T b[K][8]) {
	for (int i = 0; i < 16; i++) for (int k = 0; k < K; k++) for (int j = 0; j < 8; j++) {
		if constexpr (std::is_same_v<T, float>) d[i][j] = __builtin_fmaf(a[i][k], b[k][j], d[i][j]);
		else d[i][j] += a[i][k] * b[k][j];
	}
}

/* K values of a row of A, `per` of them in each register. unpack gives value p of a register. */
template <int K, int per, class T, class Unpack> void mma(Thread *warp, Unpack unpack) {
	T a[16][K], b[K][8], d[16][8];
	for (unsigned lane = 0; lane < lanes; lane++) {
		unsigned g = lane / 4, t = lane % 4;
		auto *ra = static_cast<const unsigned *>(warp[lane].a), *rb = static_cast<const unsigned *>(warp[lane].b);
		auto *rd = static_cast<const T *>(warp[lane].out);
		for (unsigned i = 0; i < 4; i++) {
			d[g + i / 2 * 8][2 * t + i % 2] = rd[i];
			for (unsigned p = 0; p < per; p++) a[g + i % 2 * 8][i / 2 * (K / 2) + per * t + p] = unpack(ra[i], p);
		}
		for (unsigned i = 0; i < 2; i++)
			for (unsigned p = 0; p < per; p++) b[i * (K / 2) + per * t + p][g] = unpack(rb[i], p);
	}
	multiply<K>(d, a, b);
	for (unsigned lane = 0; lane < lanes; lane++) {
		auto *rd = static_cast<T *>(warp[lane].out);
		for (unsigned i = 0; i < 4; i++) rd[i] = d[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2];
	}
}

bool in_shared(const void *p, size_t n) {
	auto *c = static_cast<const char *>(p);
	auto *d = reinterpret_cast<const char *>(dynamic_memory);
	return (c >= kernel->family->shared && c + n <= kernel->family->shared_end) || (c >= d && c + n <= d + most_dynamic);
}

void load_matrices(Thread *warp, bool transposed) {
	unsigned count = unsigned(reinterpret_cast<size_t>(warp[0].b));
	for (unsigned m = 0; m < count; m++) {
		uint16_t rows[8][8];
		for (unsigned row = 0; row < 8; row++) {
			const Thread &t = warp[m * 8 + row];
			if (reinterpret_cast<size_t>(t.a) % 16) give_up(text("%s: line %d: ldmatrix from %p, which is not a multiple of 16 bytes", kernel->name, t.line, t.a));
			if (!in_shared(t.a, 16)) give_up(text("%s: line %d: ldmatrix from %p, which is not shared memory", kernel->name, t.line, t.a));
			memcpy(rows[row], t.a, 16);
		}
		for (unsigned lane = 0; lane < lanes; lane++) {
			unsigned g = lane / 4, t = lane % 4 * 2;
			unsigned low = transposed ? rows[t][g] : rows[g][t], high = transposed ? rows[t + 1][g] : rows[g][t + 1];
			static_cast<unsigned *>(warp[lane].out)[m] = high << 16 | low;
		}
	}
}

template <class Combine> void reduce(Thread *warp, Combine combine) {
	float v[lanes], next[lanes];
	for (unsigned i = 0; i < lanes; i++) v[i] = value<float>(warp[i].a);
	for (unsigned mask = lanes / 2; mask; mask /= 2) {
		for (unsigned i = 0; i < lanes; i++) next[i] = combine(v[i], v[i ^ mask]);
		memcpy(v, next, sizeof v);
	}
	for (unsigned i = 0; i < lanes; i++) memcpy(warp[i].out, &v[i], 4);
}

void execute(Thread *warp) {
	switch (warp->meeting) {
	case meet_sync: break;
	case meet_ballot: {
		unsigned all = 0;
		for (unsigned i = 0; i < lanes; i++) all |= unsigned(*static_cast<const bool *>(warp[i].a)) << i;
		for (unsigned i = 0; i < lanes; i++) memcpy(warp[i].out, &all, 4);
		break;
	}
	case meet_shuffle:
		for (unsigned i = 0; i < lanes; i++) memcpy(warp[i].out, warp[value<unsigned>(warp[i].b)].a, 4);
		break;
	case meet_sum: reduce(warp, [](float a, float b) { return a + b; }); break;
	case meet_max: reduce(warp, [](float a, float b) { return __builtin_fmaxf(a, b); }); break;
	case meet_matrix: load_matrices(warp, false); break;
	case meet_matrix_transposed: load_matrices(warp, true); break;
	case meet_mma_tf32: mma<8, 1, float>(warp, [](unsigned r, unsigned) { return tf32(r); }); break;
	case meet_mma_bf16: mma<16, 2, float>(warp, [](unsigned r, unsigned p) { return bf16(r >> 16 * p & 0xffff); }); break;
	case meet_mma_u8: mma<32, 4, int>(warp, [](unsigned r, unsigned p) { return int(r >> 8 * p & 0xff); }); break;
	}
}

const char *meeting_name(Meeting m) {
	static const char *names[] = {"warp_barrier", "warp_ballot", "a shuffle", "warp_sum", "warp_max", "ldmatrix", "ldmatrix", "mma_tf32", "mma_bf16", "mma_u8"};
	return names[m];
}

/* Runs a warp until all its lanes wait at a barrier or are done. */
void run_warp(size_t start, size_t end) {
	warp_start = start;
	warp_end = end;
	for (;;) {
		for (cursor = start; cursor < end; cursor++) {
			Thread &t = nth(cursor);
			if (t.state == fresh || t.state == ready) resume(t);
		}
		size_t meeting = 0;
		Thread *first = nullptr, *other = nullptr;
		for (size_t i = start; i < end; i++) {
			Thread &t = nth(i);
			if (t.state == at_meeting) {
				meeting++;
				if (!first) first = &t;
			} else {
				other = &t;
			}
		}
		if (!first) return;
		if (end - start != lanes)
			give_up(text("%s: line %d: %s in a warp of %zu threads; all 32 must take part", kernel->name, first->line, meeting_name(first->meeting), end - start));
		if (other)
			give_up(text("%s: divergent warp: %zu lanes wait in line %d at %s, lane %u %s", kernel->name, meeting, first->line, meeting_name(first->meeting),
				unsigned(other - threads.data()) % lanes, other->state == done ? "has ended" : text("waits at the barrier of line %d", other->line).c_str()));
		for (size_t i = start; i < end; i++) {
			Thread &t = nth(i);
			if (t.meeting != first->meeting || t.line != first->line)
				give_up(text("%s: divergent warp: lanes wait in line %d at %s and in line %d at %s", kernel->name,
					first->line, meeting_name(first->meeting), t.line, meeting_name(t.meeting)));
		}
		Thread *warp = std::min(&nth(start), &nth(end - 1));
		execute(warp);
		for (unsigned i = 0; i < lanes; i++) warp[i].state = ready;
	}
}

void run_block(bool first) {
	const Family &family = *kernel->family;
	auto *shared = reinterpret_cast<unsigned char *>(family.shared), *shared_end = reinterpret_cast<unsigned char *>(family.shared_end);
	if (first) {
		written = shared;
		written_end = shared_end;
	}
	if (written < written_end) memset(written, poison, size_t(written_end - written));
	if (fake_dynamic_shared) memset(fake_dynamic_shared, poison, size_t(dynamic_memory + most_dynamic - fake_dynamic_shared));
	for (auto &t : threads) {
		t.state = fresh;
		t.group = 0;
		t.copies.clear();
	}
	size_t n = threads.size();
	/* From the end the first warp is the shorter one. */
	size_t head = engine_options.reversed && n % lanes ? n % lanes : lanes;
	for (;;) {
		for (size_t start = 0, end = std::min(head, n); start < n; start = end, end = std::min(end + lanes, n)) run_warp(start, end);
		size_t ended = 0;
		const Thread *waits = nullptr;
		for (auto &t : threads) {
			if (t.state == done) {
				ended++;
				continue;
			}
			if (waits && t.line != waits->line)
				give_up(text("%s: threads of one block wait at different barriers, lines %d and %d", kernel->name, waits->line, t.line));
			waits = &t;
			t.state = ready;
		}
		if (!waits) break;
		if (ended) give_up(text("%s: %zu of %zu threads never reach the barrier of line %d", kernel->name, ended, n, waits->line));
	}
	if (!first) return;
	/* The blocks of a launch write the same variables, so only these need poison again. */
	while (written < written_end && *written == poison) written++;
	while (written < written_end && written_end[-1] == poison) written_end--;
}

void run_grid(const Launch &l) {
	kernel = l.twin;
	arguments = l.arguments;
	engine_barriers.clear();
	engine_waits.clear();
	threads.resize(size_t(l.block[0]) * l.block[1] * l.block[2]);
	for (size_t i = 0; i < threads.size(); i++)
		threads[i].index = {unsigned(i % l.block[0]), unsigned(i / l.block[0] % l.block[1]), unsigned(i / l.block[0] / l.block[1])};
	fake_block_size = {l.block[0], l.block[1], l.block[2]};
	fake_grid_size = {l.grid[0], l.grid[1], l.grid[2]};
	fake_dynamic_shared = l.shared ? dynamic_memory + most_dynamic - (l.shared + 127) / 128 * 128 : nullptr;
	size_t blocks = size_t(l.grid[0]) * l.grid[1] * l.grid[2] - l.first_block;
	if (l.blocks) blocks = std::min(blocks, l.blocks);
	for (size_t i = 0; i < blocks; i++) {
		size_t b = l.first_block + (engine_options.reversed ? blocks - 1 - i : i);
		fake_block = {unsigned(b % l.grid[0]), unsigned(b / l.grid[0] % l.grid[1]), unsigned(b / l.grid[0] / l.grid[1])};
		run_block(i == 0);
	}
}

/* Faults of a kernel. */

struct sigaction before[NSIG];
constexpr int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

void on_fault(int signal, siginfo_t *info, void *state) {
	if (launching) {
		switch (signal) {
		case SIGFPE: give_up(where() + " divides by zero");
		case SIGILL: give_up(where() + " runs into a trap");
		}
		/* The processor does not say which address was misaligned. */
		if (!info->si_addr) give_up(where() + " touches a null pointer or a misaligned vector");
		give_up(where() + text(" touches %p, which is not its memory", info->si_addr));
	}
	if (before[signal].sa_flags & SA_SIGINFO) before[signal].sa_sigaction(signal, info, state);
}

void catch_faults() {
	static bool installed;
	if (installed) return;
	installed = true;
	struct sigaction action = {};
	action.sa_sigaction = on_fault;
	action.sa_flags = SA_SIGINFO | SA_ONSTACK;
	for (int signal : caught) sigaction(signal, &action, &before[signal]);
}

int seen(std::vector<int> &lines, int line) {
	for (size_t i = 0; i < lines.size(); i++) if (lines[i] == line) return int(i);
	lines.push_back(line);
	return int(lines.size()) - 1;
}

} // namespace

void fake_fail_launch(int line, const char *what) { give_up(where() + text(", line %d: %s", line, what)); }

void fake_barrier(int line) {
	if (seen(engine_barriers, line) == engine_options.skipped_barrier) return;
	running->line = line;
	wait(at_barrier);
}

void fake_meet(Meeting kind, int line, void *out, const void *a, const void *b) {
	running->line = line;
	running->meeting = kind;
	running->out = out;
	running->a = a;
	running->b = b;
	wait(at_meeting);
}

/* Nobody may rely on the old bytes, nor on the new ones before the wait. */
void fake_copy_async(void *shared, const void *global, unsigned size, bool valid, int line) {
	if (reinterpret_cast<size_t>(shared) % size || (valid && reinterpret_cast<size_t>(global) % size))
		fake_fail_launch(line, "copies asynchronously from or to an address that is not a multiple of the size");
	if (!in_shared(shared, size)) fake_fail_launch(line, "copies asynchronously to what is not shared memory");
	memset(shared, poison, size);
	running->copies.push_back({static_cast<unsigned char *>(shared), global, size, valid, running->group});
}

void fake_copy_async_commit() { running->group++; }

void fake_copy_async_wait(unsigned groups, int line) {
	if (seen(engine_waits, line) == engine_options.skipped_wait) return;
	auto &copies = running->copies;
	size_t n = 0;
	for (; n < copies.size() && copies[n].group + groups < running->group; n++) {
		const Copy &c = copies[n];
		if (c.valid) memcpy(c.to, c.from, c.size);
		else memset(c.to, 0, c.size);
	}
	copies.erase(copies.begin(), copies.begin() + long(n));
}

std::string engine_run(const Launch &launch) {
	catch_faults();
	make_fibers();
	problem.clear();
	if (sigsetjmp(escape, 1) == 0) {
		static bool clean = false;
		if (!clean) reset_fibers();
		clean = false;
		launching = true;
		run_grid(launch);
		clean = true;
	}
	launching = false;
	return problem;
}
