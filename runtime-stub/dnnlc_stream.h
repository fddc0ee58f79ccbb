/* .npy files that are read and written piece by piece, so that they may be larger than memory: regular files, pipes, and the standard
 * input and output, which are called "-".
 */
#ifndef DNNLC_RUNTIME_STREAM_H
#define DNNLC_RUNTIME_STREAM_H

#include "dnnlc_npy.h"

/* A file that is read once: a regular one in any order, others from their beginning to their end. */
struct dnnlc_source {
    const char *name; /* for messages: its path, or "standard input" */
    int fd;
    bool is_open;
    bool is_alone; /* nothing may stand behind it */
    bool placed;   /* read where its data stands, by several threads at once */
    struct dnnlc_npy npy;
    size_t left; /* bytes of data that have not been read or skipped, but for those read where they stand */
};

/* Reads and checks what stands before the data. Of a regular file the size is checked, too. Close also what could not be opened. */
bool dnnlc_source_open(struct dnnlc_source *source, const char *path, char *why, size_t why_size);
/* Bytes of data from `at` on, which are the next ones where the source is not `placed`: whole elements, in this machine's form. */
bool dnnlc_source_read(struct dnnlc_source *source, size_t at, void *data, size_t bytes, char *why,
                       size_t why_size);
bool dnnlc_source_skip(struct dnnlc_source *source, size_t bytes, char *why, size_t why_size);
/* Passes over what is left; nothing may stand behind the data. */
bool dnnlc_source_end(struct dnnlc_source *source, char *why, size_t why_size);
/* All of the next file of standard input, in an array that the caller frees; more may stand behind it. */
bool dnnlc_stdin_array(struct dnnlc_array *array, char *why, size_t why_size);
/* Whether nothing is left of standard input. */
bool dnnlc_stdin_end(char *why, size_t why_size);
void dnnlc_source_close(struct dnnlc_source *source);

/* A file that is written under another name and then renamed, or a pipe. */
struct dnnlc_sink {
    const char *path, *name; /* name: as in messages */
    char *temporary; /* owned; NULL: it is written to as it comes, from its beginning to its end */
    int fd;
    bool is_open;
    size_t header; /* bytes */
    size_t sent;   /* bytes that went into a pipe, with the header's */
};

/* Opens what is to become the file `path`, under another name in the same folder, *temporary: free it, after renaming or removing the file. A device or a pipe
 * is opened itself, and *temporary is NULL. `number` tells apart the files that a process writes. */
bool dnnlc_new_open(const char *path, size_t number, int *fd, char **temporary, char *why,
                    size_t why_size);
/* Begins with the header of `array`, of which the data is still to come. What cannot be written fails from then
 * on, and no signal says so. `number` as above. */
bool dnnlc_sink_open(struct dnnlc_sink *sink, const char *path, size_t number,
                     const struct dnnlc_array *array, char *why, size_t why_size);
/* Writes data that belongs at byte `at` of all data. Into a file several threads may write at once; a pipe takes data in its order. */
bool dnnlc_sink_write(struct dnnlc_sink *sink, size_t at, const void *data, size_t bytes, char *why,
                      size_t why_size);
/* Writes a whole .npy file to standard output. */
bool dnnlc_stdout_array(const struct dnnlc_array *array, char *why, size_t why_size);
/* Everything is written: the file gets its name. */
bool dnnlc_sink_finish(struct dnnlc_sink *sink, char *why, size_t why_size);
/* Removes what has not got its name. */
void dnnlc_sink_drop(struct dnnlc_sink *sink);
/* A signal that ends the process removes these sinks' files first; 0 of them: as it was before. */
void dnnlc_sinks_guard(struct dnnlc_sink *sinks, size_t count);

#endif
