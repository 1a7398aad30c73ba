# SPDX-License-Identifier: BSD-2-Clause
"""What Python offers of each public function: arguments with kinds and sizes, results, and how C calls it.

Functions that a rule here does not understand are reported as missing, and a test fails then. What is left out on
purpose is listed in BY_HAND and NOT_OFFERED.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from description import ARRAYS, SIZES, SYNONYMS, Parameter
from headers import Enum, Function, Headers, Struct

# Objects: C type -> (class in Python, prefix of its functions).
CLASSES = {
    "jn_model": ("Model", "model_"),
    "jn_loops": ("Loops", "loops_"),
    "jn_trajectory": ("Trajectory", "trajectory_"),
    "jn_simulator": ("Simulator", "simulator_"),
    "jn_base": ("BaseParameters", "base_"),
    "jn_tasks": ("Tasks", "tasks_"),
    "jn_retimed": ("Retimed", "retimed_"),
    "jn_function": ("Function", "function_"),
    "jn_identification": ("Identification", "identification_"),
    "jn_elastic": ("Elastic", "elastic_"),
}
# Objects that belong to one thread at a time.
EXCLUSIVE = {"jn_function", "jn_loops", "jn_simulator", "jn_tasks", "jn_identification", "jn_elastic"}
# Functions that wait for rules: none.
NOT_YET = re.compile(r"(?!)")
# Functions that the package offers in another form: name -> where.
BY_HAND = {
    "jn_random": "Model.random",
    "jn_perturbation_of": "Model.perturbation",
    "jn_perturbation_room": "Model.perturbation",
    "jn_loops_rounding": "LoopsHealth.rounding",
    "jn_joint_description": "Model.to_dict",
    "jn_loop_description": "Model.to_dict",
    "jn_singular_joint": "SingularError.joint",
    "jn_status_text": "Error",
    "jn_elastic_create": "Model.elastic",
    "jn_generate": "Model.generate",
}
# Functions that Python has no use for: pattern -> why.
NOT_OFFERED = {
    r"jn_\w+_(destroy|init)$": "objects release themselves and options are keyword arguments",
    r"jn_(work|batch)_\w+$": "work memory is kept inside the model",
    r"jn_report_\w+$": "messages become Python warnings",
    r"jn_builder_\w+$|jn_model_thaw$": "models are built by jounce.Builder, from dictionaries",
    r"jn_table_\w+$": "NumPy and pandas read tables",
    r"jn_\w+_batch$": "leading axes are batches",
    r"jn_text_free$": "texts are Python strings",
    r"jn_(keyframe_count|load_keyframe)$": "keyframes of MJCF files are read in C and by the command",
    r"jn_function_(jacobian|hessian)_pattern$": "casadi.Function.sparsity_out() of jounce.casadi has them",
    r"jn_function_discrete$": "an order of numbers that acados wants, in C",
    r"jn_generated_\w+$": "Model.generate gives all files as a dictionary",
    r"jn_\w+_room$": "room is made inside",
    r"jn_set_stop$": "Ctrl-C stops every call",
}
RENAMED = {
    "jn_simulator_create": "simulator",
    "jn_function_create": "function",
    "jn_simulator_create_loops": "simulator",
    "jn_base_create": "base_parameters",
    "jn_loops_create": "_loops",
    "jn_save_text": "_save_text",
    "jn_tasks_create": "_tasks",
    "jn_identification_create": "identification",
    "jn_identification_model": "identified_model",
    "jn_trajectory_load": "trajectory",
    "jn_trajectory_load_text": "trajectory_from_text",
    "jn_trajectory_fit": "trajectory_from_samples",
    "jn_base_class_of": "class_of",
    "jn_load": "_load",
    "jn_load_text": "_load_text",
    "jn_save": "_save",
    "jn_elastic_load": "_elastic_load",
    "jn_elastic_load_text": "_elastic_load_text",
    "jn_elastic_model": "_full_model",
    "jn_limits_of_model": "limit_ranges",
    "jn_retime": "_retime",
}
KEYWORDS = {"in": "in_", "lambda": "lambda_", "from": "from_"}
# Members of structs that a function does not use.
UNUSED = {
    ("jn_inverse_dynamics_adjoint", "jn_gradient", "df_dtau"),
    ("jn_forward_dynamics_adjoint", "jn_gradient", "df_da"),
    ("jn_inverse_dynamics_derivatives_along", "jn_direction", "dtau_ds"),
    ("jn_forward_dynamics_derivatives_along", "jn_direction", "da_ds"),
    ("jn_rollout_forward", "jn_rollout", "cost"),
    ("jn_rollout_forward", "jn_rollout", "checkpoints"),
    ("jn_rollout_forward", "jn_rollout", "room"),
    ("jn_rollout_forward", "jn_rollout", "taken"),
    ("jn_rollout_adjoint", "jn_rollout", "taken"),
}
# Structs of arrays and numbers that say what is to be computed; their members are arguments and results of their own.
# C that finds the memory they need, if any.
JOBS = {
    "jn_rollout": "py_room(c, jn_rollout_room(c->self, member_rollout.checkpoints))",
    "jn_motions": "py_room(c, jn_motions_room(c->self, c->count, member_motions.integrator))",
}
# Numbers in them that arrays may tell, or that have a default: C for the default.
GIVEN_SIZES = {"steps": "-1", "every": "1", "tau_rows": "1"}
# All states that a motion needs, up to a thousand of them.
CHECKPOINTS = "c->size[PY_steps] < 1000 ? (long)c->size[PY_steps] : 1000"
# Results that are given only if they are asked for, because C has all others for many states at once.
ASKED_FOR = {"jn_tasks_solve": "active"}
# C that computes all states of a call, without results in arrays.
AT_ONCE = {"jn_tasks_solve": "jn_tasks_solve_batch(c->self, c->count, c->s[0].p, c->s[1].p, (jn_reach *)c->record)"}
# What the docstring says besides the comment in C.
NOTES = {
    "jn_tasks_solve": """With leading axes, even of length 1, one pose or position may be solved in lanes (unless
active is wanted, or the option nearest is set). Steps in lanes differ a little at limits, so
solve(target[i:i+1], q[i:i+1]) and solve(target[i], q[i]) may end in different solutions where there are several, and
often do from starts far from the target."""
}
# Results that C writes both or not at all.
TOGETHER = {"jn_hybrid_dynamics_derivatives": "da_dwrench dtau_dwrench"}
# Functions of the user: their types, and what C calls instead.
CALLBACKS = {
    "jn_force_function *": "force",
    "jn_wrench_function *": "wrench",
    "jn_motion_function *": "motion",
    "jn_cost_function *": "cost",
}
# Numbers that may be left out.
DEFAULTS = {("jn_tasks_follow", "tolerance"): "0"}
# Functions whose result says how they ended: this status is not an error.
OUTCOMES = {"jn_tasks_solve": "err_reach", "jn_tasks_motion_jet": "err_reach", "jn_tasks_follow": "err_reach"}
# Structs whose members are keyword arguments, besides those named options.
OPTIONS = {"jn_measurement"}
# Structs that are given as dictionaries, in lists.
RECORDS = {"jn_task"}
# Members of options whose size says how many motors there are; by default one for each coordinate.
MOTORS = {
    "coupling": "if (c->s[{i}].set) options.coupling = c->s[{i}].p, options.motors = (int)c->size[PY_motors];",
    "coulomb_speed": "if (c->s[{i}].set && !options.coupling && c->size[PY_motors] != c->size[PY_nv]) "
    "return JN_ERR_SIZE;\n  if (c->s[{i}].set) options.coulomb_speed = c->s[{i}].p;",
}
# Functions whose choice comes first, without its name: function("step").
BY_POSITION = {"jn_function_create"}
# Links that may be left out: the world.
WORLD = {"jn_center_of_mass"}
# Numbers of jobs that come out.
JOB_RESULTS = {"cost", "taken"}
# Members of options that Python does not offer: what arrays tell, and columns of functions in C.
OPTIONS_ELSEWHERE = {
    ("jn_identification_options", "motors"),
    ("jn_identification_options", "user_columns"),
}
# Inputs that may be left out, also where others follow: keyword arguments there.
ASIDE = {"wrench", "wrench_jet", "weight", "held", "target"}
SQUARE = {"16": ["4", "4"], "9": ["3", "3"], "36": ["6", "6"]}


@dataclass
class Argument:
    name: str  # in Python
    kind: str  # of enum py_kind, without PY_
    shape: list[str] = field(default_factory=list)
    nullable: bool = False
    required: bool = True
    keyword: bool = False  # only by name
    default: str = "None"
    enum: Enum | None = None
    struct: Struct | None = None
    wanted: bool = True  # an output that is computed unless `want` says otherwise
    comment: str = ""
    object: str = ""
    dtype: str = "d"


@dataclass
class Method:
    function: Function
    owner: str  # C type of the object, or ""
    name: str
    inputs: list[Argument] = field(default_factory=list)
    outputs: list[Argument] = field(default_factory=list)
    call: list[str] = field(default_factory=list)  # arguments in C
    setup: list[str] = field(default_factory=list)  # C before the call
    after: list[str] = field(default_factory=list)  # C after the call
    by_batch: bool = False  # C knows it only for batches
    has_work: bool = False
    order_from: bool = False
    more_work: bool = False  # work memory of one order more than the jets
    result: str = ""  # named tuple
    has_float: bool = False  # C has it for float, too

    @property
    def arguments(self) -> list[Argument]:
        return self.inputs + self.outputs

    @property
    def is_property(self) -> bool:
        returns = self.function.result != "jn_status" and self.outputs
        return bool(self.owner) and not self.inputs and bool(returns) and self.owner != "jn_simulator"


class Unsupported(Exception):
    pass


def python_name(name: str) -> str:
    return KEYWORDS.get(name, name)


def dims(shape: list[str]) -> list[str]:
    """Sizes in Python: poses are 4 x 4, rotations 3 x 3."""
    shape = [SYNONYMS.get(size, size) for size in shape]
    if shape and shape[-1] in SQUARE:
        shape = shape[:-1] + SQUARE[shape[-1]]
    for size in shape:
        if not size.isdigit() and size not in SIZES:
            raise Unsupported(f"unknown size {size}")
    return shape


class Reader:
    """Turns a C function into a Method."""

    def __init__(self, headers: Headers, function: Function) -> None:
        self.headers = headers
        self.function = function
        self.comment = " ".join(function.comment.split())
        first = function.parameters[0] if function.parameters else None
        owner = first.type.removesuffix(" *") if first else ""
        self.owner = owner if first and owner in CLASSES and first.type.endswith("*") else ""
        by_batch = owner == "jn_batch"
        if by_batch:
            self.owner = "jn_model"
        self.method = Method(function, self.owner, self.name_of(), by_batch=by_batch, has_work=by_batch)
        self.fixes: list[tuple[int, str, Argument]] = []  # place in the call, template, argument

    def name_of(self) -> str:
        if self.function.name in RENAMED:
            return RENAMED[self.function.name]
        name = self.function.name.removeprefix("jn_")
        return name.removeprefix(CLASSES[self.owner][1]) if self.owner else name

    def read(self) -> Method:
        parameters = self.function.parameters[1:] if self.owner else self.function.parameters
        if self.method.by_batch:
            parameters = parameters[1:]  # the count
        given = [p for p in self.flat(parameters) if p.direction in ("in", "inout")]
        jets = any(s.startswith(("(K", "(P")) for p in given for s in p.shape or [])
        self.method.order_from = jets
        i = 0
        while i < len(parameters):
            i += self.one(parameters, i)
        self.returned()
        self.sort()
        self.number()
        return self.method

    def flat(self, parameters: list[Parameter]) -> list[Parameter]:
        found = []
        for p in parameters:
            struct = self.headers.structs.get(p.type.removesuffix(" *"))
            found += [p] if struct is None else struct.fields
        return found

    def add(self, argument: Argument, template: str | None, output: bool = False) -> Argument:
        (self.method.outputs if output else self.method.inputs).append(argument)
        if template is not None:
            self.fixes.append((len(self.method.call), template, argument))
            self.method.call.append("?")
        return argument

    def one(self, parameters: list[Parameter], i: int) -> int:
        """Reads parameter i; returns how many parameters were used."""
        p = parameters[i]
        following = parameters[i + 1] if i + 1 < len(parameters) else None
        name = python_name(p.name)
        if p.type == "jn_work *":
            self.method.has_work = True
            self.method.more_work = self.function.work == "K+1"
            self.method.call.append("c->work")
        elif p.type == "jn_error *":
            self.method.call.append("&c->error")
        elif p.direction == "scratch":
            self.room(p)
        elif p.type in ARRAYS:
            self.array(p)
        elif p.type == "double":
            default = DEFAULTS.get((self.function.name, p.name))
            self.add(Argument(name, "SCALAR", required=default is None, default=default or "None"),
                     "*(const NUMBER *)c->s[{i}].p")  # fmt: skip
        elif p.type == "int" or p.type == "size_t":
            self.integer(p)
        elif p.type in self.headers.enums:
            enum = self.headers.enums[p.type]
            by_name = self.function.name not in BY_POSITION
            first = repr(next(iter(enum.values)))
            self.add(
                Argument(name, "ENUM", enum=enum, required=False, keyword=by_name, default=first),
                f"({p.type})c->s[{{i}}].i",
            )
        elif p.type == "char *" and p.const and following and following.type == "size_t":
            self.add(Argument(name, "TEXT"), "c->s[{i}].p, c->s[{i}].n")
            return 2
        elif p.type == "char *" and not p.const and following and following.type == "size_t":
            self.add(Argument(name, "CHARS"), "c->text, sizeof c->text", output=True)
            return 2
        elif p.type == "char **" and following and following.type == "size_t *":
            self.add(Argument(name, "OWNED_TEXT"), "(char **)&c->s[{i}].p, &c->s[{i}].n", output=True)
            return 2
        elif p.type == "char *":
            self.add(Argument(name, "STRING", nullable=p.nullable, required=not p.nullable), "c->s[{i}].p")
        elif p.type == "char *const *":
            self.add(Argument(name, "STRINGS"), "c->s[{i}].p, (int)c->s[{i}].n")
            return 2
        elif p.type == "int *":
            self.add(Argument(name, "INT"), "&c->s[{i}].i", output=True)
        else:
            self.composite(p)
        return 1

    def room(self, p: Parameter) -> None:
        """Memory for the function's own use, as much as another function says."""
        size = self.headers.functions.get(p.room)
        if size is None or [q.name for q in size.parameters] != ["model", "order"]:
            raise Unsupported(f"no rule for the size of {p.name}")
        self.method.setup.append(f"double *{p.name} = py_room(c, {size.name}(c->self, c->order));\n"
                                 f"  if (!{p.name}) return JN_ERR_MEMORY;")  # fmt: skip
        self.method.call.append(p.name)

    def array(self, p: Parameter) -> None:
        name = python_name(p.name)
        if p.shape is None:
            raise Unsupported(f"src/api/functions.def gives no size for {p.name}")
        if p.const and p.type == "unsigned char *":
            self.add(Argument(name, "MASK", dims(p.shape), p.nullable, not p.nullable), "c->s[{i}].p")
        elif p.const:
            self.add(Argument(name, "IN", dims(p.shape), p.nullable, not p.nullable), "c->s[{i}].p")
        elif p.direction == "inout":
            self.add(Argument(name, "INOUT", dims(p.shape)), "c->s[{i}].p")
        else:
            self.add(self.output(p), "c->s[{i}].p", output=True)

    def output(self, p: Parameter) -> Argument:
        heavy = p.name.endswith(("_dwrench", "_dpi")) and "parameter" not in self.function.name
        heavy = heavy or p.name in ASKED_FOR.get(self.function.name, "")
        kind = "SCRATCH" if p.direction == "scratch" else "OUT"
        dtype = ARRAYS[p.type]
        return Argument(
            python_name(p.name), kind, dims(p.shape or []), nullable=p.nullable, wanted=not heavy, dtype=dtype
        )

    def is_size(self, name: str) -> bool:
        """Whether arrays say how large it is."""
        given = [p for p in self.flat(self.function.parameters) if p.direction == "in"]
        return any(name in (p.shape or []) for p in given) or any(
            p.type.removesuffix(" *") in {"jn_perturbation", *RECORDS} for p in self.function.parameters
        )

    def integer(self, p: Parameter) -> None:
        name = python_name(p.name)
        kinds = {"frame": "FRAME", "link": "LINK", "joint": "JOINT", "loop": "LOOP"}
        if p.name == "order" and self.method.order_from:
            self.method.call.append("c->order")
        elif p.name == "order":
            self.add(Argument(name, "ORDER", required=False, default="0"), "c->order")
        elif p.name == "directions":
            self.method.call.append("c->size[PY_directions] < 0 ? 0 : (int)c->size[PY_directions]")
        elif p.name in ("count", "rows") and self.is_size(p.name):
            self.method.call.append(f"({p.type})c->size[PY_{p.name}]")
        elif p.name in kinds:
            world = self.function.name in WORLD and p.name == "link"
            self.add(Argument(name, kinds[p.name], required=not world, keyword=world, default='"world"'),
                     "c->s[{i}].i")  # fmt: skip
        else:
            self.add(Argument(name, "INT"), f"({p.type})c->s[{{i}}].i")

    def composite(self, p: Parameter) -> None:
        base = p.type.rstrip("* ").strip()
        struct = self.headers.structs.get(base)
        if p.type == base + " **" and base in CLASSES:
            self.add(Argument(p.name, "OBJECT", object=base), f"({base} **)&c->s[{{i}}].p", output=True)
        elif base in CLASSES and p.type == base + " *":
            self.add(
                Argument(p.name, "HANDLE", nullable=p.nullable, required=not p.nullable, object=base), "c->s[{i}].p"
            )
        elif base == "jn_tasks_path":
            self.add(Argument(p.name, "CALLBACK"), None)
            self.method.setup.append("jn_tasks_path member_path = {c->callbacks, py_path_callback};")
            self.method.call.append("&member_path")
        elif struct is None:
            raise Unsupported(f"no rule for {p.type}")
        elif base.endswith("options") or base in OPTIONS:
            self.options(p, struct)
        elif p.const and base == "jn_perturbation":
            self.add(Argument(p.name, "STRUCTS", struct=struct), "c->s[{i}].p")
        elif base in JOBS:
            self.job(p, struct)
        elif p.const and all(f.shape is not None or f.type in {*self.headers.enums, *CALLBACKS, "void *"}
                             for f in struct.fields):  # fmt: skip
            self.members(p, struct)
        elif p.const and base in RECORDS and p.type == base + " *":
            self.add(Argument(p.name, "RECORDS", struct=struct), "c->s[{i}].p")
        elif not p.const and p.type == base + " *" and all(f.type in self.headers.plain for f in struct.fields):
            self.add(Argument(p.name, "STRUCT", struct=struct), f"({base} *)c->record", output=True)
        elif p.const and p.type == base + " **" and all(f.type in self.headers.plain or f.shape for f in struct.fields):
            self.add(
                Argument(p.name, "STRUCT_OF_OBJECT", struct=struct), f"(const {base} **)&c->s[{{i}}].p", output=True
            )
        else:
            raise Unsupported(f"no rule for {p.type}")

    def members(self, p: Parameter, struct: Struct) -> None:
        """A struct of arrays: its members are arguments or results of their own."""
        variable = f"member_{p.name}"
        self.method.setup.append(f"NUMBER_STRUCT({struct.name.removeprefix('jn_')}) {variable} = {{0}};")
        for f in struct.fields:
            if (self.function.name, struct.name, f.name) in UNUSED:
                continue
            if f.type in self.headers.enums:
                enum = self.headers.enums[f.type]
                argument = Argument(python_name(f.name), "ENUM", enum=enum, required=False, keyword=True,
                                    default=repr(next(iter(enum.values))))  # fmt: skip
                self.add(argument, None)
                self.fixes.append((-1, f"{variable}.{f.name} = ({f.type})c->s[{{i}}].i;", argument))
                continue
            if f.type == "void *":  # of the function of the user
                continue
            if f.type in CALLBACKS:
                argument = self.add(Argument(f.name, "CALLBACK"), None)
                self.method.setup.append(f"{variable}.{f.name} = py_{CALLBACKS[f.type]}_callback;")
                self.method.setup.append(f"{variable}.context = c->callbacks;")
                continue
            if f.direction == "inout":
                argument = self.add(Argument(f.name, "INOUT", dims(f.shape or []), True, False, keyword=True), None)
                self.fixes.append((-1, f"{variable}.{f.name} = c->s[{{i}}].p;", argument))
                continue
            if f.const:
                keyword = self.function.name == "jn_rollout_forward"
                argument = Argument(python_name(f.name), "IN", dims(f.shape or []), f.nullable, not f.nullable, keyword)
            else:
                argument = self.output(f)
            self.add(argument, None, output=not f.const)
            self.fixes.append((-1, f"{variable}.{f.name} = c->s[{{i}}].p;", argument))
        self.method.call.append(f"&{variable}")

    def job(self, p: Parameter, struct: Struct) -> None:
        """A struct of arrays and numbers that says what is to be computed."""
        variable = f"member_{p.name}"
        self.method.setup.append(f"{struct.name} {variable};\n  {struct.name}_init(&{variable});")
        for f in struct.fields:
            to = f"{variable}.{f.name} = "
            if f.name == "size" or (self.function.name, struct.name, f.name) in UNUSED:
                continue
            if f.name == "room":
                self.method.setup.append(f"{to}{JOBS[struct.name]};\n  if (!{variable}.room) return JN_ERR_MEMORY;")
                continue
            given = self.job_member(f)
            if given is not None:
                argument, template = given
                self.add(argument, None, output=argument.kind == "OUT")
                self.fixes.append((-1, (to + template) if "=" not in template else template, argument))
            elif f.name in GIVEN_SIZES:
                size = f"c->size[PY_{f.name}]"
                self.method.setup.append(f"{to}(long)({size} < 0 ? {GIVEN_SIZES[f.name]} : {size});")
            else:  # a number that comes out
                argument = self.add(Argument(f.name, "OUT"), None, output=True)
                self.fixes.append(
                    (-3, f"if (c->s[{{i}}].p) *({f.type} *)c->s[{{i}}].p = {variable}.{f.name};", argument)
                )
        self.method.call.append(f"&{variable}")

    def job_member(self, f: Parameter) -> tuple[Argument, str] | None:
        """The argument that a member of a job becomes, and C for its value."""
        name = python_name(f.name)
        if f.shape is not None and f.const:
            return Argument(name, "IN", dims(f.shape), f.nullable, not f.nullable), "c->s[{i}].p;"
        if f.shape is not None:
            output = self.output(f)
            output.wanted = not self.method.by_batch
            return output, "c->s[{i}].p;"
        if f.name in ("steps", "every"):
            return Argument(name, "SIZE", [f.name], required=False, keyword=True), f"(long)c->size[PY_{f.name}];"
        if f.name == "checkpoints":
            return (
                Argument(name, "INT", required=False, keyword=True),
                f"c->s[{{i}}].set ? c->s[{{i}}].i : ({CHECKPOINTS});",
            )
        target = f"member_{'motions' if self.method.by_batch else 'rollout'}.{f.name}"
        when = f"if (c->s[{{i}}].set) {target} = "
        if f.type in self.headers.enums:
            enum = self.headers.enums[f.type]
            return Argument(name, "ENUM", enum=enum, required=False, keyword=True), f"{when}({f.type})c->s[{{i}}].i;"
        if f.type == "double" and f.name not in JOB_RESULTS:
            return Argument(name, "DOUBLE", required=name == "step", keyword=True), f"{when}c->s[{{i}}].d;"
        if f.type == "int":
            return Argument(name, "INT", required=False, keyword=True), f"{when}c->s[{{i}}].i;"
        return None

    def options(self, p: Parameter, struct: Struct) -> None:
        """A struct of options: keyword arguments."""
        self.method.setup.append(f"{struct.name} options;\n  {struct.name}_init(&options);")
        for f in struct.fields:
            name = python_name(f.name)
            if (struct.name, f.name) in OPTIONS_ELSEWHERE:
                continue
            if f.type == "jn_report *":
                self.method.setup.append("options.report = c->report;")
                continue
            keyword = Argument(name, "INT", required=False, keyword=True, comment=f.comment)
            template = f"if (c->s[{{i}}].set) options.{f.name} = "
            if f.type in ("int", "long", "unsigned", "uint64_t", "size_t") and not f.name.endswith(
                ("_count", "_length")
            ):
                if f.name == "size":
                    continue
                keyword.kind = "UNSIGNED" if f.type in ("uint64_t", "size_t", "unsigned") else "INT"
                template += f"({f.type})c->s[{{i}}].{'u' if keyword.kind == 'UNSIGNED' else 'i'};"
            elif f.type == "double":
                keyword.kind = "DOUBLE"
                template += "c->s[{i}].d;"
            elif f.type in self.headers.enums:
                keyword.kind, keyword.enum = "ENUM", self.headers.enums[f.type]
                template += f"({f.type})c->s[{{i}}].i;"
            elif f.type == "double *" and f.shape is not None:
                keyword.kind, keyword.shape, keyword.nullable = "FIXED", dims(f.shape), True
                template = MOTORS.get(f.name, template + "c->s[{i}].p;")
            elif f.type == "int *" and f.name == "frames":
                keyword.kind = "FRAMES"
                template += "c->s[{i}].p, options.frame_count = (int)c->s[{i}].n;"
            elif f.type == "unsigned char *" and f.shape is not None:
                keyword.kind, keyword.shape, keyword.nullable = "MASK", dims(f.shape), True
                template += "c->s[{i}].p;"
            elif f.type == "char *" and f.name not in ("original_text",):
                keyword.kind, keyword.nullable = "STRING", True
                template += "c->s[{i}].p;"
            elif f.type == "char *const *":
                keyword.kind = "STRINGS"
                count = f.name.removesuffix("s") + "_count"
                template = (
                    f"if (c->s[{{i}}].set) options.{f.name} = c->s[{{i}}].p, options.{count} = (int)c->s[{{i}}].n;"
                )
            elif f.type.removesuffix(" *") in CLASSES:
                keyword.kind, keyword.nullable, keyword.object = "HANDLE", True, f.type.removesuffix(" *")
                template += "c->s[{i}].p;"
            elif f.type in CALLBACKS:
                keyword.kind = "CALLBACK"
                what = CALLBACKS[f.type]
                template = (
                    f"if (c->s[{{i}}].set) options.{f.name} = py_{what}_callback, options.context = c->callbacks;"
                )
            elif f.type == "callback" and f.name == "next_break":
                keyword.kind = "CALLBACK"
                template += "py_next_break_callback, options.context = c->callbacks;"
            elif f.type == "jn_watch *":
                keyword.kind = "CALLBACK"
                template += "c->callbacks->watch, options.watch_count = c->callbacks->watch_count;"
            else:
                continue
            self.add(keyword, None)
            self.fixes.append((-1, template, keyword))
        self.method.call.append("&options")

    def returned(self) -> None:
        result = self.function.result.removeprefix("const ")
        kinds = {"int": ("INT", "i"), "size_t": ("UNSIGNED", "u"), "double": ("DOUBLE", "d"), "char *": ("STRING", "p")}
        if result in ("jn_status", "void"):
            return
        if result in kinds:
            kind, member = kinds[result]
            argument = Argument("result", kind)
            cast = "(void *)" if result == "char *" else ""
            template = f"c->s[{{i}}].{member} = {cast}"
        elif result in self.headers.enums:
            argument = Argument("result", "ENUM", enum=self.headers.enums[result])
            template = "c->s[{i}].i = (int)"
        elif result.endswith(" *") and result[:-2] in self.headers.structs:
            struct = self.headers.structs[result[:-2]]
            if any(f.type not in self.headers.plain and not is_counted(f) for f in shown(struct)):
                raise Unsupported(f"no rule for {result}")
            argument = Argument("result", "STRUCT", struct=struct)
            template = f"c->s[{{i}}].p = py_copy(c->room, sizeof({struct.name}), CALL); if (0) "
        elif result.removesuffix(" *") in CLASSES:
            argument = Argument("result", "BORROWED", object=result.removesuffix(" *"))
            template = "c->s[{i}].p = (void *)(uintptr_t)"
        elif result == "double *" and self.function.returns is not None:
            argument = Argument("result", "CONSTANT", self.function.returns)
            template = "c->s[{i}].p = (void *)"
        else:
            raise Unsupported(f"no rule for the result {self.function.result}")
        self.method.outputs.insert(0, argument)
        self.fixes.append((-2, template, argument))

    def sort(self) -> None:
        """Order in Python: as in C, but what has a default comes last."""
        inputs = self.method.inputs
        if self.method.by_batch:  # the state comes before what is done to it
            inputs.sort(key=lambda a: a.kind != "INOUT")
        elif self.function.name.startswith("jn_rollout"):
            inputs.sort(key=lambda a: a.kind != "CALLBACK")
        seen = False
        for argument in reversed(inputs):  # a default only where none follows without
            if not argument.keyword:
                seen = seen or argument.required
                if seen and argument.name in ASIDE and argument.nullable:
                    argument.keyword = True
                elif seen and argument.nullable:
                    argument.required = True
        inputs.sort(key=lambda a: 2 if a.keyword else 1 if not a.required else 0)
        names = [a.name for a in inputs]
        for name in names:
            if names.count(name) > 1:
                raise Unsupported(f"two arguments have the name {name}")

    def number(self) -> None:
        method = self.method
        places = {id(a): i for i, a in enumerate(method.arguments)}
        self.assign = ""
        for place, template, argument in self.fixes:
            text = template.format(i=places[id(argument)])
            if place >= 0:
                method.call[place] = text
            elif place == -1:
                method.setup.append(text)
            elif place == -3:
                method.after.append(text)
            else:
                self.assign = text
        # members are filled in after their struct is declared
        method.setup.sort(
            key=lambda line: (
                2 if "py_room(" in line else 0 if "_init(&" in line or line.startswith("NUMBER_STRUCT") else 1
            )
        )
        method.call = [self.assign, *method.call]


