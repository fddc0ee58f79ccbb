#include "measured.h"

#include "../base/utf8.h"

#include <math.h>
#include <string.h>

double measured_number(const Measured *m, const cJSON *object, const char *key)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
    const double x = cJSON_IsNumber(value) ? value->valuedouble : -1;
    if (!isfinite(x) || x < 0) {
        refuse(m->diag, "%s: a %s has a number, not negative, as '%s'", m->path, m->what, key);
        return 0;
    }
    return x;
}

const char *measured_string(const cJSON *object, const char *key)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(value) ? value->valuestring : NULL;
}

bool measured_is(const Measured *m, const cJSON *object, const char *key, const char *wanted)
{
    const char *word = measured_string(object, key);
    if (word && !strcmp(word, wanted))
        return true;
    return refuse(m->diag, "%s: is the %s of another compilation: '%s' is '%s' there, '%s' here",
                  m->path, m->what, key, word ? utf8_one_line(m->diag->arena, word) : "", wanted);
}

/* Of this model, with a list of layers. */
static bool fits_model(const Measured *m, const cJSON *root)
{
    const ProgramOrigin *o = &m->p->origin;
    const char *hash = measured_string(root, "model_sha256");
    if (!cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(root, "layers")) || !hash)
        return refuse(m->diag, "%s: is no %s: %s writes one", m->path, m->what, m->by);
    return !strcmp(hash, o->model_hash ? o->model_hash : "") ||
           refuse(m->diag, "%s: is the %s of another model than '%s'", m->path, m->what,
                  o->model ? o->model : m->p->graph->file);
}

cJSON *measured_read(const Measured *m)
{
    char *text;
    size_t size;
    const char *end;
    if (m->p->graph->variants.n > 1) {
        refuse(m->diag, "%s: a %s is of one variant, and this model has %u", m->path, m->what,
               m->p->graph->variants.n);
        return NULL;
    }
    if (!read_file(m->diag->arena, m->path, &text, &size, m->diag))
        return NULL;
    cJSON *root = cJSON_ParseWithLengthOpts(text, size + 1, &end, true);
    if (!root)
        refuse_at_place(m->diag, m->path, text, end < text + size ? end : text + size,
                        "is no JSON from here on");
    if (root && fits_model(m, root))
        return root;
    cJSON_Delete(root);
    return NULL;
}
