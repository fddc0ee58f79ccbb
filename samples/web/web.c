/* Serves a page on which one draws a digit, and says which digit it is: a compiled model behind
 * libmicrohttpd. Each thread of the server has a context of its own; all share the weights. */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "digits_dnnl.h"
#include "picture.h"

enum { THREADS = 4, LARGEST = 1 << 18 /* bytes of a picture */, DIGITS = 10 };

static const char page[] = {
#include "page.inc"
};

struct worker {
    _Alignas(DIGITS_WORKSPACE_ALIGN) unsigned char workspace[DIGITS_WORKSPACE_SIZE];
    digits_context model;
    void *fallback; /* the weights in another layout, should this CPU want one */
};

struct upload {
    size_t size; /* of what has come, also where it does not fit */
    char picture[LARGEST];
};

static struct worker workers[THREADS];
static atomic_uint claimed;
static _Thread_local struct worker *mine; /* the server's threads stay the same */

static int open_worker(struct worker *w)
{
    digits_config config = {.workspace = w->workspace, .workspace_size = sizeof w->workspace};
#ifdef DIGITS_HAS_FALLBACK /* not in portable C */
    config.fallback_size = (digits_fallback_size() + 63) / 64 * 64;
    if (config.fallback_size)
        config.fallback = w->fallback = aligned_alloc(64, config.fallback_size);
#endif
    return digits_init(&w->model, &config) == DIGITS_OK;
}

static enum MHD_Result reply(struct MHD_Connection *to, unsigned status, const char *type,
                             size_t size, const char *text)
{
    struct MHD_Response *r =
        MHD_create_response_from_buffer(size, (void *)(size_t)text, MHD_RESPMEM_MUST_COPY);
    if (!r)
        return MHD_NO;
    MHD_add_response_header(r, "Content-Type", type);
    MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(r, "Content-Security-Policy",
                            "default-src 'none'; style-src 'unsafe-inline'; "
                            "script-src 'unsafe-inline'; connect-src 'self'; img-src data:");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(r, "Allow", "GET, HEAD, POST");
    enum MHD_Result done = MHD_queue_response(to, status, r);
    MHD_destroy_response(r);
    return done;
}

static enum MHD_Result refuse(struct MHD_Connection *to, unsigned status, const char *why)
{
    char json[256];
    int n = snprintf(json, sizeof json, "{\"error\":\"%s\"}\n", why);
    return reply(to, status, "application/json", (size_t)n, json);
}

/* What the model says of a picture. */
static enum MHD_Result recognise(struct MHD_Connection *to, struct upload *upload)
{
    _Alignas(64) float image[DIGIT_SIDE * DIGIT_SIDE], p[DIGITS];
    FILE *f = upload->size ? fmemopen(upload->picture, upload->size, "rb") : NULL;
    const char *why = f ? picture_read_digit(f, image) : "a picture in the form PGM is wanted";
    if (f)
        fclose(f);
    if (why)
        return refuse(to, MHD_HTTP_BAD_REQUEST, why);
    mine = mine ? mine : &workers[atomic_fetch_add(&claimed, 1) % THREADS];
    if (digits_run(&mine->model, &(digits_inputs){.image = image},
                   &(digits_outputs){.probabilities = p}) != DIGITS_OK)
        return refuse(to, MHD_HTTP_INTERNAL_SERVER_ERROR, digits_error(&mine->model));
    char json[512];
    int best = 0;
    for (int d = 1; d < DIGITS; d++)
        best = p[d] > p[best] ? d : best;
    int n = snprintf(json, sizeof json, "{\"digit\":%d,\"probabilities\":[", best);
    for (int d = 0; d < DIGITS; d++)
        n += snprintf(json + n, sizeof json - (size_t)n, "%s%.6f", d ? "," : "", (double)p[d]);
    n += snprintf(json + n, sizeof json - (size_t)n, "]}\n");
    return reply(to, MHD_HTTP_OK, "application/json", (size_t)n, json);
}

