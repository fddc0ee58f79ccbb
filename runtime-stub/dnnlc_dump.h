/* --dump-layers: what each layer makes, as files. In folders compiled with --debug only.
 *
 * The emitted NAME_debug.c has the table of what is made where and in which layout, and what is said of it in JSON. */
#ifndef DNNLC_RUNTIME_DUMP_H
#define DNNLC_RUNTIME_DUMP_H

#include "dnnlc_session.h"

/* Where it stands: `offset` bytes behind the start of the workspace, of an input or of an output. */
enum dnnlc_section { DNNLC_IN_WORKSPACE, DNNLC_IN_INPUT, DNNLC_IN_OUTPUT };

/* A tensor that a layer makes. */
struct dnnlc_made {
    unsigned layer;
    enum dnnlc_section section;
    size_t port; /* which input or output */
    size_t offset;
    int dtype, rank;
    int64_t dims[12];
    int64_t strides[12]; /* elements between neighbours; of a blocked dimension: between blocks */
    int block_dim;       /* its elements stand in blocks of `block`, which follow each other */
    int64_t block;       /* 1: no dimension is blocked */
    const char *file;    /* its name in the folder */
    const char *line;    /* of the index: a JSON object */
};

struct dnnlc_debug {
    const char *head; /* of the index: what it is of, without the brace at the end */
    const struct dnnlc_made *made;
    size_t n_made;
};

/* Runs a session that is started once, and writes what its layers make (of a loop: what its last iteration makes), its inputs and outputs and index.json, which
 * names the files that there are, into a folder, which it makes: one that exists is refused. */
int dnnlc_dump_layers(struct dnnlc_session *session, const struct dnnlc_debug *debug,
                      const char *dir, char *why, size_t why_size);

#endif
