/* oneDNN: reduction (ReduceMax, ReduceMean, ReduceMin, ReduceSum). Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include "../../runtime-stub/dnnlc_onednn.h" /* dnnl.h */
#define $label$ sample
#define $index$ 0
#define $memory$ dnnlc_memory(&l, 0, dst, NULL)
#define $declare$ (void)0
#define $desc$ dnnlc_desc(&l, dnnl_f32, dnnl_abcd, 4, (const dnnl_dims_t){1, 2, 3, 4})
#define $append$ dnnlc_append_sum(&l)
#define $alg$ dnnl_reduction_sum
#define $name$ src
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
//@for post_ops
    $append$;
//@end
    dnnl_primitive_attr_t attr = dnnlc_attr(&l);
    if (dnnlc_ok(&l))
        dnnlc_check(&l, dnnl_reduction_primitive_desc_create(&l.pd, s->engine, $alg$, src, dst, 0.0f, 0.0f, attr));
    dnnlc_create(&l);
//@for memories
    $memory$;
//@end
    dnnlc_end(&l);
}
