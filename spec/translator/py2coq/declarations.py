"""Module level: imports, records, enums, unions, constants, functions, in the order of the source."""

from __future__ import annotations

import ast

from py2coq import expressions, statements
from py2coq.refusal import Source
from py2coq.scope import Scope, names_bound
from py2coq.shapes import INT, Function, Named, Shape, coq_type
from py2coq.world import World, read_type

ORDER = """
(* The keys of a rank, their order, and the two named ranks: arbitrary. The ranks of the core stay in Python. *)
Record Order : Type := {
  Key : Type;
  less : Key -> Key -> bool;
  smallest_first : Block -> Z -> Key;
  age_over_size : Block -> Z -> Key
}.

Section Ranked.
Context {order : Order}.
Local Notation Key := (Key order).
Local Notation less := (less order).
Local Notation smallest_first := (smallest_first order).
Local Notation age_over_size := (age_over_size order).
"""

PYTHON_MODULES = {
    "__future__": {"annotations"},
    "dataclasses": {"dataclass"},
    "enum": {"Enum"},
    "typing": {"NamedTuple"},
}
RANKS = {"Key", "Rank", "smallest_first", "age_over_size"}


def without_texts(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements without the docstrings."""
    return [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]


class Module:
    """One module on its way to Coq. `done` tells which names the modules before it have."""

    def __init__(self, source: Source, world: World, done: dict[str, set[str]]) -> None:
        self.source, self.world, self.done = source, world, done
        self.visible: set[str] = set()
        self.declared: set[str] = set()
        self.lines: list[str] = []

    def translate(self, tree: ast.Module) -> str:
        """The module's definitions in Coq."""
        for node in tree.body:
            match node:
                case ast.Expr(value=ast.Constant(value=str())):
                    pass
                case ast.ImportFrom(module=str(module), names=names, level=0):
                    self._import(node, module, names)
                case ast.ClassDef(name=name):
                    self._class(node)
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self._alias(node, name, value)
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=ast.expr() as value):
                    shape = self._type(annotation)
                    text = expressions.emit(value, self._scope(node, frozenset(), {}), shape)
                    self._declare(name, node)
                    self.world.constants[name] = shape
                    self.lines.append(f"Definition {name} : {coq_type(shape)} := {text}.")
                case ast.FunctionDef():
                    self._function(node)
                case _:
                    raise self.source.refused(node, "this is outside the subset at module level")
        if unused := [name for name in self.world.pending if self.world.union_of(name) is None]:
            raise self.source.refused(self.world.pending[unused[0]], f"the dataclass {unused[0]} is no case of a union")
        return "\n".join(self.lines)

    def _type(self, annotation: ast.expr) -> Shape:
        return read_type(annotation, self.world, self.visible, self.source)

    def _scope(self, place: ast.AST, own: frozenset[str], values: dict[str, Shape]) -> Scope:
        return Scope(self.world, self.source, frozenset(self.visible), own, values, place)

    def _declare(self, name: str, node: ast.AST) -> None:
        self.world.declare(name, node, self.source)
        self.visible.add(name)
        self.declared.add(name)

    def _import(self, node: ast.ImportFrom, module: str, names: list[ast.alias]) -> None:
        wanted = {alias.name for alias in names}
        ranks = module == "foldcover.ranks"
        offered = PYTHON_MODULES.get(module) or (RANKS if ranks else self.done.get(module, set()))
        if not wanted <= offered or any(alias.asname for alias in names):
            raise self.source.refused(node, "only names of the modules before, as they are called there, are imported")
        self.visible |= wanted
        if ranks and not self.world.ordered:
            if "Block" not in self.world.records:
                raise self.source.refused(node, "ranks need Block before them")
            self.world.ordered = True
            rank = Function((Named("Block"), INT), Named("Key"))
            self.world.constants |= {"smallest_first": rank, "age_over_size": rank}
            self.lines.append(ORDER)

    def _class(self, node: ast.ClassDef) -> None:
        self._declare(node.name, node)
        bases, decorators = [ast.unparse(b) for b in node.bases], [ast.unparse(d) for d in node.decorator_list]
        body = without_texts(node.body)
        match bases, decorators:
            case ["Enum"], [] if not node.keywords:
                self._enum(node, body)
            case ["NamedTuple"], [] if not node.keywords:
                self._record(node, body)
            case [], ["dataclass(frozen=True, slots=True)"] if not node.keywords:
                self.world.pending[node.name] = node
            case _:
                raise self.source.refused(node, "a class is an Enum, a NamedTuple or a frozen dataclass with slots")

    def _enum(self, node: ast.ClassDef, body: list[ast.stmt]) -> None:
        members: list[str] = []
        values: set[str] = set()
        for statement in body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(value))):
                    self.world.declare(name, statement, self.source)
                    members.append(name)
                    values.add(value)
                case _:
                    raise self.source.refused(statement, "an Enum has members with texts only")
        if len(values) != len(members):
            raise self.source.refused(node, "two members are the same")
        self.world.enums[node.name] = tuple(members)
        self.lines.append(f"Inductive {node.name} := {' | '.join(members)}.")

    def _fields(self, body: list[ast.stmt]) -> dict[str, Shape]:
        fields: dict[str, Shape] = {}
        for statement in body:
            match statement:
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=None | ast.Constant()):
                    fields[name] = self._type(annotation)
                case _:
                    raise self.source.refused(statement, "only fields and read-only properties are in the subset")
        return fields

    def _record(self, node: ast.ClassDef, body: list[ast.stmt]) -> None:
        properties = [s for s in body if isinstance(s, ast.FunctionDef)]
        fields = self._fields([s for s in body if not isinstance(s, ast.FunctionDef)])
        name = node.name
        self.world.records[name] = fields
        listed = "; ".join(f"{name}_{field} : {coq_type(shape)}" for field, shape in fields.items())
        self.lines.append(f"Record {name} := mk{name} {{ {listed} }}.")
        if all(shape == INT for shape in fields.values()):
            same = " && ".join(f"({name}_{field} a =? {name}_{field} b)" for field in fields)
            self.lines.append(f"Definition {name}_eqb (a b : {name}) : bool := {same}.")
        for method in properties:
            if [ast.unparse(d) for d in method.decorator_list] != ["property"] or len(method.args.args) != 1:
                raise self.source.refused(method, "of methods only properties are in the subset")
            gives = self._returned(method)
            scope = self._scope(method, names_bound(method), {method.args.args[0].arg: Named(name)})
            text = statements.block(method.body, scope, gives)
            self.world.properties[name, method.name] = gives
            own = method.args.args[0].arg
            self.lines.append(f"Definition {name}_{method.name} ({own}' : {name}) : {coq_type(gives)} :=\n  {text}.")

    def _alias(self, node: ast.Assign, name: str, value: ast.expr) -> None:
        cases = self._cases(value)
        self._declare(name, node)
        if not cases:
            self.world.aliases[name] = self._type(value)
            return
        self.world.unions[name] = cases
        arms: list[str] = []
        for case in cases:
            fields = self._fields(without_texts(self.world.pending[case].body))
            self.world.constructors[case] = fields
            typed = "".join(f" ({field}' : {coq_type(shape)})" for field, shape in fields.items())
            arms.append(f"\n| {case}{typed}")
        self.lines.append(f"Inductive {name} :={''.join(arms)}.")

    def _cases(self, value: ast.expr) -> tuple[str, ...]:
        """The dataclasses of `A | B | C`; () if it is not such a union."""
        match value:
            case ast.Name(id=name) if name in self.world.pending and self.world.union_of(name) is None:
                return (name,)
            case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Name() as right):
                before, last = self._cases(left), self._cases(right)
                return (*before, *last) if before and last and last[0] not in before else ()
            case _:
                return ()

    def _returned(self, node: ast.FunctionDef) -> Shape:
        if node.returns is None:
            raise self.source.refused(node, "the function must say what it returns")
        return self._type(node.returns)

    def _function(self, node: ast.FunctionDef) -> None:
        arguments = node.args
        if node.decorator_list or arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs:
            raise self.source.refused(node, "functions have plain arguments and no decorators")
        if not all(isinstance(default, ast.Constant | ast.Name) for default in arguments.defaults):
            raise self.source.refused(node, "a default is a name or written out")
        values: dict[str, Shape] = {}
        for argument in arguments.args:
            if argument.annotation is None:
                raise self.source.refused(node, f"the argument {argument.arg} has no type")
            values[argument.arg] = self._type(argument.annotation)
        gives = self._returned(node)
        self._declare(node.name, node)
        self.world.functions[node.name] = Function(tuple(values.values()), gives)
        calls = (n.func for n in ast.walk(node) if isinstance(n, ast.Call))
        recursive = any(isinstance(f, ast.Name) and f.id == node.name for f in calls)
        text = statements.block(node.body, self._scope(node, names_bound(node), values), gives)
        typed = "".join(f" ({name}' : {coq_type(shape)})" for name, shape in values.items())
        word = "Fixpoint" if recursive else "Definition"
        self.lines.append(f"{word} {node.name}{typed} : {coq_type(gives)} :=\n  {text}.\n")
