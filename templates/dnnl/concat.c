/* oneDNN: concat (Concat). Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include "../../runtime-stub/dnnlc_onednn.h" /* dnnl.h */
#define $label$ sample
#define $index$ 0
#define $memory$ dnnlc_memory(&l, 0, dst, NULL)
#define $declare$ (void)0
#define $desc$ dnnlc_desc(&l, dnnl_f32, dnnl_abcd, 4, (const dnnl_dims_t){1, 2, 3, 4})
#define $srcs$ src_0, src_1
#define $n_src$ 2
#define $append$ dnnlc_append_sum(&l)
#define $axis$ 1
#define $name$ src_0
static dnnl_memory_desc_t src_1;
static dnnl_memory_desc_t dst;
//@begin
DNNLC_SETUP void create_$label$(struct dnnlc_setup *s)
{
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, $index$);
//@for descs
    $declare$;
    dnnl_memory_desc_t $name$ = $desc$;
//@end
    const const_dnnl_memory_desc_t srcs[] = {$srcs$};
//@for post_ops
    $append$;
//@end
    dnnl_primitive_attr_t attr = dnnlc_attr(&l);
    if (dnnlc_ok(&l))
        dnnlc_check(&l, dnnl_concat_primitive_desc_create(&l.pd, s->engine, dst, $n_src$, $axis$, srcs, attr));
    dnnlc_create(&l);
//@for memories
    $memory$;
//@end
    dnnlc_end(&l);
}
