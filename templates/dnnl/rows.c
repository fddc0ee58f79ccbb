/* oneDNN: a table of the layers that share their functions. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#pragma GCC diagnostic ignored "-Wunused-const-variable"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#define $label$ sample
#define at_$label$ at_sample
#define $member$ unsigned slot
#define $other$ size_t src
#define $row$ {0}, 0
#define $open$ {
#define $close$ },
#define $field$ src
#define $value$ 0
#define $value$$close$ 0},
//@begin
/* What differs: indices in the context, offsets in weights and workspace, sizes. */
static const struct at_$label$ {
//@for groups
    struct {
//@for members
        $member$;
//@end
    };
//@end
//@for others
    $other$;
//@end
} at_$label$[] = {
//@for rows
    /* $step$: $title$$impl$ */
//@if fits
    {$row$},
//@else
//@for items
//@if numbers
    $open${$value$}$close$
//@else
    $open$.$field$ = $value$$close$
//@end
//@end
//@end
//@end
};

