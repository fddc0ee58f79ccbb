/* An engine that passes each question on to another one and writes down what that answers. */
#include "answers.h"
#include "engine.h"
#include "fill.h"

#include <string.h>
#include <unistd.h>

typedef struct Recorder {
    DnnlEngine e;
    DnnlEngine *inner;
    Answers answers;
    const char *path;
} Recorder;

static bool record_query(DnnlEngine *e, Arena *arena, DnnlPrimitive *p, DnnlChoice *choices)
{
    Recorder *r = (Recorder *)e;
    const char *question = answers_question(r->answers.arena, p);
    const bool has = onednn_query(r->inner, arena, p, choices);
    if (answers_find(&r->answers, question))
        return has;
    Answer *row = answers_add(&r->answers, question);
    if (!has)
        return false;
    row->impl = arena_strdup(r->answers.arena, p->impl);
    row->scratch_bytes = p->scratch_bytes;
    for (uint32_t i = 0; i < p->n_memory; i++)
        if (choices[i].bytes) {
            DnnlChoice *c = &row->choice[row->n_choices].choice;
            *c = choices[i];
            c->blob = arena_copy(r->answers.arena, c->blob, c->blob_size);
            row->choice[row->n_choices++].row = i;
        }
    return true;
}

/* A layout that fill_layout fills differently from oneDNN is written down as one that only oneDNN can. */
static bool record_pack(DnnlEngine *e, const DnnlMemory *from, const DnnlChoice *choice, void *dst)
{
    Recorder *r = (Recorder *)e;
    if (!onednn_pack(r->inner, from, choice, dst))
        return false;
    void *same = arena_alloc(r->answers.arena, choice->bytes);
    const bool is_same = fill_layout(from, choice, same) && !memcmp(same, dst, choice->bytes);
    arena_release(r->answers.arena, same, choice->bytes);
    if (is_same)
        return true;
    for (size_t i = 0; i < r->answers.n; i++) {
        Answer *row = &r->answers.rows[i];
        for (uint32_t k = 0; k < row->n_choices; k++)
            if (row->choice[k].choice.blob_size == choice->blob_size &&
                !memcmp(row->choice[k].choice.blob, choice->blob, choice->blob_size))
                row->choice[k].choice.rank = row->choice[k].choice.n_blocks = 0;
    }
    return true;
}

static bool record_time(DnnlEngine *e, const DnnlPrimitive *p, size_t spread, double *ns)
{
    return onednn_time(((Recorder *)e)->inner, p, spread, ns);
}

static bool record_finish(DnnlEngine *e, Diag *diag)
{
    Recorder *r = (Recorder *)e;
    return onednn_engine_finish(r->inner, diag) && answers_write(&r->answers, diag, r->path);
}

static const char *record_lacks(const DnnlEngine *e)
{
    return onednn_engine_lacks(((const Recorder *)e)->inner);
}

static void record_close(DnnlEngine *e)
{
    onednn_engine_close(((Recorder *)e)->inner);
}

static const EngineCalls calls = {.query = record_query,
                                  .pack = record_pack,
                                  .time = record_time,
                                  .finish = record_finish,
                                  .lacks = record_lacks,
                                  .close = record_close};

bool onednn_engine_record(Arena *arena, Diag *diag, const char *path, DnnlEngine *inner,
                          DnnlEngine **engine)
{
    Recorder *r = ARENA_NEW(arena, Recorder);
    r->e = (DnnlEngine){.calls = &calls, .isa = inner->isa, .threads = inner->threads};
    r->inner = inner;
    r->path = path;
    r->answers.arena = arena;
    if (access(path, F_OK) == 0 && !answers_read(&r->answers, diag, path))
        return false;
    if (r->answers.isa &&
        (strcmp(r->answers.isa, inner->isa) != 0 || r->answers.threads != inner->threads))
        return refuse(diag, "%s: holds answers for %s and %d threads, not for %s and %d", path,
                      r->answers.isa, r->answers.threads, inner->isa, inner->threads);
    r->answers.isa = inner->isa;
    r->answers.threads = inner->threads;
    *engine = &r->e;
    return true;
}
