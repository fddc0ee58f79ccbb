/* What a graph in text says of itself. */
#include "inspect.h"

#include "../ops/ops.h"

static SurveyPort *ports_of(const Graph *g, const Port *ports, uint32_t n)
{
    SurveyPort *made = ARENA_ARRAY(g->arena, SurveyPort, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++)
        made[i] = (SurveyPort){ports[i].name, type_text(g->arena, type_of(g, ports[i].value))};
    return made;
}

void survey_graph(Graph *g, Survey *out)
{
    uint32_t row[OP_COUNT] = {0}; /* from 1 */
    *out = (Survey){.producer = "",
                    .producer_version = "",
                    .graph = g->name,
                    .inputs = ports_of(g, g->inputs, inputs_each(g)),
                    .outputs = ports_of(g, g->outputs, outputs_each(g)),
                    .n_inputs = inputs_each(g),
                    .n_outputs = outputs_each(g),
                    .n_nodes = g->n_nodes,
                    .node_operator = ARENA_ARRAY(g->arena, uint32_t, (size_t)g->n_nodes + 1)};
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        Node *n = &g->nodes[i];
        n->model_index = i;
        if (!row[n->op]) {
            ARENA_PUSH(g->arena, out->operators, out->n_operators, out->cap_operators,
                       (SurveyOperator){.domain = "", .name = op_info(n->op)->name});
            row[n->op] = (uint32_t)out->n_operators;
        }
        out->node_operator[i] = row[n->op] - 1;
        out->operators[row[n->op] - 1].nodes++;
    }
    for (uint32_t i = 0; i < g->n_values; i++)
        if (g->values[i].kind == VALUE_CONST) {
            out->parameters += type_count(&g->values[i].type);
            out->parameter_bytes += (int64_t)type_bytes(&g->values[i].type);
        }
}
