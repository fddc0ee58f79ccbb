/* How the emitted folder is built: the files and their flags, for Ninja, CMake, Meson and pkg-config, and in the manifest for others; and the
 * runtime's files, which are copied. */
#include "../base/template.h"
#include "emit.h"

#include <string.h>

/* Flags that every build file has. Fused multiply-adds are allowed, errno and floating-point traps are not observed; NaN and infinities
 * keep their meaning. Stacks (but for kernels', which say so themselves) and what libc copies are checked. */
static const char hardening[] = "-fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3";
static const char cflags[] = "-ffp-contract=fast -fno-math-errno -fno-trapping-math";
static const char warnings[] = " -Wall -Wextra -Wpedantic";
/* No build id: the linker would hold everything once more for it. */
static const char ldflags[] = "-Wl,--build-id=none,-z,relro,-z,now";
/* What the libraries have for what is never done: streams of C++, loops on other devices, names of users. */
static const char *const cut_flags[] = {
    "-Wl,--defsym=_ZNSt8ios_base4InitC1Ev=dnnlc_says_nothing",
    "-Wl,--defsym=_ZNSt8ios_base4InitD1Ev=dnnlc_says_nothing",
    "-Wl,--defsym=_ZN9__gnu_cxx27__verbose_terminate_handlerEv=abort",
    "-Wl,--defsym=goacc_runtime_initialize=dnnlc_says_nothing",
    "-Wl,--defsym=goacc_profiling_initialize=dnnlc_says_nothing",
    "-Wl,--defsym=gomp_get_num_devices=dnnlc_says_nothing",
    "-Wl,--defsym=gomp_init_targets_once=dnnlc_says_nothing",
    "-Wl,--defsym=gomp_target_task_fn=dnnlc_says_nothing",
    "-Wl,--defsym=__getpwnam_r=dnnlc_says_nothing",
    "-Wl,--defsym=__getlogin_r=dnnlc_says_nothing",
};
static const char dnnl_libs[] = "-ldnnl -lstdc++ -lgomp -lm -ldl -lpthread", c_libs[] = "-lm";
/* The executable has threads of its own; with oneDNN the library's are the same. */
static const char threads_lib[] = " -lpthread";
/* A shared object has a C++ library of its own, which says nothing to the program's; OpenMP's threads it shares with the program. */
static const char dnnl_libs_shared[] =
    "-L$onednn/lib -L$packaged/lib -ldnnl -static-libgcc -l:libstdc++.a -lgomp -lm -ldl -lpthread";
/* Where a package installs the libraries that get-onednn otherwise leaves in a cache, under the same names. */
static const char packaged_libraries[] = "/usr/lib/dnnlc";

static const char *const runtime_files[] = {
    "assign", "batch", "bench",   "check",   "each",   "file",    "inputs",
    "main",   "meter", "npy",     "options", "pb",     "peak",    "profile",
    "report", "rows",  "session", "stream",  "tensor", "threads", "values"};

static void add_runtime(Emit *e, const char *name)
{
    size_t size;
    const char *data = bundled_file(arena_printf(e->arena, "runtime-stub/%s", name), &size);
    if (!data)
        bug("runtime-stub/%s is not built in", name);
    emit_add(e, name, data, size);
}

/* A file of the library; `is_calls`: nothing in it is worth optimising, it only calls what is in others. */
static void bind_source(Bindings *b, bool is_calls, const char *source)
{
    Bindings *row = bind_row(b, "library");
    bind(row, "source", "%s", source);
    bind(row, "is_calls", "%d", is_calls);
    bind(row, "optimize", is_calls ? "-O1" : "-O3");
}

/* One of the executable's own; `is_loops`: its time depends on sizes of tensors. */
static void bind_program(Bindings *b, bool is_loops, const char *source)
{
    Bindings *row = bind_row(b, "program");
    bind(row, "source", "%s", source);
    bind(row, "is_loops", "%d", is_loops);
}

static void bind_library(const Emit *e, Bindings *b)
{
    const char *name = e->names.name;
    if (e->o->amalgamate) {
        bind_source(b, false, name);
        return;
    }
    bind_source(b, true, arena_printf(e->arena, "%s_dnnl", name));
    for (uint32_t r = 0; r < e->p->n_regions; r++)
        if (unit_begins_file(e, r))
            bind_source(b, !e->has_loops[r], unit_name(e, r));
    for (uint32_t i = 0; i < kernel_files(e->kernels); i++)
        bind_source(b, false, kernel_file_name(e, i));
    if (e->selftest_bytes)
        bind_source(b, true, arena_printf(e->arena, "%s_selftest", name));
    if (e->o->weights == WEIGHTS_C)
        bind_source(b, true, arena_printf(e->arena, "%s_weights", name));
}

/* Whether a file of the library is worth optimising. */
static bool has_loops(const Emit *e)
{
    bool found = kernel_files(e->kernels) > 0;
    for (uint32_t r = 0; r < e->p->n_regions; r++)
        found |= unit_begins_file(e, r) && e->has_loops[r];
    return found;
}

