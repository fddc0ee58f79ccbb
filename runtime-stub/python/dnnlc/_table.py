"""The tables by which a compiled model describes itself, as ctypes sees them: those of dnnlc_main.h, member for member."""

from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_size_t, c_uint, c_void_p

VERSION = 12  # DNNLC_MAIN_VERSION, which is raised when a table changes
MAX_RANK = 12
ALL_VARIANTS = 0xFFFFFFFF


class Tensor(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("dtype", c_int),
        ("rank", c_int),
        ("dims", c_int64 * MAX_RANK),
        ("bytes", c_size_t),
    ]


class Layer(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("op", c_char_p),
        ("detail", c_char_p),
        ("subgraph", c_char_p),
        ("implementation", c_char_p),
        ("operations", c_int64),
        ("read", c_int64),
        ("written", c_int64),
    ]


class Count(Structure):
    _fields_ = [("output", c_size_t), ("axis", c_int), ("count", c_size_t)]


class Bound(Structure):
    _fields_ = [("input", c_size_t), ("axis", c_int), ("dimension", c_size_t), ("most", c_int64)]


class State(Structure):
    _fields_ = [("input", c_size_t), ("output", c_size_t)]


class Model(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("compiler_version", c_char_p),
        ("onednn_version", c_char_p),
        ("isa", c_char_p),
        ("model_hash", c_char_p),
        ("target", c_char_p),
        ("linked", c_char_p),
        ("precision", c_char_p),
        ("called", c_char_p),
        ("variant", c_uint),
        ("n_variants", c_uint),
        ("inputs", POINTER(Tensor)),
        ("outputs", POINTER(Tensor)),
        ("n_inputs", c_size_t),
        ("n_outputs", c_size_t),
        ("layers", POINTER(Layer)),
        ("n_layers", c_size_t),
        ("workspace_size", c_size_t),
        ("workspace_align", c_size_t),
        ("context_size", c_size_t),
        ("weights_size", c_size_t),
        ("weights_file", c_char_p),
        ("threads", c_int),
        ("fallback_size", CFUNCTYPE(c_size_t)),
        (
            "init",
            CFUNCTYPE(
                c_int,
                c_void_p,
                c_void_p,
                c_size_t,
                c_void_p,
                c_size_t,
                c_void_p,
                c_size_t,
                c_int,
                c_uint,
            ),
        ),
        ("select", CFUNCTYPE(c_int, c_void_p, c_uint)),
        ("run", CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p)),
        ("fini", CFUNCTYPE(None, c_void_p)),
        ("error", CFUNCTYPE(c_char_p, c_void_p)),
        ("error_layer", CFUNCTYPE(c_char_p, c_void_p)),
        ("set_trace", c_void_p),
        ("counts", POINTER(Count)),
        ("n_counts", c_size_t),
        ("bounds", POINTER(Bound)),
        ("n_bounds", c_size_t),
        ("n_dimensions", c_size_t),
        ("states", POINTER(State)),
        ("n_states", c_size_t),
        ("state", CFUNCTYPE(c_void_p, c_void_p, c_uint)),
        ("reset", CFUNCTYPE(None, c_void_p)),
        ("selftest_size", c_size_t),
        ("selftest", c_void_p),
        ("dump_layers", c_void_p),
        ("rows_apart", c_int),
    ]
