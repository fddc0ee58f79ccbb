/* How each operator of ops.def becomes ONNX's, in the version that export.h says: its column `export`. */
#include "export.h"
#include "exporter.h"

/* One node of the same name and with the same attributes. */
#define FORM_same .write = NULL
/* … of whose attributes some are inputs. */
#define FORM_inputs(list) .inputs = (list)
#define FORM_written(fn) .write = write_##fn
#define FORM_refused(reason) .why = (reason)

const ExportRow export_table[OP_COUNT] = {
#define OP_EXPORT(nm, export) [OP_##nm] = {FORM_##export},
#include "../ops/ops.def"
};

const char *export_refuses(Op op)
{
    return export_table[op].why;
}
