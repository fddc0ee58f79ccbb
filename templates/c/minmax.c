/* Apache-2.0. fminf and fmaxf (a NaN loses) that vectorise: the library's do not without -ffinite-math-only. */
#define NET_INLINE static inline
//@begin
NET_INLINE float dnnlc_fminf(float a, float b)
{
    float r = b < a ? b : a;
    return a != a ? b : r;
}

NET_INLINE float dnnlc_fmaxf(float a, float b)
{
    float r = b > a ? b : a;
    return a != a ? b : r;
}
