/* A machine as text: one figure a line. */
#include "machine.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct Figure {
    const char *name, *unit, *meaning;
    size_t at; /* in Machine */
    double least, most;
} Figure;

static const Figure figures[] = {
#define FIGURE(name, sse41, avx2, avx512, least, most, unit, meaning)                              \
    {#name, unit, meaning, offsetof(Machine, name), least, most},
#include "figures.def"
#undef FIGURE
};

static double *figure_in(Machine *m, const Figure *f)
{
    return (double *)(void *)((char *)m + f->at);
}

/* --- printing --------------------------------------------------------------------------------------------------------- */

/* The shortest number that reads back as the same one. */
static const char *shortest(Arena *arena, double x)
{
    const char *text = "";
    for (int digits = 1; digits <= 17; digits++) {
        text = arena_printf(arena, "%.*g", digits, x);
        if (strtod(text, NULL) == x && !strchr(text, 'e'))
            return text;
    }
    return text;
}

void machine_print(const Machine *m, Text *out)
{
    Machine copy = *m;
    text_printf(out, "%-31s // the instruction set, as --isa names it\n",
                arena_printf(out->arena, "isa %s", m->isa));
    for (size_t i = 0; i < COUNT_OF(figures); i++) {
        const char *number = shortest(out->arena, *figure_in(&copy, &figures[i]));
        text_printf(out, "%-16s %-14s // %s: %s\n", figures[i].name, number, figures[i].unit,
                    figures[i].meaning);
    }
}

/* --- reading ---------------------------------------------------------------------------------------------------------- */

typedef struct MachineFile {
    Arena *arena;
    Diag *diag;
    const char *path, *text, *p;
    Machine *m;
    bool given[COUNT_OF(figures)];
} MachineFile;

static bool refuse_text(const MachineFile *f, const char *at, const char *what)
{
    return refuse_at_place(f->diag, f->path, f->text, at, what);
}

static void skip(MachineFile *f, const char *blanks)
{
    for (;;) {
        f->p += strspn(f->p, blanks);
        if (strncmp(f->p, "//", 2))
            return;
        f->p += strcspn(f->p, "\n");
    }
}

static const char *take_word(MachineFile *f)
{
    const size_t n = word_length(f->p);
    f->p += n;
    return arena_strndup(f->arena, f->p - n, n);
}

static bool end_line(MachineFile *f)
{
    skip(f, " \t\r");
    return !*f->p || *f->p == '\n' || refuse_text(f, f->p, "the end of the line is expected");
}

static bool take_isa(MachineFile *f)
{
    skip(f, " \t");
    const char *at = f->p, *isa = take_word(f);
    if (!*isa || !strcmp(isa, "native"))
        return refuse_text(f, at, "the name of an instruction set is expected, as --isa takes it");
    *f->m = machine_of_isa(isa);
    return end_line(f);
}

static bool take_number(MachineFile *f, const Figure *figure)
{
    skip(f, " \t");
    const char *at = f->p;
    char *end;
    const double x = isdigit((unsigned char)*at) ? strtod(at, &end) : -1;
    if (!isdigit((unsigned char)*at))
        return refuse_text(f, at, "a number is expected");
    f->p = end;
    if (!(x >= figure->least && x <= figure->most))
        return refuse_text(f, at,
                           arena_printf(f->arena, "%s is a number from %s to %s", figure->name,
                                        shortest(f->arena, figure->least),
                                        shortest(f->arena, figure->most)));
    if (figure->at == offsetof(Machine, lanes) && x != 0 && x != 8 && x != 16)
        return refuse_text(f, at, "lanes are 0, 8 or 16");
    *figure_in(f->m, figure) = x;
    return end_line(f);
}

static bool take_figure(MachineFile *f)
{
    const char *at = f->p, *name = take_word(f);
    size_t i = 0;
    while (i < COUNT_OF(figures) && strcmp(figures[i].name, name))
        i++;
    if (i == COUNT_OF(figures))
        return refuse_text(f, at, "a figure is expected: dnnlc --machine lists them");
    if (f->given[i])
        return refuse_text(f, at, arena_printf(f->arena, "%s is given twice", name));
    f->given[i] = true;
    return take_number(f, &figures[i]);
}

bool machine_read(Arena *arena, Diag *diag, const char *path, Machine *m)
{
    MachineFile f = {.arena = arena, .diag = diag, .path = path, .m = m};
    char *text;
    size_t size;
    if (!read_file(arena, path, &text, &size, diag))
        return false;
    f.text = f.p = text;
    if (strlen(text) != size)
        return refuse_text(&f, text + strlen(text), "a NUL");
    skip(&f, " \t\r\n");
    const char *at = f.p;
    if (strcmp(take_word(&f), "isa"))
        return refuse_text(&f, at, "'isa' and the name of an instruction set are expected first");
    char hash[65];
    sha256_hex(text, size, hash);
    bool good = take_isa(&f);
    m->hash = arena_strdup(arena, hash);
    for (skip(&f, " \t\r\n"); good && *f.p; skip(&f, " \t\r\n"))
        good = take_figure(&f);
    return good;
}
