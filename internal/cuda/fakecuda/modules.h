/* Loaded kernels. */
#pragma once
#include "fake.h"

struct CUfunc_st {
	const Twin *twin;
	std::shared_ptr<const std::string> text; /* of the module */
	unsigned long module;                    /* the same for the same text */
	CUctx_st *context;
	size_t shared;         /* static */
	unsigned most_threads; /* of a block, from __launch_bounds__ */
	unsigned dynamic;      /* what cuFuncSetAttribute allowed */
};

struct CUmod_st {
	CUctx_st *context;
	std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
};

/* interpret.cpp: what executes kernels; the text of the error, empty if all went well. */
enum { fake_twins, fake_ptx, fake_compared };
extern int execution;
std::string execute(const CUctx_st *c, const CUfunc_st *f, const Launch &launch, unsigned long long seed);
