/* Serves a page on which one draws a digit, and says which digit it is: a compiled model behind
 * libmicrohttpd. One thread serves all connections, so that one context is enough, without locks. */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "digits_dnnl.h"
#include "picture.h"

enum { LARGEST = 1 << 18 /* bytes of a picture */, DIGITS = 10 };

static const char page[] = {
#include "page.inc"
    0};

static _Alignas(DIGITS_WORKSPACE_ALIGN) unsigned char workspace[DIGITS_WORKSPACE_SIZE];
static digits_context model;

static enum MHD_Result reply(struct MHD_Connection *to, unsigned status, const char *type,
                             const char *text)
{
    struct MHD_Response *r =
        MHD_create_response_from_buffer(strlen(text), (void *)(size_t)text, MHD_RESPMEM_MUST_COPY);
    if (!r)
        return MHD_NO;
    MHD_add_response_header(r, "Content-Type", type);
    enum MHD_Result done = MHD_queue_response(to, status, r);
    MHD_destroy_response(r);
    return done;
}

static enum MHD_Result recognise(struct MHD_Connection *to, FILE *picture)
{
    float image[DIGIT_SIDE * DIGIT_SIDE], p[DIGITS];
    const char *why = picture_read_digit(picture, image);
    if (why)
        return reply(to, MHD_HTTP_BAD_REQUEST, "text/plain", why);
    if (digits_run(&model, &(digits_inputs){image}, &(digits_outputs){p}) != DIGITS_OK)
        return reply(to, MHD_HTTP_INTERNAL_SERVER_ERROR, "text/plain", digits_error(&model));
    char json[256];
    int best = 0;
    for (int d = 1; d < DIGITS; d++)
        best = p[d] > p[best] ? d : best;
    int n = snprintf(json, sizeof json, "{\"digit\":%d,\"probabilities\":", best);
    for (int d = 0; d < DIGITS; d++)
        n += snprintf(json + n, sizeof json - (size_t)n, "%c%.6f", d ? ',' : '[', (double)p[d]);
    snprintf(json + n, sizeof json - (size_t)n, "]}\n");
    return reply(to, MHD_HTTP_OK, "application/json", json);
}

/* Called when the head of a request has come, for each piece of its body, and at its end. What has
 * come of the body is a file in memory, which takes no more than LARGEST bytes. */
static enum MHD_Result answer(void *unused, struct MHD_Connection *to, const char *path,
                              const char *method, const char *version, const char *piece,
                              size_t *size, void **body)
{
    (void)unused, (void)version;
    if (!*body)
        return (*body = fmemopen(NULL, LARGEST, "w+b")) ? MHD_YES : MHD_NO;
    if (*size) {
        fwrite(piece, 1, *size, *body);
        *size = 0;
        return MHD_YES;
    }
    if (fflush(*body) || ferror(*body))
        return reply(to, MHD_HTTP_CONTENT_TOO_LARGE, "text/plain", "the picture is too large");
    rewind(*body);
    if (!strcmp(path, "/") && (!strcmp(method, "GET") || !strcmp(method, "HEAD")))
        return reply(to, MHD_HTTP_OK, "text/html; charset=utf-8", page);
    if (!strcmp(path, "/digit") && !strcmp(method, "POST"))
        return recognise(to, *body);
    return reply(to, MHD_HTTP_NOT_FOUND, "text/plain", "there are GET / and POST /digit");
}

static void forget(void *unused, struct MHD_Connection *to, void **body,
                   enum MHD_RequestTerminationCode how)
{
    (void)unused, (void)to, (void)how;
    if (*body)
        fclose(*body);
}

int main(int argc, char **argv)
{
    char *end = argc > 1 ? argv[1] : "8080";
    unsigned long port = strtoul(end, &end, 10);
    if (argc > 2 || *end || port > 65535) {
        fprintf(stderr, "usage: web [PORT]   8080, on 127.0.0.1; port 0 is a free one\n");
        return 2;
    }
    digits_config config = {.workspace = workspace, .workspace_size = sizeof workspace};
    if (digits_init(&model, &config) != DIGITS_OK) {
        fprintf(stderr, "web: %s\n", digits_error(&model));
        return 1;
    }
    sigset_t stop; /* taken by sigwait below, in no other thread */
    sigemptyset(&stop);
    sigaddset(&stop, SIGINT);
    sigaddset(&stop, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &stop, NULL);
    struct sockaddr_in here = {AF_INET, htons((uint16_t)port), {htonl(INADDR_LOOPBACK)}, {0}};
    struct MHD_Daemon *server = MHD_start_daemon(
        MHD_USE_AUTO_INTERNAL_THREAD, 0, NULL, NULL, answer, NULL, MHD_OPTION_SOCK_ADDR, &here,
        MHD_OPTION_CONNECTION_LIMIT, 64u, MHD_OPTION_CONNECTION_TIMEOUT, 10u,
        MHD_OPTION_NOTIFY_COMPLETED, forget, NULL, MHD_OPTION_END);
    if (!server) {
        fprintf(stderr, "web: port %lu cannot be listened on\n", port);
        return 1;
    }
    printf("http://127.0.0.1:%u/ (Ctrl-C ends it)\n",
           (unsigned)MHD_get_daemon_info(server, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    sigwait(&stop, &(int){0});
    MHD_stop_daemon(server);
    digits_fini(&model);
    puts("stopped");
    return 0;
}
