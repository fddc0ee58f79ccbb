/* Apache-2.0. Products that are rounded before anything is added to them, as the model's operators do it: a tensor that is
 * quantised next shows the difference, and one step of it grows from layer to layer. */
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
//@begin
/* Returns x, which compilers then do not contract into a fused multiply-add, whatever their options: the limit on its bits, which
 * only one of the NaNs exceeds, has to be applied to a number that was rounded. */
NET_INLINE float dnnlc_rounded(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = bits < 0xfffffffeu ? bits : 0xfffffffeu;
    memcpy(&x, &bits, sizeof x);
    return x;
}
