/* What the page shows besides the manifest, as members of its JSON: docs/report.md says what they mean. */
#pragma once

#include "code.h"
#include "report.h"

/* "variants": how many; "drawing": boxes and lines of the picture; "buffers" of workspace and weights; "layers", by step; "code"; "cpu": what layers are compared
 * with; "profile" and "errors", or null. Each is followed by a comma, but for the last. */
void page_data(const ReportFacts *facts, Text *out);
