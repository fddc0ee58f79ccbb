/* oneDNN: creating the primitive of a layer, of any kind: see primitives.def. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include "../../runtime-stub/dnnlc_primitives.h" /* dnnl.h */
#define $label$ sample
#define $index$ at->index
#define $create_params$ struct dnnlc_setup *s, const void *row
#define $window$ .strides = {1, 1}
#define $name$ src
#define $name$_dims src_dims
#define $dims$ 1, 2, 3, 4
#define $name$_strides src_strides
#define $strides$ 24, 12, 4, 1
#define $name$_plan src_plan
#define $plan$ s->weights
#define dnnlc_$desc$ src_plan ? dnnlc_desc_strided(&l, dnnl_f32, 4, src_dims, src_strides) : NULL
#define dnnlc_$append$ dnnlc_append_sum
#define $args$(x) x
#define $arg$ &l
#define dnnlc_$function$ dnnlc_convolution
#define $operands$(x) src, src, NULL, src, x
#define $operand$ &window
#define $slot$ 0
#define $address$ NULL
#define dnnlc_$packed$ dnnlc_weights
#define $scratchpad_slot$ 1
#define $scratchpad$ s->workspace
#define $scratchpad_bytes$ 64
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
    const dnnl_dims_t $name$_dims = {$dims$};
//@if strides
    const dnnl_dims_t $name$_strides = {$strides$};
//@end
//@if plan
    const unsigned char *$name$_plan = $plan$;
//@end
    dnnl_memory_desc_t $name$ = dnnlc_$desc$;
//@end
//@for post_ops
    dnnlc_$append$($args$($arg$));
//@end
//@if windowed
    const struct dnnlc_window window = {$window$};
//@end
    dnnlc_$function$(&l, $operands$($operand$));
//@for memories
//@if packed
    dnnlc_$packed$(&l, $slot$, $address$, $plan$);
//@else
    dnnlc_memory(&l, $slot$, $name$, $address$);
//@end
//@end
    dnnlc_scratchpad(&l, $scratchpad_slot$, $scratchpad$, $scratchpad_bytes$);
    dnnlc_end(&l);
}
