# %% [markdown]
# # Your own formulation in Python, checked against `dense`
#
# A first version before the one in C++: Lagrange's equations of a planar chain. Body k of the catalogue's pendulum is
# turned by $\phi_k = q_1 + ... + q_k$ about y. Its centre of mass lies at the sum over i of
# $a_{ki} (\cos\phi_i, -\sin\phi_i)$ in the plane x, z, with $a_{ki}$ = 1 m for i < k (whole links) and 0.5 m for i = k.
# Then
#
# $$\sum_k m\, a_{ki} a_{kj} \left(\cos(\phi_i - \phi_j)\, \ddot\phi_j + \sin(\phi_i - \phi_j)\, \dot\phi_j^2\right)
# + I \ddot\phi_i = m g \cos\phi_i \sum_k a_{ki}.$$

# %%
import mbdbench
import numpy as np

chain = mbdbench.Mechanism.from_key("pendulum:5").with_initial_values({"q.joint2": 0.4, "v.joint3": 1.0})
print(chain.to_toml()[:160], "...\n")  # masses, lengths, axes: everything there is to know

MASS, INERTIA, GRAVITY = 1.0, 1.0, 9.81
A = np.tril(np.ones((chain.u_size, chain.u_size)), -1) + 0.5 * np.eye(chain.u_size)

# %% [markdown]
# The formulation: a function of time, coordinates and velocities that returns accelerations. The second one forgets
# the centrifugal terms.


# %%
def lagrange(t, q, u):
    phi, phi_rate = np.cumsum(q), np.cumsum(u)
    between = phi[:, None] - phi
    coupling = MASS * A.T @ A
    mass_matrix = coupling * np.cos(between) + INERTIA * np.eye(len(q))
    forces = MASS * GRAVITY * A.sum(axis=0) * np.cos(phi) - (coupling * np.sin(between)) @ phi_rate**2
    return np.diff(np.linalg.solve(mass_matrix, forces), prepend=0.0)


def without_centrifugal_terms(t, q, u):
    return lagrange(t, q, np.zeros_like(u))


# %% [markdown]
# `verify` compares both with `dense` and says where the second one is wrong.

# %%
print(mbdbench.verify(chain, lagrange))
print(mbdbench.verify(chain, without_centrifugal_terms))

# %% [markdown]
# A prototype is a formulation like any other by now: integrators, monitors and the verdict are those of the suite.

# %%
mine = mbdbench.simulate(chain, "lagrange", times=2.0, tolerance=1e-8)
reference = mbdbench.simulate(chain, "dense", times=2.0, tolerance=1e-8)
print(f"\n{mine}\n{reference}\nlargest difference at the end: {np.abs(mine.q[-1] - reference.q[-1]).max():.1e} rad")
