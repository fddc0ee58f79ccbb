/* The kernel of a step of the portable C target, and the unit that calls the kernels of one region in their order. */
#include "../unit.h"
#include "../../program/guard.h"
#include "bytes.h"
#include "copy.h"
#include "epilogue.h"
#include "helpers.h"
#include "kernel_set.h"
#include "ops.h"

#include <inttypes.h>
#include <string.h>

static EmitCFn *writer_of(const CKernel *k)
{
    return !k->node                                    ? emit_c_copy
           : c_is_fused_group(k->g, k->step)           ? emit_c_eltwise
           : k->plan && k->plan->variant == C_sum_norm ? emit_c_sum_norm
                                                       : c_emit_node;
}

void c_render_kernel(CKernel *k)
{
    EmitCFn *write = writer_of(k);
    if (write == c_emit_node && !c_is_byte_result(k))
        c_emit_epilogue(k);
    write(k);
    if (k->shared)
        emit_c_shared(k);
}

void bind_c_file(Bindings *b, const EmitNames *names)
{
    bind(b, "banner", "%s", names->banner);
    bind(b, "name", "%s", names->name);
    bind(b, "internal", "\"%s_internal.h\"", names->name);
    bind(b, "kernels", "\"%s_kernels.h\"", names->name);
}

typedef struct Loop {
    uint32_t period, times; /* steps in a turn; turns */
} Loop;

/* How often the `period` steps from `first` on repeat before `end`. */
static uint32_t count_turns(const KernelSet *kernels, uint32_t first, uint32_t period, uint32_t end)
{
    for (uint32_t times = 1;; times++)
        for (uint32_t i = first; i < first + period; i++)
            if (i + period * times >= end || !kernel_call_repeats(kernels, i, period, times))
                return times;
}

/* The loop from step `first` on that has the most steps: unrolled steps of a recurrence, levels of a tree. Fewer turns than LEAST are
 * easier to read one after the other. */
static Loop find_loop(const KernelSet *kernels, uint32_t first, uint32_t end)
{
    enum { LONGEST = 64, LEAST = 4 };
    Loop best = {0, 1};
    for (uint32_t period = 1; period <= LONGEST && first + period * LEAST <= end; period++) {
        const uint32_t times = count_turns(kernels, first, period, end);
        if (times >= LEAST && times * period > best.times * best.period)
            best = (Loop){period, times};
    }
    return best;
}

static void bind_loop(const Program *p, const KernelSet *kernels, uint32_t first, Loop loop,
                      Places *places, Bindings *unit)
{
    Bindings *block = bind_block(p, unit, &p->steps[first]), *about = bind_row(block, "about");
    bind_int(bind_row(block, "loops"), "times", loop.times);
    bind_int(about, "from", first);
    bind_int(about, "to", first + loop.period * loop.times - 1);
    bind_int(about, "period", loop.period);
    for (uint32_t i = 0; i < loop.period; i++)
        bind_kernel_call(kernels, first + i, loop.period, places, bind_row(block, "calls"));
}

void bind_c_unit(const Program *p, uint32_t region, const EmitNames *names,
                 const KernelSet *kernels, Places *places, Bindings *b)
{
    const uint32_t end = p->unit_start[region + 1];
    const Step *before = NULL;
    Bindings *unit = bind_row(b, "units"), *block = NULL;
    bind(unit, "unit", "%s_c_%" PRIu32, names->name, region);
    for (uint32_t i = p->unit_start[region]; i < end;) {
        const Step *s = &p->steps[i];
        const Loop loop = find_loop(kernels, i, end);
        if (loop.period) {
            bind_loop(p, kernels, i, loop, places, unit);
            block = NULL;
        } else if (!block || !guard_same_block(before, s))
            block = bind_block(p, unit, s);
        if (!loop.period)
            bind_kernel_call(kernels, i, 0, places, bind_row(block, "calls"));
        before = s;
        i += loop.period ? loop.period * loop.times : 1;
    }
}
