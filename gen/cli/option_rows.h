/* The table of options: what a line may say, read by the parser and --help (options.c) and by what shells complete (completion.c). */
#pragma once

#include "subcommands.h"

/* PATH: a file, of whose name the folders are left out where the command is noted. LIST: pairs. WORDS: anything, as often as it is said. CHOICE: of two words is a bool. TIMED: a flag, which
 * may have seconds behind an equals sign. VARIED: a flag that may have one of the choices there. */
typedef enum OptionKind {
    FLAG,
    TIMED,
    VARIED,
    TEXT,
    PATH,
    MAYBE_PATH,
    LIST,
    WORDS,
    NUMBER,
    CHOICE
} OptionKind;

/* What an option's value names, for shells, where `choices` do not say it. ISAS and PASSES: several with commas between. */
typedef enum OptionValue {
    ANYTHING,
    A_FILE,
    A_FOLDER,
    A_COMMAND,
    FILE_BEHIND_NAME, /* NAME=FILE */
    ISAS,
    A_PASS,
    A_PASS_OR_ALL,
    PASSES
} OptionValue;

typedef struct OptionRow {
    const char *name, *argument, *help;
    OptionKind kind;
    size_t at;           /* offset in Options */
    size_t count_at;     /* LIST, WORDS: offset of the count; TIMED: of the seconds; VARIED: of what
                            the choice sets, a bool */
    long most;           /* NUMBER, TIMED: the largest */
    const char *word;    /* LIST: what may be said instead of a pair */
    const char *choices; /* CHOICE: "a|b|c"; its index is stored. VARIED: its one word */
    bool quiet;          /* it does not shape the result: it only says what to write where */
    unsigned of;         /* the subcommands that take it, as OF() has them; 0: all do */
    OptionValue value;
    const char
        *subject; /* in --help, of this row and those behind it up to the next that has one */
} OptionRow;

extern const OptionRow option_rows[];
extern const size_t n_option_rows;

/* Whether a value stands in the same word, behind an equals sign. */
static inline bool has_equals(const OptionRow *row)
{
    return row->kind == TIMED || row->kind == VARIED;
}
const char *option_subject(size_t row);
bool takes_option(const Subcommand *subcommand, const OptionRow *row);
