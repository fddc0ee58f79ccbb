/* oneDNN: group norm (GroupNormalization, InstanceNormalization). Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include "../../runtime-stub/dnnlc_onednn.h" /* dnnl.h */
#define $label$ sample
#define $index$ 0
#define $memory$ dnnlc_memory(&l, 0, dst, NULL)
#define $declare$ (void)0
#define $desc$ dnnlc_desc(&l, dnnl_f32, dnnl_abcd, 4, (const dnnl_dims_t){1, 2, 3, 4})
#define $append$ dnnlc_append_sum(&l)
#define $alpha$ 1.0f
#define $size$ 1
#define $flags$ 0
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
        dnnlc_check(&l, dnnl_group_normalization_forward_primitive_desc_create(
                        &l.pd, s->engine, dnnl_forward_inference, src, dst, $size$, $alpha$, $flags$, attr));
    dnnlc_create(&l);
//@for memories
    $memory$;
//@end
    dnnlc_end(&l);
}
