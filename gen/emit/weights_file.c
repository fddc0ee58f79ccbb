/* --weights file: the head by which emitted code knows its weights, and weights of another training for code that is there already. */
#include "../../runtime-stub/dnnlc_hash.h"
#include "emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t weights_size(const Emit *e)
{
    return e->p->weights_bytes + (e->o->weights == WEIGHTS_FILE ? DNNLC_WEIGHTS_HEAD : 0);
}

/* Of units and kernels, with the offsets of all weights: whatever gives the same may have other weights. The banner names the model. */
uint64_t hash_code(const Emit *e)
{
    Text all = text_new(e->arena);
    text_printf(&all, "%s %zu %zu\n", DNNLC_VERSION, e->p->workspace_bytes, e->p->weights_bytes);
    for (size_t i = 0; i < e->n_files; i++) {
        const char *code = e->files[i].data, *banner = strstr(code, "*/\n");
        text_printf(&all, "%s\n%s", e->files[i].name, banner ? banner : code);
    }
    return dnnlc_hash((const unsigned char *)all.data, all.size);
}

static void put_number(unsigned char *to, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        to[i] = (unsigned char)(number >> 8 * i);
}

void put_weights_head(const Emit *e)
{
    /* The image was allocated with its head, and nothing else writes there. */
    unsigned char *head = (unsigned char *)(uintptr_t)e->weights - DNNLC_WEIGHTS_HEAD;
    memcpy(head, DNNLC_WEIGHTS_MAGIC, 8);
    put_number(head + DNNLC_WEIGHTS_SIZE_AT, weights_size(e));
    put_number(head + DNNLC_WEIGHTS_CODE_AT, e->code_hash);
    put_number(head + DNNLC_WEIGHTS_HASH_AT, dnnlc_hash(e->weights, e->p->weights_bytes));
    const char *hex = e->o->origin.model_hash;
    for (int i = 0; i < 32 && hex[0] && hex[1]; i++, hex += 2) {
        const char digits[] = {hex[0], hex[1], 0};
        head[DNNLC_WEIGHTS_MODEL_AT + i] = (unsigned char)strtoul(digits, NULL, 16);
    }
}

bool can_replace_weights(const Emit *e)
{
    const char *path = arena_printf(e->arena, "%s/%s_weights.bin", e->o->dir, e->names.name);
    unsigned char head[DNNLC_WEIGHTS_HEAD];
    Diag *diag = e->p->graph->diag;
    FILE *file = fopen(path, "rb");
    const size_t n = file ? fread(head, 1, sizeof head, file) : 0;
    if (!file)
        return refuse(diag, "--replace-weights: %s cannot be read: it is to be there already",
                      path);
    fclose(file);
    if (n < sizeof head || memcmp(head, DNNLC_WEIGHTS_MAGIC, 8) != 0)
        return refuse(diag, "--replace-weights: %s is no file of weights of this version", path);
    if (dnnlc_weights_number(head, DNNLC_WEIGHTS_SIZE_AT) != weights_size(e))
        return refuse(diag, "--replace-weights: %s has %llu bytes, this model's has %zu", path,
                      (unsigned long long)dnnlc_weights_number(head, DNNLC_WEIGHTS_SIZE_AT),
                      weights_size(e));
    if (dnnlc_weights_number(head, DNNLC_WEIGHTS_CODE_AT) != e->code_hash)
        return refuse(diag,
                      "--replace-weights: the code in %s is another than this model's: another "
                      "architecture, other options or constants that are part of the code",
                      e->o->dir);
    return true;
}
