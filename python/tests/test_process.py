"""Many runs, threads, Ctrl-C, progress: how the package behaves in a process that lives long."""

import gc
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import consort
sanitized = pytest.mark.skipif("CONSORT_SANITIZED" in os.environ, reason="sanitizers keep freed memory for a while")


def memory() -> int:
    """Of this process, in bytes."""
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@sanitized
def test_many_runs_do_not_leak(fmus, quarter_car):
    def work():
        res = consort.simulate_fmu(fmus / "fmi2/Dahlquist.fmu", stop_time=10, step_size=1e-3)
        quarter_car.run(stop=0.02, step=1e-3)
        with pytest.raises(consort.Error):
            consort.simulate_fmu(fmus / "fmi2/Dahlquist.fmu", start_values={"kk": 1})
        return len(res)

    for _ in range(10):
        work()
    gc.collect()
    before, files = memory(), len(os.listdir("/proc/self/fd"))
    for _ in range(40):
        assert work() == 10001
    gc.collect()
    # A run's rows are 160 KB: if results stayed, 40 of them would be 6 MB, and libraries that stay loaded more.
    assert memory() - before < 4e6
    assert len(os.listdir("/proc/self/fd")) <= files


def test_temporary_folders_go_away(fmus, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    consort.simulate_fmu(fmus / "fmi3/Feedthrough.fmu", input={"time": [0, 1], "float64_in": [0, 1]})
    assert list(tmp_path.iterdir()) == []


def test_runs_go_on_in_several_threads(quarter_car):
    expected = quarter_car.run(stop=0.5, step=1e-3)["chassis.z"]
    results = [None] * 4

    def work(i):
        results[i] = quarter_car.run(stop=0.5, step=1e-3)["chassis.z"]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(results))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for z in results:
        np.testing.assert_array_equal(z, expected)


def test_python_goes_on_while_a_run_does(fmus):
    done = threading.Event()
    counted = []

    def count():
        n = 0
        while not done.is_set():
            n += 1
            time.sleep(0)
        counted.append(n)

    counter = threading.Thread(target=count)
    counter.start()
    consort.simulate_fmu(fmus / "fmi2/Dahlquist.fmu", stop_time=100, step_size=1e-4, output_interval=1)
    done.set()
    counter.join()
    # If the lock were held, the counter would hardly get to run before the run is over.
    assert counted[0] > 100


def test_one_simulation_may_be_used_by_several_threads(quarter_car):
    sim = quarter_car.simulation(stop=0.4, step=1e-3)
    sim.initialize()

    def work():
        for _ in range(100):
            sim.step()
            assert isinstance(sim["chassis.z"], float)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sim.done and sim.time == 0.4


# --- progress


def long_run(fmus, **options):
    return consort.simulate_fmu(fmus / "fmi2/Dahlquist.fmu", stop_time=1e6, step_size=1e-3, output_interval=0.01, **options)


@pytest.mark.parametrize("kind", ["cs", "me"])
def test_progress_can_stop_a_run(fmus, kind):
    seen = []

    def progress(p):
        seen.append(p.time)
        return p.time < 1

    res = long_run(fmus, progress=progress, interface_type=kind)
    assert max(seen[:-1], default=0) < 1 <= seen[-1] and 0.9 < res.time[-1] < 1e6
    assert res.ended_early


def test_progress_of_a_system_tells_where_it_is(quarter_car):
    seen = []

    def progress(p):
        seen.append((p.start_time, p.time, p.stop_time, p.step_size, p.wall_seconds))
        return False

    res = quarter_car.run(stop=1e5, step=1e-3, output=["chassis.z"], progress=progress)
    assert res.ended_early and len(seen) == 1
    start, t, stop, step, wall = seen[0]
    assert (start, stop, step) == (0, 1e5, 1e-3) and 0 < t <= res.time[-1] and wall > 0


def test_what_progress_raises_ends_the_run_and_comes_out(fmus):
    def progress(p):
        raise ZeroDivisionError("of mine")

    with pytest.raises(ZeroDivisionError, match="of mine") as caught:
        long_run(fmus, progress=progress)
    assert len(caught.value.result) >= 1
    assert "progress" in [entry.name for entry in caught.traceback]


# --- Ctrl-C


@pytest.mark.parametrize("work", [
    "consort.simulate_fmu(fmus + '/fmi2/Dahlquist.fmu', stop_time=1e7, step_size=1e-3, output_interval=100,"
    " output_file=out)",
    "consort.simulate_fmu(fmus + '/fmi2/Dahlquist.fmu', stop_time=1e7, step_size=1e-3, output_interval=100,"
    " output_file=out, interface_type='me')",
    "consort.System().add('a', fmus + '/fmi2/Dahlquist.fmu').run(stop=1e7, step=1e-3, output_interval=100,"
    " output_file=out)",
])
def test_ctrl_c_stops_a_run_cleanly(fmus, tmp_path, work):
    out = tmp_path / "out.csv"
    script = textwrap.dedent(f"""
        import consort
        fmus, out = {str(fmus)!r}, {str(out)!r}
        print("ready", flush=True)
        try:
            {work}
        except KeyboardInterrupt as stopped:
            assert stopped.result.time[-1] == consort.read_result(out).time[-1]
            print("stopped after", len(stopped.result), "rows", flush=True)
    """)
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(1)
    child.send_signal(signal.SIGINT)
    try:
        out_text, _ = child.communicate(timeout=60)
    finally:
        child.kill()
    assert out_text.startswith("stopped after") and child.returncode == 0


def test_ctrl_c_in_another_thread_leaves_runs_alone(fmus):
    """Python handles signals in the main thread only."""
    results = []
    thread = threading.Thread(target=lambda: results.append(
        consort.simulate_fmu(fmus / "fmi2/Dahlquist.fmu", stop_time=20, step_size=1e-4, output_interval=1)))
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
        for _ in range(100):
            time.sleep(0.01)
    thread.join()
    assert results[0].time[-1] == 20 and not results[0].ended_early


@pytest.mark.skipif("CONSORT_SANITIZED" in os.environ, reason="sanitizers report crashes themselves")
def test_a_crash_of_an_fmu_is_told_before_the_process_ends(fmus):
    program = f"""
        import consort
        consort.simulate_fmu({str(fmus / "fmi2/Bad.fmu")!r}, step_size=0.1, start_values={{"deed": "crash"}})
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=60)
    assert done.returncode == -signal.SIGSEGV
    assert "crashed in fmi2DoStep at t = " in done.stderr
