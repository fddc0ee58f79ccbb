/* oneDNN: a table of the layers that share their functions. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#pragma GCC diagnostic ignored "-Wunused-const-variable"
#define $label$ sample
#define at_$label$ at_sample
#define $indices$(x) x
#define $offsets$(x) x
#define $values$(x) x, x
#define $member$ slot
#define $offset$ src
#define $value$ 0
//@begin
/* What differs: indices in the context, offsets in weights and workspace. */
static const struct at_$label$ {
//@if indices
    unsigned $indices$($member$);
//@end
//@if offsets
    size_t $offsets$($offset$);
//@end
} at_$label$[] = {
//@for rows
    /* $step$: $title$ */
    {$values$($value$)},
//@end
};

