"""The same arm in other libraries, where they are installed: the same values. The project's own environment has none of
them; bindings/bench/peers.py also measures times.
"""
from __future__ import annotations

import importlib.util
import pathlib
import sys

import numpy as np

import chasles

spec = importlib.util.spec_from_file_location("peers", pathlib.Path("bindings/bench/peers.py"))
peers = importlib.util.module_from_spec(spec)
sys.modules["peers"] = peers
spec.loader.exec_module(peers)


def test_arm_of_the_comparison():
    """What the others read: the same arm after a way through each format."""
    arm = peers.arm()
    q, v, a = np.random.default_rng(1).uniform(-1, 1, (3, 7))
    for text in (arm.mechanism.to_urdf(), arm.mechanism.to_mjcf()):
        twin = chasles.from_text(text)
        np.testing.assert_allclose(chasles.inverse_dynamics(twin, q, v, a), chasles.inverse_dynamics(arm, q, v, a), atol=1e-12)


def test_values_of_installed_peers():
    arm = peers.arm()
    for peer in peers.installed(arm):
        for call, difference in peers.differences(arm, peer).items():
            assert difference < 1e-13, (peer.name, call, difference)