def shown(struct: Struct) -> list[Parameter]:
    """Members that Python sees in a result."""
    return [f for f in struct.fields if f.name != "size"]


def is_counted(f: Parameter) -> bool:
    """An array whose length is another member."""
    return f.const and f.shape is not None and len(f.shape) == 1 and f.shape[0].endswith("_count")


def reason_not_offered(name: str) -> str:
    for pattern, reason in NOT_OFFERED.items():
        if re.fullmatch(pattern, name):
            return reason
    return ""


def float_name(name: str) -> str:
    """The C function that does the same for float."""
    return name.replace("jn_", "jnf_", 1)


def read_methods(headers: Headers) -> tuple[list[Method], dict[str, str]]:
    """What Python offers, and functions that no rule understands, with the reason; NOT_YET excuses the latter."""
    methods, missing = [], {}
    for function in headers.functions.values():
        if function.name in BY_HAND or reason_not_offered(function.name):
            continue
        try:
            methods.append(Reader(headers, function).read())
        except Unsupported as problem:
            if not NOT_YET.fullmatch(function.name):
                missing[function.name] = str(problem)
        else:
            members_are_double = any(a.kind == "STRUCTS" for a in methods[-1].inputs)
            methods[-1].has_float = float_name(function.name) in headers.others and not members_are_double
    name_results(methods)
    return methods, missing


def result_items(method: Method) -> list[Argument]:
    """What a call returns, in this order."""
    items = [a for a in method.outputs if a.kind != "SCRATCH"]
    changed = [a for a in method.inputs if a.kind == "INOUT"]
    return changed + items


def camel(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in name.strip("_").split("_"))


def name_results(methods: list[Method]) -> None:
    for method in methods:
        if len(result_items(method)) > 1:
            owner = CLASSES[method.owner][0] if method.owner not in ("", "jn_model") else ""
            method.result = owner + camel(method.name)
