/* The folder that a model is emitted into. It changes as a whole or not at all. */
#pragma once

#include "../base/base.h"

/* One file of the result, kept in memory until all of them are ready. */
typedef struct EmitFile {
    const char *name; /* without folders */
    const void *data;
    size_t size;
} EmitFile;

/* Writes the files into `dir`, which is made with its parents if it does not exist. Files whose contents are there already are left
 * untouched, and so are those that are none of `files`. After a refusal, and after SIGINT, SIGTERM or SIGHUP, the folder is what it was
 * before, and what was made for it is gone. Of two processes that write into one folder the second waits for the first.
 *
 * A folder whose build.ninja dnnlc has not written is refused unless `force` is set. Reasons go to `diag`. */
bool write_folder(const char *dir, const EmitFile *files, size_t n, bool force, Diag *diag);
