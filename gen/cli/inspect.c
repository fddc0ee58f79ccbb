/* dnnlc inspect: inputs, outputs and operators of a model. */
#include "inspect.h"

#include "../base/utf8.h"
#include "limits.h"
#include "load.h"

#include <stdio.h>

static void print_ports(const Graph *g, const char *head, const Port *ports, uint32_t n)
{
    printf("%s:\n", head);
    for (uint32_t i = 0; i < n; i++)
        printf("  %s  %s\n", utf8_one_line(g->arena, ports[i].name),
               type_text(g->arena, type_of(g, ports[i].value)));
}

bool inspect_command(Arena *arena, Diag *diag, const Options *o)
{
    char hash[65];
    Program p = {0};
    limit_memory(o);
    limit_time(o);
    const Graph *g = load_graph(arena, diag, o, hash, &p);
    if (!g)
        return false;
    print_ports(g, "inputs", g->inputs, inputs_each(g));
    print_ports(g, "outputs", g->outputs, outputs_each(g));
    return true;
}