static Bindings *build_bindings(const Emit *e)
{
    Bindings *b = bindings_new(e->arena, NULL);
    const char *name = e->names.name;
    const bool dnnl = e->o->origin.dnnl;
    bind(b, "name", "%s", name);
    bind(b, "upper", "%s", e->names.upper);
    bind(b, "version", "%s", DNNLC_VERSION);
    bind(b, "dnnl", "%d", dnnl);
    bind(b, "onednn", "onednn%s%s", e->o->host ? "-" : "", e->o->host ? e->o->host : "");
    bind(b, "packaged", "%s", packaged_libraries);
    bind(b, "std", dnnl ? "c17" : "c99");
    bind(b, "hardening", "%s", hardening);
    bind(b, "cflags", "%s%s%s%s", cflags, dnnl ? " -fopenmp" : "", e->o->debug ? " -g" : "",
         warnings);
    bind(b, "cc", "%s", e->o->cc ? e->o->cc : "gcc");
    bind(b, "ar", "%s", e->o->ar ? e->o->ar : "ar");
    bind(b, "ldflags", "%s %s%s", e->o->no_pie ? "-static" : "-static-pie",
         e->o->debug ? "" : "-s ", ldflags);
    bind(b, "libs", "%s", dnnl ? dnnl_libs : c_libs);
    bind(b, "program_libs", "%s", dnnl ? "" : threads_lib);
    bind(b, "hosted", "%d", !e->o->bare);
    bind(b, "ldflags_shared", "%s -Wl,-z,defs,-z,nodynamic-undefined-weak", ldflags);
    bind(b, "libs_shared", "%s", dnnl ? dnnl_libs_shared : c_libs);
    bind_list(b, "library", ",\n");
    bind_library(e, b);
    bind(b, "has_loops", "%d", has_loops(e));
    bind(b, "weights_s", "%d", e->o->weights == WEIGHTS_EMBED);
    bind(b, "weights_file", "%d", e->o->weights == WEIGHTS_FILE);
    bind_list(b, "program", ", ");
    if (!e->o->amalgamate)
        bind_program(b, false, arena_printf(e->arena, "%s_main", name));
    for (size_t i = 0; i < COUNT_OF(runtime_files) && !e->o->amalgamate; i++)
        bind_program(b, !strcmp(runtime_files[i], "values") || !strcmp(runtime_files[i], "peak"),
                     arena_printf(e->arena, "dnnlc_%s", runtime_files[i]));
    if (e->o->debug) {
        bind_program(b, false, arena_printf(e->arena, "%s_debug", name));
        bind_program(b, true, "dnnlc_dump");
    }
    if (dnnl)
        bind_absent_parts(e->p, b);
    bind_linked(e, b);
    bind_items(b, "cut", "flag", cut_flags, e->linked ? COUNT_OF(cut_flags) : 0);
    return b;
}

const char *emit_compile_note(const Emit *e)
{
    const bool dnnl = e->o->origin.dnnl;
    return arena_printf(e->arena,
                        "/* To be compiled with: cc -std=%s -O3 -D_GNU_SOURCE %s%s%s -c %s.c */\n",
                        dnnl ? "c17" : "c99", cflags, dnnl ? " -fopenmp" : "",
                        dnnl ? " -I ONEDNN/include" : "", e->names.name);
}

void emit_build_json(const Emit *e, Text *out)
{
    render_at_signs(out, e->arena, "templates/driver/build.json", build_bindings(e));
}

static void emit_build_file(Emit *e, const Bindings *b, const char *template, const char *name)
{
    Text t = text_new(e->arena);
    render_at_signs(&t, e->arena, template, b);
    emit_add(e, name, t.data, t.size);
}

void emit_build_files(Emit *e)
{
    const Bindings *b = build_bindings(e);
    emit_absent(e);
    emit_build_file(e, b, "templates/driver/build.ninja", "build.ninja");
    emit_build_file(e, b, "templates/driver/CMakeLists.txt", "CMakeLists.txt");
    emit_build_file(e, b, "templates/driver/meson.build", "meson.build");
    if (e->o->origin.dnnl)
        emit_build_file(e, b, "templates/driver/meson_options.txt", "meson_options.txt");
    emit_build_file(e, b, "templates/driver/package.pc",
                    arena_printf(e->arena, "%s.pc", e->names.name));
    for (size_t i = 0; i < COUNT_OF(runtime_files); i++) {
        add_runtime(e, arena_printf(e->arena, "dnnlc_%s.c", runtime_files[i]));
        add_runtime(e, arena_printf(e->arena, "dnnlc_%s.h", runtime_files[i]));
    }
    if (e->o->origin.dnnl) {
        add_runtime(e, "dnnlc_onednn.h");
        add_runtime(e, "dnnlc_primitives.h");
    } else {
        add_runtime(e, "dnnlc_stack.sh");
        add_runtime(e, "dnnlc_stack.awk");
    }
    add_runtime(e, "dnnlc_denormals.h");
    add_runtime(e, "dnnlc_element.h");
    if (e->selftest_bytes)
        add_runtime(e, "dnnlc_selftest.h");
    if (e->o->debug) {
        add_runtime(e, "dnnlc_dump.c");
        add_runtime(e, "dnnlc_dump.h");
    }
    if (e->o->weights == WEIGHTS_FILE)
        add_runtime(e, "dnnlc_hash.h");
}
