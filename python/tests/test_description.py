# SPDX-License-Identifier: BSD-2-Clause
"""The description, src/api/functions.def, must fit the headers exactly; every mistake ends the generation with its place."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import SOURCE

from description import read_description  # isort: skip

LIST = "src/api/functions.def"
# A file, what is replaced in it, by what, and what the message says.
MISTAKES = [
    (LIST, "A[m,nv]? Adot_v[m]?", "A[m,nv]?", r"functions.def:\d+: the array Adot_v of jn_loops_constraint is missing"),
    (LIST, "jn_loops_gaps: in q[nq] out gap[loops]?\n", "", r"loops.h: jn_loops_gaps\(\): the array q .* is missing"),
    (LIST, "jn_loops_rank: in q[nq]", "jn_loops_rank: in q[nq] q[nq]", r"functions.def:\d+: q\[nq\] is given twice"),
    (LIST, "jn_loops_rank: in q[nq]", "jn_loops_rank: in q[nz]", r"functions.def:\d+: q\[...nz...\] .* no such size"),
    (LIST, "jn_loops_rank: in q[nq]", "jn_loops_rank: out q[nq]", r"q of jn_loops_rank is const, but 'out'"),
    (LIST, "jn_loops_rank: in q[nq]", "jn_loops_rank: in z[nq]", r"the array q of jn_loops_rank is missing"),
    (LIST, "jn_loops_rank:", "jn_loops_ranks:", r"the headers have no function jn_loops_ranks"),
    (LIST, "jn_loops_rank: in q[nq]", "jn_loops_rank: q[nq]", r"q\[nq\] comes before in, out"),
    (LIST, "jn_loops_rank: in q[nq]", "jn_loops_rank: in q", r"q has no size in brackets"),
    (LIST, "jn_so3_exp: in w[3]", "jn_so3_exp: in w[4]", r"w of jn_so3_exp is declared with the size 3"),
    (LIST, "jn_mass_matrix: work(0) in", "jn_mass_matrix: in", r"jn_mass_matrix\(\) has work memory"),
    (LIST, "in q[nq] v[nv]? out phi[m]?", "in q[nq] v[m]? out phi[m]?", r"the comment says v \[nv\], but functions.def:\d+"),
    (LIST, "struct jn_motor_motion: out deflection_jet[K+3,nv]? ", "struct jn_motor_motion: out ",
     r"the array deflection_jet of jn_motor_motion is missing"),
    ("include/jounce/loops.h", "Adot_v [m] = Adot v", "Adot v [m]", r"the comment says v \[m\], but functions.def:\d+"),
    ("include/jounce/loops.h", "const double *q, int *rank", "const double *q, const double *z, int *rank",
     r"the array z of jn_loops_rank is missing"),
]  # fmt: skip


class Description(unittest.TestCase):
    def generate(self, root: Path) -> subprocess.CompletedProcess[str]:
        command = [
            sys.executable,
            "-B",
            str(SOURCE / "python" / "generate.py"),
            str(root / "include"),
            str(root / "made"),
        ]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_mistakes_end_the_generation_with_their_place(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for part in ("include", "src/api"):
                shutil.copytree(SOURCE / part, root / part)
            run = self.generate(root)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            for file, old, new, message in MISTAKES:
                path = root / file
                text = path.read_text()
                self.assertIn(old, text)
                path.write_text(text.replace(old, new, 1))
                run = self.generate(root)
                path.write_text(text)
                with self.subTest(new=new):
                    self.assertEqual(run.returncode, 1)
                    self.assertRegex(run.stderr, message)

    def test_each_array_is_described_once(self) -> None:
        """The list and a count of pointers in the headers by another way agree."""
        given = read_description(SOURCE / LIST)
        listed = sum(
            len([e for e in line.entries if e.shape is not None or e.room]) for line in given.functions.values()
        )
        pointers = 0
        for path in (SOURCE / "include" / "jounce").glob("*.h"):
            if path.name in ("batch.h", "float.h", "float_batch.h"):
                continue
            text = re.sub(r"/\*.*?\*/|^#.*?$", "", path.read_text(), flags=re.S | re.M)
            for declaration in re.findall(r"JN_API [^;]*;", text):
                arguments = declaration[declaration.index("(") :]
                pointers += len(
                    re.findall(r"\b(?:double|unsigned char|signed char|jn_range) \*\w+|\bdouble \w+\[", arguments)
                )
        self.assertEqual(listed, pointers)


if __name__ == "__main__":
    unittest.main()
