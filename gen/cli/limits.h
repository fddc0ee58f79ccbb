/* What a compilation may take: --max-memory and --max-time. */
#pragma once

#include "options.h"

/* Memory, beside what the model's own size allows (memory_allow). */
void limit_memory(const Options *o);

/* Seconds of the clock on the wall. While the folder is written the signal waits, and ends that as SIGTERM would (emit/folder.h). */
void limit_time(const Options *o);
