/* Where the model's inputs come from: files, ONNX's test data, or a pseudo-random generator. */
#ifndef DNNLC_RUNTIME_INPUTS_H
#define DNNLC_RUNTIME_INPUTS_H

#include "dnnlc_options.h"
#include "dnnlc_session.h"

/* Fills session.inputs from the files given, and the others pseudo-randomly from options.seed. */
bool dnnlc_inputs_load(struct dnnlc_session *session, const struct dnnlc_options *options,
                       char *why, size_t why_size);

/* Makes `read`, whose data it takes over, the session's input i, in the place of what it had. */
bool dnnlc_input_set(struct dnnlc_session *session, size_t i, struct dnnlc_array *read,
                     const char *source, char *why, size_t why_size);
/* Reads a file for input i, of whatever type and shape it is. */
bool dnnlc_input_read(const struct dnnlc_model *model, size_t i, const char *file,
                      struct dnnlc_array *read, char *why, size_t why_size);

/* Fills session.inputs from dir/input_K.pb or dir/input_K.npy. If the folder has more of them than
 * the model has inputs (some were bound), they are told apart by the names in the .pb files. */
bool dnnlc_inputs_load_folder(struct dnnlc_session *session, const char *dir, char *why,
                              size_t why_size);

/* Reads dir/KIND_K.pb or, failing that, dir/KIND_K.npy, for each K until there is neither; how many
 * files that are into *files. One with a sequence or optional has any number of tensors. */
bool dnnlc_folder_read(const char *dir, const char *kind, struct dnnlc_arrays *list, size_t *files,
                       char *why, size_t why_size);

/* The variant that is asked for, or the first whose inputs have the shapes of those that are given. NULL: there is none. */
const struct dnnlc_model *dnnlc_choose_variant(const struct dnnlc_model *model,
                                               const struct dnnlc_options *options, char *why,
                                               size_t why_size);

/* Says, for example: input 'data_0': a.npy is f64[1,3,4], the model wants f32[1,3,224,224].
 * Returns true if dtype, rank and every dimension agree. u16 for bf16 is taken as its bits, and the
 * array is called bf16 from then on: NumPy has no such type, and ONNX's own tests hold it as u16. */
bool dnnlc_fits(struct dnnlc_array *array, const struct dnnlc_tensor *tensor, const char *kind,
                const char *source, char *why, size_t why_size);

#endif
