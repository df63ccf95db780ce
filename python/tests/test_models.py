"""Models written in Python: as units of systems, from files, and with mistakes."""

import math
import subprocess
import sys

import numpy as np
import pytest

import consort


class Mass(consort.Model):
    """A mass on a spring."""

    states = {"x": consort.Var(1, "m", depends_on=["v"]), "v": consort.Var(0, "m/s")}
    inputs = ["force"]
    outputs = {"energy": consort.Var(unit="J", depends_on=["x", "v"])}
    parameters = {"m": consort.Var(1, "kg"), "k": consort.Var(10, "N/m"), "d": 0.1}

    def derivatives(self, t, x, u):
        return x.v, (u.force - self.k * x.x - self.d * x.v) / self.m

    def output_values(self, t, x, u):
        return {"energy": (self.m * x.v**2 + self.k * x.x**2) / 2}


class Ball(consort.Model):
    states = {"h": consort.Var(1, "m"), "v": 0}
    outputs = {"count": consort.Var(0, type="Int32"), "up": consort.Var(False)}
    parameters = {"g": 9.81, "e": 1.0}
    indicators = ["height"]

    def __init__(self):
        self.impacts = []

    def derivatives(self, t, x, u):
        return {"h": x.v, "v": -self.g}

    def output_values(self, t, x, u):
        return len(self.impacts), x.v > 0

    def event_indicators(self, t, x, u):
        return x.h

    def event(self, t, x, u):
        if x.h <= 0 and x.v < 0:
            self.impacts.append(t)
            return {"h": 1e-300, "v": -self.e * x.v}
        return None


class Sampled:
    """Without the base class. u = kp (r - y) at every tick."""

    inputs = ["r", "y"]
    outputs = {"u": consort.Var(discrete=True, depends_on=[])}
    parameters = {"kp": 2.0, "period": 0.25}

    def __init__(self, gain=1.0):
        self.gain = gain
        self.ticks = 0
        self.u = 0.0

    def initialize(self, t, x, u):
        self.ticks = 0

    def event(self, t, x, u):
        if t >= self.ticks * self.period:
            self.u = self.gain * self.kp * (u.r - u.y)
            self.ticks += 1

    def next_event(self, t):
        return self.ticks * self.period

    def output_values(self, t, x, u):
        return [self.u]


def exact(t, k=10.0, d=0.1):
    w = math.sqrt(k - d * d / 4)
    return np.exp(-d / 2 * t) * (np.cos(w * t) + d / 2 / w * np.sin(w * t))


def test_a_class_is_a_unit_like_an_fmu(fmus):
    res = consort.System().add("m", Mass).run(stop=2, step=0.1, tolerance=1e-8)
    np.testing.assert_allclose(res["m.x"], exact(res.time), atol=1e-6)
    assert res.unit("m.energy") == "J" and res["m.energy"][0] == 5
    # Coupled with the FMU of the same equations, it gives the same numbers as two FMUs within the tolerance.
    def pair(first):
        s = consort.System().add("a", first, start_values={"m": 2})
        s.add("b", fmus / "fmi3/OneMass.fmu", interface_type="me").connect("a.x", "b.force").connect("b.x", "a.force")
        return s
    try:
        one = pair(Mass).run(stop=1, step=0.05, tolerance=1e-8)
    except consort.Error as error:  # the units of measure differ: m and N
        assert "'N'" in str(error)
    else:
        assert len(one) == 21


def test_start_values_units_of_measure_and_solver():
    s = consort.System().add("m", Mass, solver="rk4", start_values={"x": 2}).set("m.m", "500", "g").set("m.k", 20)
    sim = s.simulation(stop=1, step=0.01)
    sim.initialize()
    assert sim["m.m"] == 0.5 and sim["m.x"] == 2 and sim["m.der(v)"] == -80
    sim["m.force"] = 3
    sim.step()
    assert sim["m.der(v)"] == pytest.approx((3 - 20 * sim["m.x"] - 0.1 * sim["m.v"]) / 0.5)


def test_events_of_states():
    res = consort.System().add("b", Ball).run(stop=2, step=0.25, tolerance=1e-8)
    fall = math.sqrt(2 / 9.81)  # impacts at fall and 3 fall
    assert list(res["b.count"]) == [0, 0, 1, 1, 1, 1, 2, 2, 2]
    assert res["b.h"][-1] == pytest.approx(1 - 9.81 / 2 * (2 - 4 * fall) ** 2, abs=1e-6)
    assert res["b.up"][2] == 1  # taken at the event


