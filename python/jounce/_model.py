# SPDX-License-Identifier: BSD-2-Clause
"""Models: the functions of the library as methods, and what Python adds to them."""

from __future__ import annotations

import json
import math
import operator
import os
import pickle
import secrets
from collections.abc import Mapping, Sequence
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, _results
from ._errors import ArgumentError, ModelError
from ._glue import convert, path_from
from ._objects import Loops, Remembered, Tasks, remember, remembering

FORMATS = ("auto", "urdf", "native", "mjcf")


class Joint(NamedTuple):
    """A joint and where its coordinates are: q[joint.q], v[joint.v]."""

    name: str
    number: int
    type: str
    link: str
    parent: str
    q: slice
    v: slice


class Limits(NamedTuple):
    """Limits of all velocity coordinates [nv]; infinite where there are none."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    velocity: NDArray[np.float64]
    acceleration: NDArray[np.float64]
    jerk: NDArray[np.float64]
    effort: NDArray[np.float64]
    effort_rate: NDArray[np.float64]


class Model(_core.Model):
    """A robot. Models never change; edits make new ones.

    Every computing function of the library is a method: inverse_dynamics(q, v, a), mass_matrix(q), ...
    Arrays may have any leading axes, which are broadcast; float32 arrays are computed in single precision; `out=` takes
    arrays to write to. States may also be given by name, as {"panda_joint1": 0.3}.
    """

    # ---- names and indices ----

    @cached_property
    def links(self) -> tuple[str, ...]:
        """Names of all links."""
        return tuple(self.link_name(i) for i in range(self.link_count))

    @cached_property
    def joints(self) -> tuple[str, ...]:
        """Names of all joints; joint i carries link i."""
        return tuple(self.joint_name(i) for i in range(self.link_count))

    @cached_property
    def moving_joints(self) -> tuple[str, ...]:
        """Names of the joints that have coordinates of their own, in the order of the coordinates."""
        moving = [i for i in range(self.link_count) if self.joint_nv(i)]
        return tuple(self.joint_name(i) for i in sorted(moving, key=self.joint_v))

    @cached_property
    def frames(self) -> tuple[str, ...]:
        """Names of all frames: links first, then named frames."""
        return tuple(self.frame_name(i) for i in range(self.frame_count))

    @cached_property
    def loop_names(self) -> tuple[str, ...]:
        return tuple(loop["name"] for loop in self.to_dict().get("loops", ()))

    @cached_property
    def q_names(self) -> tuple[str, ...]:
        """Names of the coordinates q, as in files."""
        return tuple(self.coordinate_name(i) for i in range(self.nq))

    @cached_property
    def v_names(self) -> tuple[str, ...]:
        """Names of the coordinates v."""
        return tuple(self.velocity_name(i) for i in range(self.nv))

    def joint(self, name: str | int) -> Joint:
        """A joint by name or index."""
        index = self._joint_index(name)
        parent = self.link_parent(index)
        q, v = self.joint_q(index) or 0, self.joint_v(index) or 0
        return Joint(self.joint_name(index), index, self.joint_type_of(index), self.link_name(index),
                     "world" if parent < 0 else self.link_name(parent),
                     slice(q, q + self.joint_nq(index)), slice(v, v + self.joint_nv(index)))  # fmt: skip

    def _joint_index(self, name: str | int) -> int:
        if isinstance(name, str):
            from ._glue import unknown

            index = self.joint_index(name)
            return index if index is not None else unknown("joint", name, self)
        if not isinstance(name, (int, np.integer)):
            raise TypeError(f"joint is {name!r}, expected a name or an index")
        if not 0 <= name < self.link_count:
            raise IndexError(f"joint {name}: the model has {self.link_count}")
        return int(name)

    # ---- states by name ----

    def _fill(self, state: NDArray[np.float64], values: Mapping[str, Any], names: Sequence[str], part: str) -> None:
        places = {name: i for i, name in enumerate(names)}
        for name, value in values.items():
            if name in places:
                state[places[name]] = value
                continue
            joint = self.joint(name)
            place = joint.q if part == "q" else joint.v
            numbers = np.asarray(value, np.float64)
            if numbers.ndim and numbers.size != place.stop - place.start:
                raise ArgumentError(
                    f"joint '{name}' has {place.stop - place.start} numbers in {part}, not {numbers.size}"
                )
            state[place] = numbers

    def configuration(self, values: Mapping[str, Any] | ArrayLike | None = None, /, **more: Any) -> NDArray[np.float64]:
        """A configuration from values by name of joint or coordinate; all others are neutral."""
        if values is not None and not isinstance(values, Mapping):
            return np.asarray(values, np.float64)
        q: NDArray[np.float64] = self.neutral()
        self._fill(q, {**(values or {}), **more}, self.q_names, "q")
        return q

    def velocity(self, values: Mapping[str, Any] | ArrayLike | None = None, /, **more: Any) -> NDArray[np.float64]:
        """A velocity, acceleration or force from values by name; all others are zero."""
        if values is not None and not isinstance(values, Mapping):
            return np.asarray(values, np.float64)
        v = np.zeros(self.nv)
        self._fill(v, {**(values or {}), **more}, self.v_names, "v")
        return v

    def _state(self, value: Any, function: str, name: str, size: int) -> list[float]:
        array = convert(self, value, function, name, -1)
        if array.shape != (size,):
            raise ValueError(f"{function}(): {name} has shape {array.shape}, expected ({size},)")
        return [float(x) for x in array]

    def q_dict(self, q: ArrayLike) -> dict[str, float]:
        """A configuration as {name of coordinate: value}."""
        return dict(zip(self.q_names, self._state(q, "q_dict", "q", self.nq), strict=True))

    def v_dict(self, v: ArrayLike) -> dict[str, float]:
        """A velocity as {name of coordinate: value}."""
        return dict(zip(self.v_names, self._state(v, "v_dict", "v", self.nv), strict=True))

    def random(self, shape: int | tuple[int, ...] = (), seed: int | None = None) -> NDArray[np.float64]:
        """Random configurations within the limits, [*shape, nq].

        The same seed gives the same numbers anywhere. Without a seed, every call gives other numbers.
        """
        try:
            shape = (
                (operator.index(shape),) if not isinstance(shape, (tuple, list)) else tuple(map(operator.index, shape))
            )
        except TypeError:
            raise TypeError(f"random(): shape is {shape!r}, expected an integer or a tuple of integers") from None
        if any(size < 0 for size in shape):
            raise ValueError(f"random(): shape is {shape}; sizes cannot be negative")
        try:
            seed = secrets.randbits(64) if seed is None else operator.index(seed)
        except TypeError:
            raise TypeError(f"random(): seed is {seed!r}, expected an integer or None") from None
        out = np.empty((*shape, self.nq))  # all memory at once, or a MemoryError
        for row in out.reshape(-1, self.nq):
            row[:], seed = self._random(seed)
        return out

    @cached_property
    def limits(self) -> Limits:
        """Limits of all velocity coordinates; the arrays cannot be written to, because models never change."""
        dofs = [self.coordinate_dof(i) for i in range(self.nv)]
        arrays = [np.array([getattr(dof, name) for dof in dofs], np.float64) for name in Limits._fields]
        for array in arrays:
            array.flags.writeable = False
        return Limits(*arrays)

    # ---- sensitivity ----

    def perturbation(
        self, kind: str, index: int | str, component: int, q: Any, v: Any = None
    ) -> dict[str, NDArray[Any]]:
        """The perturbation of a named scalar, for *_sensitivity(): kind as "inertia", "placement", "axis", ...

        index: a velocity coordinate or a link (by number or name); component: which of its numbers, from 0.
        """
        if kind not in _results.SCALARS:
            raise ValueError(f"perturbation(): kind is {kind!r}, expected one of {', '.join(_results.SCALARS)}")
        if isinstance(index, str):
            found = self.link_index(index)
            index = self.joint(index).v.start if found is None else found
        q = np.ascontiguousarray(self.configuration(q))
        v = None if v is None else np.ascontiguousarray(self.velocity(v))
        if q.shape != (self.nq,) or (v is not None and v.shape != (self.nv,)):
            raise ValueError(f"perturbation(): q must have shape ({self.nq},) and v ({self.nv},)")
        room, offsets = self._perturbation(_results.SCALARS[kind], index, component, q, v)
        numbers = np.frombuffer(room, np.float64)
        sizes = {"nv": self.nv, "nlink": self.link_count}
        found_arrays = {}
        for name, offset in offsets.items():
            if offset >= 0:
                shape = tuple(sizes.get(size) or int(size) for size in _results.PERTURBATION[name])
                found_arrays[name] = numbers[offset : offset + int(np.prod(shape))].reshape(shape)
        return found_arrays

    # ---- loops ----

    @cached_property
    def loops(self) -> Loops:
        """Functions of the model with its kinematic loops, for dynamics and jets of order up to 4."""
        return self.loops_with(order=4)

    def loops_with(self, **options: Any) -> Loops:
        """The same with other options: order, tolerance, baumgarte, weak."""
        return remember(self._loops(**options), "loops_with", (), options)  # type: ignore[no-any-return]

    if not TYPE_CHECKING:  # typed by the stubs
        base_parameters = remembering("base_parameters")
        function = remembering("function")

    def tasks(self, tasks: Sequence[Mapping[str, Any]], **options: Any) -> Tasks:
        """Task space: inverse kinematics, motions and operational space of a list of tasks (docs/tasks.md).

        Each task is a dictionary: {"type": "pose", "frame": "tool"}, with the keys reference, axis, weight, priority of
        docs/tasks.md; frames, links and joints by name or index. Options: order, starts, accuracy, posture, ...; threads: of
        solve() for many targets (0: as many as OpenMP would use), which are also solved in lanes.
        """
        listed = []
        if isinstance(tasks, Mapping) or not isinstance(tasks, Sequence):
            raise TypeError(f"tasks(): expected a list of dictionaries, one for each task, not {type(tasks).__name__}")
        for task in tasks:
            if not isinstance(task, Mapping):
                raise TypeError(f"tasks(): a task is {task!r}, expected a dictionary")
            entry = dict(task)
            kind = entry.get("type", "pose")
            look = self._joint_index if kind == "joint" else self._frame_index
            for key in ("frame", "reference"):
                if isinstance(entry.get(key), str):
                    entry[key] = look(entry[key])
            listed.append(entry)
        return remember(self._tasks(listed, **options), "tasks", (listed,), options)  # type: ignore[no-any-return]

    def _frame_index(self, name: str) -> int:
        from ._glue import unknown

        if name == "world":
            return -1
        index = self.frame_index(name)
        return index if index is not None else unknown("frame", name, self)

    # ---- trajectories ----

    def trajectory(self, source: str | os.PathLike[str], **options: Any) -> Trajectory:
        """Reads a motion: a CSV, NPY, NPZ or JSON file, or "builtin:demo".

        Options (docs/torque.md): order, smoothing, tolerance, bandwidth, lowpass, columns, missing_neutral,
        skip_bad, unwrap, motor_matrix, motor_zero, motor_names, strict, max_bytes. See docs/torque.md.
        """
        path = path_from(source, "trajectory", "source")
        made = super().trajectory(path, **options)
        return Trajectory._remember(made, "file", (path, _fingerprint(path)), options)

    def trajectory_from_text(self, text: str | bytes, file: str = "text", **options: Any) -> Trajectory:
        """Reads a motion from the content of such a file; file: the name used in messages. Options as above."""
        return Trajectory._remember(super().trajectory_from_text(text, file, **options), "text", (text, file), options)

    def trajectory_from_samples(self, t: Any, q: Any, **options: Any) -> Trajectory:
        """A motion through samples: increasing times t [count] and configurations q [count, nq].

        Options as above, except for those that say how to read files.
        """
        for name in ("rate", "columns", "wrenches_too", "missing_neutral", "motor_names", "max_bytes"):
            if name in options:
                raise TypeError(f"trajectory_from_samples(): {name} is for files")
        made = super().trajectory_from_samples(t, q, **options)
        return Trajectory._remember(made, "samples", (np.array(t), np.array(q)), options)

    # ---- springs, speed ----

    def elastic(self, actuators: Mapping[str, Any] | str | os.PathLike[str], **options: Any) -> Elastic:
        """The robot with motors that drive its joints through springs (docs/elastic.md).

        actuators: a file, or a dictionary {joint: {"stiffness": ..., "rotor_inertia": ...}} with the keys of such files;
        a dictionary with the key "joints" is the whole file. Options: order, the highest time derivative of motor
        torques that will be asked for; coupled=1: rotors move with the links that carry them.
        """
        if not isinstance(actuators, Mapping):
            path = path_from(actuators, "elastic", "actuators")
            made = self._elastic_load(path, **options)
            with open(path, "rb") as file:  # for pickles
                text = file.read()
            return remember(made, "_elastic_load_text", (text, path), options)  # type: ignore[no-any-return]
        whole = actuators if "joints" in actuators else {"joints": actuators}
        arguments = _to_json(whole, "actuators"), "dictionary"
        made = self._elastic_load_text(*arguments, **options)
        return remember(made, "_elastic_load_text", arguments, options)  # type: ignore[no-any-return]

    def retime(
        self, trajectory: _core.Trajectory, limits: Any = None, *, elastic: _core.Elastic | None = None, **options: Any
    ) -> _results.Retime:
        """The same path in the shortest time that the limits allow (docs/retime.md).

        limits: [nv, 10, 2] as limit_ranges() gives them, which is the default. Options: margin, uniform, samples,
        intervals, ... Returns the new motion, None if no speed is possible, and the limit that is the cause.
        """
        if limits is None:
            limits = self.limit_ranges(elastic)
        numbers: dict[str, Any] = {
            name: int(value) if isinstance(value, bool) else value for name, value in options.items()
        }
        return self._retime(trajectory, limits, elastic=elastic, **numbers)

    # ---- text, files, copies ----

    def to_json(self) -> str:
        """The model as native JSON text, exact to the last bit."""
        return self._save_text(format="native")

    def to_dict(self) -> dict[str, Any]:
        """The model as a dictionary in the form of native files (docs/model-file.md)."""
        return json.loads(self.to_json())  # type: ignore[no-any-return]

    def to_urdf(self, original: str | os.PathLike[str] | None = None) -> str:
        """The model as URDF text; original: a file whose text is kept but for what differs."""
        return self._save_text(
            format="urdf", original=None if original is None else path_from(original, "to_urdf", "original")
        )

    def save(self, path: str | os.PathLike[str], format: str = "auto", original: str | None = None) -> None:
        """Writes a URDF or native file, by the ending of its name; whole or not at all."""
        self._save(path_from(path, "save", "path"), format=format, original=original)  # type: ignore[arg-type]

    def __reduce__(self) -> tuple[Any, ...]:
        return (_from_json, (self.to_json(),))

    def __copy__(self) -> Model:
        return self

    def __deepcopy__(self, memo: Any) -> Model:
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return self is other or self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    # ---- source code ----

    def generate(
        self,
        want: str | Sequence[str],
        *,
        prefix: str = "robot",
        type: str = "float",
        language: str = "c",
        order: int = 1,
        sincos: str = "own",
        regroup: bool = True,
        frames: str | Sequence[str] = (),
        in_: str = "aligned",
        prescribed: Any = (),
        actuated: Any = (),
        elastic: Elastic | None = None,
        runtime: str | Sequence[str] = (),
        payload_frame: str | None = None,
        snap: float = 0.0,
        lanes: int = 0,
        split: bool = False,
    ) -> dict[str, str]:
        """The dynamics as C or MATLAB that needs no library, as {name of file: text} (docs/generate.md).

        want: names of functions, as "inverse_dynamics", in a list or separated by commas. The other arguments are
        described there; prescribed and actuated: names of joints, or a mask [nv]; elastic: from elastic(). The
        header has the SHA-256 of to_json().
        """
        from ._generate import generate

        return generate(self, want, prefix, type, language, order, sincos, regroup, frames, in_, prescribed, actuated,
                        elastic, runtime, payload_frame, snap, lanes, split)  # fmt: skip

    # ---- where it comes from ----

    _origin: tuple[str, tuple[int, int], dict[str, Any]] | None = None  # file, its size and time, options

    def _unchanged_source(self) -> str | None:
        """The file that the model was read from, or "builtin:NAME", if the model is what is there now."""
        if self._origin is None:
            return None
        path, found, _ = self._origin
        try:
            return path if _fingerprint(path) == found else None
        except OSError:
            return None

    def _source_options(self) -> dict[str, Any]:
        return self._origin[2] if self._origin else {}

    # ---- what notebooks and terminals show ----

    def _rows(self) -> list[list[str]]:
        rows = []
        for i in range(self.link_count):
            joint = self.joint(i)
            mass = self.link_inertia(i)[0]
            limit = ""
            if joint.v.stop - joint.v.start == 1:
                dof = self.coordinate_dof(joint.v.start)
                limit = f"{dof.lower:g} ... {dof.upper:g}" if np.isfinite([dof.lower, dof.upper]).any() else ""
            q = "" if joint.q.stop == joint.q.start else str(joint.q.start)
            if joint.q.stop - joint.q.start > 1:
                q += f"-{joint.q.stop - 1}"
            rows.append([str(i), joint.link, joint.parent, joint.name, joint.type, q, f"{mass:g}", limit])
        return rows

    HEAD = ("", "link", "parent", "joint", "type", "q", "mass [kg]", "limits")

    def __repr__(self) -> str:
        title = f"<jounce.Model '{self.name}': nq {self.nq}, nv {self.nv}, {self.link_count} links, {self.mass:.4g} kg>"
        rows = [list(self.HEAD), *self._rows()]
        if len(rows) > 61:
            rows = [*rows[:60], ["..."] + [""] * (len(self.HEAD) - 1)]
        widths = [max(len(row[k]) for row in rows) for k in range(len(self.HEAD))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
        return "\n".join([title, *lines])

    def _repr_html_(self) -> str:
        depth: dict[int, int] = {-1: -1}
        body = []
        for i, row in enumerate(self._rows()):
            depth[i] = depth[self.link_parent(i)] + 1
            cells = "".join(f"<td>{escape(cell)}</td>" for cell in row[2:])
            indent = f'<td style="padding-left:{depth[i] + 0.5:g}em;text-align:left">{escape(row[1])}</td>'
            body.append(f"<tr><td>{row[0]}</td>{indent}{cells}</tr>")
        head = "".join(f"<th>{escape(cell)}</th>" for cell in self.HEAD)
        return (f"<b>{escape(self.name)}</b>: nq {self.nq}, nv {self.nv}, {self.link_count} links, {self.mass:.4g} kg"
                f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>")  # fmt: skip

    def show(self, motion: Any = None, path: str | os.PathLike[str] | None = None, **options: Any) -> Any:
        """A page with the robot in 3-D; see jounce.show()."""
        from ._show import show

        return show(self, motion, path, **options)


def _fingerprint(path: str) -> tuple[int, int]:
    """Size and time of a file, by which a change is noticed; of built-in motions zero."""
    if path.startswith("builtin:"):
        return 0, 0
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


class Trajectory(_core.Trajectory):
    """A motion over time: evaluate(t, order) gives q and its derivatives. It pickles with what it was made from."""

    _origin: tuple[str, tuple[Any, ...], dict[str, Any]] | None = None
    _more = ""

    @staticmethod
    def _remember(made: Any, kind: str, what: tuple[Any, ...], options: dict[str, Any]) -> Trajectory:
        made._origin, made._more = (kind, what, options), ""
        return made  # type: ignore[no-any-return]

    def load_wrenches(self, *arguments: Any, **options: Any) -> None:
        super().load_wrenches(*arguments, **options)
        self._more = "wrenches"

    def load_forces(self, *arguments: Any, **options: Any) -> None:
        super().load_forces(*arguments, **options)
        self._more = "forces"

    def set_forces(self, *arguments: Any, **options: Any) -> None:
        super().set_forces(*arguments, **options)
        self._more = "forces"

    def _source(self) -> tuple[str, tuple[Any, ...]]:
        """What it was made from: ("file", (name,)) if it is built in, ("text", (bytes, file)), ("samples", (t, q))."""
        if self._origin is None:
            return "", ()
        kind, what, _ = self._origin
        if kind == "file" and not what[0].startswith("builtin:"):
            path, found = what
            if _fingerprint(path) != found:
                raise pickle.PicklingError(f"{path} has changed since the trajectory was read: read it again")
            with open(path, "rb") as file:
                return "text", (file.read(), path)
        return kind, what

    def __reduce__(self) -> tuple[Any, ...]:
        if self._origin is None or self._more:
            raise pickle.PicklingError(f"a trajectory with {self._more or 'an unknown origin'} cannot be pickled")
        kind, what = self._source()
        return _make_trajectory, (self.model, kind, what, self._origin[2])

    def __copy__(self) -> Trajectory:
        return self


def _make_trajectory(model: Model, kind: str, what: tuple[Any, ...], options: dict[str, Any]) -> Trajectory:
    import warnings

    with warnings.catch_warnings():  # they were given when the motion was read for the first time
        warnings.simplefilter("ignore")
        if kind == "file":
            return model.trajectory(what[0], **options)
        if kind == "text":
            return model.trajectory_from_text(*what, **options)
        return model.trajectory_from_samples(*what, **options)


class Elastic(Remembered, _core.Elastic):
    """A robot whose motors drive its joints through springs; see Model.elastic()."""

    @cached_property
    def full_model(self) -> Model:
        """The robot with a coordinate for every motor behind a spring; forces() are those of springs and motors."""
        return self._full_model  # type: ignore[return-value]


def _options(options: dict[str, Any]) -> dict[str, Any]:
    """Options of load() in the names of the library."""
    for name in ("original", "original_text"):
        if name in options:
            raise TypeError(f"load(): {name} is for save()")
    for name in ("floating", "mimic", "strict", "lenient", "ignore_mimic", "ignore_loops"):
        if not isinstance(options.get(name, 0), (bool, int, np.bool_)):
            raise TypeError(f"load(): {name} is {options[name]!r}, expected True or False")
    if "mimic" in options:
        options["ignore_mimic"] = not options.pop("mimic")
    return {name: int(value) if isinstance(value, bool) else value for name, value in options.items()}


def load(
    source: str | os.PathLike[str],
    *,
    lock: Sequence[str] | Mapping[str, Any] | str | None = None,
    text: bool = False,
    format: str = "auto",
    file: str = "",
    **options: Any,
) -> Model:
    """Reads a robot: a URDF, MJCF or native JSON file, or "builtin:panda" (see builtins()).

    floating: the base moves freely. mimic=False: joints that follow others are independent. gravity: another one.
    lock: joints to lock, by name, or {name: value}. strict: warnings are errors. joint_order: names of joints in the
    order of the coordinates. ignore_loops, loops, transmissions, lenient, max_bytes: see docs/urdf.md.
    text=True: source is the text itself (see also loads()). Warnings of the readers become ModelWarning.
    """
    options = _options(options)
    if text:
        model = _core._load_text(source, file or "text", format=format, **options)  # type: ignore[arg-type]
    else:
        if format != "auto":
            raise ValueError("load(): files say by their content what they are; format is for text=True")
        path = path_from(source, "load", "source")
        model = _core._load(path, **options)
        if lock is None and not set(options) - {"floating", "ignore_mimic", "lenient", "strict", "max_bytes"}:
            model._origin = path, _fingerprint(path), options  # type: ignore[attr-defined]
    if lock is not None:
        names = [lock] if isinstance(lock, str) else list(lock)
        values = lock if isinstance(lock, Mapping) else {}
        model = model.lock(names, model.configuration(values))  # type: ignore[attr-defined]
    return model  # type: ignore[return-value]


def model_of(value: Any, function: str) -> Model:
    """A model, or the model that load() reads from a name."""
    if isinstance(value, Model):
        return value
    if isinstance(value, (str, os.PathLike)):
        return load(value)
    raise TypeError(f"{function}(): model is {value!r}, expected a jounce.Model, or a file that jounce.load() reads")


def loads(text: str | bytes, *, format: str = "auto", file: str = "text", **options: Any) -> Model:
    """Reads a robot from the text of a URDF, MJCF or native file; file: the name used in messages."""
    return load(text, text=True, format=format, file=file, **options)  # type: ignore[arg-type]


def from_dict(description: Mapping[str, Any], **options: Any) -> Model:
    """A model from a dictionary in the form of native files (docs/model-file.md)."""
    if not isinstance(description, Mapping):
        raise TypeError(f"from_dict(): description is {description!r:.60}, expected a dictionary")
    return loads(_to_json(description, "description"), format="native", file="dictionary", **options)


def _to_json(value: Mapping[str, Any], name: str) -> str:
    try:
        return json.dumps(value, default=_plain, allow_nan=False)
    except ValueError:  # JSON has no NaN; a cycle is also a ValueError
        place = _not_finite(value, name)
        if place is None:
            raise
        raise ModelError(f"{place}; give a finite number") from None


def _not_finite(value: Any, place: str) -> str | None:
    """Where a number in dictionaries and lists is not finite."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return f"{place} is {value}"
    items: Any = ()
    if isinstance(value, Mapping):
        items = value.items()
    elif isinstance(value, (list, tuple)):
        names = [item.get("name") if isinstance(item, Mapping) else None for item in value]
        items = [(name or k, item) for k, (name, item) in enumerate(zip(names, value))]
    for key, item in items:
        found = _not_finite(item, f"{place}[{key!r}]")
        if found is not None:
            return found
    return None


