/* cost COMMAND...: runs it, and prints what it took: processor seconds (user and system, of all descendants), wall seconds and the
 * resident memory of the largest of them in megabytes, separated by tabs, behind whatever it printed. Its exit status is the command's. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    int status;
    struct rusage used;
    if (argc < 2)
        return 2;
    const double start = now();
    const pid_t pid = fork();
    if (pid == 0) {
        execvp(argv[1], argv + 1);
        perror(argv[1]);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || getrusage(RUSAGE_CHILDREN, &used))
        return 127;
    printf("%.2f\t%.2f\t%.0f\n", seconds(used.ru_utime) + seconds(used.ru_stime), now() - start,
           (double)used.ru_maxrss / 1024);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