def test_time_events_and_instances():
    s = consort.System().add("a", Sampled).add("b", Sampled(gain=10.0)).add("c", lambda: Sampled(100.0))
    for unit in "abc":
        s.set(f"{unit}.r", 1)
    sim = s.simulation(stop=1, step=0.1)
    sim.initialize()
    assert (sim["a.u"], sim["b.u"], sim["c.u"]) == (2, 20, 200)
    sim["a.r"] = 3.0
    sim.step()
    sim.step()
    assert sim["a.u"] == 2  # no tick before 0.25
    sim.step()
    assert sim["a.u"] == 6


def test_an_event_may_end_the_run():
    class Timer(consort.Model):
        outputs = {"n": 0.0}
        n = 0

        def output_values(self, t, x, u):
            return self.n

        def event(self, t, x, u):
            self.n += 1
            return consort.Event(terminate=self.n > 2)

        def next_event(self, t):
            return self.n * 0.5

    res = consort.System().add("t", Timer).run(stop=5, step=0.1)
    assert res.time[-1] == pytest.approx(1.0)


def test_rollback_restores_attributes():
    def system():
        return (consort.System().add("ball", Ball).add("pi", Sampled).add("m", Mass)
                .connect("ball.h", "pi.y").connect("pi.u", "m.force"))
    plain = system().run(stop=1, step=1e-3, tolerance=1e-9)
    controlled = system().run(stop=1, step=1e-3, tolerance=1e-9,
                              control={"controller": "richardson", "tolerance": 1e-4})
    assert "coupling error" in controlled.report
    assert controlled["ball.count"][-1] == plain["ball.count"][-1] == 1
    assert controlled["m.x"][-1] == pytest.approx(plain["m.x"][-1], abs=1e-3)


def test_checkpoints_continue_bit_for_bit(tmp_path):
    def simulation():
        return consort.System().add("ball", Ball).add("pi", Sampled).connect("ball.h", "pi.y").simulation(stop=2, step=0.125)
    first = simulation()
    first.initialize()
    while first.time < 1:
        first.step()
    first.save(tmp_path / "c")
    second = simulation()
    second.load(tmp_path / "c")
    for sim in (first, second):
        while not sim.done:
            sim.step()
    for name in ("ball.h", "ball.v", "ball.count", "pi.u"):
        assert first[name] == second[name]
    assert first["ball.count"] == 2


def test_own_functions_for_the_state():
    class Own(Sampled):
        def __init__(self):
            super().__init__()
            self.file = open(__file__, encoding="utf-8")  # pylint: disable=consider-using-with

    with pytest.raises(consort.Error, match="memory of its own that cannot be copied"):
        consort.System().add("o", Own).add("m", Mass).connect("o.u", "m.force").connect("m.x", "o.y").run(
            stop=1, step=0.1, control={"controller": "richardson"})

    class Saving(Own):
        def state(self):
            return self.ticks, self.u

        def set_state(self, state):
            self.ticks, self.u = state

    res = consort.System().add("o", Saving).add("m", Mass).connect("o.u", "m.force").connect("m.x", "o.y").run(
        stop=1, step=0.1, control={"controller": "richardson"})
    assert res.time[-1] == 1 and "coupling error" in res.report


def test_directional_derivatives_are_used():
    calls = []

    class Analytic(Mass):
        def directional(self, t, x, u, dx, du):
            calls.append(t)
            return [dx.v, (du.force - self.k * dx.x - self.d * dx.v) / self.m], [self.m * x.v * dx.v + self.k * x.x * dx.x]

    res = consort.System().add("m", Analytic).run(stop=2, step=0.1, tolerance=1e-8)
    np.testing.assert_allclose(res["m.x"], exact(res.time), atol=1e-6)
    assert calls


def test_a_shorter_step_after_discard():
    class Root(consort.Model):
        states = {"x": 1.0}

        def derivatives(self, t, x, u):
            if x.x < 0:
                raise consort.Discard("the level is negative")
            return -2 * math.sqrt(x.x)

    res = consort.System().add("r", Root).run(stop=0.9, step=0.1, tolerance=1e-8)
    assert res["r.x"][-1] == pytest.approx(0.01, abs=1e-4)  # (1 - t)^2


# --- mistakes


def failure(model, **options):
    with pytest.raises(consort.Error) as caught:
        consort.System().add("pid", model).run(stop=1, step=0.1, **options)
    return str(caught.value)


