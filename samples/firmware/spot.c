/* Key words in integers alone, the same on the device and on the host: runs the model on three seconds of made-up sound and prints one line
 * NAME WORD BYTE*12, so that two machines can be compared exactly. Inputs and outputs are bytes: (byte - 128) / 32, as keywords_dnnl.h says.
 * The weights of samples/graphs are random, so that the words mean nothing; what runs is what a trained network would take. */
#include "keywords_dnnl.h"
#include "port.h"

enum { FRAMES = 49, BANDS = 10, WORDS = 12 };

/* The features of one second, time by frequency: a triangle over the bands that moves up by `rise` bands in the second. */
static void make_sound(uint8_t features[FRAMES * BANDS], int rise)
{
    for (int t = 0; t < FRAMES; t++)
        for (int band = 0; band < BANDS; band++) {
            const int centre = rise * t * 16 / FRAMES, at = band * 16;
            const int far = at > centre ? at - centre : centre - at;
            features[t * BANDS + band] = (uint8_t)(far < 64 ? 255 - 2 * far : 128 - (far & 63));
        }
}

static void put_byte(unsigned byte)
{
    static const char hex[] = "0123456789abcdef";
    port_put((char[]){' ', hex[byte >> 4], hex[byte & 15], 0});
}

static void put_result(const char *name, const uint8_t *words)
{
    int best = 0;
    for (int w = 1; w < WORDS; w++)
        best = words[w] > words[best] ? w : best;
    port_put(name);
    port_put((char[]){' ', (char)('a' + best), 0});
    for (int w = 0; w < WORDS; w++)
        put_byte(words[w]);
    port_put("\n");
}

static int fail(const char *what, const keywords_context *model)
{
    port_put(what);
    port_put(" failed: ");
    port_put(keywords_error_layer(model));
    port_put(" ");
    port_put(keywords_error(model));
    port_put("\n");
    return 1;
}

int main(void)
{
    static const struct {
        const char *name;
        int rise;
    } sounds[] = {{"low", 0}, {"rising", 5}, {"sweep", 10}};
    static _Alignas(KEYWORDS_WORKSPACE_ALIGN) unsigned char workspace[KEYWORDS_WORKSPACE_SIZE];
    static uint8_t features[FRAMES * BANDS];
    static keywords_context model;
    const keywords_config config = {.workspace = workspace, .workspace_size = sizeof workspace};
    uint8_t words[WORDS];

    if (keywords_init(&model, &config) != KEYWORDS_OK)
        return fail("init", &model);
    for (unsigned k = 0; k < sizeof sounds / sizeof *sounds; k++) {
        const keywords_inputs in = {.features = features};
        const keywords_outputs out = {.words = words};
        make_sound(features, sounds[k].rise);
        if (keywords_run(&model, &in, &out) != KEYWORDS_OK)
            return fail("run", &model);
        put_result(sounds[k].name, words);
    }
    keywords_fini(&model);
    return 0;
}
