/* Apache-2.0. Elements of a vector of eight, in any order. */
#include <stdint.h>
//@begin
/* The vector of those elements of v, which are constants. */
#if defined(__clang__) || __GNUC__ >= 12
#define DNNLC_EACH(v, ...) __builtin_shufflevector(v, v, __VA_ARGS__)
#else
typedef int32_t dnnlc_places __attribute__((vector_size(32)));
#define DNNLC_EACH(v, ...) __builtin_shuffle(v, (dnnlc_places){__VA_ARGS__})
#endif
