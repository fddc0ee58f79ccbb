/* NAME.spdx.json: a bill of materials of the emitted folder, in SPDX 2.3. What was made from the model, what is copied beside it, and what
 * the build file links. Without a date, and named by what is in the folder: the same folder has the same bill. */
#include "../base/quote.h"
#include "../dnnl/plan.h"
#include "emit.h"

#include <string.h>

/* A package; `more`: what else is known of it. */
static void json_package(Text *t, bool first, const char *id, const char *name, const char *version,
                         const char *license, const char *more)
{
    text_printf(t, "%s\n    {\"SPDXID\": \"SPDXRef-%s\", \"name\": ", first ? "" : ",", id);
    json_string(t, name);
    if (version)
        text_printf(t, ", \"versionInfo\": \"%s\"", version);
    text_printf(t,
                ", \"downloadLocation\": \"NOASSERTION\", \"filesAnalyzed\": false,\n     "
                "\"licenseConcluded\": \"NOASSERTION\", \"licenseDeclared\": \"%s\", "
                "\"copyrightText\": \"NOASSERTION\"%s}",
                license, more);
}

static void json_relation(Text *t, bool first, const char *from, const char *how, const char *to)
{
    text_printf(t,
                "%s\n    {\"spdxElementId\": \"SPDXRef-%s\", \"relationshipType\": \"%s\", "
                "\"relatedSpdxElement\": \"SPDXRef-%s\"}",
                first ? "" : ",", from, how, to);
}

static const char *json_checksum(const Emit *e, const char *hex)
{
    return arena_printf(
        e->arena, ",\n     \"checksums\": [{\"algorithm\": \"SHA256\", \"checksumValue\": \"%s\"}]",
        hex);
}

/* A hash of the names and the contents of all files so far; that of the weights is known. */
static void hash_folder(const Emit *e, const char *weights, char hex[65])
{
    Text all = text_new(e->arena);
    for (size_t i = 0; i < e->n_files; i++) {
        char one[65];
        if (e->files[i].data == e->weights)
            memcpy(one, weights, sizeof one);
        else
            sha256_hex(e->files[i].data, e->files[i].size, one);
        text_printf(&all, "%s  %s\n", one, e->files[i].name);
    }
    sha256_hex(all.data, all.size, hex);
}

void emit_sbom(Emit *e)
{
    const char *name = e->names.name;
    char folder[65], weights[65];
    Text t = text_new(e->arena);
    sha256_hex(e->weights - (weights_size(e) - e->p->weights_bytes), weights_size(e), weights);
    hash_folder(e, weights, folder);
    text_printf(&t,
                "{\n  \"spdxVersion\": \"SPDX-2.3\",\n  \"dataLicense\": \"CC0-1.0\",\n  "
                "\"SPDXID\": \"SPDXRef-DOCUMENT\",\n  \"name\": \"%s\",\n  \"documentNamespace\": "
                "\"https://spdx.org/spdxdocs/%s-%s\",\n  \"creationInfo\": {\"created\": "
                "\"1970-01-01T00:00:00Z\", \"creators\": [\"Tool: dnnlc-%s\"],\n    \"comment\": "
                "\"Without a date: the same model and options give the same bytes.\"},\n  "
                "\"packages\": [",
                name, name, folder, DNNLC_VERSION);
    json_package(&t, true, "Emitted", name, NULL, "NOASSERTION",
                 ", \"comment\": \"C, written from the model\"");
    json_package(&t, false, "Model", "ONNX model", NULL, "NOASSERTION",
                 json_checksum(e, e->o->origin.model_hash));
    json_package(&t, false, "Weights", arena_printf(e->arena, "%s_weights", name), NULL,
                 "NOASSERTION", json_checksum(e, weights));
    json_package(&t, false, "Runtime", "dnnlc runtime", DNNLC_VERSION, "Apache-2.0",
                 ", \"comment\": \"dnnlc_*.[ch]\"");
    if (e->o->origin.dnnl)
        json_package(
            &t, false, "oneDNN", "oneDNN", ONEDNN_VERSION_TEXT, "Apache-2.0",
            ", \"comment\": \"planned with this version; not in the folder, linked by the build "
            "file, which takes any from 3.7 on\"");
    text_puts(&t, "\n  ],\n  \"relationships\": [");
    json_relation(&t, true, "DOCUMENT", "DESCRIBES", "Emitted");
    json_relation(&t, false, "Emitted", "GENERATED_FROM", "Model");
    json_relation(&t, false, "Weights", "GENERATED_FROM", "Model");
    json_relation(&t, false, "Emitted", "CONTAINS", "Weights");
    json_relation(&t, false, "Emitted", "CONTAINS", "Runtime");
    if (e->o->origin.dnnl)
        json_relation(&t, false, "Emitted", "STATIC_LINK", "oneDNN");
    text_puts(&t, "\n  ]\n}\n");
    emit_add(e, arena_printf(e->arena, "%s.spdx.json", name), t.data, t.size);
}
