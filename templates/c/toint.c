/* Apache-2.0. Floats as integers: truncated; what does not fit becomes what the x86 instruction makes of it, on every machine. */
#include <stdint.h>
#define NET_INLINE static inline
//@begin
NET_INLINE int32_t dnnlc_f32_to_i32(float x)
{
    return x >= -0x1p31f && x < 0x1p31f ? (int32_t)x : INT32_MIN;
}

NET_INLINE int64_t dnnlc_f32_to_i64(float x)
{
    return x >= -0x1p63f && x < 0x1p63f ? (int64_t)x : INT64_MIN;
}

NET_INLINE int32_t dnnlc_f64_to_i32(double x)
{
    return x >= -0x1p31 && x < 0x1p31 ? (int32_t)x : INT32_MIN;
}

NET_INLINE int64_t dnnlc_f64_to_i64(double x)
{
    return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN;
}

NET_INLINE uint64_t dnnlc_f64_to_u64(double x)
{
    if (x >= 0x1p63)
        return x < 0x1p64 ? (uint64_t)x : 0;
    return (uint64_t)dnnlc_f64_to_i64(x);
}
