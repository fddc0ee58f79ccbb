/* oneDNN's engine in the compiler, limited to the instruction set that is planned for. */
#include "library.h"

#include <omp.h>
#include <string.h>

static const struct Isa {
    const char *name;
    dnnl_cpu_isa_t isa;
} isas[] = {
#define ISA(name, int8, bf16, tiles) {#name, dnnl_cpu_isa_##name},
#include "isas.def"
};

const bool library_is_there = true;

const char *library_isa(void)
{
    const dnnl_cpu_isa_t isa = dnnl_get_effective_cpu_isa();
    for (size_t i = COUNT_OF(isas); i-- > 0;)
        if (isas[i].isa == isa)
            return isas[i].name;
    return "default";
}

static bool limit_isa(Diag *diag, const char *wanted)
{
    size_t i = 0;
    while (strcmp(isas[i].name, wanted)) /* onednn_isa_known */
        i++;
    /* once only: a search compiles again with the same limit */
    if (dnnl_set_max_cpu_isa(isas[i].isa) != dnnl_success &&
        dnnl_get_effective_cpu_isa() != isas[i].isa)
        return refuse(diag, "--isa %s: oneDNN cannot be limited to it here", wanted);
    /* A subset of this CPU's features? oneDNN reports what is really used. */
    if ((dnnl_get_effective_cpu_isa() & isas[i].isa) != isas[i].isa)
        return refuse(diag, "--isa %s: this CPU does not have it, and packing needs it", wanted);
    return true;
}

static void library_close(DnnlEngine *e)
{
    LibraryEngine *l = (LibraryEngine *)e;
    dnnl_stream_destroy(l->stream);
    dnnl_engine_destroy(l->engine);
}

static const EngineCalls calls = {
    .query = library_query, .pack = library_pack, .time = library_time, .close = library_close};

bool library_open(Arena *arena, Diag *diag, const char *isa, int threads, DnnlEngine **engine)
{
    if (!isa_is_native(isa) && !limit_isa(diag, isa))
        return false;
    omp_set_num_threads(threads);
    LibraryEngine *l = ARENA_NEW(arena, LibraryEngine);
    l->e = (DnnlEngine){.calls = &calls, .isa = library_isa(), .threads = threads};
    if (dnnl_engine_create(&l->engine, dnnl_cpu, 0) != dnnl_success ||
        dnnl_stream_create(&l->stream, l->engine, dnnl_stream_default_flags) != dnnl_success)
        return refuse(diag, "oneDNN offers no CPU engine here");
    *engine = &l->e;
    return true;
}
