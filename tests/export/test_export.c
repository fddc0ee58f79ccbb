/* --emit onnx, there and back: test_export [-v] FILE.ir|FILE.onnx…
 *
 * For each file, as it is and after the default passes: the graph is written as ONNX and imported again. What comes back has to compute
 * the same by the reference evaluator, and the same graph has to come back when it is written once more: what the first trip
 * spells in another way is spelled so for good. A file of ONNX, whose graph the import has made, has to come back as it was at once, but
 * for those ops that ONNX has in another form. -v says what was refused and what came back in another form.
 *
 * Besides: each op of ops.def has a row, and is in one of the files (with --all-ops); ports that show one value, or an input; the limits. */
#include "../../gen/onnx/export.h"
#include "../../gen/onnx/import.h"
#include "../../gen/ops/ops.h"
#include "../../gen/text/text_ir.h"
#include "../../passes/pass.h"
#include "../passes/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Trip {
    Arena *arena;
    const char *file, *model; /* what is read, and where it is written to */
    bool verbose;
    int refused;
    const char *why;
} Trip;

static bool seen[OP_COUNT];

static bool is_onnx(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && !strcmp(dot, ".onnx");
}

static Graph *import(const Trip *t, Diag *diag, const char *path)
{
    Text notes = text_new(t->arena);
    const char *const dims[] = {"*=3"};
    const ImportOptions options = {.dims = dims, .n_dims = 1, .notes = &notes};
    return import_onnx(t->arena, diag, path, &options);
}

static Graph *load(const Trip *t, Diag *diag)
{
    char *data;
    size_t size;
    if (is_onnx(t->file))
        return import(t, diag, t->file);
    return read_file(t->arena, t->file, &data, &size, diag)
               ? parse_text_ir(t->arena, diag, t->file, data, size)
               : NULL;
}

/* g, written and imported; NULL with t->why if that fails, or with t->refused if it cannot be written. */
static Graph *there_and_back(Trip *t, Graph *g)
{
    uint8_t *bytes;
    size_t size;
    Diag *diag = ARENA_NEW(t->arena, Diag), *own = g->diag;
    *diag = (Diag){.arena = t->arena};
    g->diag = diag;
    bool ok = export_onnx(g, t->arena, &bytes, &size);
    g->diag = own;
    if (!ok) {
        t->refused++;
        if (t->verbose)
            printf("%s: %s\n", t->file, diag->message);
        return NULL;
    }
    Graph *back =
        write_file_if_changed(t->model, bytes, size, diag) ? import(t, diag, t->model) : NULL;
    t->why = diag->message;
    return back;
}

/* --- the same graph, up to names ----------------------------------------------------------------------------------- */

typedef struct Same {
    const Graph *a, *b;
    ValueId *of; /* by value of a: the one of b */
} Same;

static bool same_operand(const Same *s, ValueId x, ValueId y)
{
    if (has_value(x) != has_value(y) || !has_value(x))
        return has_value(x) == has_value(y);
    const Value *v = value_at(s->a, x), *w = value_at(s->b, y);
    if (v->kind != w->kind || !type_equal(&v->type, &w->type))
        return false;
    return v->kind == VALUE_CONST ? !memcmp(v->data, w->data, type_bytes(&v->type))
                                  : same_value(s->of[x.i], y);
}

static bool same_attr(const Attr *a, const Attr *b)
{
    if (strcmp(a->name, b->name) || a->kind != b->kind || a->n != b->n || a->i != b->i)
        return false;
    if (a->kind == ATTR_FLOAT)
        return (float)a->f == (float)b->f;
    if (a->kind == ATTR_STRING)
        return !strcmp(a->s, b->s);
    for (size_t i = 0; i < a->n; i++)
        if (a->kind == ATTR_INTS ? a->ints[i] != b->ints[i]
                                 : (float)a->floats[i] != (float)b->floats[i])
            return false;
    return true;
}

static bool same_node(Same *s, const Node *x, const Node *y)
{
    if (x->op != y->op || x->n_in != y->n_in || x->n_attr != y->n_attr || x->n_out != y->n_out)
        return false;
    for (uint32_t k = 0; k < x->n_in; k++)
        if (!same_operand(s, x->in[k], y->in[k]))
            return false;
    for (uint32_t k = 0; k < x->n_attr; k++)
        if (!same_attr(&x->attr[k], &y->attr[k]))
            return false;
    for (uint32_t k = 0; k < x->n_out; k++)
        if (has_value(x->out[k]))
            s->of[x->out[k].i] = y->out[k];
    return true;
}

