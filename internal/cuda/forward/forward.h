/* The table of driver functions, filled when cuInit is first called. */
struct entry {
	const char *name;
	void *address;
};
extern struct entry forward_table[];
extern const int forward_cuInit, forward_cuDeviceGetCount;

/* What a function answers that the driver lacks. */
CUresult forward_missing(void);
/* Why there is no driver; empty if there is one. */
const char *forward_error(void);
