"""A real model, for both targets: what the executable computes, to the bit."""

import gc
import os
import threading

import numpy

import dnnlc
from support import DIGITS, Case, compile, emitted, path, random, run_emitted


def resident():
    """Bytes of memory that the process has."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


class Digits(Case):
    def check(self, target):
        net = compile(DIGITS, target=target)
        x = random((1, 1, 28, 28))
        if target == "dnnl":
            (wanted,) = run_emitted(emitted(DIGITS, target=target), {"image": x})
        else:  # test_values.py has executables of portable C, quicker to build
            wanted = net(x)
            self.assertLess(abs(wanted - compile(DIGITS, target="dnnl")(x)).max(), 1e-5)
        self.same(net(x), wanted)
        self.same(net(image=x), wanted)
        self.same(net.run({"image": x})["probabilities"], wanted)
        return net, x, wanted

    def test_c(self):
        net, _, _ = self.check("c")
        self.assertEqual(net.info["target"], "c")
        self.assertIn("digits: (image: float32[1, 1, 28, 28]) -> (probabilities: float32[1, 10])", repr(net))

    def test_onednn(self):
        net, x, wanted = self.check("dnnl")
        self.assertEqual(net.info["target"], "dnnl")
        threads = [net.clone(threads=1) for _ in range(3)]
        results = {}

        def work(k):
            for _ in range(50):
                results[k] = threads[k](x)

        running = [threading.Thread(target=work, args=(k,)) for k in range(3)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        for result in results.values():
            self.same(result, wanted)

    def test_many_calls_take_no_memory(self):
        net, x, _ = self.check("c")
        for _ in range(200):
            net(x)
        gc.collect()
        before = resident()
        for _ in range(1000):
            net(x)
        self.assertLess(resident() - before, 256 << 10)

    def test_one_net_in_many_threads(self):
        net, x, _ = self.check("c")
        inputs = [x, x + 1, x - 1, x * 2]
        wanted = [net(i) for i in inputs]
        wrong = []

        def work(k):
            for _ in range(100):
                if net(inputs[k]).tobytes() != wanted[k].tobytes():
                    wrong.append(k)

        running = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        self.assertEqual(wrong, [])

    def test_close(self):
        net = compile(DIGITS)
        other = net.clone()
        x = random((1, 1, 28, 28))
        with net:
            wanted = net(x)
        self.refuses(ValueError, "the net is closed", net, x)
        net.close()
        self.assertIn("closed", repr(net))
        self.same(other(x), wanted)

    def test_arrays_of_the_caller(self):
        net, x, wanted = self.check("c")
        out = numpy.full((1, 10), numpy.nan, numpy.float32)
        self.assertIs(net.run({"image": x}, out={"probabilities": out})["probabilities"], out)
        self.same(out, wanted)
        for copied in (numpy.asfortranarray(x), x[:, :, ::-1][:, :, ::-1], x.astype(">f4"), numpy.repeat(x, 2, axis=3)[..., ::2]):
            self.same(net(copied), wanted)
        self.same(net(x.tolist()), wanted)

    def test_bad_arguments(self):
        net = compile(DIGITS)
        x = random((1, 1, 28, 28))
        self.refuses(TypeError, "input 'image' takes float32, not float64", net, x.astype("float64"))
        self.refuses(TypeError, "input 'image' takes float32, not <U1", net, "x")
        self.refuses(ValueError, "input 'image' takes the shape [1, 1, 28, 28], not [28, 28]", net, x[0, 0])
        self.refuses(TypeError, "input 'image' is missing", net)
        self.refuses(TypeError, "there is no input 'picture'; the model takes 'image'", net, picture=x)
        self.refuses(TypeError, "2 inputs, the model takes 1", net, x, x)
        self.refuses(TypeError, "input 'image' is given twice", net, x, image=x)
        self.refuses(TypeError, "there is no output 'y'", net.run, {"image": x}, {"y": x})
        for out in (x, numpy.empty((1, 10)), numpy.empty((10, 2), "f4")[:, :1].T, x.reshape(-1)[:10].reshape(1, 10)):
            self.refuses(ValueError, "out: 'probabilities' is written into a dense array", net.run, {"image": x}, {"probabilities": out})
        self.refuses(ValueError, "threads: 99, the model was compiled for at most 1", net.clone, threads=99)

    def test_load(self):
        self.refuses(OSError, "libm.so", dnnlc.load, path("missing", "libm.so"))
        net = compile(DIGITS)
        copy = path("libother.so")
        with open(net.info["path"], "rb") as source, open(copy, "wb") as to:
            to.write(source.read())
        self.refuses(dnnlc.Error, "not a libNAME.so that dnnlc's build file has made", dnnlc.load, copy)
