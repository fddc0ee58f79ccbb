/* The C++ header of an emitted model. SPDX-License-Identifier: Apache-2.0 */
//@begin
$banner$
#ifndef $upper$_HPP
#define $upper$_HPP

#include "$name$_dnnl.h"

#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>

/* What the headers of all models share. */
#ifndef DNNLC_CPP_VERSION
#define DNNLC_CPP_VERSION 1

namespace dnnlc_cpp {

/* Elements that somebody else owns: a pointer and their number, from an array or from whatever has data() and size(). */
template <typename T> class span {
public:
    span() : data_(nullptr), size_(0) {}
    span(T *data, std::size_t size) : data_(data), size_(size) {}
    template <typename U, std::size_t N> span(U (&array)[N]) : data_(array), size_(N)
    {
    }
    template <typename C> span(C &&c) : data_(c.data()), size_(c.size())
    {
    }
    T *data() const { return data_; }
    std::size_t size() const { return size_; }
    T *begin() const { return data_; }
    T *end() const { return data_ + size_; }
    T &operator[](std::size_t i) const { return data_[i]; }

private:
    T *data_;
    std::size_t size_;
};

/* Dimensions of a tensor, and how many elements of the type of its span it has. */
struct shape {
    int rank;
    std::int64_t dims[12];
    std::size_t size;
};

/* What was thrown: what() is the reason, layer() where it was, "" if in none, and status() the C API's status. */
class error : public std::runtime_error {
public:
    error(int status, const char *reason, const char *layer)
        : std::runtime_error(reason), status_(status), layer_(layer)
    {
    }
    int status() const { return status_; }
    const std::string &layer() const { return layer_; }

private:
    int status_;
    std::string layer_;
};

/* Memory aligned to 64 bytes; data() is null for none. */
class memory {
public:
    memory() : block_(nullptr) {}
    ~memory() { ::operator delete(block_); }
    memory(const memory &) = delete;
    memory &operator=(const memory &) = delete;
    /* Null where there is no memory. */
    void *allocate(std::size_t size)
    {
        ::operator delete(block_);
        block_ = ::operator new(size + 63, std::nothrow);
        const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(block_);
        return block_ ? static_cast<char *>(block_) + (64 - at % 64) % 64 : nullptr;
    }

private:
    void *block_;
};

} // namespace dnnlc_cpp

#endif

namespace dnnlc {
namespace $name$ {

using dnnlc_cpp::error;
using dnnlc_cpp::shape;
using dnnlc_cpp::span;

//@if selectable
/* Shapes by variant. */
//@end
namespace input {
//@for in_tensors
constexpr shape $member$$suffix$ = $open$$shapes$({$rank$, {$dims$($dim$)}, $size$})$close$;
//@end
} // namespace input

namespace output {
//@for out_tensors
constexpr shape $member$$suffix$ = $open$$shapes$({$rank$, {$dims$($dim$)}, $size$})$close$;
//@end
} // namespace output

struct inputs {
//@for in_tensors
    span<const $type$> $member$; /* $about$ */
//@end
};

struct outputs {
//@for out_tensors
    span<$type$> $member$; /* $about$ */
//@end
};

/* A context of $name$_dnnl.h. It stays where it is: it can be neither copied nor moved. Contexts may be used by different threads at the
 * same time, one by one thread at a time.
 *
 * The constructor allocates the workspace, unless the configuration has one, and what the weights need on another CPU; run() allocates
 * nothing but, where it throws, the exception. */
class context {
public:
#if defined __cpp_exceptions || defined __EXCEPTIONS
    /* Throws std::bad_alloc or error. */
    explicit context(const $name$_config &config = $name$_config())
    {
        if (start(config) != $upper$_OK)
            fail(status_);
    }

    /* Throws error. */
    void run(const inputs &in, const outputs &out)
    {
        const $name$_status status = run(in, out, std::nothrow);
        if (status != $upper$_OK)
            fail(status);
    }
#endif
    /* Without exceptions: status() says what has become of it. */
    context(const $name$_config &config, std::nothrow_t) noexcept { start(config); }

    $name$_status run(const inputs &in, const outputs &out, std::nothrow_t) noexcept
    {
        if (status_ != $upper$_OK)
            return status_;
        reason_ = nullptr;
//@if selectable
        const unsigned k = model_.variant;
//@end
//@for checked
        if ($what$.size() < $shape$.size)
            return refuse("$what$ has too few elements");
//@end
        $name$_inputs c_in = $name$_inputs();
        $name$_outputs c_out = $name$_outputs();
//@if no_in
        (void)in;
//@end
//@for in_tensors
        c_in.$member$ = in.$member$.data();
//@end
//@if no_out
        (void)out;
//@end
//@for out_tensors
        c_out.$member$ = out.$member$.data();
//@end
        return $name$_run(&model_, &c_in, &c_out);
    }

    ~context()
    {
        if (status_ == $upper$_OK)
            $name$_fini(&model_);
    }

    context(const context &) = delete;
    context &operator=(const context &) = delete;

    /* Of the constructor. */
    $name$_status status() const noexcept { return status_; }
    /* Why the last call failed, and in which layer. */
    const char *reason() const noexcept { return reason_ ? reason_ : $name$_error(&model_); }
    const char *layer() const noexcept { return reason_ ? "" : $name$_error_layer(&model_); }
    /* For the rest of the C API. */
    $name$_context *get() noexcept { return &model_; }

private:
    $name$_status refuse(const char *reason) noexcept
    {
        reason_ = reason;
        return $upper$_BAD_ARGUMENT;
    }

    $name$_status start($name$_config config) noexcept
    {
        status_ = $upper$_BAD_ARGUMENT;
        if (!config.workspace) {
            config.workspace_size = $upper$_WORKSPACE_SIZE;
            config.workspace = workspace_.allocate($upper$_WORKSPACE_SIZE);
        }
        if (!config.workspace) {
            out_of_memory_ = true;
            return refuse("there is no memory for the workspace");
        }
        status_ = $name$_init(&model_, &config);
//@if has_fallback
        if (status_ == $upper$_OUT_OF_MEMORY && !config.fallback) {
            config.fallback_size = $name$_fallback_size();
            config.fallback = fallback_.allocate(config.fallback_size);
            out_of_memory_ = !config.fallback;
            status_ = $name$_init(&model_, &config);
        }
//@end
        return status_;
    }

#if defined __cpp_exceptions || defined __EXCEPTIONS
    void fail($name$_status status) const
    {
        if (out_of_memory_)
            throw std::bad_alloc();
        throw error(status, reason(), layer());
    }
#endif

//@if has_fallback
    dnnlc_cpp::memory workspace_, fallback_;
//@else
    dnnlc_cpp::memory workspace_;
//@end
    $name$_status status_;
    bool out_of_memory_ = false;
    const char *reason_ = nullptr;
    $name$_context model_ = $name$_context();
};

} // namespace $name$
} // namespace dnnlc

#endif