/* Called when the head of a request has come, for each piece of its body, and at its end. */
static enum MHD_Result answer(void *unused, struct MHD_Connection *to, const char *path,
                              const char *method, const char *version, const char *piece,
                              size_t *size, void **state)
{
    (void)unused, (void)version;
    struct upload *upload = *state;
    int page_wanted = !strcmp(path, "/"), posted = !strcmp(method, "POST");
    if (!page_wanted && strcmp(path, "/digit"))
        return refuse(to, MHD_HTTP_NOT_FOUND, "there are / and /digit");
    if (page_wanted ? strcmp(method, "GET") && strcmp(method, "HEAD") : !posted)
        return refuse(to, MHD_HTTP_METHOD_NOT_ALLOWED, "GET / and POST /digit are what there is");
    if (page_wanted)
        return reply(to, MHD_HTTP_OK, "text/html; charset=utf-8", sizeof page, page);
    if (!upload) {
        const char *length = MHD_lookup_connection_value(to, MHD_HEADER_KIND, "Content-Length");
        if (length && strtoull(length, NULL, 10) > LARGEST)
            return refuse(to, MHD_HTTP_CONTENT_TOO_LARGE, "the picture is too large");
        *state = upload = calloc(1, sizeof *upload);
        return upload ? MHD_YES : MHD_NO;
    }
    if (!*size)
        return upload->size <= LARGEST
                   ? recognise(to, upload)
                   : refuse(to, MHD_HTTP_CONTENT_TOO_LARGE, "the picture is too large");
    if (*size <= LARGEST && upload->size <= LARGEST - *size)
        memcpy(upload->picture + upload->size, piece, *size), upload->size += *size;
    else
        upload->size = LARGEST + 1;
    *size = 0;
    return MHD_YES;
}

static void forget(void *unused, struct MHD_Connection *to, void **state,
                   enum MHD_RequestTerminationCode how)
{
    (void)unused, (void)to, (void)how;
    free(*state);
}

int main(int argc, char **argv)
{
    const char *host = argc > 2 ? argv[2] : "127.0.0.1";
    char *end = argc > 1 ? argv[1] : "8080";
    unsigned long port = strtoul(end, &end, 10);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    if (argc > 3 || *end || port > 65535 || inet_pton(AF_INET, host, &address.sin_addr) != 1) {
        fprintf(stderr, "usage: web [PORT [ADDRESS]]   8080 and 127.0.0.1; port 0 is a free one\n");
        return 2;
    }
    for (int i = 0; i < THREADS; i++)
        if (!open_worker(&workers[i])) {
            fprintf(stderr, "web: %s\n", digits_error(&workers[i].model));
            return 1;
        }
    sigset_t stop; /* taken by sigwait below, in no other thread */
    sigemptyset(&stop);
    sigaddset(&stop, SIGINT);
    sigaddset(&stop, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &stop, NULL);
    struct MHD_Daemon *server = MHD_start_daemon(
        MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, answer, NULL,
        MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_THREAD_POOL_SIZE, (unsigned)THREADS,
        MHD_OPTION_CONNECTION_LIMIT, 64u, MHD_OPTION_CONNECTION_TIMEOUT, 10u,
        MHD_OPTION_NOTIFY_COMPLETED, forget, NULL, MHD_OPTION_END);
    if (!server) {
        fprintf(stderr, "web: %s:%lu cannot be listened on\n", host, port);
        return 1;
    }
    printf("http://%s:%u/ (Ctrl-C ends it)\n", host,
           (unsigned)MHD_get_daemon_info(server, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    sigwait(&stop, &(int){0});
    MHD_stop_daemon(server);
    for (int i = 0; i < THREADS; i++) {
        digits_fini(&workers[i].model);
        free(workers[i].fallback);
    }
    puts("stopped");
    return 0;
}
