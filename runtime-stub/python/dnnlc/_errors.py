"""What goes wrong. Arguments that do not fit a model are TypeError and ValueError, as usual."""


class Error(Exception):
    """Any failure of dnnlc's, to be caught where it does not matter which."""

    __module__ = "dnnlc"


class CompileError(Error):
    """A model was not compiled. The text is the line in which dnnlc refuses it; `status` is 1 for that, 2 where the options are wrong,
    and `output` is all that was said."""

    __module__ = "dnnlc"

    def __init__(self, line: str, status: int = 1, output: str = "") -> None:
        super().__init__(line)
        self.status = status
        self.output = output


class RunError(Error):
    """A model failed while it was prepared or run; `layer` is the one that failed, or empty."""

    __module__ = "dnnlc"

    def __init__(self, reason: str, layer: str = "") -> None:
        super().__init__(f"layer '{layer}': {reason}" if layer else reason)
        self.layer = layer
