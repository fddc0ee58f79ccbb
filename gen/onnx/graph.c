/* Walks the nodes of a body: looks names up, finds the op's row, calls its normaliser, binds what it made. Calls of
 * model-local functions are imported in place. */
#include "node.h"
#include "wire.h"

enum { MAX_CALLS = 64 }; /* nesting of graphs and calls */

static bool same_domain(const char *a, const char *b)
{
    a = strcmp(a, "ai.onnx") ? a : "";
    b = strcmp(b, "ai.onnx") ? b : "";
    return !strcmp(a, b);
}

/* The opset of a domain as the body's model or function imports it; 0 if it does not. */
static int64_t opset_of(const Frame *f, const char *domain)
{
    for (size_t i = 0; i < f->n_opsets; i++)
        if (same_domain(f->opsets[i]->domain, domain))
            return f->opsets[i]->version;
    return 0;
}

static bool gather_inputs(OnnxNode *c)
{
    const Onnx__NodeProto *p = c->p;
    size_t n = p->n_input;
    while (n && !*p->input[n - 1])
        n--;
    if (n > UINT16_MAX || p->n_output > UINT16_MAX)
        return refuse_onnx(c, "has too many inputs or outputs");
    c->n_in = (uint32_t)n;
    c->n_out = (uint32_t)p->n_output;
    c->in = ARENA_ARRAY(c->arena, Item, n + 1);
    c->out = ARENA_ARRAY(c->arena, Item, p->n_output + 1);
    for (uint32_t k = 0; k < c->n_in; k++)
        if (*p->input[k] && !onnx_lookup(c->im, c->scope, p->input[k], &c->in[k]) && ok(c))
            refuse_onnx(c, "input %u '%s' is not defined", k, p->input[k]);
    return ok(c);
}

static bool bind_outputs(OnnxNode *c)
{
    for (uint32_t k = 0; k < c->n_out; k++) {
        if (!wants(c, k))
            continue;
        if (c->out[k].kind == ITEM_ABSENT)
            return refuse_onnx(c, "output %u '%s' is not supported", k, c->p->output[k]);
        if (!scope_define(c->scope, c->p->output[k], c->out[k]))
            return refuse_onnx(c, "output %u '%s' is already defined", k, c->p->output[k]);
    }
    return true;
}

static const Onnx__FunctionProto *find_function(const OnnxNode *c)
{
    const Onnx__ModelProto *m = c->im->model;
    for (size_t i = 0; i < m->n_functions; i++)
        if (!strcmp(m->functions[i]->name, c->p->op_type) &&
            same_domain(m->functions[i]->domain, c->p->domain))
            return m->functions[i];
    return NULL;
}

bool onnx_find_operator(OnnxNode *c)
{
    const char *domain = c->p->domain;
    if (find_function(c))
        return true;
    c->opset = opset_of(c->frame, domain);
    if (c->opset == 0 && same_domain(domain, ""))
        c->opset = 1; /* as old exporters mean it */
    c->row = onnx_row(domain, c->p->op_type, c->opset);
    if (!c->row)
        return refuse_onnx(c, "dnnlc does not know this operator of domain '%s', opset %lld",
                           *domain ? domain : "ai.onnx", (long long)c->opset);
    if (!c->row->normalise)
        return refuse_onnx(c, "is not supported: %s", c->row->why);
    return true;
}

static bool normalise(OnnxNode *c)
{
    if (!onnx_find_operator(c))
        return false;
    if (c->im->dependent_rows && !check_dependent_rows(c))
        return false;
    if (c->row->inputs.most && !need_inputs(c, c->row->inputs.least, c->row->inputs.most))
        return false;
    return c->row->normalise(c);
}

/* Nodes that are imported, and what an entry into a body costs besides: a loop enters it again and again. */
static bool charge(Import *im, size_t n)
{
    im->nodes_left -= (int64_t)n;
    return im->nodes_left >= 0 ||
           refuse_graph(im->g,
                        "the model has too many nodes once its functions and loops are expanded");
}

static OnnxNode node_of(Import *im, const Frame *frame, Scope *scope, const Onnx__NodeProto *p,
                        uint32_t index)
{
    return (OnnxNode){.im = im,
                      .g = im->g,
                      .arena = im->g->arena,
                      .p = p,
                      .frame = frame,
                      .scope = scope,
                      .index = index};
}

bool onnx_import_node(Import *im, const Frame *frame, Scope *scope, const Onnx__NodeProto *p,
                      uint32_t index)
{
    OnnxNode c = node_of(im, frame, scope, p, index);
    bool called = false;
    if (!charge(im, 1) || !gather_inputs(&c) || !onnx_call(&c, &called))
        return false;
    if (!called && !normalise(&c))
        return false;
    return ok(&c) && bind_outputs(&c);
}

/* Or goes on behind it, with what it makes unknown. */
static bool import_or_note(Import *im, const Frame *frame, Scope *scope, const Onnx__NodeProto *p,
                           uint32_t index)
{
    const Import before = *im;
    OnnxNode c = node_of(im, frame, scope, p, index);
    im->met_unknown = false;
    return onnx_import_node(im, frame, scope, p, index) || onnx_go_on(im, &before, &c);
}

