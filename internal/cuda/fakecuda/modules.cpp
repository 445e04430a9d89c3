//go:build cuda && fakecuda

/* Modules: what the PTX says of its kernels is compared with their twins. */
#include "modules.h"
#include <cctype>
#include <cstdio>
#include <cstdlib>

namespace {

/* An entry of PTX. */
struct Entry {
	std::string name;
	std::vector<size_t> sizes; /* of the parameters */
	size_t shared = 0;         /* static shared memory */
	unsigned most_threads = 1024;
};

size_t number_after(const std::string &text, size_t at) { return strtoul(text.c_str() + at, nullptr, 10); }

/* The size of a declaration like .b8 name[128] or .param .u64 name, given where its type begins. */
size_t declared_size(const std::string &line) {
	size_t type = line.rfind(" .");
	if (type == std::string::npos) type = 0;
	else type += 2;
	while (type < line.size() && !isdigit(line[type])) type++;
	size_t bytes = number_after(line, type) / 8, bracket = line.find('[');
	return bracket == std::string::npos ? bytes : bytes * number_after(line, bracket + 1);
}

std::vector<std::string> split(const std::string &text, char separator) {
	std::vector<std::string> parts;
	for (size_t at = 0; at <= text.size();) {
		size_t end = std::min(text.find(separator, at), text.size());
		parts.push_back(text.substr(at, end - at));
		at = end + 1;
	}
	return parts;
}

std::vector<Entry> entries(const std::string &ptx) {
	/* Shared memory that several kernels use is declared outside of them. */
	std::map<std::string, size_t> common;
	for (auto &line : split(ptx, '\n')) {
		if (line.rfind(".shared ", 0) != 0) continue;
		size_t bracket = line.find('['), name = line.rfind(' ', bracket) + 1;
		common[line.substr(name, bracket - name)] = declared_size(line);
	}
	std::vector<Entry> all;
	for (size_t at = 0; (at = ptx.find(".entry ", at)) != std::string::npos;) {
		size_t open = ptx.find('(', at), close = ptx.find(')', open), body = ptx.find("\n{", close), end = ptx.find("\n}", body);
		if (end == std::string::npos) break;
		Entry e;
		e.name = ptx.substr(at + 7, open - at - 7);
		for (auto &parameter : split(ptx.substr(open + 1, close - open - 1), ','))
			if (parameter.find(".param") != std::string::npos) e.sizes.push_back(declared_size(parameter));
		std::string directives = ptx.substr(close, body - close), text = ptx.substr(body, end - body);
		if (size_t m = directives.find(".maxntid "); m != std::string::npos) {
			e.most_threads = 1;
			auto list = split(directives.substr(m + 9, directives.find('\n', m) - m - 9), ',');
			for (auto &n : list) e.most_threads *= unsigned(number_after(n, 0));
		}
		for (size_t s = 0; (s = text.find("\n\t.shared ", s)) != std::string::npos;) {
			size_t stop = text.find(';', s);
			e.shared += declared_size(text.substr(s + 1, stop - s - 1));
			s = stop;
		}
		for (auto &[name, size] : common) if (text.find(name) != std::string::npos) e.shared += size;
		all.push_back(e);
		at = end;
	}
	return all;
}

const Twin *find_twin(const std::string &name) {
	for (auto *family : Family::families()) for (auto &t : family->twins) if (name == t.name) return &t;
	return nullptr;
}

} // namespace

extern "C" {

CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned int count, CUjit_option *options, void **values) {
	ENTER("cuModuleLoadDataEx");
	REFUSE_IN_CAPTURE("cuModuleLoadDataEx");
	char *log = nullptr;
	size_t size = 0;
	for (unsigned i = 0; i < count; i++) {
		if (options[i] == CU_JIT_ERROR_LOG_BUFFER) log = static_cast<char *>(values[i]);
		if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) size = size_t(values[i]) & 0xffffffffu;
	}
	auto module = std::make_unique<CUmod_st>();
	module->context = context();
	std::string problem;
	auto text = std::make_shared<const std::string>(static_cast<const char *>(image));
	static std::map<std::string, unsigned long> numbers;
	unsigned long module_number = numbers.emplace(*text, numbers.size() + 1).first->second;
	auto all = entries(*text);
	if (all.empty()) problem = "the PTX has no entry";
	for (auto &e : all) {
		const Twin *t = find_twin(e.name);
		if (!t) problem = "kernel " + e.name + " is not compiled into the fake driver";
		else if (t->sizes != e.sizes) problem = "kernel " + e.name + " has other parameters in the PTX than in its source";
		else if (e.shared > size_t(static_limit)) problem = "kernel " + e.name + " has " + std::to_string(e.shared) + " bytes of static shared memory";
		else module->functions[e.name].reset(new CUfunc_st{t, text, module_number, context(), e.shared, e.most_threads, 0});
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
CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute attribute, int value) {
	ENTER("cuFuncSetAttribute");
	if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return refuse(CUDA_ERROR_NOT_SUPPORTED, "function attribute %d", attribute);
	if (value < 0 || size_t(value) + f->shared > size_t(shared_limit))
		return refuse(CUDA_ERROR_INVALID_VALUE, "%s: %d bytes of dynamic and %zu of static shared memory, of %d", f->twin->name, value, f->shared, shared_limit);
	f->dynamic = unsigned(value);
	return CUDA_SUCCESS;
}

} // extern "C"
