/* oneDNN: convolution (Conv), also with a depthwise one as post-op. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include "../../runtime-stub/dnnlc_onednn.h" /* dnnl.h */
#define $label$ sample
#define $index$ 0
#define $strides$ 1, 1
#define $dilates$ 0, 0
#define $pad_l$ 0, 0
#define $pad_r$ 0, 0
#define $memory$ dnnlc_memory(&l, 0, dst, NULL)
#define $declare$ (void)0
#define $desc$ dnnlc_desc(&l, dnnl_f32, dnnl_abcd, 4, (const dnnl_dims_t){1, 2, 3, 4})
#define $append$ dnnlc_append_sum(&l)
#define $bias$ NULL
#define $result$ dst
#define $name$ src
static dnnl_memory_desc_t weights;
static dnnl_memory_desc_t dst;
//@begin
DNNLC_SETUP void create_$label$(struct dnnlc_setup *s)
{
    struct dnnlc_layer l;
    const dnnl_dims_t strides = {$strides$}, dilates = {$dilates$};
    const dnnl_dims_t padding_l = {$pad_l$}, padding_r = {$pad_r$};
    dnnlc_begin(&l, s, $index$);
    //@for descs
    $declare$;
    dnnl_memory_desc_t $name$ = $desc$;
    //@end
    //@for post_ops
    $append$;
    //@end
    dnnl_primitive_attr_t attr = dnnlc_attr(&l);
    dnnl_status_t status;
    do
        status = dnnl_convolution_forward_primitive_desc_create(
            &l.pd, s->engine, dnnl_forward_inference, dnnl_convolution_direct, src, weights, $bias$,
            $result$, strides, dilates, padding_l, padding_r, attr);
    while (!dnnlc_settled(&l, &weights, status));
    dnnlc_create(&l);
    //@for memories
    $memory$;
    //@end
    dnnlc_end(&l);
}
