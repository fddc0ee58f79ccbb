/* Machines described in files, measured here, or known by their instruction set. */
#include "machines.h"

#include "../dnnl/engine.h"
#include "../tune/measure.h"
#include "../tune/tune.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *isa_of(const Options *o, const Machine *machine)
{
    return o->isa ? o->isa : o->machine ? machine->isa : NULL;
}

bool fit_machine(Diag *diag, const Options *o, const char *isa, Machine *m)
{
    if (!o->machine)
        *m = machine_of_isa(isa);
    else if (!machine_same_class(isa, m->isa))
        return refuse(diag, "%s: these are figures of a machine with %s, which do not fit %s",
                      o->machine, m->isa, isa);
    m->isa = isa;
    return true;
}

/* "native": by --measure-machine, for this CPU and the instruction set. */
static bool read_machine(Arena *arena, Diag *diag, const Options *o, Machine *m)
{
    if (strcmp(o->machine, "native"))
        return machine_read(arena, diag, o->machine, m);
    const char *path = machine_measured_path(arena, onednn_isa_name(o->isa));
    return (path && !access(path, R_OK) && machine_read(arena, diag, path, m)) ||
           refuse(diag, "--machine native: nothing is measured for this CPU and instruction set; "
                        "dnnlc --measure-machine does that");
}

bool find_machine(Arena *arena, Diag *diag, const Options *o, Machine *m)
{
    if (!onednn_isa_known(diag, o->isa))
        return false;
    if (!o->machine)
        return fit_machine(diag, o, o->target_c ? "sse41" : onednn_isa_name(o->isa), m);
    /* where nothing is said of the instruction set, oneDNN is not asked for its own: then it could not be limited any more */
    return read_machine(arena, diag, o, m) && onednn_isa_known(diag, m->isa) &&
           (!o->isa || fit_machine(diag, o, onednn_isa_name(o->isa), m));
}

bool print_this_machine(Arena *arena, Diag *diag, const Options *o)
{
    Machine m;
    Text t = text_new(arena);
    if (!find_machine(arena, diag, o, &m))
        return false;
    machine_print(&m, &t);
    fputs(t.data, stdout);
    return true;
}

bool measure_this_machine(Arena *arena, Diag *diag, const Options *o)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    DnnlEngine *engine;
    Text notes = text_new(arena), out = text_new(arena);
    if (onednn_isa_host(o->isa))
        return refuse(diag, "--measure-machine measures this CPU, and --isa %s is of another one",
                      o->isa);
    if (!onednn_isa_known(diag, o->isa) ||
        !onednn_engine_open(arena, diag, o->isa, cpus > 0 ? (int)cpus : 1, &engine))
        return false;
    Machine m = machine_of_isa(onednn_engine_isa(engine));
    const char *path = machine_measured_path(arena, m.isa);
    if (!path || !tune_make_folders(arena_printf(arena, "%s/machine", tune_folder(arena)), arena))
        return refuse(diag, "--measure-machine: there is no folder to keep the figures in");
    machine_measure(engine, &m, &notes);
    onednn_engine_close(engine);
    fputs(o->quiet ? "" : notes.data, stderr);
    text_printf(&out, "// %s, oneDNN %s\n", tune_cpu(arena), ONEDNN_VERSION_TEXT);
    machine_print(&m, &out);
    return write_file_if_changed(path, out.data, out.size, diag) && printf("%s\n", path) > 0;
}

bool split_isas(Arena *arena, Diag *diag, Options *o)
{
    const size_t n = o->isa ? strcspn(o->isa, ",") : 0;
    if (!n || !o->isa[n])
        return true;
    o->also = o->isa + n + 1;
    o->isa = arena_strndup(arena, o->isa, n);
    if (o->target_c || o->full)
        return refuse(diag, "--isa %s,%s: %s", o->isa, o->also,
                      o->full ? "--full links for all there are" : "--target c takes one");
    for (const char *at = o->also; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const char *isa = arena_strndup(arena, at, strcspn(at, ","));
        const char *before = arena_printf(arena, ",%s,%.*s", o->isa, (int)(at - o->also), o->also);
        if (isa_is_native(isa) || strstr(before, arena_printf(arena, ",%s,", isa)))
            return refuse(diag, "--isa %s,%s: native can be the first only, and each be there once",
                          o->isa, o->also);
        if (!onednn_isa_known(diag, isa))
            return false;
        if (onednn_isa_host(isa) || onednn_isa_host(o->isa))
            return refuse(diag,
                          "--isa %s,%s: an executable for AArch64 is linked for all of its "
                          "instruction sets: name the one to plan for",
                          o->isa, o->also);
    }
    return true;
}
