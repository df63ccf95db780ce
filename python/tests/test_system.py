"""Systems: built, loaded, run, stepped by hand."""

import os

import numpy as np
import pytest

import consort

# --- runs


def test_a_system_built_in_python_runs(quarter_car):
    res = quarter_car.run(stop=0.5, step=1e-3)
    assert len(res) == 501 and res.time[-1] == 0.5
    assert res.unit("chassis.force") == "N"
    assert res["wheel.z"][-1] > 0.05  # up the step of 0.1 m
    assert "gauss-seidel" in res.report or "jacobi" in res.report
    assert quarter_car.units == ["wheel", "chassis"] and quarter_car.name == "quarter_car"
    assert "wheel, chassis" in repr(quarter_car)


def test_a_file_gives_the_numbers_of_the_command_line(quarter_car, quarter_car_file, program, tmp_path):
    program("run", quarter_car_file, "--output-file", tmp_path / "car.h5", "--quiet")
    ref = consort.read_result(tmp_path / "car.h5")
    loaded = consort.load_system(quarter_car_file)
    for res in (consort.run(quarter_car_file), loaded.run(), consort.run(loaded), quarter_car.run(stop=0.5, step=1e-3)):
        assert sorted(res.names) == sorted(ref.names)
        np.testing.assert_array_equal(res.time, ref.time)
        for name in ref.names:
            np.testing.assert_array_equal(res[name], ref[name])


def test_options_beat_the_file(quarter_car_file, tmp_path):
    res = consort.run(quarter_car_file, stop=0.1, step=0.002, stepper="jacobi", threads=1, output=["chassis.*"],
                      output_interval=0.01, set={"chassis.m": 500}, output_file=tmp_path / "car.csv", tolerance=1e-5,
                      extrapolation=0)
    assert len(res) == 11
    assert res.names and all(name.startswith("chassis.") for name in res.names)
    assert "jacobi" in res.report
    np.testing.assert_array_equal(consort.read_result(tmp_path / "car.csv")["chassis.z"], res["chassis.z"])
    assert consort.run(quarter_car_file, stop=0.1)["chassis.z"][-1] != res["chassis.z"][-1]


def test_extrapolation_by_order_and_by_name(quarter_car):
    def end(extrapolation):
        return quarter_car.run(stop=0.1, step=1e-3, extrapolation=extrapolation)["chassis.z"][-1]

    assert end(1) == end("poly-2") != end("hermite-2")
    with pytest.raises(consort.Error, match="hermite-3"):
        end("hermite-9")


def test_a_tolerance_instead_of_a_step(quarter_car):
    def steps(tolerance, tolerance_for="step"):
        res = quarter_car.run(stop=0.5, step=1e-3, tolerance=1e-8, extrapolation=1,
                              control={"controller": "richardson", "tolerance": tolerance,
                                       "tolerance_for": tolerance_for})
        assert "coupling error" in res.report and res.time[-1] == 0.5
        return len(res)

    assert steps(1e-5) / steps(1e-4) == pytest.approx(10 ** (1 / 3), abs=0.5)  # the third root: inputs of order 1
    assert steps(1e-4, "run") / steps(1e-3, "run") == pytest.approx(10 ** 0.5, abs=0.5)  # the share of a step takes one
    loose = {"controller": "richardson", "tolerance": 1e-2}
    longest = quarter_car.run(stop=0.5, step=1e-3, control={**loose, "maximum": "2 ms"})
    assert longest["trust.step"].max() <= 2e-3 * 1.002
    assert len(longest) > len(quarter_car.run(stop=0.5, step=1e-3, control={**loose, "absolute": 1, "minimum": 1e-4}))
    data = longest.report_data
    assert data["coupling tolerance"]["relative"] == 1e-2 and data["at maximum"] > 0
    assert {row["from"] for row in data["trust"]} == {"chassis.z", "chassis.v", "wheel.z", "wheel.v"}
    with pytest.raises(consort.Error, match="step, run"):
        steps(1e-4, "week")
    with pytest.raises(consort.Error, match=r"control\['tolerance'\] must be > 0"):
        steps(-1)
    sim = quarter_car.simulation(stop=0.5, step=1e-3, control=loose)
    sim.initialize()
    while not sim.done:
        sim.step()
    assert "richardson" in sim.report


