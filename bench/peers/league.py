#!/usr/bin/env python3
"""The league of bench/run verify: published problems solved by other programs and by ours in one run. For each program the
CPU time without set-up to errors of 1e-3, 1e-6 and 1e-9, at the cheapest of its methods and settings.

    bench/peers/league.py OURS.json [--quick] [--limit SECONDS] [--peers PYTHON] [-o TABLE.md]

OURS.json is the output of the benchmark `verify`, which also has the references. PYTHON is an interpreter with the
packages exudyn, mujoco and drake, or some of them (default: $CHASLES_PEERS/bin/python, else the one that runs this).
$LEAGUE_SIMBODY is the program of league_simbody.cpp. Programs without a package are left out. A method is run with ever smaller steps (or tolerances) until its error is below
1e-9, or the next run would take more than 20 s of CPU (--quick: 2 s; --limit).
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
GOALS = (1e-3, 1e-6, 1e-9)
PEERS = {"Exudyn": "league_exudyn", "MuJoCo": "league_mujoco", "Drake": "league_drake", "Simbody": "league_simbody"}


def sweep(module, problem_name, method, reference, limit):
    """In a process of its own: prints a line of JSON for every run."""
    import importlib

    sys.path.insert(0, str(HERE))
    import league_problems

    peer = importlib.import_module(module)
    problem = next(p for p in (make() for make in league_problems.PROBLEMS) if p.name == problem_name)
    adaptive = getattr(peer, "ADAPTIVE", False)
    setting = 1e-2 if adaptive else problem.duration / 50
    while setting > (1e-14 if adaptive else problem.duration / 2e7):
        try:
            result = peer.run(problem, method, setting)
        except Exception as error:  # of a step that is too large; smaller ones follow
            print(json.dumps({"setting": setting, "failed": str(error)[:200]}), flush=True)
            result = None
        if result is not None:
            seconds, value = result
            error = max(abs(float(a) - b) for a, b in zip(value, reference))
            print(json.dumps({"setting": setting, "ms": 1e3 * seconds, "error": error}), flush=True)
            if error < GOALS[-1] or (1.5 if adaptive else 2) * seconds > limit:
                return
        setting /= 10 if adaptive else 2


def describe(module):
    """Version and methods per problem, or nothing if the package is missing."""
    import importlib

    sys.path.insert(0, str(HERE))
    import league_problems

    peer = importlib.import_module(module)
    return {"version": str(peer.VERSION),
            "methods": {p.name: peer.methods(p) for p in (make() for make in league_problems.PROBLEMS)}}


def call(python, arguments, timeout):
    """Output lines of a process, also of one that takes more than `timeout` seconds of CPU, or hangs."""
    def within():
        resource.setrlimit(resource.RLIMIT_CPU, (int(timeout), int(timeout) + 5))

    process = subprocess.Popen([python, __file__, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                               cwd=tempfile.gettempdir(), preexec_fn=within)
    try:
        return process.communicate(timeout=20 * timeout)[0].splitlines()
    except subprocess.TimeoutExpired:
        process.kill()
        return process.communicate()[0].splitlines()


def cheapest(runs, goal):
    good = [r for r in runs if r.get("error", 1e9) <= goal]
    return min(good, key=lambda r: r["ms"]) if good else None


def number(ms):
    return f"{ms:.3g}"


def row(program, runs, ours):
    cells = []
    for goal in GOALS:
        best = cheapest(runs, goal)
        if best is None:
            least = min((r["error"] for r in runs if "error" in r), default=None)
            cells.append("-" if least is None else f"- (reached {least:.0e})")
            continue
        mine = cheapest(ours, goal)
        ratio = f", {float(f'{best['ms'] / mine['ms']:.2g}'):g} x" if mine and program != "Chasles" else ""
        cells.append(f"{number(best['ms'])}{ratio} ({best['method']})")
    return f"| {program} | " + " | ".join(cells) + " |"


def main(arguments):
    limit, table, python, ours_file = 20.0, None, None, None
    while arguments:
        option = arguments.pop(0)
        if option == "--quick":
            limit = 2.0
        elif option in ("--peers", "-o", "--limit"):
            if not arguments:
                sys.exit(f"league.py: {option} needs a value")
            value = arguments.pop(0)
            if option == "--peers":
                python = value
            elif option == "-o":
                table = value
            else:
                limit = float(value)
        elif option.startswith("-") or ours_file:
            sys.exit(f"league.py: '{option}' is not expected; see the head of the file")
        else:
            ours_file = option
    if not ours_file:
        sys.exit("league.py: give the output of the benchmark 'verify'")
    if python is None:
        python = os.environ.get("CHASLES_PEERS", "") and os.environ["CHASLES_PEERS"] + "/bin/python" or sys.executable
    ours = json.loads(Path(ours_file).read_text())
    peers = {}
    for name, module in PEERS.items():
        lines = call(python, ["--describe", module], 120)
        if lines:
            peers[name] = json.loads(lines[-1])
        else:
            print(f"league: without {name}, which {python} does not have", file=sys.stderr)
    load = os.getloadavg()[0]
    versions = ", ".join(f"{name} {facts['version']}" for name, facts in peers.items())
    out = [f"Beside ours: {versions or 'none'}. "
           f"Load of the machine at the start: {load:.1f} on {os.cpu_count()} processors.", "",
           "| program | ms to 1e-3 | ms to 1e-6 | ms to 1e-9 |", "|---|---|---|---|"]
    for problem in ours:
        name = problem["problem"]
        out.append(f"| **{name}**, {problem['duration']:g} s; reference to {max(problem['uncertainty'], 1e-16):.0e} | | | |")
        out.append(row("Chasles", problem["runs"], problem["runs"]))
        for peer, facts in peers.items():
            runs = []
            for title, method in facts["methods"][name]:
                begin = time.time()
                lines = call(python, ["--sweep", PEERS[peer], name, method, json.dumps(problem["reference"]), str(limit)],
                             6 * limit)
                print(f"league: {name}, {peer}, {title}: {len(lines)} runs, {time.time() - begin:.0f} s", file=sys.stderr)
                runs += [dict(json.loads(line), method=title) for line in lines]
            if facts["methods"][name]:
                out.append(row(peer, runs, problem["runs"]))
    text = "\n".join(out) + "\n"
    if table:
        Path(table).write_text(text)
    print(text)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--sweep"]:
        sweep(*sys.argv[2:5], json.loads(sys.argv[5]), float(sys.argv[6]))
    elif sys.argv[1:2] == ["--describe"]:
        print(json.dumps(describe(sys.argv[2])))
    else:
        main(sys.argv[1:])
