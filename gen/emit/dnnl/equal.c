/* Equal primitives of a model are described once: which layers have a primitive that one before them has, too. */
#include "../../dnnl/answers.h"
#include "emit_dnnl.h"

#include <string.h>

bool layer_has_primitive(const Step *s)
{
    const DnnlPrimitive *p = s->dnnl;
    return p && !p->indirect && !(p->winograd && !p->winograd->matmul) && !is_attention_in_c(p);
}

/* What the layer's primitive is but for its memory: what was asked of oneDNN, what it answered, how weights were packed. NULL: the layer has
 * none, or several. */
static const char *primitive_key(const Emit *e, const Step *s)
{
    if (!layer_has_primitive(s) || s->dnnl->attention)
        return NULL;
    const DnnlPrimitive *p = s->dnnl->winograd   ? s->dnnl->winograd->matmul
                             : s->dnnl->epilogue ? s->dnnl->epilogue->head
                                                 : s->dnnl;
    Text t = text_new(e->arena);
    text_printf(&t, "%s; %s", answers_question(e->arena, p), p->impl);
    for (uint32_t i = 0; i < p->n_memory; i++)
        if (p->memory[i].form == FORM_ANY)
            text_printf(&t, " %zu", buffer_offset(e->p, p->memory[i].blob));
    return t.data;
}

void find_equal_primitives(Emit *e)
{
    const Program *p = e->p;
    const char **key = ARENA_ARRAY(e->arena, const char *, (size_t)p->n_steps + 1);
    uint64_t *hash = ARENA_ARRAY(e->arena, uint64_t, (size_t)p->n_steps + 1);
    for (uint32_t i = 0, first = 0; i < p->n_steps; i++) {
        if (i &&
            p->regions[p->steps[i].region].variant != p->regions[p->steps[i - 1].region].variant)
            first = i; /* init may create one variant alone */
        e->layers[i].like = NO_ROW;
        key[i] = primitive_key(e, &p->steps[i]);
        if (!key[i])
            continue;
        hash[i] = hash64(key[i], strlen(key[i]), 0);
        for (uint32_t k = first; k < i && e->layers[i].like == NO_ROW; k++)
            if (key[k] && hash[k] == hash[i] && !strcmp(key[k], key[i]))
                e->layers[i].like = k;
    }
}
