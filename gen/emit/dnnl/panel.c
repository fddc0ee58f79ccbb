/* Tiles of products in C in a oneDNN unit, a function for each shape of tile: convolutions and the products of Winograd convolutions
 * are put together from them. */
#include "emit_dnnl.h"

#include "../../base/template.h"

/* NULL: no layer of that kind. */
static const Panel *panel_of(const Emit *e, uint32_t step)
{
    const DnnlPrimitive *p = e->p->steps[step].dnnl;
    return !p                                    ? NULL
           : p->indirect                         ? &p->indirect->panel
           : p->winograd && !p->winograd->matmul ? &p->winograd->panel
                                                 : NULL;
}

/* Tiles differ in their number of rows, vectors and lines fetched. */
static const char *tile_name(Arena *arena, const Panel *p, int64_t rows)
{
    const char *shape =
        arena_printf(arena, "tile_%lldx%lld", (long long)rows, (long long)p->vectors);
    return p->lines == 1 ? shape : arena_printf(arena, "%s_%lld", shape, (long long)p->lines);
}

static void bind_sums(Bindings *b, const Panel *p, int64_t rows)
{
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < p->vectors; j++) {
            Bindings *sum = bind_row(b, "sums");
            bind(sum, "sum", "s%lld_%lld", (long long)i, (long long)j);
            bind(sum, "row", "r%lld", (long long)i);
            bind(sum, "column", "b%lld", (long long)j);
            bind_int(sum, "offset", i * panel_width(p) + j * p->lanes);
        }
        Bindings *row = bind_row(b, "matrix_rows");
        bind(row, "row", "r%lld", (long long)i);
        bind_int(row, "i", i);
    }
}

static void emit_tile(const Emit *e, const Panel *p, int64_t rows, Text *out)
{
    Bindings *b = bindings_new(e->arena, NULL);
    bind(b, "tile", "%s", tile_name(e->arena, p, rows));
    bind_int(b, "rows", rows);
    bind_int(b, "width", panel_width(p));
    bind_sums(b, p, rows);
    for (int64_t j = 0; j < p->vectors; j++) {
        Bindings *column = bind_row(b, "columns");
        bind(column, "column", "b%lld", (long long)j);
        bind_int(column, "from", j * p->lanes);
    }
    for (int64_t i = 0; i < p->lines; i++)
        bind_int(bind_row(b, "lines"), "line", i * 64);
    text_puts(out, "\n");
    render(out, "dnnl/panel_tile.c", b);
}

static bool has_tile(const Panel *p, const Panel *like, int64_t rows)
{
    return p->vectors == like->vectors && p->lines == like->lines &&
           (p->rows == rows || p->rows - 1 == rows);
}

/* Whether no layer of the unit before this one has such tiles. */
static bool is_first_tile(const Emit *e, uint32_t start, uint32_t step, int64_t rows)
{
    const Panel *p = panel_of(e, step);
    for (uint32_t i = start; i < step; i++)
        if (panel_of(e, i) && has_tile(panel_of(e, i), p, rows))
            return false;
    return rows > 0;
}

/* The instructions that tiles are made for: AVX-512, as oneDNN and x86-64-v4 mean it, or AVX2. */
static void bind_cpu(Bindings *b, bool is_avx512)
{
    bind(b, "built_for", "%s", is_avx512 ? "__AVX512VL__" : "__AVX2__");
    bind(b, "target", "%s",
         is_avx512 ? "\"avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma\"" : "\"avx2,fma\"");
    const char *avx512_f = "(__builtin_cpu_supports(\"avx512f\") && "
                           "__builtin_cpu_supports(\"avx512bw\") &&";
    const char *avx512_vl = "__builtin_cpu_supports(\"avx512dq\") && "
                            "__builtin_cpu_supports(\"avx512vl\"))";
    if (is_avx512) /* lines as clang-format has them */
        bind(b, "supported", "%77s\\\n    %-95s\\\n     %s", "", avx512_f, avx512_vl);
    else
        bind(b, "supported",
             "(__builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\"))");
}

void emit_panel_head(const Emit *e, Text *out)
{
    const uint32_t start = e->file_first, end = e->file_end;
    bool any = false;
    for (uint32_t i = start; i < end; i++) {
        const Panel *p = panel_of(e, i);
        if (!p)
            continue;
        if (!any) {
            Bindings *b = bindings_new(e->arena, NULL);
            bind_int(b, "lanes", p->lanes);
            bind_int(b, "bytes", p->lanes * 4);
            bind_cpu(b, p->lanes == 16);
            text_puts(out, "\n");
            render(out, "dnnl/panel.c", b);
        }
        any = true;
        for (int64_t rows = p->rows; rows >= p->rows - 1; rows--)
            if (is_first_tile(e, start, i, rows))
                emit_tile(e, p, rows, out);
    }
}

bool panel_is_alike(const Panel *a, const Panel *b)
{
    return a->rows == b->rows && a->vectors == b->vectors && a->lines == b->lines;
}

void bind_panel(const Emit *e, const Panel *p, const char *name, Bindings *b)
{
    const char *tile = tile_name(e->arena, p, p->rows);
    bind(b, "panel", "%s%s", name, tile + 4);
    bind(b, "tile", "%s", tile);
    bind(b, "smaller", "%s", tile_name(e->arena, p, p->rows - 1));
    bind(b, "has_smaller", "%d", p->rows > 1);
    bind_int(b, "rows", p->rows);
    bind_int(b, "width", panel_width(p));
}
