#include "profile.h"

#include "../base/quote.h"
#include "../explain/explain.h"
#include "measured.h"

static bool has_all_layers(const Measured *m, const cJSON *layers)
{
    const int n = cJSON_GetArraySize(layers);
    return (uint32_t)n == m->p->n_steps ||
           refuse(m->diag, "%s: is the profile of another compilation: %d layers there, %u here",
                  m->path, n, m->p->n_steps);
}

static void read_layer(const Measured *m, const cJSON *layer, const Step *s, LayerTime *t)
{
    const char *implementation = c_safe_text(m->p->arena, explain_implementation(m->p, s));
    if (measured_is(m, layer, "implementation", implementation))
        *t = (LayerTime){
            measured_number(m, layer, "mean_ms"), measured_number(m, layer, "least_ms"),
            measured_number(m, layer, "executions"), measured_number(m, layer, "peak_share")};
}

static bool read_members(const Measured *m, const cJSON *root, Profile *profile)
{
    const cJSON *layers = cJSON_GetObjectItemCaseSensitive(root, "layers");
    if (!has_all_layers(m, layers))
        return false;
    *profile = (Profile){.mean_ms = measured_number(m, root, "mean_ms"),
                         .least_ms = measured_number(m, root, "least_ms"),
                         .peak_gflops = measured_number(m, root, "peak_gflops"),
                         .memory_gbytes_per_s = measured_number(m, root, "memory_gbytes_per_s"),
                         .runs = measured_number(m, root, "runs"),
                         .threads = measured_number(m, root, "threads"),
                         .layers = ARENA_ARRAY(m->p->arena, LayerTime, m->p->n_steps + 1)};
    const cJSON *layer = layers->child;
    for (uint32_t i = 0; layer && !m->diag->message; i++, layer = layer->next)
        read_layer(m, layer, &m->p->steps[i], &profile->layers[i]);
    return m->diag->message == NULL;
}

bool profile_read(const Program *p, const char *path, Diag *diag, Profile *profile)
{
    const Measured m = {p, path, "profile", "--profile --json of the executable", diag};
    cJSON *root = measured_read(&m);
    const bool ok = root && read_members(&m, root, profile);
    cJSON_Delete(root);
    return ok;
}
