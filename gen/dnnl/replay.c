/* An engine that knows oneDNN's answers from a file: plans are the same on every machine, and need no oneDNN. */
#include "answers.h"
#include "engine.h"
#include "fill.h"

typedef struct Replay {
    DnnlEngine e;
    Answers answers;
    const char *path;
    const char *unknown;  /* the first question that the file has no answer to; NULL: none */
    const char *unfilled; /* weights that only oneDNN can pack */
} Replay;

/* Reorders there always are, and each layout that is left to oneDNN has to be in the answer. */
static bool answers_all(const Answer *row, const DnnlPrimitive *p)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < p->n_memory; i++)
        left += p->memory[i].form == FORM_ANY;
    for (uint32_t k = 0; k < row->n_choices; k++)
        if (row->choice[k].row >= p->n_memory || p->memory[row->choice[k].row].form != FORM_ANY)
            return false;
    return row->impl ? row->n_choices == left : p->kind != KIND_REORDER;
}

static bool replay_query(DnnlEngine *e, Arena *arena, DnnlPrimitive *p, DnnlChoice *choices)
{
    Replay *r = (Replay *)e;
    const char *question = answers_question(arena, p);
    const Answer *row = answers_find(&r->answers, question);
    if (!row || !answers_all(row, p)) {
        r->unknown = r->unknown ? r->unknown : question;
        return engine_guess(arena, p, choices);
    }
    if (!row->impl)
        return false;
    p->impl = row->impl;
    p->scratch_bytes = row->scratch_bytes;
    for (uint32_t i = 0; i < p->n_memory; i++)
        choices[i] = (DnnlChoice){0};
    for (uint32_t k = 0; k < row->n_choices; k++)
        choices[row->choice[k].row] = row->choice[k].choice;
    return true;
}

static bool replay_pack(DnnlEngine *e, const DnnlMemory *from, const DnnlChoice *choice, void *dst)
{
    Replay *r = (Replay *)e;
    if (!fill_layout(from, choice, dst) && !r->unfilled)
        r->unfilled = from->name;
    return true;
}

static bool replay_time(DnnlEngine *e, const DnnlPrimitive *p, size_t spread, double *ns)
{
    (void)e, (void)p, (void)spread, (void)ns;
    return false;
}

static bool replay_finish(DnnlEngine *e, Diag *diag)
{
    Replay *r = (Replay *)e;
    return !r->unknown || refuse(diag, "%s: has no answer to this; --record-engine adds it: %s",
                                 r->path, r->unknown);
}

static const char *replay_lacks(const DnnlEngine *e)
{
    return ((const Replay *)e)->unfilled;
}

static void replay_close(DnnlEngine *e)
{
    (void)e;
}

static const EngineCalls calls = {.query = replay_query,
                                  .pack = replay_pack,
                                  .time = replay_time,
                                  .finish = replay_finish,
                                  .lacks = replay_lacks,
                                  .close = replay_close};

bool onednn_engine_replay(Arena *arena, Diag *diag, const char *path, DnnlEngine **engine)
{
    Replay *r = ARENA_NEW(arena, Replay);
    r->answers.arena = arena;
    r->path = path;
    if (!answers_read(&r->answers, diag, path) || !onednn_isa_known(diag, r->answers.isa))
        return false;
    r->e = (DnnlEngine){.calls = &calls, .isa = r->answers.isa, .threads = r->answers.threads};
    *engine = &r->e;
    return true;
}
