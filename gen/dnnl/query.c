/* Asking oneDNN at compile time: which layouts, how much scratch memory, which implementation. */
#include "library.h"

dnnl_query_t library_query_of(int arg)
{
    return arg == ARG_WEIGHTS ? dnnl_query_weights_md
           : arg == ARG_SRC   ? dnnl_query_src_md
                              : dnnl_query_dst_md;
}

/* By strides, whatever its form; NULL where there is no such descriptor. */
static dnnl_memory_desc_t strided_desc(const DnnlMemory *m, const int64_t *strides)
{
    dnnl_memory_desc_t md = NULL;
    dnnl_memory_desc_create_with_strides(&md, m->rank, m->dims, library_data_type(m->dtype),
                                         strides);
    return md;
}

/* Whether a descriptor is the dense one with this order of dimensions. */
static bool is_in_order(const_dnnl_memory_desc_t md, const DnnlMemory *m, const Layout *order)
{
    const TensorType t = type_make(m->dtype, m->rank, m->dims);
    dnnl_dims_t strides;
    layout_strides(order, &t, strides);
    dnnl_memory_desc_t want = strided_desc(m, strides);
    bool same = want && dnnl_memory_desc_equal(want, md);
    dnnl_memory_desc_destroy(want);
    return same;
}

/* A serialised descriptor is a C struct with its padding, and the padding holds what was on oneDNN's stack: it is made
 * zero, or the same model would not always give the same bytes. Padding follows the first member, which is one byte, and 4-byte
 * members, so it is in the first word and in the upper halves of 8-byte words, where a byte that does not change the descriptor's
 * equality is one that nobody reads. (The other lower halves are left alone: the stride of a dimension of 1 does not count for
 * equality either.) */
static void blank_padding(unsigned char *blob, size_t size, const_dnnl_memory_desc_t md)
{
    for (size_t i = 1; i < size; i = i % 8 == 7 ? i + 5 : i + 1) {
        unsigned char was = blob[i];
        dnnl_memory_desc_t probe = NULL;
        blob[i] = (unsigned char)~was;
        bool unread = dnnl_memory_desc_create_with_blob(&probe, blob) == dnnl_success &&
                      dnnl_memory_desc_equal(probe, md);
        blob[i] = unread ? 0 : was;
        if (probe)
            dnnl_memory_desc_destroy(probe);
    }
}

/* The layout as strides and blocks, where it is nothing else: sums for zero points may stand behind the weights. */
static void read_layout(const_dnnl_memory_desc_t md, const DnnlMemory *m, DnnlChoice *c)
{
    dnnl_format_kind_t kind = dnnl_format_kind_undef;
    int32_t n = 0;
    const dnnl_dims_t *block = NULL, *dim = NULL, *strides = NULL;
    dnnl_memory_desc_query(md, dnnl_query_format_kind, &kind);
    if (kind != dnnl_blocked ||
        dnnl_memory_desc_query(md, dnnl_query_inner_nblks_s32, &n) != dnnl_success ||
        dnnl_memory_desc_query(md, dnnl_query_inner_blks, &block) != dnnl_success ||
        dnnl_memory_desc_query(md, dnnl_query_inner_idxs, &dim) != dnnl_success ||
        dnnl_memory_desc_query(md, dnnl_query_strides, &strides) != dnnl_success)
        return;
    c->rank = m->rank;
    c->n_blocks = n;
    for (int i = 0; i < n; i++) {
        c->block[i] = (int)(*block)[i];
        c->block_dim[i] = (int)(*dim)[i];
    }
    for (int d = 0; d < m->rank; d++)
        c->strides[d] = (*strides)[d];
}

static void read_choices(Arena *arena, DnnlPrimitive *p, const_dnnl_primitive_desc_t pd,
                         DnnlChoice *choices)
{
    for (uint32_t i = 0; i < p->n_memory; i++) {
        choices[i] = (DnnlChoice){0};
        if (p->memory[i].form != FORM_ANY)
            continue;
        const_dnnl_memory_desc_t md =
            p->memory[i].arg & ARG_ATTR_POST_OP_DW
                ? dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, p->memory[i].arg)
                : dnnl_primitive_desc_query_md(pd, library_query_of(p->memory[i].arg), 0);
        size_t size = 0;
        if (dnnl_memory_desc_get_blob(NULL, &size, (dnnl_memory_desc_t)(uintptr_t)md) !=
            dnnl_success)
            bug("a descriptor of oneDNN cannot be serialised");
        void *blob = arena_alloc(arena, size);
        dnnl_memory_desc_get_blob(blob, &size, (dnnl_memory_desc_t)(uintptr_t)md);
        blank_padding(blob, size, md);
        const Layout plain = layout_plain(p->memory[i].rank), nxc = layout_nxc(p->memory[i].rank);
        choices[i] = (DnnlChoice){.bytes = dnnl_memory_desc_get_size(md),
                                  .blob = blob,
                                  .blob_size = size,
                                  .is_plain = is_in_order(md, &p->memory[i], &plain),
                                  .is_last = is_in_order(md, &p->memory[i], &nxc)};
        read_layout(md, &p->memory[i], &choices[i]);
    }
}

bool library_query(DnnlEngine *e, Arena *arena, DnnlPrimitive *p, DnnlChoice *choices)
{
    LibraryPrimitive made;
    const bool there = library_create((LibraryEngine *)e, p, &made);
    if (there) {
        const_dnnl_primitive_desc_t pd = made.layer.pd;
        const char *impl = "";
        dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, (void *)&impl);
        p->impl = arena_strdup(arena, impl);
        const_dnnl_memory_desc_t scratch =
            dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
        p->scratch_bytes = scratch ? dnnl_memory_desc_get_size(scratch) : 0;
        read_choices(arena, p, pd, choices);
    }
    dnnlc_end(&made.layer);
    return there;
}

bool library_pack(DnnlEngine *e, const DnnlMemory *from, const DnnlChoice *choice, void *dst)
{
    LibraryEngine *l = (LibraryEngine *)e;
    dnnl_memory_desc_t src_md = strided_desc(from, from->strides), dst_md = NULL;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t reorder = NULL;
    dnnl_memory_t src_memory = NULL, dst_memory = NULL;
    bool ok = src_md && dnnl_memory_desc_create_with_blob(&dst_md, choice->blob) == dnnl_success &&
              dnnl_reorder_primitive_desc_create(&pd, src_md, l->engine, dst_md, l->engine, NULL) ==
                  dnnl_success &&
              dnnl_primitive_create(&reorder, pd) == dnnl_success &&
              dnnl_memory_create(&src_memory, src_md, l->engine, (void *)(uintptr_t)from->data) ==
                  dnnl_success &&
              dnnl_memory_create(&dst_memory, dst_md, l->engine, dst) == dnnl_success;
    if (ok) {
        const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, src_memory}, {DNNL_ARG_TO, dst_memory}};
        ok = dnnl_primitive_execute(reorder, l->stream, 2, args) == dnnl_success &&
             dnnl_stream_wait(l->stream) == dnnl_success;
    }
    dnnl_memory_destroy(src_memory);
    dnnl_memory_destroy(dst_memory);
    dnnl_primitive_destroy(reorder);
    if (pd)
        dnnl_primitive_desc_destroy(pd);
    if (src_md)
        dnnl_memory_desc_destroy(src_md);
    if (dst_md)
        dnnl_memory_desc_destroy(dst_md);
    return ok;
}
