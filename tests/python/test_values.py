"""Types, shapes, names, variants, bounds and states: what the executable computes of the same arrays, to the bit, or what numpy does."""

import os
import threading

import numpy

import dnnlc
from support import TOP, Case, compile, emitted, path, random, run_emitted, write

TYPES = {
    "f32": "float32", "f64": "float64", "f16": "float16", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "bool": "bool", "bf16": "uint16",
}  # fmt: skip
EMITTED = os.path.join(TOP, "tests", "emitted")


def all_types():
    """A vector and a scalar of each type; their sums, or what is not both. Of bfloat16, which numpy cannot add, the vector itself, halves apart."""
    lines = ['graph "types" {']
    for t in TYPES:
        lines += [f"  input %v_{t}: {t}[5]", f"  input %s_{t}: {t}[]"]
    for t in TYPES:
        if t == "bf16":
            lines.append("  %y_bf16 = Transpose(%v_bf16) {perm=[0]}")
        elif t == "bool":
            lines += ["  %and = And(%v_bool, %s_bool)", "  %y_bool = Not(%and)"]
        else:
            lines.append(f"  %y_{t} = Add(%v_{t}, %s_{t})")
    lines += [f'  output "y_{t}" = %y_{t}' for t in TYPES] + [f'  output "s_{t}" = %s_{t}' for t in TYPES]
    return write("types.ir", "\n".join(lines) + "\n}\n")


