//go:build cuda && fakecuda

/* Launches by the interpreter of PTX, alone or beside the twin. */
#include "modules.h"
#include "fakecuda.h"
#include "interpret.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <tuple>

extern "C" char *fakeInterpret(struct fake_launch *l); /* interpret.go */

int execution;

namespace {

std::string interpret(const CUctx_st *c, const CUfunc_st *f, const Launch &launch, unsigned long long seed) {
	std::vector<fake_region> regions;
	for (auto &[first, b] : blocks)
		if (!b.host && b.device == c->device) regions.push_back({reinterpret_cast<unsigned char *>(first), b.known, b.size});
	std::vector<unsigned long long> arguments;
	for (size_t i = 0; i < f->twin->sizes.size(); i++) {
		arguments.push_back(0);
		memcpy(&arguments.back(), launch.arguments[i], f->twin->sizes[i]);
	}
	fake_launch l = {f->twin->family->name, f->twin->name, f->text->c_str(), f->module, {launch.grid[0], launch.grid[1], launch.grid[2]},
		{launch.block[0], launch.block[1], launch.block[2]}, launch.shared, arguments.data(), int(arguments.size()), regions.data(), int(regions.size()),
		seed, launch.first_block, launch.blocks, engine_options.reversed, engine_options.skipped_barrier, engine_options.skipped_wait, 0, 0};
	char *error = fakeInterpret(&l);
	engine_barriers.assign(size_t(l.barriers), 0);
	engine_waits.assign(size_t(l.waits), 0);
	if (!error) return "";
	std::string text = error;
	free(error);
	return text;
}

using Copy = std::map<CUdeviceptr, std::vector<unsigned char>>;

Copy copy_memory(const CUctx_st *c) {
	Copy all;
	for (auto &[first, b] : blocks) {
		auto *p = reinterpret_cast<unsigned char *>(first);
		if (!b.host && b.device == c->device) all[first].assign(p, p + b.size);
	}
	return all;
}

void exchange_memory(Copy &copy) {
	for (auto &[first, bytes] : copy)
		std::swap_ranges(bytes.begin(), bytes.end(), reinterpret_cast<unsigned char *>(first));
}

template <class T> T at(const unsigned char *p) {
	T v;
	memcpy(&v, p, sizeof v);
	return v;
}

/* Values that are no numbers may have any bits. */
bool excused(const unsigned char *a, const unsigned char *b) { return std::isnan(at<float>(a)) && std::isnan(at<float>(b)); }

/* Where float64 begin and end is not known, so NaN of 8 bytes are looked for at multiples of 8. */
bool excused_double(const unsigned char *a, const unsigned char *b) { return std::isnan(at<double>(a)) && std::isnan(at<double>(b)); }

/* Selections leave the entries of a row in the order in which threads meet (ranks.cu), so
 * they are compared in the order of key and index. */
template <class K> void sort_selections(const Launch &launch, Copy &memory) {
	size_t rows = launch.grid[0], count = at<unsigned>(static_cast<unsigned char *>(launch.arguments[2]));
	auto output = [&](int argument) {
		CUdeviceptr p = at<CUdeviceptr>(static_cast<unsigned char *>(launch.arguments[argument]));
		auto b = std::prev(memory.upper_bound(p));
		return b->second.data() + (p - b->first);
	};
	auto *keys = reinterpret_cast<K *>(output(3));
	auto *indices = reinterpret_cast<unsigned *>(output(4));
	for (size_t r = 0; r < rows; r++, keys += count, indices += count) {
		std::vector<std::pair<K, unsigned>> entries(count);
		for (size_t i = 0; i < count; i++) entries[i] = {keys[i], indices[i]};
		std::sort(entries.begin(), entries.end());
		for (size_t i = 0; i < count; i++) std::tie(keys[i], indices[i]) = entries[i];
	}
}

/* What puts the output of a kernel that may be in any order into one; null for the others. */
using Sort = void (*)(const Launch &, Copy &);
Sort sort_of(const CUfunc_st *f) {
	if (!strcmp(f->twin->name, "select_32")) return sort_selections<unsigned>;
	if (!strcmp(f->twin->name, "select_64")) return sort_selections<unsigned long long>;
	return nullptr;
}

std::string difference(const CUctx_st *c, const CUfunc_st *f, const Launch &launch, Copy &theirs) {
	Copy ours;
	if (Sort sort = sort_of(f)) {
		ours = copy_memory(c);
		sort(launch, ours);
		sort(launch, theirs);
	}
	for (auto &[first, bytes] : theirs) {
		auto *mine = ours.empty() ? reinterpret_cast<const unsigned char *>(first) : ours[first].data();
		const unsigned char *known = blocks[first].known;
		for (size_t i = 0; i < bytes.size(); i++) {
			if (mine[i] == bytes[i] || !known[i]) continue;
			size_t word = i / 4 * 4, pair = i / 8 * 8;
			if (word + 4 <= bytes.size() && excused(mine + word, &bytes[word])) continue;
			if (pair + 8 <= bytes.size() && excused_double(mine + pair, &bytes[pair])) continue;
			char problem[256];
			snprintf(problem, sizeof problem, "%s: the PTX and its twin differ at byte %zu of %zu: %02x and %02x, as float32 %.9g and %.9g", f->twin->name, i, bytes.size(), mine[i], bytes[i],
				double(at<float>(mine + word)), double(at<float>(&bytes[word])));
			return problem;
		}
	}
	return "";
}

} // namespace

std::string execute(const CUctx_st *c, const CUfunc_st *f, const Launch &launch, unsigned long long seed) {
	if (execution == fake_twins) return engine_run(launch);
	if (execution == fake_ptx) return interpret(c, f, launch, seed);
	Copy before = copy_memory(c);
	std::string twin = engine_run(launch);
	exchange_memory(before); /* now what the twin has left */
	std::string ptx = interpret(c, f, launch, seed);
	if (!ptx.empty() || !twin.empty()) return ptx.empty() ? twin : ptx;
	return difference(c, f, launch, before);
}

extern "C" void fake_execute(int mode) { execution = mode; }
extern "C" int fake_executes(void) { return execution; }
