/* What tests may ask of the fake driver. */
#ifdef __cplusplus
extern "C" {
#endif
void fake_reset(int devices, unsigned long long memory);
void fake_fail(const char *function, int after, int error);
void fake_skip_barrier(int index);
void fake_reverse(int on);
void fake_blocks(unsigned long long first, unsigned long long count);
const char *fake_message(void);
unsigned long long fake_used(int device);
int fake_barriers(void);
long fake_calls(void);
void fake_seed(unsigned long long seed);
void fake_skip_wait(int index);
int fake_waits(void);
int fake_families(void);
const char *fake_family_name(int);
const char *fake_family_sources(int);
const char *fake_family_hash(int);
void fake_execute(int mode);
int fake_executes(void);
#ifdef __cplusplus
}
#endif