def _plain(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be part of a model: {value!r}")


def _from_json(text: str) -> Model:
    import warnings

    with warnings.catch_warnings():  # they were given when the model was read for the first time
        warnings.simplefilter("ignore")
        return loads(text, format="native", file="pickle")


def builtins() -> dict[str, str]:
    """Names of the built-in robots, and what they are; load("builtin:NAME")."""
    return {_core.builtin_name(i): _core.builtin_summary(i) for i in range(_core.builtin_count())}


class Builder:
    """Describes a robot link by link: add_link(), add_frame(), add_loop(), then build().

    Arguments are the keys of native files (docs/model-file.md); arrays may be NumPy arrays, and a placement may be a
    4 x 4 matrix. Builder(model) starts from a model.
    """

    def __init__(self, name: str | Model = "robot", gravity: ArrayLike = (0, 0, -9.81)) -> None:
        self.description: dict[str, Any]
        if isinstance(name, Model):
            self.description = name.to_dict()
        elif not isinstance(name, str):
            raise TypeError(f"Builder(): name is {name!r:.60}, expected a string, or a jounce.Model to start from")
        else:
            self.description = {"name": name, "gravity": np.asarray(gravity, float).tolist(), "bodies": []}

    def __repr__(self) -> str:
        frames, loops = (len(self.description.get(key, ())) for key in ("frames", "loops"))
        return (f"<jounce.Builder of {self.description['name']!r}: {len(self.description['bodies'])} links, "
                f"{frames} frames, {loops} loops>")  # fmt: skip

    @staticmethod
    def _placement(placement: Any) -> Any:
        if placement is None or isinstance(placement, Mapping):
            return placement
        matrix = np.asarray(placement, np.float64)
        if matrix.shape == (4, 4):
            return {"matrix": matrix.tolist()}
        if matrix.shape == (3,):
            return {"position": matrix.tolist()}
        raise ValueError(f"placement has shape {matrix.shape}, expected (4, 4), (3,) for a position, or a dictionary")

    def add_link(
        self,
        name: str,
        parent: str = "world",
        placement: Any = None,
        *,
        joint: str | Mapping[str, Any] = "fixed",
        mass: float | None = None,
        com: ArrayLike = (0, 0, 0),
        tensor: ArrayLike | None = None,
        inertia: ArrayLike | None = None,
        **joint_keys: Any,
    ) -> Builder:
        """Adds a link with the joint that carries it. inertia: ten parameters about the origin; or mass, com, tensor
        about the centre of mass. Other keys are those of the joint: axis=, limits=, damping=, mimic=, ..."""
        for key, value in (("name", name), ("parent", parent)):
            if not isinstance(value, str):
                raise TypeError(f"add_link(): {key} is {value!r:.60}, expected the name of a link")
        body: dict[str, Any] = {"name": name, "parent": parent}
        if placement is not None:
            body["placement"] = self._placement(placement)
        description = {"type": joint} if isinstance(joint, str) else dict(joint)
        description.update(joint_keys)
        if "joint_name" in description:
            description["name"] = description.pop("joint_name")
        body["joint"] = description
        if inertia is not None:
            body["inertia"] = {"parameters": np.asarray(inertia, float).tolist()}
        elif mass is not None:
            body["inertia"] = {"mass": mass, "com": com, "tensor": np.zeros(6) if tensor is None else tensor}
        self.description["bodies"].append(body)
        return self

    def add_frame(self, name: str, link: str, placement: Any = None) -> Builder:
        """Adds a named frame on a link."""
        frame = {"name": name, "body": link}
        if placement is not None:
            frame["placement"] = self._placement(placement)
        self.description.setdefault("frames", []).append(frame)
        return self

    def add_loop(
        self,
        name: str,
        type: str,
        a: str | Mapping[str, Any] | None = None,
        b: str | Mapping[str, Any] | None = None,
        *,
        placement_a: Any = None,
        placement_b: Any = None,
        **keys: Any,
    ) -> Builder:
        """Adds a loop closure, contact or coupling between links a and b; other keys as in native files."""
        loop: dict[str, Any] = {"name": name, "type": type}
        for key, link, placement in (("a", a, placement_a), ("b", b, placement_b)):
            if isinstance(link, str):
                loop[key] = {"body": link}
                if placement is not None:
                    loop[key]["placement"] = self._placement(placement)
            elif link is not None:
                loop[key] = dict(link)
        self.description.setdefault("loops", []).append({**loop, **keys})
        return self

    def build(self, **options: Any) -> Model:
        """Checks everything and makes the model."""
        if not self.description["bodies"]:
            raise ModelError("a model needs at least one link: use add_link()")
        return from_dict(self.description, **options)
