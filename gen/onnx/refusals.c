/* Collects refusals: the import goes on behind a node that is refused, with results of which nothing is known. */
#include "refusals.h"
#include "node.h"

/* What stands behind "BEGINNING: " in text; text itself where it begins otherwise. */
static const char *without(const char *text, const char *beginning)
{
    const size_t n = strlen(beginning);
    return n && !strncmp(text, beginning, n) && !strncmp(text + n, ": ", 2) ? text + n + 2 : text;
}

void refusals_take(Refusals *r, Diag *diag, const char *file, Refusal where)
{
    where.why = without(without(diag->message, file), where.place);
    diag->message = NULL;
    ARENA_PUSH(r->arena, r->rows, r->n, r->cap, where);
}

/* The message is for nobody: it only ends the node. */
bool onnx_meet_unknown(Import *im)
{
    Diag *diag = im->g->diag;
    im->met_unknown |= !diag->message;
    if (!diag->message)
        diag->message = "reads what a refused node would make";
    return false;
}

bool onnx_go_on(Import *im, const Import *before, OnnxNode *c)
{
    Refusals *r = im->options->refusals;
    Diag *diag = im->g->diag;
    const bool judged = !im->met_unknown;
    if (!r || im->nodes_left < 0)
        return false;
    im->met_unknown = false;
    im->depth = before->depth;
    im->branch = before->branch;
    im->in_loop = before->in_loop;
    im->takes_strings = before->takes_strings;
    if (!judged)
        diag->message = NULL;
    if (judged || !onnx_find_operator(c))
        refusals_take(r, diag, im->g->file, (Refusal){c->index, c->p->op_type, where_of(c), NULL});
    else
        ARENA_PUSH(r->arena, r->unjudged, r->n_unjudged, r->cap_unjudged, c->index);
    for (size_t k = 0; k < c->p->n_output; k++)
        if (*c->p->output[k])
            scope_define(c->scope, c->p->output[k], (Item){.kind = ITEM_UNKNOWN});
    return true;
}
