/* The model m in memory that ends where it may: pages that nobody may touch stand in front of workspace, weights, inputs and outputs, and behind
 * them. Weights, from the file that is named, and inputs are read only while it runs. IN_BYTES and OUT_BYTES have the sizes of its tensors.
 *
 *   guards WEIGHTS         runs in both placements; their outputs are the same
 *   guards WEIGHTS short   has 64 bytes less of the workspace than it says, which ends the program by a signal */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "m_dnnl.h"

enum { PAGE = 4096, ALIGN = 64 };
static const size_t in_bytes[] = {IN_BYTES}, out_bytes[] = {OUT_BYTES};
enum { INS = sizeof in_bytes / sizeof *in_bytes, OUTS = sizeof out_bytes / sizeof *out_bytes };

/* Memory of whole pages between two that are closed, and the piece that is wanted in it. */
struct place {
    unsigned char *pages, *piece;
    size_t bytes;
};

static void fail(const char *what)
{
    printf("%s\n", what);
    exit(1);
}

/* The piece begins with the pages, or ends with them as far as its alignment lets it. */
static struct place make(size_t bytes, size_t align, int at_end)
{
    const size_t room = (bytes + PAGE - 1) / PAGE * PAGE;
    unsigned char *all =
        mmap(NULL, room + 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || mprotect(all, PAGE, PROT_NONE) ||
        mprotect(all + PAGE + room, PAGE, PROT_NONE))
        fail("there are no pages");
    return (struct place){all + PAGE, all + PAGE + (at_end ? (room - bytes) / align * align : 0),
                          bytes};
}

static void keep(const struct place *p)
{
    if (mprotect(p->pages, (p->bytes + PAGE - 1) / PAGE * PAGE, PROT_READ))
        fail("pages cannot be kept");
}

static void read_weights(const char *path, const struct place *to)
{
    FILE *file = fopen(path, "rb");
    if (!file || fread(to->piece, 1, to->bytes, file) != to->bytes || getc(file) != EOF)
        fail("the weights are of another size");
    fclose(file);
}

/* Small numbers, whatever the type. */
static void fill(const struct place *to)
{
    unsigned state = 1;
    for (size_t i = 0; i < to->bytes; i++) {
        state = state * 1664525u + 1013904223u;
        to->piece[i] = state >> 24 & 0x3f;
    }
}

/* One run in memory of its own; `missing` bytes of the workspace are closed. */
static void run(const char *weights_path, int at_end, size_t missing, struct place *out)
{
    static m_context ctx;
    struct place in[INS];
    m_inputs inputs;
    m_outputs outputs;
    void *in_pieces[INS], *out_pieces[OUTS];
    const struct place workspace = make(M_WORKSPACE_SIZE, M_WORKSPACE_ALIGN, at_end);
    const struct place weights = make(M_WEIGHTS_SIZE, ALIGN, at_end);
    read_weights(weights_path, &weights);
    keep(&weights);
    for (size_t i = 0; i < INS; i++) {
        in[i] = make(in_bytes[i], sizeof(float), at_end);
        fill(&in[i]);
        keep(&in[i]);
        in_pieces[i] = in[i].piece;
    }
    for (size_t i = 0; i < OUTS; i++) {
        out[i] = make(out_bytes[i], sizeof(float), at_end);
        out_pieces[i] = out[i].piece;
    }
    memcpy(&inputs, in_pieces, sizeof inputs);
    memcpy(&outputs, out_pieces, sizeof outputs);
    const m_config config = {.workspace = workspace.piece + missing,
                             .workspace_size = M_WORKSPACE_SIZE,
                             .weights = weights.piece,
                             .weights_size = M_WEIGHTS_SIZE};
    if (m_init(&ctx, &config) != M_OK || m_run(&ctx, &inputs, &outputs) != M_OK ||
        m_run(&ctx, &inputs, &outputs) != M_OK)
        fail(m_error(&ctx));
    m_fini(&ctx);
}

int main(int argc, char **argv)
{
    struct place first[OUTS], last[OUTS];
    if (argc < 2 || sizeof(m_inputs) != INS * sizeof(void *) ||
        sizeof(m_outputs) != OUTS * sizeof(void *))
        return 2;
    run(argv[1], 1, argc > 2 ? ALIGN : 0, last);
    run(argv[1], 0, 0, first);
    for (size_t i = 0; i < OUTS; i++)
        if (memcmp(first[i].piece, last[i].piece, out_bytes[i]) != 0)
            return printf("output %zu differs\n", i), 1;
    return 0;
}
