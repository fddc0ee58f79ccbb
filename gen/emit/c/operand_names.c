/* What the parameters of a kernel are called: as ops.def calls the operands of the operator that reads them. */
#include "../../ops/ops.h"
#include "helpers.h"
#include "places.h"

#include <string.h>

static bool is_made_within(const CKernel *k, ValueId v)
{
    for (uint32_t j = 0; j < k->step->n_nodes; j++) {
        const Node *n = node_at(k->g, k->step->nodes[j]);
        for (uint32_t o = 0; o < n->n_out; o++)
            if (same_value(n->out[o], v))
                return true;
    }
    return false;
}

/* What operand i of a node in a group is called. Where operands can be exchanged, the one that comes from outside is what is added, the
 * factor, … . */
static const char *name_in_group(const CKernel *k, const Node *n, uint32_t i)
{
    const bool exchange = i == 0 && n->n_in == 2 &&
                          op_has(n->op, TRAIT_COMMUTES | TRAIT_NEARLY_COMMUTES) &&
                          is_made_within(k, n->in[1]);
    return op_input_name(k->arena, n->op, exchange ? 1 : i);
}

/* After the first node that reads the value, not counting `but`. */
static const char *name_by_reader(const CKernel *k, ValueId v, const Node *but)
{
    for (uint32_t j = 0; j < k->step->n_nodes; j++) {
        const Node *n = node_at(k->g, k->step->nodes[j]);
        for (uint32_t i = 0; i < n->n_in && n != but; i++)
            if (same_value(n->in[i], v))
                return name_in_group(k, n, i);
    }
    return "src";
}

static const char *input_name(const CKernel *k, uint32_t i)
{
    const Step *s = k->step;
    if (!k->node)
        return "src";
    if (s->n_nodes == 1)
        return op_input_name(k->arena, k->node->op, i);
    if (k->plan && k->plan->epilogue.n && i >= k->node->n_in)
        return name_by_reader(k, k->plan->epilogue.operand[i - k->node->n_in].value, k->node);
    if (!c_is_fused_group(k->g, s) && k->plan->variant != C_sum_norm)
        return op_input_name(k->arena, k->node->op, i);
    const Composite *c = composite_of(k->g, s->node);
    return name_by_reader(k, c ? c->args[i] : k->program->buffers[s->in[i]].value, NULL);
}

static bool is_taken(const CKernel *k, const char *name, uint32_t inputs, uint32_t outputs)
{
    for (uint32_t i = 0; i < inputs; i++)
        if (k->step->in[i] != NO_BUFFER && !strcmp(k->input[i], name))
            return true;
    for (uint32_t o = 0; o < outputs; o++)
        if (k->step->out[o] != NO_BUFFER && !strcmp(k->output[o], name))
            return true;
    return false;
}

/* The name, or with a number behind it if the parameters before have it. */
static const char *free_name(const CKernel *k, const char *name, uint32_t inputs, uint32_t outputs)
{
    const char *tried = name;
    for (unsigned again = 2; is_taken(k, tried, inputs, outputs); again++)
        tried = arena_printf(k->arena, "%s%u", name, again);
    return tried;
}

size_t c_operand_names(const CKernel *k, const char **names)
{
    const Step *s = k->step;
    size_t n = 0;
    for (uint32_t i = 0; i < s->n_in; i++)
        if (s->in[i] != NO_BUFFER)
            names[n++] = k->input[i];
    for (uint32_t o = 0; o < s->n_out; o++)
        if (s->out[o] != NO_BUFFER)
            names[n++] = k->output[o];
    return n;
}

void c_name_operands(CKernel *k)
{
    const Step *s = k->step;
    k->input = ARENA_ARRAY(k->arena, const char *, s->n_in + 1);
    k->output = ARENA_ARRAY(k->arena, const char *, s->n_out + 1);
    for (uint32_t i = 0; i < s->n_in; i++)
        if (s->in[i] != NO_BUFFER)
            k->input[i] = free_name(k, input_name(k, i), i, 0);
    for (uint32_t o = 0; o < s->n_out; o++)
        if (s->out[o] != NO_BUFFER)
            k->output[o] = free_name(k, step_output_name(k->program, s, o), s->n_in, o);
}
