/* usage FILE COMMAND...: runs the command; its seconds of processor time and its peak of resident memory in KB go to FILE. The status is the command's, or
 * 128 and the signal that ended it. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

int main(int argc, char **argv)
{
    struct rusage used;
    int status;
    if (argc < 3)
        return 2;
    const pid_t pid = fork();
    if (pid == 0) {
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &used) < 0)
        return 2;
    FILE *f = fopen(argv[1], "w");
    if (!f ||
        fprintf(f, "%.3f %ld\n", seconds(used.ru_utime) + seconds(used.ru_stime), used.ru_maxrss) <
            0 ||
        fclose(f))
        return 2;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
