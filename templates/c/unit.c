/* Apache-2.0. The piece of the hard sigmoid. */
#define NET_INLINE static inline
//@begin
/* Clamps x to 0 to 1. */
NET_INLINE float dnnlc_unit(float x)
{
    x = x < 0.0f ? 0.0f : x;
    return x > 1.0f ? 1.0f : x;
}