static const char *difference(const Trip *t, const Graph *a, const Graph *b)
{
    Same s = {a, b, ARENA_ARRAY(t->arena, ValueId, (size_t)a->n_values + 1)};
    if (a->n_inputs != b->n_inputs || a->n_outputs != b->n_outputs || a->n_nodes != b->n_nodes)
        return arena_printf(t->arena, "%u nodes, %u before", b->n_nodes, a->n_nodes);
    for (uint32_t i = 0; i < a->n_inputs; i++)
        s.of[a->inputs[i].value.i] = b->inputs[i].value;
    for (uint32_t i = 0; i < a->n_nodes; i++)
        if (!same_node(&s, &a->nodes[i], &b->nodes[i]))
            return arena_printf(t->arena, "node %u is another: %s, %s before", i,
                                op_info(b->nodes[i].op)->name, op_info(a->nodes[i].op)->name);
    for (uint32_t i = 0; i < a->n_outputs; i++)
        if (strcmp(a->outputs[i].name, b->outputs[i].name) ||
            !same_operand(&s, a->outputs[i].value, b->outputs[i].value))
            return arena_printf(t->arena, "output %u is another", i);
    return NULL;
}

/* What ONNX has in another form: see the column `export` of ops.def. */
static bool has_other_form(const Graph *g, const Node *n)
{
    const DType first = has_value(node_in(n, 0)) ? type_of(g, n->in[0])->dtype : DT_F32;
    switch (n->op) {
    case OP_Swish:
    case OP_MaxUnpool:
    case OP_RMSNormalization:
        return true;
    case OP_Softmax:
    case OP_LogSoftmax:
    case OP_Hardmax:
        return attr_int(n, "axis_end", 0) != attr_int(n, "axis", 0) + 1;
    case OP_Slice: /* of everything: it goes */
        return type_equal(type_of(g, n->in[0]), type_of(g, n->out[0]));
    case OP_Sum:
        return !dtype_is_float(first);
    case OP_ConvInteger: /* oneDNN has its zero point in i32 */
        return has_value(node_in(n, 2)) && type_of(g, n->in[2])->dtype != first;
    default:
        return false;
    }
}

/* The numbers of rows that depend on data are computed from shapes there, and what stands behind them is padded with pads that
 * are not known: ONNX Runtime takes that, the import does not. */
static bool has_rows(const Graph *g)
{
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->nodes[i].op == OP_NonZero || g->nodes[i].op == OP_Unique ||
            g->nodes[i].op == OP_NonMaxSuppression)
            return true;
    return false;
}

static bool any_other_form(const Graph *g)
{
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (has_other_form(g, &g->nodes[i]))
            return true;
    return false;
}

static bool fail(const Trip *t, const char *what, const char *why)
{
    fprintf(stderr, "%s: %s: %s\n", t->file, what, why);
    return false;
}

/* In bf16 and in bytes one rounding more or less shows. */
static bool check(Trip *t, Graph *g, const char *when, bool at_once)
{
    if (g->n_outputs == 0)
        return true;
    enum { EVALUATED_BYTES = 1 << 22 }; /* larger graphs are compared, not evaluated */
    int64_t bytes = 0;
    const int refused = t->refused;
    Graph *back = there_and_back(t, g);
    if (!back)
        return t->refused > refused || has_rows(g) || fail(t, when, t->why);
    for (uint32_t v = 0; v < g->n_values; v++)
        bytes += (int64_t)type_bytes(&g->values[v].type);
    const char *why = bytes > EVALUATED_BYTES ? NULL : compare_graphs(t->arena, g, back, 7, 1e-5);
    if (why && !g->diag->message) /* indices and lengths that are random may be refused */
        return fail(t, when, why);
    g->diag->message = NULL;
    why = at_once ? difference(t, g, back) : NULL;
    if (why && t->verbose)
        printf("%s: %s: %s\n", t->file, when, why);
    if (why && !any_other_form(g))
        return fail(t, when, why);
    Graph *again = there_and_back(t, back);
    why = again ? difference(t, back, again) : t->why ? t->why : "it is refused the second time";
    return !why || fail(t, when, why);
}