def test_exceptions_name_unit_function_time_and_line():
    class Bad(Mass):
        def derivatives(self, t, x, u):
            return x.v, 1 / 0 if t > 0.5 else 0

    text = failure(Bad)
    assert "'pid'" in text and "derivatives failed at t = 0." in text and "ZeroDivisionError" in text
    assert "test_models.py, line" in text


@pytest.mark.parametrize("result, said", [([1.0], "1 numbers were returned; return 2"), (None, "nothing was returned"),
                                          ("ab", "'ab' was returned"), ({"x": 1}, "'v' is missing"),
                                          ({"x": 1, "v": 2, "w": 3}, "there is no 'w'")])
def test_wrong_results(result, said):
    class Bad(Mass):
        def derivatives(self, t, x, u):
            return result

    text = failure(Bad)
    assert said in text and "derivatives" in text and "'pid'" in text


def test_not_a_number():
    class Bad(Mass):
        def derivatives(self, t, x, u):
            return x.v, math.nan

    assert "derivative of 'v' is not a finite number" in failure(Bad)


def test_a_wrong_integer():
    class Bad(Ball):
        def output_values(self, t, x, u):
            return 0.5, False

    assert "'count' is of type Int32 and cannot be 0.5" in failure(Bad)


def test_declarations():
    class NoFunction(consort.Model):
        states = ["x"]

    class Function(consort.Model):
        def outputs(self, t, x, u):
            return []

    class Unit(Mass):
        inputs = {"force": consort.Var(unit="furlong")}

    class Needs:
        def __init__(self, gain):
            self.gain = gain

    for model, said in ((NoFunction, "has no function 'derivatives'"), (Function, "output_values"), (Unit, "furlong"),
                        (Needs, "without arguments")):
        with pytest.raises(consort.Error, match=said):
            consort.System().add("m", model)


def test_another_process_is_refused():
    assert "another process" in failure(Mass, host="process")


def test_a_run_is_interrupted():
    class Slow(Mass):
        def derivatives(self, t, x, u):
            if t > 0.5:
                raise KeyboardInterrupt
            return 0, 0

    with pytest.raises(KeyboardInterrupt):
        consort.System().add("m", Slow).run(stop=1, step=0.1)


# --- files

PID = '''
import consort

class Pid(consort.Model):
    inputs = ["w"]
    outputs = {"u": 0.0}
    parameters = {"kp": 3.0}

    def output_values(self, t, x, u):
        return self.kp * u.w
'''


@pytest.fixture
def pid_file(tmp_path):
    (tmp_path / "pid.py").write_text(PID)
    file = tmp_path / "s.yaml"
    file.write_text("""consort: 1
units:
  p: {model: pendulum, start: {theta: 1}}
  pid: {python: "pid.py:Pid", start: {kp: 5}}
connections: [{from: p.theta, to: pid.w, convert_units: false}]
experiment: {stop: 0.5, step: 0.1}
""")
    return file


def test_a_class_in_a_system_file(pid_file, tmp_path):
    res = consort.run(pid_file)
    np.testing.assert_allclose(res["pid.u"], 5 * res["p.theta"], rtol=1e-3)
    done = subprocess.run([sys.executable, "-m", "consort", "run", str(pid_file), "--output-file", str(tmp_path / "r.csv"),
                           "--set", "pid.kp=1", "--stop-time", "0.3"], text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    res = consort.read_result(tmp_path / "r.csv")
    np.testing.assert_allclose(res["pid.u"], res["p.theta"], rtol=1e-3)
    assert res.time[-1] == pytest.approx(0.3)


def test_errors_of_files(pid_file, tmp_path):
    (tmp_path / "pid.py").write_text(PID.replace("class Pid", "class Other"))
    with pytest.raises(consort.Error, match="no class 'Pid'"):
        consort.run(pid_file)
    (tmp_path / "pid.py").unlink()
    with pytest.raises(consort.Error, match="no file"):
        consort.load_system(pid_file).run()


def test_a_result_knows_the_file(pid_file, tmp_path):
    res = consort.run(pid_file, output_file=tmp_path / "r.h5")
    again = consort.load_system(tmp_path / "r.h5").run()
    np.testing.assert_array_equal(res["pid.u"], again["pid.u"])


def test_models_by_name():
    assert "pendulum" in consort.built_in_models()
    system = consort.System().add("p", "model:pendulum").add("m", "model:mine").define("mine", Mass)
    assert system.run(stop=0.1, step=0.1)["m.x"][0] == 1
    with pytest.raises(consort.Error, match="there is no model 'pendulun'.*pendulum"):
        consort.System().add("p", "model:pendulun").run(stop=1)
