/* Engines, whoever answers, and the instruction sets that they plan for. */
#include "engine.h"

#include <string.h>

static const struct IsaRow {
    const char *name;
    bool int8, bf16, tiles;
} isas[] = {
#define ISA(name, int8, bf16, tiles) {#name, int8, bf16, tiles},
#include "isas.def"
};

bool isa_is_native(const char *isa)
{
    return !isa || !strcmp(isa, "native");
}

/* NULL: not known, or it is to be what the CPU has and no library says what that is. */
static const struct IsaRow *row_of(const char *isa)
{
    const char *name = isa_is_native(isa) ? library_isa() : isa;
    for (size_t i = 0; name && i < COUNT_OF(isas); i++)
        if (!strcmp(isas[i].name, name))
            return &isas[i];
    return NULL;
}

bool onednn_isa_known(Diag *diag, const char *isa)
{
    if (isa_is_native(isa) || row_of(isa))
        return true;
    Text names = text_new(diag->arena);
    for (size_t i = 0; i < COUNT_OF(isas); i++)
        text_printf(&names, "%s%s", i ? ", " : "", isas[i].name);
    return refuse(diag, "--isa %s: not known; choose native or one of %s", isa, names.data);
}

const char *onednn_isa_name(const char *isa)
{
    const struct IsaRow *row = row_of(isa);
    return row ? row->name : "sse41";
}

bool onednn_isa_has_int8(const char *isa)
{
    const struct IsaRow *row = row_of(isa);
    return row && row->int8;
}

bool onednn_engine_open(Arena *arena, Diag *diag, const char *isa, int threads, DnnlEngine **engine)
{
    return onednn_isa_known(diag, isa) && library_open(arena, diag, isa, threads, engine);
}

void onednn_engine_close(DnnlEngine *e)
{
    if (e)
        e->calls->close(e);
}

bool onednn_engine_finish(DnnlEngine *e, Diag *diag)
{
    return !e || !e->calls->finish || e->calls->finish(e, diag);
}

const char *onednn_engine_lacks(const DnnlEngine *e)
{
    return e && e->calls->lacks ? e->calls->lacks(e) : NULL;
}

int onednn_engine_threads(const DnnlEngine *e)
{
    return e->threads;
}

const char *onednn_engine_isa(const DnnlEngine *e)
{
    return e->isa;
}

bool onednn_isa_has_bf16(const char *isa)
{
    const struct IsaRow *row = row_of(isa);
    return row && row->bf16;
}

bool onednn_engine_has_bf16(const DnnlEngine *e)
{
    return onednn_isa_has_bf16(e->isa);
}

bool onednn_engine_has_int8(const DnnlEngine *e)
{
    return onednn_isa_has_int8(e->isa);
}

bool onednn_engine_has_tiles(const DnnlEngine *e)
{
    const struct IsaRow *row = row_of(e->isa);
    return row && row->tiles;
}

bool onednn_query(DnnlEngine *e, Arena *arena, DnnlPrimitive *p, DnnlChoice *choices)
{
    return e->calls->query(e, arena, p, choices);
}

bool onednn_pack(DnnlEngine *e, const DnnlMemory *from, const DnnlChoice *choice, void *dst)
{
    return e->calls->pack(e, from, choice, dst);
}

bool onednn_time(DnnlEngine *e, const DnnlPrimitive *p, size_t spread, double *ns)
{
    return e->calls->time(e, p, spread, ns);
}
