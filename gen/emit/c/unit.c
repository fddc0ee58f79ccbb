/* The kernel of a step of the portable C target, and the unit that calls the kernels of one region in their order. */
#include "../unit.h"
#include "../../program/guard.h"
#include "epilogue.h"
#include "helpers.h"
#include "kernel_set.h"
#include "ops.h"

#include <inttypes.h>
#include <string.h>

static EmitCFn *writer_of(const CKernel *k)
{
    return !k->node                                    ? emit_c_reorder
           : c_is_fused_group(k->g, k->step)           ? emit_c_eltwise
           : k->plan && k->plan->variant == C_sum_norm ? emit_c_sum_norm
                                                       : c_emit_node;
}

bool c_render_kernel(CKernel *k)
{
    EmitCFn *write = writer_of(k);
    if (write == c_emit_node)
        c_emit_epilogue(k);
    if (!write(k))
        return false;
    if (k->shared)
        emit_c_shared(k);
    return true;
}

void bind_c_file(Bindings *b, const EmitNames *names)
{
    bind(b, "banner", "%s", names->banner);
    bind(b, "name", "%s", names->name);
    bind(b, "internal", "\"%s_internal.h\"", names->name);
    bind(b, "kernels", "\"%s_kernels.h\"", names->name);
}

void bind_c_unit(const Program *p, uint32_t region, const EmitNames *names,
                 const KernelSet *kernels, Bindings *b)
{
    const Step *before = NULL;
    Bindings *unit = bind_row(b, "units"), *block = NULL;
    bind(unit, "unit", "%s_c_%" PRIu32, names->name, region);
    for (uint32_t i = p->unit_start[region]; i < p->unit_start[region + 1]; i++) {
        const Step *s = &p->steps[i];
        if (!block || !guard_same_block(before, s))
            block = bind_block(p, unit, s);
        bind_kernel_call(kernels, i, bind_row(block, "calls"));
        before = s;
    }
}
