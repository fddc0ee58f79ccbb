/* What dnnlc can be told to do with a model: a table of subcommands, whose names are a line's first word. */
#pragma once

#include "options.h"

/* Its index in the table says which options it takes (the column `of` in options.c). */
struct Subcommand {
    const char *name;     /* of the one that needs no word: "" */
    const char *argument; /* what follows the word, as --help shows it */
    const char *help;     /* one line for the list of subcommands */
    const char *about;    /* what stands above its options */
    bool (*run)(Arena *arena, Diag *diag,
                const Options *o); /* false: exit status 1, after a refusal or its own words */
};

/* In the order of SubcommandId; N_SUBCOMMANDS of them. */
extern const Subcommand subcommands[];

/* "dnnlc", "dnnlc inspect". */
const char *subcommand_title(Arena *arena, const Subcommand *subcommand);
/* The subcommand of this name, or NULL. */
const Subcommand *find_subcommand(const char *name);
