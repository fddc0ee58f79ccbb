/* The executable links what its model can reach. oneDNN is built (runtime-stub/onednn-parts) so that the linker sees by itself
 * which kinds of primitives there are; types it cannot see, so that the build file names the parts for those that are absent. */
#include "../dnnl/plan.h"
#include "emit.h"

typedef enum Part { PART_BF16, PART_INT8, PART_OTHER, PART_COUNT } Part;

static const char *const part_name[PART_COUNT] = {"bf16", "int8", "other"};

/* The lists that are cut by type, and into what: split and reorders_of in onednn-parts. */
static const struct {
    const char *kind;
    bool parts[PART_COUNT];
} lists[] = {
    {"convolution", {true, true, false}},   {"deconvolution", {true, true, false}},
    {"inner_product", {true, true, false}}, {"matmul", {true, true, false}},
    {"reorder", {true, true, true}},
};

/* f32 is always there, for constants on a CPU not planned for as for primitives inside others. */
static void add_type(bool present[PART_COUNT], DType t)
{
    switch (t) {
    case DT_F32:
        break;
    case DT_BF16:
        present[PART_BF16] = true;
        break;
    case DT_I8:
    case DT_U8:
    case DT_I32:
        present[PART_INT8] = true;
        break;
    default:
        present[PART_OTHER] = true;
    }
}

/* With those inside, which have the types of that around them, or are listed here. */
static void visit_primitive(const DnnlPrimitive *p, PrimitiveVisit *visit, void *user)
{
    if (!p)
        return;
    visit(user, p);
    if (p->winograd)
        visit_primitive(p->winograd->matmul, visit, user);
    if (p->epilogue)
        visit_primitive(p->epilogue->head, visit, user);
    for (size_t i = 0; p->attention && i < COUNT_OF(p->attention->part); i++)
        visit_primitive(p->attention->part[i], visit, user);
}

void visit_primitives(const Program *program, PrimitiveVisit *visit, void *user)
{
    for (uint32_t i = 0; i < program->n_steps; i++)
        visit_primitive(program->steps[i].dnnl, visit, user);
}

static void add_types(void *user, const DnnlPrimitive *p)
{
    for (uint32_t i = 0; i < p->n_memory; i++)
        add_type(user, p->memory[i].dtype);
}

void bind_absent_parts(const Program *program, Bindings *b)
{
    bool present[PART_COUNT] = {false};
    visit_primitives(program, add_types, present);
    for (size_t i = 0; i < COUNT_OF(lists); i++)
        for (int part = 0; part < PART_COUNT; part++)
            if (lists[i].parts[part] && !present[part])
                bind(bind_row(b, "absent"), "part", "%s_%s", lists[i].kind, part_name[part]);
}
