/* oneDNN: creating the primitive of a layer, of any kind: see primitives.def. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include "../../runtime-stub/dnnlc_primitives.h" /* dnnl.h */
#define $label$ sample
#define $index$ at->index
#define $create_params$ struct dnnlc_setup *s, const void *row
#define $window$ {.strides = {1, 1}}
#define $name$ src
#define $name$_md src_md
#define $md$ {dnnl_f32, dnnl_abcd, 4, {{1, 2, 3, 4}}}
#define dnnlc_$desc$ dnnlc_operand(&l, &src_md, NULL)
#define dnnlc_$append$ dnnlc_append_sum
#define $args$(x) x
#define $arg$ &l
#define dnnlc_$function$ dnnlc_convolution
#define $operands$(x) src, src, NULL, src, x
#define $operand$ &window
#define $impl$ "jit:avx2"
#define $packed$ s->weights
#define $plan$ s->weights
#define $slot$ 0
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
//@for mds
    const struct dnnlc_md $name$_md = $md$;
//@end
//@if windowed
    const struct dnnlc_window window = $window$;
//@end
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, $index$);
//@if impl
    dnnlc_planned_for(&l, $impl$);
//@end
//@for descs
//@if depthwise
    dnnlc_packed_depthwise(&l, $packed$, $plan$);
//@else
//@if named
    dnnl_memory_desc_t $name$ = dnnlc_$desc$;
//@else
    dnnlc_$desc$;
//@end
//@end
//@end
//@for post_ops
    dnnlc_$append$($args$($arg$));
//@end
    dnnlc_$function$(&l, $operands$($operand$));
    dnnlc_finish(&l, $slot$, $scratchpad$, $scratchpad_bytes$);
}
