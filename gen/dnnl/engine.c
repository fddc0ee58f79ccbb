/* Engines, whoever answers, and the instruction sets that they plan for. */
#include "engine.h"
#include "../base/nearest.h"

#include <string.h>

static const struct IsaRow {
    const char *name;
    bool int8, bf16, tiles;
    const char *host; /* as get-onednn --host names it; NULL: this CPU's, or one like it */
    int registers;    /* of 128 bits, of which one of SVE is made */
} isas[] = {
#define ISA(name, int8, bf16, tiles) {#name, int8, bf16, tiles, NULL, 0},
#define AARCH64_ISA(name, registers) {#name, false, false, false, "aarch64-linux-gnu", registers},
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
    Nearest nearest = nearest_to(diag->arena, isa);
    nearest_try(&nearest, "native", strlen("native"));
    for (size_t i = 0; i < COUNT_OF(isas); i++) {
        text_printf(&names, "%s%s", i ? ", " : "", isas[i].name);
        nearest_try(&nearest, isas[i].name, strlen(isas[i].name));
    }
    return refuse(diag, "--isa %s: not known%s; choose native or one of %s", isa,
                  did_you_mean(&nearest), names.data);
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

const char *onednn_isa_host(const char *isa)
{
    const struct IsaRow *row = isa_is_native(isa) ? NULL : row_of(isa);
    return row ? row->host : NULL;
}

bool refuse_without_library(Diag *diag, const char *place)
{
    return refuse_at(diag, place,
                     "--target dnnl: oneDNN is not built into this compiler, which has --target c "
                     "and --engine");
}

bool onednn_engine_open(Arena *arena, Diag *diag, const char *isa, int threads, DnnlEngine **engine)
{
    if (!onednn_isa_known(diag, isa))
        return false;
    if (!onednn_isa_host(isa))
        return library_open(arena, diag, isa, threads, engine);
    const struct IsaRow *row = row_of(isa);
    return remote_open(arena, diag, row->host, row->name, row->registers, threads, engine);
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

bool engine_guess(Arena *arena, DnnlPrimitive *p, DnnlChoice *choices)
{
    p->impl = "unknown";
    for (uint32_t i = 0; i < p->n_memory; i++) {
        const DnnlMemory *m = &p->memory[i];
        const TensorType t = type_make(m->dtype, m->rank, m->dims);
        choices[i] = (DnnlChoice){0};
        if (m->form == FORM_ANY)
            choices[i] = (DnnlChoice){
                .bytes = type_bytes(&t), .blob = arena_alloc(arena, 1), .blob_size = 1};
    }
    return true;
}
