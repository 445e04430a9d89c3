/* What tests may ask of the fake driver. */
#ifdef __cplusplus
extern "C" {
#endif
void fake_reset(int devices, unsigned long long memory);
void fake_fail(const char *function, int after, int error);
void fake_skip_barrier(int index);
void fake_reverse(int on);
const char *fake_message(void);
unsigned long long fake_used(int device);
int fake_barriers(void);
const char *fake_sources(void);
#ifdef __cplusplus
}
#endif
