#include "bench.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- finding ------------------------------------------------------------------------------------------ */

static bool wanted(const struct options *o, const char *name)
{
    for (int i = 0; i < o->n_names; i++)
        if (!strcmp(o->names[i], name))
            return true;
    return o->n_names == 0;
}

/* Cuts the text of the file beside the model into its flags; the rows do not move any more. */
static void read_flags(struct model *m)
{
    char path[PATH_SIZE + 8];
    snprintf(path, sizeof path, "%.*sflags", (int)(strrchr(m->path, '/') + 1 - m->path), m->path);
    FILE *file = fopen(path, "r");
    if (!file)
        return;
    m->flag_text[fread(m->flag_text, 1, sizeof m->flag_text - 1, file)] = 0;
    fclose(file);
    for (char *word = strtok(m->flag_text, " \t\n"); word && m->n_flags < MAX_FLAGS;
         word = strtok(NULL, " \t\n"))
        m->flags[m->n_flags++] = word;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct model *)a)->name, ((const struct model *)b)->name);
}

/* Folders with model.onnx, and those one level further down. */
static size_t find_onnx(const struct options *o, const char *folder, const char *prefix,
                        struct model *models, size_t n)
{
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir)) && n < MAX_MODELS;) {
        struct model *m = &models[n];
        char below[PATH_SIZE], inner[272];
        if (e->d_name[0] == '.')
            continue;
        *m = (struct model){.onnx = true};
        snprintf(below, sizeof below, "%s/%s", folder, e->d_name);
        snprintf(m->name, sizeof m->name, "%s%s", prefix, e->d_name);
        snprintf(m->path, sizeof m->path, "%.900s/model.onnx", below);
        if (file_exists(m->path)) {
            n += wanted(o, m->name);
        } else if (!*prefix) {
            snprintf(inner, sizeof inner, "%s/", e->d_name);
            n = find_onnx(o, below, inner, models, n);
        }
    }
    if (dir)
        closedir(dir);
    return n;
}

static size_t find_graphs(const struct options *o, struct model *models, size_t n)
{
    DIR *dir = opendir(o->graphs);
    for (struct dirent *e; dir && (e = readdir(dir)) && n < MAX_MODELS;) {
        const char *dot = strrchr(e->d_name, '.');
        struct model *m = &models[n];
        if (!dot || strcmp(dot, ".ir"))
            continue;
        *m = (struct model){0};
        snprintf(m->name, sizeof m->name, "graphs/%.*s", (int)(dot - e->d_name), e->d_name);
        snprintf(m->path, sizeof m->path, "%s/%s", o->graphs, e->d_name);
        n += wanted(o, m->name);
    }
    if (dir)
        closedir(dir);
    return n;
}

size_t find_models(const struct options *o, struct model *models)
{
    size_t graphs = find_graphs(o, models, 0);
    size_t n = find_onnx(o, o->models, "", models, graphs);
    qsort(models, graphs, sizeof *models, compare_names);
    qsort(models + graphs, n - graphs, sizeof *models, compare_names);
    for (size_t i = graphs; i < n; i++)
        read_flags(&models[i]);
    return n;
}

/* --- compiling ---------------------------------------------------------------------------------------- */

/* OUT/run/NAME, with what the configuration has behind it. */
static void stem(const struct options *o, const struct model *m, const char *word, char *path)
{
    char name[sizeof m->name];
    snprintf(name, sizeof name, "%s", m->name);
    for (char *c = name; *c; c++)
        if (*c == '/')
            *c = '_';
    snprintf(path, PATH_SIZE, "%.400s/run/%.500s-%.60s", o->out, name, word);
}

void executable_path(const struct options *o, const struct model *m, const struct config *c,
                     char *path)
{
    char word[64];
    config_word(c, word, sizeof word);
    stem(o, m, word, path);
}

/* Writes what the compiler prints with these options, unless that is there and newer than model and compiler. */
static bool print_to(const struct options *o, const struct model *m, const char *from,
                     char *const *flags, size_t n_flags, const char *emit, const char *to)
{
    char *argv[MAX_FLAGS + 16] = {"sh",         "-c",        "to=$1; shift; exec \"$@\" >\"$to\"",
                                  "sh",         (char *)to,  (char *)o->dnnlc,
                                  (char *)from, "--passes",  "",
                                  "--emit",     (char *)emit};
    size_t n = 11;
    struct process p;
    if (newer(to, o->dnnlc) && newer(to, m->path))
        return true;
    for (size_t i = 0; i < n_flags; i++)
        argv[n++] = flags[i];
    run_process(argv, 0, &p);
    return p.status == 0 || (remove(to), false);
}

bool ir_path(const struct options *o, const struct model *m, char *path)
{
    if (!m->onnx)
        return snprintf(path, PATH_SIZE, "%s", m->path) > 0;
    stem(o, m, "as.ir", path);
    return print_to(o, m, m->path, m->flags, m->n_flags, "text", path);
}

/* What is compiled: the model, or text IR of it for a batch. `why` says why there is none. */
static bool source_path(const struct options *o, const struct model *m, const struct config *c,
                        char *path, char *why, size_t why_size)
{
    char ir[PATH_SIZE], word[32], count[16];
    struct process p;
    snprintf(path, PATH_SIZE, "%s", m->path);
    if (c->batch == 1)
        return true;
    snprintf(word, sizeof word, "b%d.ir", c->batch);
    snprintf(count, sizeof count, "%d", c->batch);
    stem(o, m, word, path);
    if (newer(path, o->dnnlc) && newer(path, m->path))
        return true;
    if (!ir_path(o, m, ir))
        return snprintf(why, why_size, "not imported"), false;
    run_process((char *[]){"sh", "-c", "exec \"$0\" \"$1\" <\"$2\" >\"$3\"", (char *)o->batched,
                           count, ir, path, NULL},
                0, &p);
    if (p.status == 0)
        run_process((char *[]){(char *)o->dnnlc, path, "--stop-after", "widen-half", NULL}, 0, &p);
    if (p.status == 0)
        return true;
    remove(path);
    snprintf(why, why_size, "not batchable: %.400s", p.err);
    return false;
}

