/* What the executable's --profile --json has measured. */
#pragma once

#include "../program/program.h"

typedef struct LayerTime {
    double mean_ms, least_ms, executions, peak_share;
} LayerTime;

typedef struct Profile {
    double mean_ms, least_ms; /* of whole runs */
    double peak_gflops, memory_gbytes_per_s;
    double runs, threads;
    LayerTime *layers; /* by step */
} Profile;

/* Reads a profile of just this program. False after a refusal that names the file. */
bool profile_read(const Program *p, const char *path, Diag *diag, Profile *profile);
