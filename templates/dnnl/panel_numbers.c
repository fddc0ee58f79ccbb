/* Products by panels of weights: the numbers of one product. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#pragma GCC diagnostic ignored "-Wunused-const-variable"
#define $label$ sample
#define panel_$label$ panel_sample
#define $multiply$ NULL
#define $field$ rows
#define $value$ 49
#define $pairs$ 1
#define $beside$ 1
struct panel {
    void (*multiply)(const struct panel *p);
    int rows, beside, pairs;
};
//@begin
static const struct panel panel_$label$ = {
    .multiply = $multiply$,
//@for fields
    .$field$ = $value$,
//@end
//@if beside
    .beside = $beside$,
//@end
//@if pairs
    .pairs = $pairs$,
//@end
};
