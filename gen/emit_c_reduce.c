#include "emit_c_ops.h"
size_t c_reduce_scratch_bytes(const Graph *g, const Node *n) { (void)g; (void)n; return 0; }
