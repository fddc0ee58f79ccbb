/* Apache-2.0. The head of a file of kernels: on x86-64 Linux each is compiled for the kind of CPU that the model was planned for, with
 * --target c for three kinds, and for any other, and the loader chooses (function multiversioning, which needs ifunc: glibc, static or
 * not). gcc's x86-64-v4 and -v3 bring FMA. clang 14 accepts these names but picks v4 on every Intel CPU, so it gets single features,
 * and its avx512f brings FMA as well. Not where the whole file is built for AVX-512 anyway, nor where a sanitizer would run before the
 * loader has resolved its functions. */
#define $clang_clones$ "avx512f", "avx2", "default"
#define $gcc_clones$ "arch=x86-64-v4", "arch=x86-64-v3", "default"
//@begin
#if defined(__x86_64__) && defined(__GNUC__) && defined(__GLIBC__) && !defined(__AVX512F__) &&     \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(DNNLC_NO_CLONES)
#if defined(__clang__) && __clang_major__ >= 14
#define NET_KERNEL __attribute__((target_clones($clang_clones$)))
#elif !defined(__clang__) && __GNUC__ >= 12
#define NET_KERNEL __attribute__((target_clones($gcc_clones$)))
#endif
#endif
#ifdef NET_KERNEL
#define NET_CLONED
#else
#define NET_KERNEL
#endif
#ifdef __GNUC__
#define NET_INLINE static inline __attribute__((always_inline, unused))
#else
#define NET_INLINE static inline
#endif
/* Before a loop over the lanes of a vector, or of up to four, which gcc would otherwise unroll before it looks for vectors. */
#if defined(__GNUC__) && !defined(__clang__)
#define NET_LANES _Pragma("GCC unroll 1")
#define NET_VECTORS _Pragma("GCC unroll 4")
#else
#define NET_LANES
#define NET_VECTORS
#endif
