/* Bounds on the compiler itself. */
#include "limits.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void limit_memory(const Options *o)
{
    enum { BESIDE_MIB = 1024 };
    memory_limit((size_t)(o->max_memory ? o->max_memory : BESIDE_MIB) << 20, o->max_memory > 0);
}

static char time_is_over[96];

static void end_in_time(int signal)
{
    (void)signal;
    if (write(STDERR_FILENO, time_is_over, strlen(time_is_over)) < 0)
        _exit(2); /* nobody will read it */
    _exit(1);
}

void limit_time(const Options *o)
{
    if (!o->max_time)
        return;
    snprintf(time_is_over, sizeof time_is_over,
             "dnnlc: this takes more than %d second%s; --max-time SECONDS sets another bound\n",
             o->max_time, o->max_time == 1 ? "" : "s");
    signal(SIGALRM, end_in_time);
    alarm((unsigned)o->max_time);
}
