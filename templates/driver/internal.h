/* What the units of an emitted model share. SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
typedef struct $name$_context $name$_context;
#undef $banner$
#define $banner$
#ifndef $header$
#define $header$ <stddef.h>
#endif
struct dnnlc_layers;
//@begin
$banner$
#ifndef $internal_guard$
#define $internal_guard$

/* No canaries on the stack in what follows, which reads nothing of unknown size: with -fstack-protector-strong, which some distributions
 * switch on, gcc 12 places arrays at multiples of 16 bytes that its vectorised loops take for aligned to 32. */
#if defined __GNUC__ && __GNUC__ >= 12 && !defined __clang__
#pragma GCC optimize "no-stack-protector"
#endif

#include $header$

/* Constant tables of numbers stand in this section; -D$upper$_TABLES_SECTION='".name"', where the library is compiled, names another one. */
#ifndef $upper$_TABLES_SECTION
#define $upper$_TABLES_SECTION ".rodata.$name$_tables"
#endif
#if defined __GNUC__ && defined __ELF__
#define NET_TABLE __attribute__((section($upper$_TABLES_SECTION)))
#else
#define NET_TABLE
#endif

/* The memory of one run. */
struct $name$_memory {
    unsigned char *workspace;                  /* $name$_config.workspace */
    const unsigned char *weights;              /* embedded or mapped */
    const void *const *in;                     /* the caller's inputs, in the model's order */
    void *const *out;                          /* and outputs */
    void (*trace)(void *user, unsigned layer); /* called after each layer if not null */
    void *trace_user;
};

/* Calls the tracing function, if there is one, after layer `layer`. */
void $name$_trace(const struct $name$_memory *m, unsigned layer);

/* What lies `offset` bytes from the start of the workspace or of the weights, of whatever type it is. */
static inline void *workspace_at(const struct $name$_memory *m, size_t offset)
{
    return m->workspace + offset;
}

static inline const void *weights_at(const struct $name$_memory *m, size_t offset)
{
    return m->weights + offset;
}

//@if dnnl
struct dnnlc_layers;

/* The same after a layer of oneDNN that ended with this status, which is returned; or its failure is recorded, unless there was one before. */
unsigned $name$_ran($name$_context *ctx, const struct $name$_memory *m, unsigned layer, unsigned status);

//@end
//@for units
//@if is_onednn
struct dnnlc_layers $unit$_layers(void);
unsigned $unit$_run($name$_context *ctx, const struct $name$_memory *m);
//@else
void $unit$(const struct $name$_memory *m);
//@end
//@end

#endif