def test_everything_that_a_file_sets_is_a_keyword(quarter_car):
    res = quarter_car.run(
        stop="20 ms", step=np.float64(1e-3), stepper="scheduled", schedule=["chassis", {"parallel": ["wheel"]}],
        loops={"tolerance": 1e-9}, consistent="never", record={"every": 2, "variables": ["*.z"]},
        scenario=[{"at": 0.01, "set": "wheel.road", "to": 0.2}])
    assert sorted(res.names) == ["chassis.z", "wheel.z"] and len(res) == 11
    assert "scheduled" in res.report
    for row in consort._consort.settings():
        value = "no such value" if row.key not in ("order", "variables") else {"no": "list"}
        settings = {row.key: value} if row.section in ("experiment", "run") else {row.section: {row.key: value}}
        if row.range not in ("a name", "a path"):
            with pytest.raises(consort.Error) as caught:
                quarter_car.run(**settings)
            assert row.key in str(caught.value)
        assert row.key in consort.System.run.__doc__


def test_arguments_of_earlier_versions_name_the_present_ones(quarter_car):
    with pytest.raises(consort.Error, match="control={'tolerance': ...}"):
        quarter_car.run(coupling_tolerance=1e-3)
    with pytest.raises(consort.Error, match="iteration={...}"):
        quarter_car.run(iteration="aitken")
    with pytest.raises(consort.Error, match="there is no setting 'steper'"):
        quarter_car.run(steper="jacobi")
    with pytest.raises(consort.Error, match="'max_iterations' now"):
        quarter_car.run(iteration={"most": 3})


def test_power_bonds(fmus):
    car = consort.System("car").add("wheel", fmus / "fmi2/QuarterCarWheelForce.fmu")
    car.add("chassis", fmus / "fmi3/QuarterCarChassis.fmu")
    car.connect("wheel.z", "chassis.z_wheel").connect("wheel.v", "chassis.v_wheel")
    car.connect("chassis.force", "wheel.force").bond("chassis.force", "wheel.v")
    res = car.run(stop=0.5, step=1e-3, control={"controller": "ecco", "tolerance": 1e-2})
    assert "chassis.force · wheel.v" in res.report and len(res) != 501
    with pytest.raises(consort.Error, match="is not a power"):
        car.bond("chassis.force", "wheel.z").run(stop=0.5, step=1e-3)


def test_inputs_of_the_system_come_as_arrays(fmus):
    system = consort.System().add("f", fmus / "fmi3/Feedthrough.fmu").connect("u", "f.float64_in", factor=2, offset=1)
    res = system.run(stop=1, step=0.1, input={"time": [0, 1], "u": [0, 10]})
    assert res["f.float64_out"][-1] == pytest.approx(21, abs=2.1)  # one step of 0.1 s late at most
    with pytest.raises(consort.Error, match="input"):
        system.run(stop=1, step=0.1, input={"time": [0, 1], "v": [0, 10]})


def test_start_values_come_from_every_side(fmus):
    dahlquist = fmus / "fmi2/Dahlquist.fmu"
    system = consort.System().add("a", dahlquist, start_values={"k": 2})
    inner = consort.System("inner").add("x", dahlquist)
    system.add("b", inner, start_values={"x.k": 3}).set("a.x", 7)
    with system.simulation(stop=1, step=0.1, set={"b.x.x": 5}) as sim:
        sim.initialize()
        assert [sim[name] for name in ("a.k", "b.x.k", "a.x", "b.x.x")] == [2, 3, 7, 5]