bool onnx_path(const struct options *o, const struct model *m, const struct config *c, char *path)
{
    char source[PATH_SIZE], word[32], why[64];
    if (m->onnx && c->batch == 1)
        return snprintf(path, PATH_SIZE, "%s", m->path) > 0;
    snprintf(word, sizeof word, "b%d.onnx", c->batch);
    stem(o, m, word, path);
    return source_path(o, m, c, source, why, sizeof why) &&
           print_to(o, m, source, NULL, 0, "onnx", path);
}

void isa_setting(const struct config *c, char *text, size_t size)
{
    snprintf(text, size, "ONEDNN_MAX_CPU_ISA=%s", c->isa);
    for (char *at = strchr(text, '='); *at; at++)
        *at = (char)toupper((unsigned char)*at);
}

/* The sum of all numbers that the manifest has under a key, which is given as it is written: "\"macs\": ". */
static double manifest_sum(const char *path, const char *key)
{
    char line[65536];
    double sum = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        for (const char *p = line; (p = strstr(p, key)); p += strlen(key))
            sum += atof(p + strlen(key));
    if (file)
        fclose(file);
    return sum;
}

static bool failed(struct result *r, const char *what, const struct process *p)
{
    const char *out = p->out;
    const char *error = strstr(out, "error");
    const char *text = *p->err ? p->err : error ? error : out;
    snprintf(r->why, sizeof r->why, "%s, exit status %d: %.*s", what, p->status,
             (int)strcspn(text, "\n"), text);
    return false;
}

/* Does the manifest have this text? */
static bool manifest_has(const char *path, const char *text)
{
    char line[65536];
    bool found = false;
    FILE *file = fopen(path, "r");
    while (file && !found && fgets(line, sizeof line, file))
        found = strstr(line, text) != NULL;
    if (file)
        fclose(file);
    return found;
}

/* dnnlc and ninja in `folder`, then the executable and the manifest are moved to `path`[.json]. */
static bool compile(const struct options *o, const struct model *m, const struct config *c,
                    const char *path, struct result *r)
{
    char source[PATH_SIZE], folder[PATH_SIZE + 8], from[PATH_SIZE + 16], to[PATH_SIZE + 8],
        count[16], isa[96];
    char *argv[MAX_FLAGS + 16] = {"env",    isa, (char *)o->dnnlc, source, "-o", folder,
                                  "--name", "m", "--threads",      count};
    size_t n = 10;
    struct process p;
    r->left_out = !source_path(o, m, c, source, r->why, sizeof r->why);
    if (r->left_out)
        return false;
    isa_setting(c, isa, sizeof isa);
    snprintf(folder, sizeof folder, "%s.d", path);
    snprintf(count, sizeof count, "%d", c->threads);
    for (size_t i = 0; i < m->n_flags && c->batch == 1; i++)
        argv[n++] = m->flags[i];
    run_process(is_limited(c) ? argv : argv + 2, 0, &p);
    if (p.status != 0)
        return failed(r, p.status == 1 ? "refused" : "dnnlc crashed", &p);
    run_process((char *[]){"ninja", "-C", folder, NULL}, 0, &p);
    if (p.status != 0)
        return failed(r, "does not build", &p);
    snprintf(from, sizeof from, "%s/m", folder);
    bool moved = rename(from, path) == 0;
    snprintf(from, sizeof from, "%s/m.json", folder);
    snprintf(to, sizeof to, "%s.json", path);
    moved = rename(from, to) == 0 && moved;
    return moved || failed(r, "no executable", &p);
}

/* The CPU may have less than the configuration, or oneDNN not know it: then it is measured as it is elsewhere. */
static bool has_isa(const struct config *c, const char *manifest, struct result *r)
{
    char text[96];
    snprintf(text, sizeof text, "\"isa\": \"%s\"", c->isa);
    if (!is_limited(c) || 
        manifest_has(manifest, text))
        return true;
    r->left_out = true;
    snprintf(r->why, sizeof r->why, "this CPU does not have %s, or oneDNN does not know it",
             c->isa);
    return false;
}

void build_model(const struct options *o, struct model *m, size_t config)
{
    const struct config *c = &o->configs[config];
    struct result *r = &m->by_config[config];
    char path[PATH_SIZE], text[PATH_SIZE + 8];
    struct process p;
    struct stat info;
    executable_path(o, m, c, path);
    r->built = newer(path, o->dnnlc) && newer(path, m->path);
    if (!r->built) {
        r->built = compile(o, m, c, path, r);
        snprintf(text, sizeof text, "%s.d", path);
        run_process((char *[]){"rm", "-rf", text, NULL}, 0, &p);
    }
    snprintf(text, sizeof text, "%s.json", path);
    r->built = r->built && has_isa(c, text, r);
    if (!r->built)
        return;
    if (stat(path, &info) == 0)
        r->exe_bytes = (double)info.st_size;
    r->macs = manifest_sum(text, "\"macs\": ");
    r->over_live = manifest_sum(text, "\"planned_over_live\": ");
}
