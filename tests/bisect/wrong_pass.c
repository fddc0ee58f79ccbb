/* A compiler with a pass that is wrong: the linker puts this one in the place of fold-scale-axis (--wrap), and WRONG_PASS in the environment says what it
 * does. SPDX-License-Identifier: Apache-2.0
 *
 *   values    multiplies the weights of the third convolution by 1.01
 *   nan       makes one of them no number
 *   crash     reads where nothing is
 *   bug       finds a mistake of the compiler's own
 *   refuse    refuses the model
 *   escape    leaves a graph that the checker refuses
 *   forever   does not end
 *   nothing   is as it ought to be
 *   alone     the same, but there is no other process
 */
#include "../../passes/pass.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool __real_pass_fold_scale_axis(Graph *g, const PassOptions *options, const char **report);
bool __wrap_pass_fold_scale_axis(Graph *g, const PassOptions *options, const char **report);

pid_t __real_fork(void);
pid_t __wrap_fork(void);

/* The constant that the third convolution has as its weights. */
static Value *third_weights(Graph *g)
{
    int seen = 0;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->nodes[i].op == OP_Conv && ++seen == 3)
            return value_at(g, g->nodes[i].in[1]);
    abort();
}

static void scale(Graph *g, double factor, int64_t n)
{
    Value *weights = third_weights(g);
    char *data = arena_copy(g->arena, weights->data, type_bytes(&weights->type));
    for (int64_t i = 0; i < n; i++)
        elem_set_f64(weights->type.dtype, data, (size_t)i,
                     factor * elem_f64(weights->type.dtype, data, (size_t)i));
    weights->data = data;
}

pid_t __wrap_fork(void)
{
    const char *how = getenv("WRONG_PASS");
    if (!how || strcmp(how, "alone") != 0)
        return __real_fork();
    errno = EAGAIN;
    return -1;
}

bool __wrap_pass_fold_scale_axis(Graph *g, const PassOptions *options, const char **report)
{
    const char *how = getenv("WRONG_PASS");
    if (!how)
        abort();
    const bool done = __real_pass_fold_scale_axis(g, options, report);
    if (!strcmp(how, "values"))
        scale(g, 1.01, type_count(&third_weights(g)->type));
    else if (!strcmp(how, "nan"))
        scale(g, NAN, 1);
    else if (!strcmp(how, "crash"))
        *(volatile char *)getenv("NO_SUCH_NAME") = 0;
    else if (!strcmp(how, "bug"))
        bug("wrong on purpose");
    else if (!strcmp(how, "refuse"))
        return refuse_graph(g, "it is refused on purpose");
    else if (!strcmp(how, "escape"))
        g->nodes[0].in[0] = (ValueId){g->n_values - 1};
    else if (!strcmp(how, "forever"))
        for (volatile int i = 0; i >= 0;)
            ;
    return done;
}