class Values(Case):
    def test_types(self):
        net = compile(all_types())
        inputs = {}
        for t, dtype in TYPES.items():
            inputs[f"v_{t}"] = random((5,), dtype, seed=len(inputs))
            inputs[f"s_{t}"] = random((), dtype, seed=len(inputs))
        made = net.run(inputs)
        for t in TYPES:
            v, s = inputs[f"v_{t}"], inputs[f"s_{t}"]
            self.same(made[f"y_{t}"], v if t == "bf16" else ~(v & s) if t == "bool" else v + s)
            self.same(made[f"s_{t}"], numpy.asarray(s))
        self.assertTrue([p for p in net.inputs if p.name == "v_bf16"][0].is_bfloat16)
        self.assertIn("v_bf16: bfloat16 (as uint16)[5]", repr(net))
        for t in TYPES:
            wrong = "int64" if t != "i64" else "int32"
            self.refuses(TypeError, f"input 'v_{t}' takes", net.run, {**inputs, f"v_{t}": inputs[f"v_{t}"].astype(wrong)})
        numbers = {**inputs, "v_u8": [1, 2, 255, 0, 9], "s_u8": 3, "s_f32": 7, "s_bool": True, "s_i64": -5}
        self.assertEqual(net.run(numbers)["y_u8"].tolist(), [4, 5, 2, 3, 12])
        self.refuses(ValueError, "input 'v_u8' takes uint8, which does not have all of these numbers", net.run, {**inputs, "v_u8": [1, 2, 3, 4, 256]})
        self.refuses(TypeError, "input 'v_i32' takes int32, not float64", net.run, {**inputs, "v_i32": [1.0] * 5})
        self.refuses(TypeError, "input 'v_bf16' takes an array of bfloat16 (as uint16)", net.run, {**inputs, "v_bf16": [1, 2, 3, 4, 5]})

    def test_names(self):
        model = os.path.join(EMITTED, "names.ir")
        net = compile(model)
        names = [p.name for p in net.inputs]
        self.assertEqual(names, ["int", "x:0", "x_0", "SIZE_MAX", "INT8_C", "M_WORKSPACE_SIZE"])
        self.assertEqual([p.name for p in net.outputs], ['*_ _%s_', "return", "WCHAR_MAX", "1 2"])
        inputs = {name: random((2, 5), seed=k) for k, name in enumerate(names)}
        wanted = run_emitted(emitted(model), inputs)
        got = net(*inputs.values())
        self.assertIsInstance(got, tuple)
        for ours, theirs in zip(got, wanted):
            self.same(ours, theirs)
        self.assertEqual(net.run({n: inputs[n] for n in reversed(names)})["return"].tobytes(), wanted[1].tobytes())

    def test_names_that_become_alike(self):
        net = compile(
            write("alike.ir", 'graph "g" {\n input %"a\\"": f32[2]\n input %"a\\\\": f32[2]\n input %"a__1": f32[2]\n'
                  ' %d = Sub(%"a\\"", %"a\\\\")\n %y = Sub(%d, %"a__1")\n output "y" = %y\n}\n')
        )  # fmt: skip
        self.assertEqual([p.name for p in net.inputs], ["a_", "a__2", "a__1"])
        self.assertEqual(net([5, 5], [2, 1], [1, 1]).tolist(), [2, 3])
        self.assertEqual(net.run({"a__2": [2, 1], "a_": [5, 5], "a__1": [1, 1]})["y"].tolist(), [2, 3])

    def test_two_models_of_one_name(self):
        first = compile(write("a/model.ir", 'graph "g" {\n input %x: f32[3]\n %y = Relu(%x)\n output "y" = %y\n}\n'))
        second = compile(write("b/model.ir", 'graph "g" {\n input %x: f32[3]\n %y = Neg(%x)\n output "y" = %y\n}\n'))
        x = numpy.array([-1, 2, -3], numpy.float32)
        for _ in range(2):
            self.assertEqual(first(x).tolist(), [0, 2, 0])
            self.assertEqual(second(x).tolist(), [1, -2, 3])
        self.assertEqual(first.info["name"], second.info["name"])

    def test_variants_and_a_state(self):
        model = os.path.join(EMITTED, "sizes.ir")
        net = compile(model)
        self.assertEqual(net.variants, ("batch=1", "batch=3"))
        self.assertEqual([p.name for p in net.inputs], ["x"])
        h, x1, x3 = random((1, 16), seed=5), random((1, 16, 12, 12)), random((3, 16, 12, 12))
        net.set_states({"h": h})
        for x in (x3, x1, x3):  # the state goes on from one variant to the other
            wanted = run_emitted(emitted(model), {"x": x, "h": h})
            made = net.run({"x": x})
            self.assertEqual(list(made), ["y", "same"])
            self.same(made["y"], wanted[0])
            self.same(made["same"], wanted[2])
            self.same(net.states()["h"], wanted[1])
            h = wanted[1]
        self.refuses(ValueError, "input 'x' takes the shape [1, 16, 12, 12] or [3, 16, 12, 12], not [2, 16, 12, 12]", net, x3[:2])

    def test_states(self):
        model = os.path.join(EMITTED, "stateful.ir")
        net = compile(model)
        other, saved = net.clone(), {}
        state = {name: array for name, array in net.states().items()}
        self.assertEqual(list(state), ["map", "h", "steps", "a", "b"])
        self.assertFalse(any(array.any() for array in state.values()))
        for step in range(3):
            x = random((1, 16, 12, 12), seed=step)
            wanted = run_emitted(emitted(model), {"x": x, **state})
            self.same(net(x), wanted[0])
            state = dict(zip(state, wanted[1:]))
            for name, array in net.states().items():
                self.same(array, state[name])
            saved[step] = net.states()
        other.set_states(saved[1])
        other(x)
        self.assertEqual([a.tobytes() for a in other.states().values()], [a.tobytes() for a in saved[2].values()])
        self.assertEqual(int(other.states()["steps"]), 3)
        net.reset()
        self.assertFalse(any(array.any() for array in net.states().values()))
        self.refuses(TypeError, "there is no state 'x'", net.set_states, {"x": x})
        self.refuses(ValueError, "state 'h' has the shape [1, 16], not [16]", net.set_states, {"h": numpy.zeros(16, "f4")})

    def test_bounds(self):
        model = os.path.join(EMITTED, "bounded.ir")
        net = compile(model)
        self.assertEqual(net.inputs[0].bounds, (1,))
        for rows, past in ((6, 6), (4, 2), (1, 0), (0, 5)):
            x, p = random((2, rows, 4)), random((past, 4), seed=2)
            wanted = run_emitted(emitted(model), {"x": x, "past": p})
            got = net(x, p)
            self.assertEqual([a.shape for a in got], [(2, rows, 4), (2, 4), (past + 1, 4)])
            for ours, theirs in zip(got, wanted):
                self.same(ours, theirs)
            most = numpy.full((2, 6, 4), numpy.nan, numpy.float32)
            most[:, :rows] = x
            again = [net(most[:, :rows], p), list(net.run({"x": most, "past": p, "rows": rows}).values())]
            for other in again:
                for ours, theirs in zip(other, wanted):
                    self.same(ours, theirs)
        self.refuses(ValueError, "input 'x' takes the shape [2, 6, 4], or less along axis 1, not [2, 7, 4]", net, random((2, 7, 4)), p)
        self.refuses(ValueError, "input 'x' has 5 rows, not 3", net.run, {"x": random((2, 5, 4)), "past": p, "rows": 3})
        self.refuses(dnnlc.RunError, "", net.run, {"x": random((2, 6, 4)), "past": p, "rows": -1})

    def test_a_state_that_grows(self):
        model = os.path.join(EMITTED, "decoder.ir")
        net = compile(model, states=True)
        by_hand = emitted(model)
        self.assertEqual([p.name for p in net.inputs], ["x"])
        past, saved = [numpy.zeros((1, 2, 0, 4), numpy.float32)] * 2, None
        for step in range(5):
            x = random((1, 2, 1, 4), seed=step)
            y, *past = run_emitted(by_hand, {"x": x, "past_k": past[0], "past_v": past[1]})
            self.same(net(x), y)
            for ours, theirs in zip(net.states().values(), past):
                self.same(ours, theirs)
            saved = net.states() if step == 2 else saved
        with self.assertRaises(dnnlc.RunError):  # there is no more room
            net(x)
            net(x)
        other = net.clone()
        other.set_states(saved)
        other(random((1, 2, 1, 4), seed=3))
        other(random((1, 2, 1, 4), seed=4))
        for ours, theirs in zip(other.states().values(), past):
            self.same(ours, theirs)
        self.refuses(ValueError, "state 'past_v' has another number of rows than 1: set it as well", other.set_states, {"past_k": saved["past_k"][:, :, :1]})
        self.refuses(
            ValueError, "and as many as the others that share 'past'", other.set_states,
            {"past_k": saved["past_k"], "past_v": saved["past_v"][:, :, :1]},
        )  # fmt: skip

    def test_weights_in_a_file(self):
        model = os.path.join(EMITTED, "residual.ir")
        inside, beside = compile(model), compile(model, options=["--weights", "file"])
        inputs = {p.name: random(p.shape, seed=k) for k, p in enumerate(inside.inputs)}
        wanted, got = inside.run(inputs), beside.run(inputs)
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(beside.info["path"]), "net_weights.bin")))
        for name, array in got.items():
            self.same(array, wanted[name])
        folder = path("damaged")
        os.makedirs(folder)
        for name in ("libnet.so", "net_weights.bin"):
            with open(os.path.join(os.path.dirname(beside.info["path"]), name), "rb") as file:
                data = bytearray(file.read())
            data[-1] ^= name == "net_weights.bin"
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)
        self.refuses(dnnlc.RunError, "the weights are damaged", dnnlc.load, os.path.join(folder, "libnet.so"))

    def test_strings(self):
        net = compile(write("strings.ir", 'graph "g" {\n input %x: u8[3,8]\n %y = Transpose(%x) {perm=[1,0]}\n output "y" = %y\n}\n'))
        words = numpy.array([b"one", b"twelve", b""])
        self.assertEqual(numpy.ascontiguousarray(net(words).T).view("S8")[:, 0].tolist(), words.tolist())
        self.refuses(ValueError, "takes strings of at most 8 bytes, not 9", net, numpy.array([b"", b"", b"123456789"]))

    def test_threads_with_states_of_their_own(self):
        net = compile(os.path.join(EMITTED, "stateful.ir"))
        x = random((1, 16, 12, 12))
        for _ in range(20):
            net(x)
        wanted, nets = net.states(), [net.clone() for _ in range(4)]

        def work(one):
            for _ in range(20):
                one(x)

        running = [threading.Thread(target=work, args=(one,)) for one in nets]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        for one in nets:
            self.assertEqual([a.tobytes() for a in one.states().values()], [a.tobytes() for a in wanted.values()])
