/* oneDNN's engine in the compiler, and the instruction sets that it is asked to plan for. */
#include "engine.h"
#include "plan.h"

#include <omp.h>
#include <string.h>

static const struct Isa {
    const char *name;
    dnnl_cpu_isa_t isa;
} isas[] = {
    {"sse41", dnnl_cpu_isa_sse41},
    {"avx", dnnl_cpu_isa_avx},
    {"avx2", dnnl_cpu_isa_avx2},
    {"avx2_vnni", dnnl_cpu_isa_avx2_vnni},
    {"avx2_vnni_2", dnnl_cpu_isa_avx2_vnni_2},
    {"avx512_core", dnnl_cpu_isa_avx512_core},
    {"avx512_core_vnni", dnnl_cpu_isa_avx512_core_vnni},
    {"avx512_core_bf16", dnnl_cpu_isa_avx512_core_bf16},
    {"avx512_core_fp16", dnnl_cpu_isa_avx512_core_fp16},
    {"avx512_core_amx", dnnl_cpu_isa_avx512_core_amx},
    {"avx512_core_amx_fp16", dnnl_cpu_isa_avx512_core_amx_fp16},
    {"avx10_1_512", dnnl_cpu_isa_avx10_1_512},
    {"avx10_1_512_amx", dnnl_cpu_isa_avx10_1_512_amx},
    {"avx10_1_512_amx_fp16", dnnl_cpu_isa_avx10_1_512_amx_fp16},
};

static bool isa_includes(dnnl_cpu_isa_t isa)
{
    return (dnnl_get_effective_cpu_isa() & isa) == isa;
}

static bool is_native(const char *isa)
{
    return !isa || !strcmp(isa, "native");
}

/* Without limiting oneDNN to it. */
static dnnl_cpu_isa_t isa_of(const char *isa)
{
    for (size_t i = 0; !is_native(isa) && i < COUNT_OF(isas); i++)
        if (!strcmp(isas[i].name, isa))
            return isas[i].isa;
    return is_native(isa) ? dnnl_get_effective_cpu_isa() : dnnl_cpu_isa_default;
}

bool dnnl_isa_known(Diag *diag, const char *isa)
{
    Text names;
    if (is_native(isa) || isa_of(isa) != dnnl_cpu_isa_default)
        return true;
    text_init(&names, diag->arena);
    for (size_t i = 0; i < COUNT_OF(isas); i++)
        text_printf(&names, "%s%s", i ? ", " : "", isas[i].name);
    return refuse(diag, "--isa %s: not known; choose native or one of %s", isa, names.data);
}

static bool limit_isa(Diag *diag, const char *wanted)
{
    const dnnl_cpu_isa_t isa = isa_of(wanted);
    if (!dnnl_isa_known(diag, wanted))
        return false;
    if (dnnl_set_max_cpu_isa(isa) != dnnl_success)
        return refuse(diag, "--isa %s: oneDNN cannot be limited to it here", wanted);
    /* A subset of this CPU's features? oneDNN reports what is really used. */
    if (!isa_includes(isa))
        return refuse(diag, "--isa %s: this CPU does not have it, and packing needs it", wanted);
    return true;
}

bool dnnl_engine_open(Arena *arena, Diag *diag, const char *isa, int threads, DnnlEngine **engine)
{
    if (!is_native(isa) && !limit_isa(diag, isa))
        return false;
    omp_set_num_threads(threads);
    DnnlEngine *e = ARENA_NEW(arena, DnnlEngine);
    e->threads = threads;
    if (dnnl_engine_create(&e->engine, dnnl_cpu, 0) != dnnl_success ||
        dnnl_stream_create(&e->stream, e->engine, dnnl_stream_default_flags) != dnnl_success)
        return refuse(diag, "oneDNN offers no CPU engine here");
    *engine = e;
    return true;
}

void dnnl_engine_close(DnnlEngine *e)
{
    if (!e)
        return;
    dnnl_stream_destroy(e->stream);
    dnnl_engine_destroy(e->engine);
}

int dnnl_engine_threads(const DnnlEngine *e)
{
    return e->threads;
}

const char *dnnl_engine_isa(const DnnlEngine *e)
{
    (void)e;
    dnnl_cpu_isa_t isa = dnnl_get_effective_cpu_isa();
    for (size_t i = COUNT_OF(isas); i-- > 0;)
        if (isas[i].isa == isa)
            return isas[i].name;
    return "default";
}

bool dnnl_engine_has_bf16(const DnnlEngine *e)
{
    (void)e;
    return isa_includes(dnnl_cpu_isa_avx512_core_bf16) || isa_includes(dnnl_cpu_isa_avx2_vnni_2);
}

int dnnl_isa_lanes(const char *isa)
{
    const dnnl_cpu_isa_t has = isa_of(isa);
    return (has & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core ? 16
           : (has & dnnl_cpu_isa_avx2) == dnnl_cpu_isa_avx2             ? 8
                                                                        : 0;
}

bool dnnl_isa_has_int8(const char *isa)
{
    const dnnl_cpu_isa_t has = isa_of(isa);
    return (has & dnnl_cpu_isa_avx512_core_vnni) == dnnl_cpu_isa_avx512_core_vnni ||
           (has & dnnl_cpu_isa_avx2_vnni) == dnnl_cpu_isa_avx2_vnni;
}

bool dnnl_engine_has_int8(const DnnlEngine *e)
{
    (void)e;
    return dnnl_isa_has_int8(NULL);
}
