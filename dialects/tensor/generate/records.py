"""Op records as Python objects, read from the JSON that llvm-tblgen dumps, and the checks a record must pass."""

import json
from dataclasses import dataclass, field
from typing import Union


MOST_OPERANDS, MOST_RESULTS = 12, 3  # as in runtime/op/OpInfo.h


@dataclass(frozen=True)
class Name:
    """`$x` in an expression."""

    text: str


@dataclass(frozen=True)
class Literal:
    """A number, written as a string in TableGen."""

    text: str


@dataclass(frozen=True)
class Call:
    """`(word a, b)`; `signature` says what kinds of scalars go in and come out. `names` are the steps' own."""

    word: str
    args: tuple
    signature: str = ""
    names: tuple = ()


Expr = Union[Name, Literal, Call]


@dataclass
class Argument:
    name: str
    type: str  # Tensor, OptionalTensor, Operand, Number, Flag, or the C++ type of an attribute
    doc: str
    initial: str = ""  # default in the public API
    kind: str = ""  # AttrKind; empty for an operand
    normalize: str = ""
    otherwise: str = ""

    @property
    def is_attr(self):
        return bool(self.kind)


@dataclass
class Vjp:
    grads: list = field(default_factory=list)
    saves: list = field(default_factory=list)
    function: str = ""
    reason: str = ""


@dataclass
class Op:
    record: str  # TJ_ReduceSumOp
    mnemonic: str
    family: str
    number: int  # in its file
    fields: dict
    arguments: list
    results: list
    expr: list
    vjp: Vjp
    sample: dict
    compose: Expr = None  # of a composite

    @property
    def name(self):
        """ReduceSum"""
        return self.record.removeprefix("TJ_").removesuffix("Op")

    @property
    def local(self):
        """reduceSum"""
        return self.name[0].lower() + self.name[1:]

    @property
    def functions(self):
        return self.fields["functions"]

    @property
    def label(self):
        """The name in messages: what the user called."""
        names = self.functions + self.fields["firstResultFunctions"]
        return names[0] if names and self.mnemonic not in names else self.mnemonic

    @property
    def composite(self):
        return bool(self.fields["composite"])

    @property
    def differentiable(self):
        return not (self.vjp and self.vjp.reason)

    @property
    def operands(self):
        return [a for a in self.arguments if not a.is_attr]

    @property
    def attrs(self):
        return [a for a in self.arguments if a.is_attr]

    def __getitem__(self, key):
        return self.fields[key]


class Records:
    """All records of one .td file: `ops` of the dialect, and `composites`, functions made of them."""

    def __init__(self, path, family=""):
        with open(path) as f:
            self.raw = json.load(f)
        self.family = family
        composites = set(self.raw["!instanceof"].get("TJ_Composite", []))
        self.ops = [self._op(r, n) for n, r in enumerate(r for r in self._in_order("TJ_Op") if r not in composites)]
        self.composites = [self._op(r, -1) for r in self._in_order("TJ_Composite")]
        self.functions = [self._function(name) for name in self._in_order("ScalarFn")]

    def _in_order(self, cls):
        def line(name):
            return int(self.raw[name]["!locs"][0].rsplit(":", 1)[1])

        return sorted(self.raw["!instanceof"].get(cls, []), key=line)

    def _op(self, name, number):
        r = self.raw[name]
        op = Op(
            record=name,
            mnemonic=r["opName"],
            family=self.family,
            number=number,
            fields=r | {"dtypes": self.raw[r["dtypes"]["def"]], "promote": r["promote"]["def"]},
            arguments=[self._argument(a, n) for a, n in r["arguments"]["args"]],
            results=[self._argument(a, n) for a, n in r["results"]["args"]],
            expr=[self.expr(e) for e in r["expr"]],
            vjp=self._vjp(name, r["vjp"]),
            sample=self.raw[r["sample"]["def"]] if r["sample"] else {},
            compose=self.expr(r["compose"]) if r.get("compose") else None,
        )
        check = r["indexCheck"]
        op.fields["indexCheck"] = self.raw[check["def"]] if check else None
        op.fields["examples"] = [self.raw[e["def"]] for e in r["examples"]]
        op.fields["special"] = [self.raw[e["def"]] for e in r["special"]]
        return op

    def _argument(self, ref, name):
        r = self.raw[ref["def"]]
        return Argument(
            name=name,
            type=r["argument"],
            doc=r["doc"],
            initial=r.get("initial", ""),
            kind=r.get("kind", ""),
            normalize=r.get("normalize", ""),
            otherwise=r.get("otherwise", ""),
        )

    def _vjp(self, op, ref):
        if not ref:
            return None
        r = self.raw[ref["def"]]
        if "reason" in r:
            return Vjp(reason=r["reason"])
        saves = [n for _, n in r["saved"]["args"]]
        if "function" in r:
            return Vjp(function=r["function"], saves=saves)
        return Vjp(grads=list(self.expr(r["gradients"]).args), saves=saves)

    def _function(self, name):
        r = self.raw[name]
        return name.removeprefix("Fn_"), [n for _, n in r["parameters"]["args"]], self.expr(r["body"]), r

    def expr(self, node, name=None):
        """One argument of a DAG: `node` is null for `$name`, a string, a reference to a def, or a DAG."""
        if node is None:
            return Name(name)
        if isinstance(node, str):
            return Literal(node)
        if node["kind"] == "def":
            return Call(node["def"], ())
        word = node["operator"]["def"]
        args = tuple(self.expr(a, n) for a, n in node["args"])
        names = tuple(n for _, n in node["args"])
        return Call(word, args, self.raw[word]["signature"], names if word == "steps" else ())

    @property
    def functions_of_tensors(self):
        return self.ops + self.composites

    def missing(self):
        """What the records lack, as text; empty when they are complete."""
        for op in self.functions_of_tensors:
            if not op["summary"]:
                yield f"{op.mnemonic}: no summary"
            if not op.vjp and not op.composite:
                yield f"{op.mnemonic}: neither a vjp nor NoVjp with a reason"
            if not op.sample:
                yield f"{op.mnemonic}: no sample"
            if not op["examples"]:
                yield f"{op.mnemonic}: no example"
            if len(op.operands) > MOST_OPERANDS or len(op.results) > MOST_RESULTS:
                yield f"{op.mnemonic}: more operands or results than runtime/op/OpInfo.h allows for"
            if op["wave"] not in (1, 2):
                yield f"{op.mnemonic}: no wave"
            if not op["infer"] and not op.composite:
                yield f"{op.mnemonic}: no infer function"
            if op.vjp and op.vjp.grads and len(op.vjp.grads) != len(op.operands):
                yield f"{op.mnemonic}: {len(op.vjp.grads)} gradients for {len(op.operands)} operands"
            known = {a.name for a in op.operands + op.results}
            for name in op.vjp.saves if op.vjp else []:
                if name not in known:
                    yield f"{op.mnemonic}: saves ${name}, which is neither an operand nor a result"


def shared_calls(roots):
    """Calls that occur more than once below `roots`, innermost first: they become locals."""
    counts, order = {}, []

    def visit(e):
        if not isinstance(e, Call) or not e.args:
            return
        counts[e] = counts.get(e, 0) + 1
        if counts[e] > 1:
            return
        for a in e.args:
            visit(a)
        order.append(e)

    for r in roots:
        visit(r)
    return [e for e in order if counts[e] > 1]