def test_units_stay_the_same_files_when_the_folder_changes(fmus, tmp_path, monkeypatch):
    monkeypatch.chdir(fmus / "fmi2")
    system = consort.System().add("a", "Dahlquist.fmu", interface_type="me", solver="dopri5", substeps=2)
    os.chdir(tmp_path)
    assert len(system.run(stop=1, step=0.1)) == 11


def test_relative_paths_of_files_are_from_their_folder(quarter_car_file, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert consort.load_system("car.yaml").units == ["wheel", "chassis"]


@pytest.mark.parametrize("work, text", [
    (lambda s: s.connect("weel.z", "chassis.z_wheel"), "wheel"),
    (lambda s: s.add("wheel", "x.fmu"), "wheel"),
    (lambda s: s.run(set={"chassis.mm": 1}), "'m'"),
    (lambda s: s.run(stepper="jakobi"), "jacobi"),
    (lambda s: s.run(output=["nothing.*"]), "nothing"),
    (lambda s: s.add("x", "x.fmu", interface_type="y"), "cs (Co-Simulation)"),
    (lambda s: s.add("x", "none.fmu").run(), "none.fmu"),
    (lambda s: consort.run("none.yaml"), "none.yaml"),
    (lambda s: consort.run("car.txt"), "car.txt"),
])
def test_mistakes_are_errors_with_the_nearest_names(quarter_car, work, text):
    with pytest.raises(consort.Error) as caught:
        work(quarter_car)
    assert text in str(caught.value)


def test_a_failure_keeps_the_rows_up_to_it(fmus):
    system = consort.System("s").add("bad", fmus / "fmi2/Bad.fmu", start_values={"deed": "error"})
    with pytest.raises(consort.Error, match="bad") as caught:
        system.run(stop=1, step=0.1)
    assert 4 <= len(caught.value.result) <= 6


def test_a_run_goes_on_from_a_checkpoint(quarter_car, tmp_path):
    whole = quarter_car.run(stop=0.1, step=1e-3)
    file, here = tmp_path / "car.csv", tmp_path / "here"
    quarter_car.run(stop=0.06, step=1e-3, output_file=file, checkpoint_every=0.03, checkpoint_file=here)
    rest = quarter_car.run(stop=0.1, step=1e-3, output_file=file, restart_from=here)
    assert len(rest) == 40
    assert rest["chassis.z"].tolist() == whole["chassis.z"][-40:].tolist()
    assert "resumed from the checkpoint" in rest.report
    assert len(file.read_text().splitlines()) == 1 + len(whole)
    alone = quarter_car.run(stop=0.1, step=1e-3, restart_from=here)
    assert alone["time"][0] == pytest.approx(0.06)
    with pytest.raises(consort.Error, match="time between checkpoints"):
        quarter_car.run(stop=0.1, step=1e-3, checkpoint_file=here)


def test_iterated_steps_take_a_method_a_tolerance_and_a_limit(quarter_car):
    def run(**iteration):
        return quarter_car.run(stop=0.1, step=5e-3, stepper="iterated", iteration=iteration)

    strict, loose = (run(method="aitken", tolerance=tolerance) for tolerance in (1e-10, 1e-2))
    assert "iterations per step" in strict.report
    assert 0 < abs(strict["wheel.z"] - loose["wheel.z"]).max() < 1e-2
    with pytest.raises(consort.Error, match="available"):
        run(method="guess")
    with pytest.raises(consort.Error, match="converge"):
        run(method="fixed-point", tolerance=1e-12, max_iterations=2)


# --- by hand


def test_a_checkpoint_puts_another_simulation_where_this_one_was(quarter_car, tmp_path):
    first = quarter_car.simulation(stop=0.1, step=1e-3)
    first.initialize()
    for _ in range(30):
        first.step()
    first.save(tmp_path / "here")
    second = quarter_car.simulation(stop=0.1, step=1e-3)
    second.load(tmp_path / "here")
    assert second.time == first.time
    while not first.done:
        first.step()
        second.step()
        assert (first["chassis.z"], first["wheel.v"]) == (second["chassis.z"], second["wheel.v"])
    with pytest.raises(consort.Error, match="belongs to another system"):
        quarter_car.simulation(stop=0.1, step=2e-3).load(tmp_path / "here")


def test_stepping_by_hand_gives_the_numbers_of_a_run(quarter_car):
    res = quarter_car.run(stop=0.1, step=1e-3)
    sim = quarter_car.simulation(stop=0.1, step=1e-3)
    sim.initialize()
    z = [sim["chassis.z"]]
    while not sim.done:
        sim.step()
        z.append(sim["chassis.z"])
    np.testing.assert_array_equal(z, res["chassis.z"])
    assert (sim.time, sim.start_time, sim.stop_time, sim.step_size) == (0.1, 0.0, 0.1, 1e-3)
    sim.step()  # does nothing
    assert sim.time == 0.1
    sim.terminate()
    assert "steps" in sim.report


@pytest.fixture
def by_hand(fmus):
    return consort.System().add("f", fmus / "fmi3/Feedthrough.fmu").simulation(stop=1, step=0.1)


@pytest.mark.parametrize("name, value", [
    ("float64", 0.1), ("float64", 2), ("float32", 0.5), ("int8", -128), ("int64", 2**62 + 1), ("uint64", 2**64 - 1),
    ("boolean", True), ("string", "two words"), ("string", ""), ("binary", b"\0\1"), ("enumeration", 2),
    ("int32", np.int32(5)), ("float64", np.float32(0.25)), ("boolean", 1.0),
])
def test_values_of_every_type_pass_through(by_hand, name, value):
    by_hand.initialize()
    by_hand[f"f.{name}_in"] = value
    by_hand.step()
    assert by_hand[f"f.{name}_out"] == value
    assert type(by_hand["f.int32_out"]) is int and type(by_hand["f.boolean_out"]) is bool


def test_arrays_pass_through(by_hand):
    by_hand.initialize()
    matrix = np.array([[1, 2, 3.5], [4, 5, 6]])
    by_hand["f.matrix_in"] = matrix
    by_hand["f.vector_in"] = [7, 8, 9]
    by_hand["f.string_vector_in"] = ["a b", "c"]
    by_hand["f.enumeration_in"] = "second"
    by_hand.step()
    np.testing.assert_array_equal(by_hand["f.matrix_out"], matrix)
    np.testing.assert_array_equal(by_hand["f.vector_out"], [7, 8, 9])
    assert list(by_hand["f.string_vector_out"]) == ["a b", "c"]
    assert by_hand["f.enumeration_out"] == 2


def test_sizes_of_arrays_are_set_in_the_system(fmus, by_hand):
    with pytest.raises(consort.Error, match="settings"):
        by_hand["f.n"] = 3
    sim = consort.System().add("f", fmus / "fmi3/Feedthrough.fmu").set("f.n", 3).simulation(stop=1, step=0.1)
    sim.initialize()
    assert sim["f.sized_in"].shape == (3,)
    assert sim.variable("f.sized_in").shape == (3,)
    sim["f.sized_in"] = [4, 5, 6]
    sim.step()
    np.testing.assert_array_equal(sim["f.sized_out"], [4, 5, 6])


@pytest.mark.parametrize("path, value, text", [
    ("f.int8_in", 128, "'int8_in'"), ("f.int8_in", 0.5, "whole number"), ("f.boolean_in", 2.0, "0 or 1"),
    ("f.float64_in", [1.0, 2.0], "1 value"), ("f.float64_in", "x", "x"), ("f.float64_inn", 1, "float64_in"),
    ("g.u", 1, "UNIT.VARIABLE"), ("f.fixed_parameter", 1, "cannot be set"), ("f.float64_in", None, "no value"),
    ("f.string_in", 1.5, "text"),
])
def test_values_that_do_not_fit_are_errors(by_hand, path, value, text):
    by_hand.initialize()
    with pytest.raises(consort.Error) as caught:
        by_hand[path] = value
    assert text in str(caught.value)


def test_the_order_of_calls_is_checked(by_hand):
    with pytest.raises(consort.Error, match="initialize"):
        by_hand["f.float64_in"]
    with pytest.raises(consort.Error, match="initialise"):
        by_hand.step()
    by_hand.terminate()  # nothing to end
    by_hand["f.tunable_parameter"] = 4
    by_hand.initialize()
    assert by_hand["f.tunable_parameter"] == 4
    with pytest.raises(consort.Error, match="already"):
        by_hand.initialize()
    by_hand.terminate()
    with pytest.raises(consort.Error, match="ended"):
        by_hand.step()


def test_names_and_variables_are_known(quarter_car):
    sim = quarter_car.simulation()
    assert "chassis.m" in sim.names
    v = sim.variable("chassis.m")
    assert (v.name, v.unit, v.causality, v.start) == ("chassis.m", "kg", "parameter", 400.0)
    with pytest.raises(consort.Error, match="'m'"):
        sim.variable("chassis.mm")


def test_a_result_repeats_its_run(quarter_car, tmp_path):
    first = quarter_car.run(stop=0.5, step=1e-3, set={"chassis.m": 321}, output_file=tmp_path / "car.h5")
    again = consort.run(tmp_path / "car.h5")
    assert again.names == first.names and len(again) == len(first)
    for name in first.names:
        assert np.array_equal(first[name], again[name]), name


def test_a_result_repeats_a_run_with_inputs_of_an_array(fmus, tmp_path):
    system = consort.System("s").add("feed", fmus / "fmi3/Feedthrough.fmu").connect("u", "feed.float64_in")
    t = np.linspace(0, 1, 11)
    first = system.run(stop=1, step=0.01, input={"time": t, "u": np.sin(t)}, output_file=tmp_path / "s.h5")
    again = consort.load_system(tmp_path / "s.h5").run()
    assert first["feed.float64_out"][-1] != 0
    assert np.array_equal(first["feed.float64_out"], again["feed.float64_out"])


# --- groups


def pendula(fmus):
    pair = consort.System("pendula")
    pair.add("left", fmus / "fmi2/Pendulum.fmu", interface_type="me", start_values={"x_pivot": -2, "theta": np.pi / 2})
    pair.add("right", "model:pendulum", start_values={"x_pivot": 2, "theta": -np.pi / 2})
    pair.parameter("k", 1, "N/m")
    for end, sign in (("left", "-"), ("right", "")):
        pair.connect(value=f"{sign}k * (left.x - right.x)", to=f"{end}.F_x")
        pair.connect(value=f"{sign}k * (left.y - right.y)", to=f"{end}.F_y")
        pair.connect(value="1 [m/s2] * sin(time * 1 [rad/s])", to=f"{end}.u_pivot")
    pair.output("gap", "right.x - left.x", "m")
    return pair


def test_a_system_with_a_solver_is_one_unit(fmus):
    pair = pendula(fmus).solver("bdf", 1e-8)
    res = pair.run(stop=5, step=0.01, record={"variables": ["*"]})
    np.testing.assert_allclose([res["left.theta"][-1], res["right.omega"][-1]], [-0.91921176, 1.32913196], atol=1e-5)
    np.testing.assert_allclose(res["gap"], res["right.x"] - res["left.x"], atol=1e-12)
    assert "group of 2 units, bdf" in res.report
    rig = consort.System("rig").add("pendula", pair)
    inside = rig.run(stop=5, step=0.01, record={"variables": ["pendula.*"]})
    np.testing.assert_array_equal(inside["pendula.left.theta"], res["left.theta"])


def test_a_connection_has_a_source_or_an_expression():
    pair = consort.System()
    for wrong in ({"source": "a.y", "value": "2", "to": "b.u"}, {"to": "b.u"}, {"value": "2"},
                  {"value": "2", "to": "b.u", "factor": 2}, {"value": "2", "to": "b.u", "target": "c.u"}):
        with pytest.raises(consort.InputError):
            pair.connect(**wrong)
