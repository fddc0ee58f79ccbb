/* Generated models: see make_models.c. */
#pragma once

/* forest.c: trees as one ONNX node, and as text IR, level by level. */
int write_forest(const char *path);
void forest_spelled(void);
