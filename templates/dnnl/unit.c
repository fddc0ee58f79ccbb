/* oneDNN: creating the layers of a unit, and running them one after the other. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include "../../runtime-stub/dnnlc_onednn.h" /* dnnl.h */
#define $more$
#define $row$ 0
#define create_$label$$more$ NULL
#define create_$label$ NULL
#define at_$label$ (&(int){0})
#define $slot$ 0
#define $handle$ NULL
#define $condition$ m
#define $kernel$ sample_kernel
#define $args$(x) x
#define $arg$ ctx->memory[0]
#define run_$label$ sample_run
#define $index$ 0
#define $threads$ 1
typedef struct $name$_context {
    int threads;
    dnnl_memory_t memory[1];
} $name$_context;
struct $name$_memory;
void $name$_trace(const struct $name$_memory *m, unsigned layer);
void omp_set_num_threads(int n);
void sample_kernel(dnnl_memory_t src0);
dnnl_status_t sample_run(dnnl_memory_t src0);
unsigned $name$_ran($name$_context *ctx, const struct $name$_memory *m, unsigned layer, unsigned status);
//@begin
//@if creators

static const struct dnnlc_creator $unit$_creators[] = {
//@for creators
//@if has_row
    {.create_row = create_$label$, .row = &at_$label$[$row$]$more$},
//@else
    {.create = create_$label$$more$},
//@end
//@end
};
//@end

struct dnnlc_layers $unit$_layers(void)
{
//@if creators
    return (struct dnnlc_layers){
        $unit$_creators,
        sizeof $unit$_creators / sizeof *$unit$_creators,
    };
//@else
    return (struct dnnlc_layers){NULL, 0};
//@end
}

unsigned $unit$_run($name$_context *ctx, const struct $name$_memory *m)
{
//@for handles
    dnnl_memory_set_data_handle(ctx->memory[$slot$], $handle$);
//@end
//@for blocks
//@if threads
    omp_set_num_threads($threads$);
//@end
//@nest guards
    if ($condition$) {
//@for calls
//@if is_kernel
        /* $label$: $title$ */
        $kernel$($args$($arg$));
        $name$_trace(m, $index$);
//@else
        DNNLC_TRY($name$_ran(ctx, m, $index$, run_$label$($args$($arg$))));
//@end
//@end
    }
//@end
//@end
//@if restores
    omp_set_num_threads(ctx->threads);
//@end
    return dnnl_success;
}
