/* --tune: a convolution as oneDNN's, by Winograd's method and in C, measured here or known from before. */
#include "dnnl_time.h"
#include "tune.h"

/* The convolution with its activations packed: parts of wider tensors are as quick, or else are packed in a step of their own. */
static DnnlPrimitive packed(Arena *arena, const DnnlPrimitive *p)
{
    DnnlPrimitive copy = *p;
    copy.memory = arena_copy(arena, p->memory, p->n_memory * sizeof *p->memory);
    for (uint32_t i = 0; i < p->n_memory; i++)
        if (copy.memory[i].form == FORM_STRIDES) {
            copy.memory[i].form = FORM_TAG;
            copy.memory[i].tag = "acdb";
        }
    return copy;
}

/* All that the time of a convolution depends on, its values excepted. */
static const char *direct_key(Arena *arena, const DnnlPrimitive *p)
{
    Text t;
    text_init(&t, arena);
    text_puts(&t, "convolution, weights from memory");
    for (uint32_t i = 0; i < p->n_memory; i++) {
        const DnnlMemory *m = &p->memory[i];
        text_printf(&t, " %s %s", m->name, dtype_name(m->dtype));
        for (int d = 0; d < m->rank; d++)
            text_printf(&t, "%c%lld", d ? 'x' : ' ', (long long)m->dims[d]);
    }
    text_printf(&t, " pad %lld %lld %lld %lld", (long long)p->pad_l[0], (long long)p->pad_l[1],
                (long long)p->pad_r[0], (long long)p->pad_r[1]);
    for (uint32_t i = 0; i < p->n_post; i++)
        text_printf(&t, " post %d %d", (int)p->post[i].kind, (int)p->post[i].alg);
    return t.data;
}

static const char *block_key(Arena *arena, const DnnlWinograd *w, const char *what)
{
    return arena_printf(arena,
                        "Winograd F%lld %s %lldx%lldx%lld planes %lld %lld of %lldx%lld sets %lld",
                        (long long)w->tile, what, (long long)w->block, (long long)w->channels,
                        (long long)w->outputs, (long long)w->src_plane, (long long)w->dst_plane,
                        (long long)w->rows, (long long)w->columns, (long long)w->sets);
}

static bool known_primitive(Tune *tune, DnnlEngine *e, const char *key, const DnnlPrimitive *p,
                            double *ns)
{
    if (tune_find(tune, key, ns))
        return true;
    if (!dnnl_time(e, p, ns))
        return false;
    tune_add(tune, key, ns);
    return true;
}

static bool known_transforms(Tune *tune, const char *key, const DnnlWinograd *w, double *ns)
{
    if (tune_find(tune, key, ns))
        return true;
    if (!winograd_time_transforms(w, ns))
        return false;
    tune_add(tune, key, ns);
    return true;
}

bool direct_measure(Tune *tune, DnnlEngine *e, Arena *arena, const DnnlPrimitive *p, double *ns)
{
    DnnlPrimitive conv = packed(arena, p);
    return known_primitive(tune, e, direct_key(arena, &conv), &conv, ns);
}

bool winograd_measure(Tune *tune, DnnlEngine *e, Arena *arena, const DnnlWinograd *w, double *ns)
{
    double product, transforms;
    if (!known_primitive(tune, e, block_key(arena, w, "product"), w->matmul, &product) ||
        !known_transforms(tune, block_key(arena, w, "transformations"), w, &transforms))
        return false;
    double rounds = (double)((w->blocks + w->sets - 1) / w->sets);
    double sharing = w->sets > 1 ? 1 : (double)w->threads; /* threads at one block's tiles */
    *ns = rounds * (product + transforms / sharing);
    return true;
}

bool indirect_measure(Tune *tune, Arena *arena, const DnnlIndirect *w, double *ns)
{
    const Panel *p = &w->panel;
    const char *key = arena_printf(
        arena, "panel %lldx%lldx%lld of %lldx%lld pieces %lldx%lld", (long long)w->pixels,
        (long long)(w->taps * w->channels), (long long)w->outputs, (long long)p->rows,
        (long long)panel_width(p), (long long)w->taps_at_once, (long long)w->channels_at_once);
    if (!tune_find(tune, key, ns)) {
        if (!panel_time(w, ns))
            return false;
        tune_add(tune, key, ns);
    }
    *ns *= (double)((p->blocks + w->threads - 1) / w->threads) / (double)p->blocks;
    return true;
}
