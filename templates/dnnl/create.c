/* oneDNN: creating the primitive of a layer, of any kind: see kinds.def. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include "../../runtime-stub/dnnlc_primitives.h" /* dnnl.h */
#define $label$ sample
#define $index$ at->index
#define $create_params$ struct dnnlc_setup *s, const void *row
#define $window$ .strides = {1, 1}
#define $declare$ const dnnl_dims_t src_dims = {1, 2, 3, 4}
#define $name$ src
#define $desc$ dnnlc_desc(&l, dnnl_f32, dnnl_abcd, 4, src_dims)
#define $append$ dnnlc_append_sum(&l)
#define $call$ dnnlc_convolution(&l, src, src, NULL, src, &window)
#define $memory$ dnnlc_memory(&l, 0, src, NULL)
struct at_$label$ {
    unsigned index;
};
//@begin
DNNLC_SETUP void create_$label$($create_params$)
{
//@if has_row
    const struct at_$label$ *at = row;
//@end
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, $index$);
//@for descs
    $declare$;
    dnnl_memory_desc_t $name$ = $desc$;
//@end
//@for post_ops
    $append$;
//@end
//@if windowed
    const struct dnnlc_window window = {$window$};
//@end
    $call$;
//@for memories
    $memory$;
//@end
    dnnlc_end(&l);
}
