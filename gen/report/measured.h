/* Files of JSON about a program that has run. They come from a user: every member is looked at before it is believed. */
#pragma once

#include "../program/program.h"

#include <cjson/cJSON.h>

typedef struct Measured {
    const Program *p;
    const char *path, *what, *by; /* the file; "profile"; who writes one, as a user says it */
    Diag *diag;
} Measured;

/* The whole file, which is of this very model; NULL after a refusal. cJSON_Delete it. */
cJSON *measured_read(const Measured *m);
/* A finite number that is not negative; 0 after a refusal. */
double measured_number(const Measured *m, const cJSON *object, const char *key);
/* A string, or NULL. */
const char *measured_string(const cJSON *object, const char *key);
/* Whether a member is this word; refused otherwise. */
bool measured_is(const Measured *m, const cJSON *object, const char *key, const char *wanted);
