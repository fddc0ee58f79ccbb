/* The normalisers: those of ops.def, in its column `import`, and of operators.def. Each is in the file of its family, normalise_*.c or control.c. */
#pragma once

#include "node.h"

Normaliser norm_direct; /* the same op with the same inputs */
#define DECLARE_none
#define DECLARE_direct
#define DECLARE_reads(list)
#define DECLARE_by(fn, least, most) Normaliser norm_##fn;
#define OP_IMPORT(nm, import) DECLARE_##import
#include "../ops/ops.def"
#undef DECLARE_none
#undef DECLARE_direct
#undef DECLARE_reads
#undef DECLARE_by

#define READS(nm, to, list)
#define ROW(nm, fn, ...) Normaliser norm_##fn;
#define ROW_OP(nm, to, fn, ...) Normaliser norm_##fn;
#define TAKES_ROWS(nm, fn, ...) Normaliser norm_##fn;
#define VERSIONS(nm, fn, most, from, to) Normaliser norm_##fn;
#define REFUSED(nm, reason)
#include "operators.def"
