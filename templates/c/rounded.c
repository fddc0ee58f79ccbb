/* Apache-2.0. Products that are rounded before anything is added to them, as the model's operators do it: a tensor that is
 * quantised next shows the difference, and one step of it grows from layer to layer. */
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
//@begin
/* Returns 0, which compilers cannot know. */
NET_INLINE uint32_t dnnlc_nothing(void)
{
    const volatile uint32_t nothing = 0;
    return nothing;
}

/* Returns x. Its bits pass through an integer operation that changes nothing, so that a product is not contracted into a fused
 * multiply-add. */
NET_INLINE float dnnlc_rounded(float x, uint32_t nothing)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits ^= nothing;
    memcpy(&x, &bits, sizeof x);
    return x;
}
