# SPDX-License-Identifier: BSD-2-Clause
"""Balances a double pendulum with a motor at the elbow: exact linearisation, a regulator from it, and a simulation."""

import numpy as np

import jounce

model = jounce.load("builtin:double_pendulum")
nv = model.nv
upright = np.array([np.pi, 0.0])
d = model.forward_dynamics_derivatives(upright, np.zeros(nv), np.zeros(nv))
A = np.block([[np.zeros((nv, nv)), np.eye(nv)], [d.da_dq, d.da_dv]])
B = np.vstack([np.zeros((nv, 1)), d.da_dtau[:, [1]]])
print("eigenvalues upright:", np.round(np.sort(np.linalg.eigvals(A).real), 3))

# the Riccati equation, by the stable invariant subspace of its Hamiltonian matrix
Q, R = np.eye(2 * nv), np.array([[0.1]])
H = np.block([[A, -B @ np.linalg.inv(R) @ B.T], [-Q, -A.T]])
values, vectors = np.linalg.eig(H)
stable = vectors[:, values.real < 0]
P = (stable[2 * nv :] @ np.linalg.inv(stable[: 2 * nv])).real
K = np.linalg.inv(R) @ B.T @ P
closed = np.linalg.eigvals(A - B @ K)
print("with the regulator: ", np.round(np.sort(closed.real), 3))
assert closed.real.max() < 0


def motor(t, q, v):
    x = np.concatenate([q - upright, v])
    return np.array([0.0, -(K @ x)[0]])


simulator = model.simulator(integrator="dopri5", tolerance=1e-9, force=motor)
simulator.set(0.0, upright + [0.02, -0.05], np.zeros(nv))
simulator.run(8.0)
_, q, v = simulator.get()
print(f"after 8 s: |x| = {np.linalg.norm(np.concatenate([q - upright, v])):.1e}")
assert np.allclose(q, upright, atol=1e-3)
