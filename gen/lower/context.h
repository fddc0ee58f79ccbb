/* What lowering knows while it runs, and what it does for those whom it asks how a node is computed: describers of primitives
 * (gen/dnnl/) and the choice of layouts. They include this, and stand below lowering itself. */
#pragma once

#include "../dnnl/plan.h"
#include "../graph/loops.h"
#include "../program/program.h"

/* A value in a layout other than its first one: made once, shared by all who want it (cancel-layout's memo). */
typedef struct Copy {
    ValueId value;
    BufferId buffer;
} Copy;

/* Where a value is wanted: see lower/place.c. */
typedef struct Dest {
    BufferId buffer; /* NO_BUFFER: nowhere in particular */
    size_t offset;
    Layout layout;
} Dest;

/* Bytes of a destination that have been written: no other value is put there. With a pitch (in bytes) only `width` bytes of
 * each row are meant, the first of which starts at `from`. */
typedef struct Claim {
    BufferId buffer;
    size_t from, to, pitch, width;
} Claim;

typedef struct LowerOptions {
    enum {
        CONV_WHERE_FASTER,
        CONV_NO_WINOGRAD,
        CONV_INDIRECT, /* from here on for tests: always so where that is possible */
        CONV_WINOGRAD_2,
        CONV_WINOGRAD_4,
        CONV_WINOGRAD_2_IN_C, /* its products too */
        CONV_WINOGRAD_4_IN_C,
        CONV_WINOGRAD_WHOLE,
    } conv;            /* how convolutions are computed */
    bool no_float;     /* integers alone, on a small core */
    struct Tune *tune; /* --tune: measure where there is a choice; NULL: by models */
    struct Search
        *search; /* --tune=SECONDS: asked after that where there is a choice; NULL: nobody */
    const Machine *machine; /* NULL: of the engine's instruction set */
    bool share_all;         /* for tests: threads share layers of any size */
    bool
        frees; /* nobody reads the graph's constants later: those that are packed are released as soon as their last reader is lowered */
} LowerOptions;

/* How weights were packed for a variant of the model. */
typedef struct Packing {
    uint64_t hash; /* of the weights before */
    const void *blob;
    size_t blob_size;
} Packing;

/* The algorithm that a variant of the model has for a layer with these weights. */
typedef struct Chosen {
    uint64_t hash;
    const char *algorithm;
    int64_t width; /* of the blocks of columns that products in C read; 0: oneDNN computes it */
} Chosen;

/* A way to compute a layer by constant weights, which are stored in a form of its own. */
typedef struct LayerForm {
    const char *algorithm;
    int64_t width; /* of the blocks of columns that products in C read; 0: another algorithm */
    double ns;
    /* What stands in those blocks: the taps of a window, or planes of Winograd's method, some of which are taps; and which part of
     * their bytes both have in common. */
    enum { HOLDS_OTHER, HOLDS_TAPS, HOLDS_PLANES } holds;
    double common;
} LayerForm;

/* Those that a layer has, noted where a model has variants: lower/forms.c chooses among them. */
enum { MOST_FORMS = 12 };
typedef struct LayerForms {
    uint32_t node; /* the anchor */
    uint64_t hash; /* of the weights before */
    LayerForm form[MOST_FORMS];
    uint32_t n, taken;
    double best_ns; /* what the layer would take alone */
    bool gives_way; /* takes the form of another variant */
    double lost;    /* by that, of the time of its variant */
    int64_t
        taps_width; /* planes are stored with the taps that another variant reads in blocks of so many columns; 0: alone */
} LayerForms;

typedef struct Lowering {
    Graph *g;
    Arena *arena;
    Program *p;
    DnnlEngine *engine; /* NULL with --target c */
    LowerOptions options;
    Machine machine;    /* planned for */
    BufferId *primary;  /* by value: the buffer its producer writes; NO_BUFFER before that */
    uint32_t *position; /* by node: when it runs */
    uint32_t *
        last_use; /* by value: position of the last reader of it or of a view of it; NO_ROW: an output */
    MachineWeights weights;     /* where they are: by the bytes of all constants of the model */
    const LayoutChoice *choice; /* NULL without an engine: everything is row-major */
    Dest *dest;                 /* by value */
    BufferId *port_buffer;      /* by output port */
    Uses uses;
    Loops loops;
    size_t *copies_before; /* by loop: how many copies there were before its first iteration */
    uint32_t now;          /* position of the node being lowered */
    const char
        *why; /* why oneDNN does not compute the node being lowered, though it was meant to; NULL */
    /* What the step at hand may do with values that have a row pitch, as a part of a wider tensor has; and
     * whether it came across such a value. */
    bool may_read_parts, may_write_parts, met_read, met_write;
    Copy *copies;
    size_t n_copies, cap_copies;
    Claim *claims;
    size_t n_claims, cap_claims;
    Packing *packings; /* empty where there is one variant */
    size_t n_packings, cap_packings;
    Chosen *chosen;
    size_t n_chosen, cap_chosen;
    LayerForms *forms;
    size_t n_forms, cap_forms;
    const LayerForms *decided; /* after a first lowering: forms of all layers that have them */
    size_t n_decided;
} Lowering;

BufferId lower_new_buffer(Lowering *l, Buffer b);
/* The buffer that the producer of v writes, or of a constant. */
BufferId lower_primary(Lowering *l, ValueId v);
/* The value in this layout: its primary buffer if that has it, a copy made by a reorder step or, for constants, at compile
 * time otherwise. Where the step may read parts, it may have a row pitch. */
BufferId lower_value_in(Lowering *l, ValueId v, const Layout *layout);
/* The layout that v has at present (plain for constants and inputs), dense. */
Layout lower_layout_of(const Lowering *l, ValueId v);
/* The layout that v is wanted in, dense. */
Layout lower_wanted_layout(const Lowering *l, ValueId v);
/* Adds the step that copies v to a buffer of the same type. */
void lower_copy_to(Lowering *l, ValueId v, BufferId to);
/* Whether v could be had in another layout: only oneDNN reorders, and not every element type. */
bool lower_can_reorder(const Lowering *l, ValueId v);
/* A buffer for an output of the current step; becomes the primary one of v. Where the step may write parts, it may have
 * a row pitch. */
BufferId lower_output(Lowering *l, ValueId v, const Layout *layout);
/* The step may write v where it is wanted, with a row pitch. */
bool lower_writes_part(const Lowering *l, ValueId v);
/* The same memory as v's primary buffer, which dies here: for sums in place. NO_BUFFER if v lives on, is not in the workspace,
 * has another layout or is also one of the n other values in `others`. */
BufferId lower_output_over(Lowering *l, ValueId out, ValueId v, const Layout *layout,
                           const ValueId *others, uint32_t n);
/* What was chosen: how operand 0 of the node that makes `result` is read, and what the node leaves. Row-major where there was
 * no choice. */
Layout lower_reads(const Lowering *l, ValueId result);
Layout lower_leaves(const Lowering *l, ValueId result);
/* The layout of an elementwise layer: what was chosen for its result, by the name that the operand has for it. Dense. */
Layout lower_alike(const Lowering *l, ValueId operand, ValueId result);
/* A constant of the program; equal bytes are stored once. */
BufferId lower_const(Lowering *l, TensorType type, const void *data, size_t bytes);
/* Large memory that neither the graph nor the program has: it is given back. */
void lower_release(Lowering *l, const void *data, size_t bytes);
/* Constants that are read for the last time at present, where the program has them in another form, or a primitive that is about to be packed has (NULL: none). */
void lower_release_read(Lowering *l, const DnnlPrimitive *packing);
