/* Generated models: see make_models.c. */
#ifndef TESTS_BENCH_MAKE_MODELS_H
#define TESTS_BENCH_MAKE_MODELS_H

/* forest.c: trees as one ONNX node, and as text IR, level by level. */
int write_forest(const char *path);
void forest_spelled(void);

#endif
