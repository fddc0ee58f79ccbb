/* What each layer of a model makes, and where. SPDX-License-Identifier: Apache-2.0 */
#include "../../runtime-stub/dnnlc_dump.h"
#define $banner$
#define $runtime$ "../../runtime-stub/dnnlc_dump.h"
#define $layer$ 0
#define $section$ DNNLC_IN_WORKSPACE
#define $port$ 0
#define $offset$ 0
#define $dtype$ 1
#define $rank$ 1
#define $dims$(x) x
#define $dim$ 1
#define $strides$(x) x
#define $stride$ 1
#define $block_dim$ 0
#define $block$ 1
#define $file$ ""
#define $line$ ""
#define $head$ ""
#define $n_made$ 1
//@begin
$banner$
#include $runtime$

static const struct dnnlc_made made[] = {
//@for made
    {
        .layer = $layer$,
        .section = $section$,
        .port = $port$,
        .offset = $offset$,
        .dtype = $dtype$,
        .rank = $rank$,
        .dims = {$dims$($dim$)},
        .strides = {$strides$($stride$)},
        .block_dim = $block_dim$,
        .block = $block$,
        .file = $file$,
        .line = $line$,
    },
//@end
//@if no_made
    {0},
//@end
};

static const struct dnnlc_debug debug = {.head = $head$, .made = made, .n_made = $n_made$};

int $name$_dump_layers(struct dnnlc_session *session, const char *dir, char *why, size_t why_size);
int $name$_dump_layers(struct dnnlc_session *session, const char *dir, char *why, size_t why_size)
{
    return dnnlc_dump_layers(session, &debug, dir, why, why_size);
}
