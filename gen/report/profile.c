/* See profile.h. The file comes from a user: every member is looked at before it is believed. */
#include "profile.h"

#include "../base/quote.h"
#include "../base/utf8.h"
#include "../explain/explain.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

typedef struct Reader {
    const Program *p;
    const char *path;
    Diag *diag;
} Reader;

static double number_of(const Reader *r, const cJSON *object, const char *key)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
    const double x = cJSON_IsNumber(value) ? value->valuedouble : -1;
    if (!isfinite(x) || x < 0) {
        refuse(r->diag, "%s: a profile has a number, not negative, as '%s'", r->path, key);
        return 0;
    }
    return x;
}

static const char *string_of(const cJSON *object, const char *key)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(value) ? value->valuestring : NULL;
}

static bool word_is(const Reader *r, const cJSON *object, const char *key, const char *wanted)
{
    const char *word = string_of(object, key);
    if (word && !strcmp(word, wanted))
        return true;
    return refuse(r->diag,
                  "%s: is the profile of another compilation: '%s' is '%s' there, '%s' here",
                  r->path, key, word ? utf8_one_line(r->diag->arena, word) : "", wanted);
}

static bool whole_matches(const Reader *r, const cJSON *root, const cJSON *layers)
{
    const ProgramOrigin *o = &r->p->origin;
    const char *hash = string_of(root, "model_sha256");
    if (!cJSON_IsArray(layers) || !hash)
        return refuse(r->diag, "%s: is no profile: --profile --json of the executable writes one",
                      r->path);
    if (strcmp(hash, o->model_hash ? o->model_hash : "") != 0)
        return refuse(r->diag, "%s: is the profile of another model than '%s'", r->path,
                      o->model ? o->model : r->p->graph->file);
    const int n = cJSON_GetArraySize(layers);
    if ((uint32_t)n != r->p->n_steps)
        return refuse(r->diag,
                      "%s: is the profile of another compilation: %d layers there, %u here",
                      r->path, n, r->p->n_steps);
    return true;
}

static void read_layer(const Reader *r, const cJSON *layer, const Step *s, LayerTime *t)
{
    const char *implementation = c_safe_text(r->p->arena, explain_implementation(r->p, s));
    if (word_is(r, layer, "implementation", implementation))
        *t = (LayerTime){number_of(r, layer, "mean_ms"), number_of(r, layer, "least_ms"),
                         number_of(r, layer, "executions"), number_of(r, layer, "peak_share")};
}

static bool read_members(const Reader *r, const cJSON *root, Profile *profile)
{
    const cJSON *layers = cJSON_GetObjectItemCaseSensitive(root, "layers");
    if (!whole_matches(r, root, layers))
        return false;
    *profile = (Profile){.mean_ms = number_of(r, root, "mean_ms"),
                         .least_ms = number_of(r, root, "least_ms"),
                         .peak_gflops = number_of(r, root, "peak_gflops"),
                         .memory_gbytes_per_s = number_of(r, root, "memory_gbytes_per_s"),
                         .runs = number_of(r, root, "runs"),
                         .threads = number_of(r, root, "threads"),
                         .layers = ARENA_ARRAY(r->p->arena, LayerTime, r->p->n_steps + 1)};
    const cJSON *layer = layers->child;
    for (uint32_t i = 0; layer && !r->diag->message; i++, layer = layer->next)
        read_layer(r, layer, &r->p->steps[i], &profile->layers[i]);
    return r->diag->message == NULL;
}

bool profile_read(const Program *p, const char *path, Diag *diag, Profile *profile)
{
    const Reader r = {p, path, diag};
    char *text;
    size_t size;
    const char *end;
    if (p->graph->variants.n > 1)
        return refuse(diag, "%s: a profile is of one variant, and this model has %u", path,
                      p->graph->variants.n);
    if (!read_file(diag->arena, path, &text, &size, diag))
        return false;
    cJSON *root = cJSON_ParseWithLengthOpts(text, size + 1, &end, true);
    if (!root)
        return refuse_at_place(diag, path, text, end < text + size ? end : text + size,
                               "is no JSON from here on");
    const bool ok = read_members(&r, root, profile);
    cJSON_Delete(root);
    return ok;
}
