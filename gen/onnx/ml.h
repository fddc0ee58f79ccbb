/* What the classical models of ai.onnx.ml share. */
#pragma once

#include "node.h"

ValueId const_floats(OnnxNode *c, const double *v, int rank, const int64_t *dims);
/* Input k as [rows, features] of floats. */
ValueId feature_rows(OnnxNode *c, uint32_t k);
/* The attribute post_transform, over the scores of each row. */
ValueId post_transform(OnnxNode *c, ValueId v);
/* The same of an ensemble's targets. Of a single one ONNX Runtime computes nothing but PROBIT, whatever ONNX says; the others are refused. */
ValueId transformed_targets(OnnxNode *c, ValueId v);
ValueId best_class(OnnxNode *c, ValueId scores);
/* Output 0: the labels at these indices, of as many classes. */
bool finish_label(OnnxNode *c, ValueId index, int64_t classes);
