/* The executable's threads, and the CPUs they run on. */
#ifndef DNNLC_RUNTIME_THREADS_H
#define DNNLC_RUNTIME_THREADS_H

/* As many threads as there are CPUs that this process may use, at most `most`. */
int dnnlc_usable_threads(int most);

/* Gives each of OpenMP's threads, so many, a CPU of its own for the rest of the process, if they are as many as the CPUs that it may use;
 * fewer go where the scheduler puts them. Nothing happens without OpenMP, or where the environment places threads already. */
void dnnlc_threads_spread(int threads);
/* For a thread that was started later, which has inherited the one CPU of its parent: it may use all of the process again. */
void dnnlc_thread_anywhere(void);

#endif