static bool check_file(Trip *t)
{
    Diag diag = {.arena = t->arena};
    Graph *g = load(t, &diag);
    if (!g) {
        t->refused++; /* goldens of refusals, and what needs options */
        return true;
    }
    for (uint32_t i = 0; i < g->n_nodes; i++)
        seen[g->nodes[i].op] = true;
    if (!check(t, g, "as it is", is_onnx(t->file)))
        return false;
    const PassOptions options = {.threads = 1, .int8 = true};
    Graph *after = load(t, &diag);
    if (!run_passes(after, NULL, &options, NULL, NULL, NULL, NULL, NULL))
        return true;
    return check(t, after, "after the passes", false);
}

/* --- the table, and ports ------------------------------------------------------------------------------------------- */

static int check_table(bool all)
{
    int failed = 0;
    for (int op = 0; op < OP_COUNT; op++) {
        if (all && !export_refuses((Op)op) && !seen[op]) {
            fprintf(stderr, "%s is in none of the files\n", op_info((Op)op)->name);
            failed++;
        }
    }
    return failed;
}

#define NODE(inputs, node) "graph \"g\" { input " inputs "\n %y = " node "\n output \"y\" = %y\n}"

/* A graph and what refuses it; NULL: it comes back with these ports. */
static const struct {
    const char *text, *why;
} ports[] = {
    {"graph \"g\" { input %x: f32[2]\n const %c: f32[2] = [1.0, 2.0]\n %y: f32[2] = Relu(%x)\n "
     "output "
     "\"x\" = %x\n output \"a\" = %y\n output \"b\" = %y\n output \"y\" = %c\n}",
     NULL},
    {"graph \"g\" { input %x: f32[2]\n %y: f32[2] = Relu(%x)\n output \"x\" = %y\n}",
     "output 'x' has the name of another input or output"},
    {"graph \"g\" { input %x: u8[2]\n %y: u8[2] = Clip(%x) {max=400.0, min=300.0}\n output \"y\" = "
     "%y\n}",
     "cannot be written as ONNX: bounds of 300 and 400 mean something else there"},
    {"graph \"g\" { input %x: f32[2,2]\n %y: f32[2,2] = ReduceL1(%x) {axes=[], keepdims=1}\n "
     "output \"y\" "
     "= %y\n}",
     "cannot be written as ONNX: a reduction along no axis"},
    {"graph \"g\" { input %x: f64[2]\n %y: f64[2] = Elu(%x) {alpha=0.1}\n output \"y\" = %y\n}",
     "its attribute alpha is no number in single precision"},
    {"graph \"g\" { input %x: f32[2]\n}", "the graph has no outputs, as an ONNX model must"},
    {"graph \"g\" { input %\"a\\x0ab\": f32[2]\n %y: f32[2] = Relu(%\"a\\x0ab\")\n output \"y\" = "
     "%y\n}",
     "a name holds a control character, and inputs and outputs keep theirs in ONNX"},
    {NODE("%x: f32[1]\n input %s: f32[3]", "PRelu(%x, %s)"),
     "its slope is larger than what it is applied to"},
    {NODE("%x: i8[2]", "Pad(%x) {mode=\"constant\", pads=[1,1], value=0.5}"),
     "its value 0.5 is no number of its type"},
    {NODE("%x: f32[2,0,3]", "Softmax(%x) {axis=1, axis_end=3}"), "it has no elements"},
    {NODE("%x: u8[1,1,4]\n input %w: u8[1,1,2]\n input %z: i32[]",
          "ConvInteger(%x, %w, %z) {dilations=[1], group=1, pads=[0,0], strides=[1]}"),
     "the zero point of its source is no byte"},
    {NODE(
         "%x: f32[1,1,4]",
         "AveragePool(%x) {kernel_shape=[2], strides=[1], dilations=[1], pads=[0,1], ceil_pads=[1], count_include_pad=1}"),
     "a part of its padding counts and a part does not"},
    {NODE("%x: f32[1,1,4]\n input %i: i64[1,1,4]", "MaxUnpool(%x, %i) {shape=[1,1,2]}"),
     "its output is smaller than its source, or has other channels"},
    {NODE(
         "%x: f32[4]",
         "Resize(%x) {sizes=[4], scales=floats[1.5], mode=\"linear\", coordinate_transformation_mode=\"asymmetric\"}"),
     "its scales are not those of its sizes"},
    {NODE(
         "%x: f32[1,1,8000]\n input %r: f32[1,8000,2000]",
         "LSTM(%x, _, %r) {direction=\"forward\", hidden_size=2000, activations=\"Sigmoid,Tanh,Tanh\", activation_alpha=floats[0,0,0], activation_beta=floats[0,0,0], projected=1}"),
     "its input is projected already, and the weights that say so are too large"},
    {NODE(
         "%x: f32[1,1,1]\n input %w: f32[1,4,1]\n input %r: f32[1,4,1]",
         "LSTM(%x, %w, %r) {direction=\"forward\", hidden_size=1, activations=\"Sigmoid,Tanh,Tanh\", activation_alpha=floats[0,0,0], activation_beta=floats[0,0,0], quantised_state=1}"),
     "its state is quantised before each step"},
    {NODE(
         "%x: f32[1,1]\n const %n: i32[1,5] = [7,0,0,0,0]\n const %s: f32[1] = [0]\n const %r: i32[1] = [0]\n const %w: f32[1] = [0]\n const %t: i32[1] = [0]",
         "TreeEnsemble(%x, %n, %s, %r, %w, %t) {aggregate_function=\"MIN\", n_targets=1}"),
     "a leaf without weights"},
    {NODE(
         "%x: f32[1,0]\n const %n: i32[1,5] = [7,1,0,0,0]\n const %s: f32[1] = [0]\n const %r: i32[1] = [0]\n const %w: f32[1] = [0]\n const %t: i32[1] = [0]",
         "TreeEnsemble(%x, %n, %s, %r, %w, %t) {aggregate_function=\"SUM\", n_targets=1}"),
     "trees without features"},
    {"graph \"g\" { variant \"n\" 1\n variant \"n\" 2\n input %x: f32[1]\n input %b: f32[2] name=\"x\"\n "
     "%y = Relu(%x)\n %z = Relu(%b)\n output \"y\" = %y\n output \"y\" = %z\n}",
     "two inputs are called 'x'"},
};