bool onnx_body(Import *im, const Frame *frame, Scope *scope, Onnx__NodeProto *const *nodes,
               size_t n, const char *const *wanted, size_t n_wanted, uint32_t index)
{
    uint32_t *order;
    size_t n_order;
    if (++im->depth > MAX_CALLS) /* not undone after a failure: nothing goes on then */
        return refuse_graph(im->g, "graphs and functions are nested too deep");
    if (!onnx_order(im, nodes, n, wanted, n_wanted, &order, &n_order) || !charge(im, n - n_order))
        return false;
    for (size_t i = 0; i < n_order; i++)
        if (!(index == UINT32_MAX ? import_or_note(im, frame, scope, nodes[order[i]], order[i])
                                  : onnx_import_node(im, frame, scope, nodes[order[i]], index)))
            return false;
    im->depth--;
    return true;
}

bool onnx_subgraph(OnnxNode *c, const Onnx__GraphProto *graph, const Item *inputs, size_t n_inputs,
                   Item *outputs)
{
    Scope *scope = scope_new(c->arena, c->scope);
    const char **wanted = ARENA_ARRAY(c->arena, const char *, graph->n_output + 1);
    if (graph->n_input != n_inputs)
        return refuse_onnx(c, "its graph has %zu inputs, %zu are given", graph->n_input, n_inputs);
    if (!charge(c->im, graph->n_initializer + graph->n_sparse_initializer))
        return false;
    scope_define_tensors(scope, graph);
    for (size_t i = 0; i < n_inputs; i++)
        if (!scope_define(scope, graph->input[i]->name, inputs[i]))
            return refuse_onnx(c, "its graph defines '%s' twice", graph->input[i]->name);
    for (size_t i = 0; i < graph->n_output; i++)
        wanted[i] = graph->output[i]->name;
    if (!onnx_body(c->im, c->frame, scope, graph->node, graph->n_node, wanted, graph->n_output,
                   c->index))
        return false;
    for (size_t i = 0; i < graph->n_output; i++)
        if (!onnx_lookup(c->im, scope, wanted[i], &outputs[i]))
            return failed(c) ? false
                             : refuse_onnx(c, "its graph's output '%s' is not defined", wanted[i]);
    return ok(c);
}

/* Field 11, attribute_proto, is younger than the onnx.proto this is built with: attributes with a default value. */
static bool read_defaults(OnnxNode *c, const Onnx__FunctionProto *f, Frame *frame)
{
    enum { ATTRIBUTE_PROTO = 11 };
    frame->defaults = ARENA_ARRAY(c->arena, Onnx__AttributeProto *, f->base.n_unknown_fields + 1);
    for (unsigned i = 0; i < f->base.n_unknown_fields; i++) {
        const ProtobufCMessageUnknownField *u = &f->base.unknown_fields[i];
        const ProtobufCMessageDescriptor *type = &onnx__attribute_proto__descriptor;
        const char *why;
        if (u->tag != ATTRIBUTE_PROTO || u->wire_type != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED)
            continue;
        size_t skip = 0; /* the stored bytes begin with the length */
        while (skip < u->len && (u->data[skip] & 128))
            skip++;
        skip += skip < u->len;
        if (!wire_check(type, u->data + skip, u->len - skip, &why))
            return refuse_onnx(c, "a default of its function is malformed: %s", why);
        frame->defaults[frame->n_defaults++] =
            (Onnx__AttributeProto *)wire_unpack(c->arena, type, u->data + skip, u->len - skip);
    }
    return true;
}

static bool check_call(OnnxNode *c, const Onnx__FunctionProto *f)
{
    for (const Frame *up = c->frame; up; up = up->up)
        if (up->function == f)
            return refuse_onnx(c, "function '%s' calls itself", f->name);
    if (c->n_in > f->n_input || c->n_out > f->n_output)
        return refuse_onnx(c, "has %u inputs and %u outputs, function '%s' has %zu and %zu",
                           c->n_in, c->n_out, f->name, f->n_input, f->n_output);
    return true;
}

bool onnx_call(OnnxNode *c, bool *called)
{
    const Onnx__FunctionProto *f = find_function(c);
    *called = f != NULL;
    if (!f)
        return true;
    Frame frame = {.up = c->frame,
                   .function = f,
                   .call = c->p,
                   .opsets = f->n_opset_import ? f->opset_import : c->frame->opsets,
                   .n_opsets = f->n_opset_import ? f->n_opset_import : c->frame->n_opsets};
    Scope *scope = scope_new(c->arena, NULL);
    if (!check_call(c, f) || !read_defaults(c, f, &frame))
        return false;
    for (size_t i = 0; i < f->n_input; i++)
        if (!scope_define(scope, f->input[i], i < c->n_in ? c->in[i] : (Item){0}))
            return refuse_onnx(c, "function '%s' has two inputs '%s'", f->name, f->input[i]);
    if (!onnx_body(c->im, &frame, scope, f->node, f->n_node, (const char *const *)f->output,
                   f->n_output, c->index))
        return false;
    for (uint32_t k = 0; k < c->n_out; k++)
        if (wants(c, k) && !onnx_lookup(c->im, scope, f->output[k], &c->out[k]))
            return failed(c) ? false
                             : refuse_onnx(c, "function '%s' does not make its output '%s'",
                                           f->name, f->output[k]);
    return true;
}
