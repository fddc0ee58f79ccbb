/* The C++ header of the digit model, called m: what it allocates, what it refuses, by exception and by status. With -fno-exceptions the second alone. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "m.hpp"

namespace m = dnnlc::m;

static std::size_t allocations;
static bool no_memory;

void *operator new(std::size_t size, const std::nothrow_t &) noexcept
{
    allocations++;
    return no_memory ? nullptr : std::malloc(size);
}
void *operator new(std::size_t size)
{
    void *block = std::malloc(size);
    if (!block)
        std::abort();
    return block;
}
__attribute__((noinline)) void operator delete(void *block) noexcept
{
    std::free(block);
}
__attribute__((noinline)) void operator delete(void *block, std::size_t) noexcept
{
    std::free(block);
}

static int failures;
static void expect(bool ok, const char *what)
{
    if (!ok)
        std::printf("FAILED: %s\n", what);
    failures += !ok;
}

static float image[m::input::image.size], out[m::output::probabilities.size];
alignas(M_WORKSPACE_ALIGN) static unsigned char memory[M_WORKSPACE_SIZE];

static void by_status()
{
    static_assert(m::input::image.rank == 4 && m::input::image.dims[2] == 28, "the shape");
    m::inputs in;
    m::outputs result;
    in.image = image;
    result.probabilities = out;
    m_config config = m_config();
    config.workspace = memory;
    config.workspace_size = sizeof memory;
    allocations = 0;
    m::context model(config, std::nothrow);
    expect(model.status() == M_OK && *model.reason() == 0, "the caller's memory");
    expect(model.run(in, result, std::nothrow) == M_OK && out[0] > 0, "a run");
    expect(allocations == 0, "nothing is allocated");
    float least[m::output::probabilities.size];
    std::memcpy(least, out, sizeof least);
    result.probabilities = m::span<float>(out, 9);
    expect(model.run(in, result, std::nothrow) == M_BAD_ARGUMENT, "a span that is too small");
    expect(!std::strcmp(model.reason(), "out.probabilities has too few elements") &&
               !*model.layer(),
           "its reason");
    result.probabilities = out;
    expect(model.run(in, result, std::nothrow) == M_OK && !std::memcmp(least, out, sizeof out),
           "a run after a refusal");
    expect(*model.reason() == 0, "no reason any more");

    config.workspace_size--;
    m::context small(config, std::nothrow);
    expect(small.status() == M_BAD_ARGUMENT && std::strstr(small.reason(), "workspace"),
           "a workspace that is too small");
    expect(small.run(in, result, std::nothrow) == M_BAD_ARGUMENT &&
               std::strstr(small.reason(), "workspace"),
           "no run without a context");
    config.workspace = memory + 1;
    config.workspace_size = sizeof memory;
    m::context misaligned(config, std::nothrow);
    expect(misaligned.status() == M_BAD_ARGUMENT && std::strstr(misaligned.reason(), "aligned"),
           "a workspace that is misaligned");
    no_memory = true;
    m::context none(m_config(), std::nothrow);
    expect(none.status() == M_BAD_ARGUMENT &&
               !std::strcmp(none.reason(), "there is no memory for the workspace"),
           "no memory");
    no_memory = false;
}

#ifdef __cpp_exceptions
static void by_exception()
{
    m::context model;
    m::context same;
    const std::vector<float> pixels(image, image + m::input::image.size);
    std::vector<float> one(10), other(10);
    model.run({pixels}, {one});
    same.run({image}, {other});
    expect(one == other, "two contexts give the same");
    expect(model.get() != same.get() && !*m_error(model.get()), "the C API's context");
    other.resize(9);
    try {
        model.run({pixels}, {other});
        expect(false, "a span that is too small throws");
    } catch (const m::error &e) {
        expect(e.status() == M_BAD_ARGUMENT &&
                   !std::strcmp(e.what(), "out.probabilities has too few elements") &&
                   e.layer().empty(),
               "what is thrown");
    }
    try {
        m_config config = m_config();
        config.workspace = memory;
        config.workspace_size = 64;
        m::context small(config);
        expect(false, "a workspace that is too small throws");
    } catch (const m::error &e) {
        expect(std::strstr(e.what(), "workspace") != nullptr, "why");
    }
    no_memory = true;
    try {
        m::context none;
        expect(false, "no memory throws");
    } catch (const std::bad_alloc &) {
    }
    no_memory = false;
}
#endif

int main()
{
    by_status();
#ifdef __cpp_exceptions
    by_exception();
#endif
    return failures != 0;
}
