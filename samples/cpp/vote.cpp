/* Several models, many threads: the digit model by oneDNN and as portable C read the same pictures, and have to agree. Each thread takes the
 * next picture that is left, with contexts of its own. */
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "fast.hpp"
#include "portable.hpp"

extern "C" {
#include "picture.h"
}

namespace
{

typedef std::array<float, dnnlc::fast::output::probabilities.size> probabilities;

struct answer {
    int digit;
    std::string failure; /* empty: none */
};

int likeliest(const probabilities &p)
{
    return static_cast<int>(std::max_element(p.begin(), p.end()) - p.begin());
}

/* Reads a picture with both models. */
answer read(dnnlc::fast::context &fast, dnnlc::portable::context &portable, const char *file)
{
    std::array<float, dnnlc::fast::input::image.size> image;
    probabilities one, other;
    if (const char *failure = picture_load(file, image.data()))
        return {-1, failure};
    fast.run({image}, {one});
    portable.run({image}, {other});
    for (std::size_t i = 0; i < one.size(); i++)
        if (!(std::fabs(one[i] - other[i]) < 1e-4f))
            return {-1, "the models do not agree"};
    return {likeliest(one), ""};
}

void work(std::atomic<int> &next, const std::vector<const char *> &files,
          std::vector<answer> &answers)
{
    const int n = static_cast<int>(files.size());
    try {
        dnnlc::fast::context fast; /* allocates its workspace, and nothing later */
        alignas(PORTABLE_WORKSPACE_ALIGN) static thread_local unsigned char
            workspace[PORTABLE_WORKSPACE_SIZE];
        portable_config config = portable_config();
        config.workspace = workspace; /* the caller's memory: nothing is allocated */
        config.workspace_size = sizeof workspace;
        dnnlc::portable::context portable(config);
        for (int i = next++; i < n; i = next++)
            answers[static_cast<std::size_t>(i)] =
                read(fast, portable, files[static_cast<std::size_t>(i)]);
    } catch (const std::exception &e) {
        for (int i = next++; i < n; i = next++)
            answers[static_cast<std::size_t>(i)] = {-1, e.what()};
    }
}

} // namespace

int main(int argc, char **argv)
{
    const std::vector<const char *> files(argv + 1, argv + std::max(argc, 1));
    if (files.empty()) {
        std::fprintf(stderr, "usage: vote PICTURE.pgm...\n");
        return 2;
    }
    std::vector<answer> answers(files.size(), answer{-1, "it was not read"});
    std::atomic<int> next(0);
    std::vector<std::thread> threads;
    for (unsigned k = 0; k < std::max(4u, std::thread::hardware_concurrency()); k++)
        threads.emplace_back(work, std::ref(next), std::cref(files), std::ref(answers));
    for (std::thread &thread : threads)
        thread.join();
    int status = 0;
    for (std::size_t i = 0; i < files.size(); i++)
        if (answers[i].failure.empty()) {
            std::printf("%s: %d\n", files[i], answers[i].digit);
        } else {
            std::fprintf(stderr, "vote: %s: %s\n", files[i], answers[i].failure.c_str());
            status = 1;
        }
    return status;
}