static bool check_ports(Trip *t, size_t i)
{
    uint8_t *bytes;
    size_t size;
    Diag diag = {.arena = t->arena};
    t->file = arena_printf(t->arena, "ports %zu", i);
    Graph *g = parse_text_ir(t->arena, &diag, t->file, ports[i].text, strlen(ports[i].text));
    if (!g)
        return fail(t, "text", diag.message);
    if (!ports[i].why)
        return check(t, g, "as it is", false) && (!t->refused || fail(t, "refused", "?"));
    if (export_onnx(g, t->arena, &bytes, &size))
        return fail(t, "written, but should be refused", ports[i].why);
    return strstr(diag.message, ports[i].why) || fail(t, "refused otherwise", diag.message);
}

static bool run(const char *file, const char *model, bool verbose, size_t port, int *refused)
{
    Trip t = {.arena = arena_new(), .file = file, .model = model, .verbose = verbose};
    const bool good = file ? check_file(&t) : check_ports(&t, port);
    *refused += t.refused > 0;
    arena_free(t.arena);
    return good;
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/dnnlc-export-XXXXXX";
    bool verbose = false, all = false;
    int passed = 0, failed = 0, refused = 0;
    if (!mkdtemp(folder))
        return 1;
    char model[sizeof folder + 16];
    snprintf(model, sizeof model, "%s/model.onnx", folder);
    for (size_t i = 0; i < COUNT_OF(ports); i++)
        run(NULL, model, verbose, i, &refused) ? passed++ : failed++;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-v"))
            verbose = true;
        else if (!strcmp(argv[i], "--all-ops"))
            all = true;
        else
            run(argv[i], model, verbose, 0, &refused) ? passed++ : failed++;
    }
    failed += check_table(all);
    remove(model);
    remove(folder);
    if (verbose)
        printf("%d files have something that is refused\n", refused);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
