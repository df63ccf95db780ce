"""simulate_fmu and results."""

import math

import numpy as np
import pytest

import consort

def test_gives_the_numbers_of_the_command_line(fmus, program, tmp_path):
    res = consort.simulate_fmu(fmus / "fmi3/BouncingBall.fmu", stop_time=2, start_values={"e": 0.9})
    program("simulate", fmus / "fmi3/BouncingBall.fmu", "--stop-time", 2, "--start-value", "e=0.9", "--output-file",
            tmp_path / "ball.csv", "--quiet")
    ref = consort.read_result(tmp_path / "ball.csv")
    assert res.names == ref.names
    np.testing.assert_array_equal(res.time, ref.time)
    for name in res.names:
        np.testing.assert_array_equal(res[name], ref[name])


@pytest.mark.parametrize("version", ["fmi1/me", "fmi2", "fmi3"])
def test_takes_every_option(fmus, version, tmp_path):
    res = consort.simulate_fmu(fmus / version / "Dahlquist.fmu", start_time=0.0, stop_time=1.0, step_size=0.1,
                               output_interval=0.2, tolerance=1e-8, solver="dopri5", interface_type="me",
                               start_values={"k": 2}, output=["x", "k"], output_file=tmp_path / "out.csv")
    assert res.names == ["x", "k"]
    np.testing.assert_allclose(res.time, np.linspace(0, 1, 6), rtol=0, atol=1e-12)  # rounding alone
    np.testing.assert_allclose(res["x"], np.exp(-2 * res.time), atol=1e-6)  # a hundred times the tolerance
    assert (res["k"] == 2).all()
    np.testing.assert_array_equal(consort.read_result(tmp_path / "out.csv")["x"], res["x"])
    assert "dopri5" in res.report and res.ended_early == ""


def test_arrays_are_views_that_outlive_the_result(fmus):
    res = consort.simulate_fmu(fmus / "fmi2/Dahlquist.fmu", stop_time=1)
    x, time = res["x"], res.time
    assert np.shares_memory(x, res["x"])
    with pytest.raises(ValueError):
        x[0] = 5
    del res
    assert x[0] == 1 and time[-1] == 1 and abs(x[-1] - math.exp(-1)) < 1e-3


def test_results_have_names_units_and_types(fmus):
    values = {"boolean_in": True, "int32_in": -7, "string_in": "two words", "enumeration_in": "third",
              "matrix_in": np.arange(6.0).reshape(2, 3), "binary_in": b"\0\xff", "float32_in": 0.5, "uint8_in": 3.0}
    res = consort.simulate_fmu(fmus / "fmi3/Feedthrough.fmu", start_values=values)
    assert res["boolean_out"].dtype == bool and res["boolean_out"][-1]
    assert res["int32_out"].dtype == np.int32 and res["int32_out"][-1] == -7
    assert res["float32_out"].dtype == np.float32 and res["float32_out"][-1] == 0.5
    assert res["string_out"][-1] == "two words"
    assert res["binary_out"][-1] == b"\0\xff"
    assert res["enumeration_out"][-1] == 3
    assert res["matrix_out"].shape == (len(res), 2, 3)
    np.testing.assert_array_equal(res["matrix_out"][-1], values["matrix_in"])
    assert res.unit("vector_out") == "m" and res.unit("vector_out[2]") == "m" and res.unit("time") == "s"
    assert res.description("vector_out") == "vector_in"
    assert "float64_out" in res and "float64_oot" not in res
    assert "rows" in repr(res)


def test_structured_arrays_have_everything(fmus):
    res = consort.simulate_fmu(fmus / "fmi3/Feedthrough.fmu", start_values={"string_in": "a"})
    table = res.to_structured()
    assert table.dtype.names == ("time", *res.names)
    assert len(table) == len(res)
    np.testing.assert_array_equal(table["time"], res.time)
    assert table["string_out"][-1] == "a"
    assert set(dict(res)) == set(res.names)


# --- inputs


@pytest.fixture
def ramp():
    return {"time": np.array([0.0, 1.0, 1.0, 2.0]), "float64_in": np.array([0.0, 1.0, 5.0, 5.0]),
            "int32_in": np.array([1, 1, 2, 2]), "boolean_in": np.array([False, False, True, True])}


def test_inputs_come_as_dicts_arrays_and_files_alike(fmus, tmp_path, ramp):
    fmu = fmus / "fmi3/Feedthrough.fmu"
    structured = np.empty(4, dtype=[("time", float), ("float64_in", float), ("int32_in", int), ("boolean_in", bool)])
    for name, column in ramp.items():
        structured[name] = column
    file = tmp_path / "in.csv"
    file.write_text('"time","float64_in","int32_in","boolean_in"\n0,0,1,0\n1,1,1,0\n1,5,2,1\n2,5,2,1\n')
    results = [consort.simulate_fmu(fmu, input=i) for i in (ramp, structured, file, str(file))]
    # A CSV input of the same numbers gives the same numbers.
    for res in results:
        for name in ("float64_out", "int32_out", "boolean_out"):
            np.testing.assert_array_equal(res[name], results[0][name])
    assert results[0]["float64_out"][-1] == 5 and results[0]["int32_out"][-1] == 2 and results[0]["boolean_out"][-1]
    middle = np.searchsorted(results[0].time, 0.5)
    assert results[0]["float64_out"][middle] == pytest.approx(0.5, abs=0.1)  # within a step of the line from 0 to 1


def test_inputs_may_be_arrays_and_texts(fmus):
    res = consort.simulate_fmu(fmus / "fmi3/Feedthrough.fmu", input={
        "vector_in": np.array([[1.0, 2, 3], [4, 5, 6]]), "time": [0, 1], "string_in": ['with "quotes", and commas', "b"],
        "int32_in": [1.0, 2.0]})
    np.testing.assert_array_equal(res["vector_out"][-1], [4, 5, 6])
    assert res["string_out"][0] == 'with "quotes", and commas'
    assert res["int32_out"][-1] == 2


@pytest.mark.parametrize("bad, text", [
    ({"float64_in": [1, 2]}, "no column 'time'"),
    ({"time": [0, 1], "float64_in": [1]}, "1 rows and 'time' has 2"),
    ({"time": [0, 1], "float64_in": 1.0}, "no rows"),
    ({"time": [0, 1], "float64_inn": [1, 2]}, "float64_in"),
    ({"time": [0, 1], "float64_in": ["a", "b"]}, "input, line 2"),
    ({"time": [], "float64_in": []}, "not empty"),
    (np.zeros((2, 2)), "has no names"),
    (5, "is a int"),
])
def test_bad_inputs_are_errors_that_say_what_to_do(fmus, bad, text):
    with pytest.raises(consort.Error) as caught:
        consort.simulate_fmu(fmus / "fmi3/Feedthrough.fmu", input=bad)
    assert text in str(caught.value)
    assert "consort-input" not in str(caught.value), "the temporary file is nobody's business"


# --- errors


@pytest.mark.parametrize("options, text", [
    ({"start_values": {"kk": 1}}, "'k'"),
    ({"start_values": {"k": "two"}}, "two"),
    ({"start_values": {"k": object()}}, "no value"),
    ({"output": ["y"]}, "y"),
    ({"interface_type": "se"}, "write cs"),
    ({"interface_type": "me", "solver": "cvodes"}, "cvode"),
    ({"stop_time": -1.0}, "stop"),
    ({"step_size": 0.0}, "step"),
    ({"output_file": "result.docx"}, ".csv"),
])
def test_wrong_options_are_errors(fmus, options, text):
    with pytest.raises(consort.Error) as caught:
        consort.simulate_fmu(fmus / "fmi2/Dahlquist.fmu", **options)
    assert text in str(caught.value) and caught.value.fault == "input"


def test_an_unknown_result_suggests_the_nearest(fmus):
    res = consort.simulate_fmu(fmus / "fmi2/BouncingBall.fmu")
    for look in (lambda: res["hh"], lambda: res.unit("hh"), lambda: res.description("hh")):
        with pytest.raises(consort.Error, match="'h'"):
            look()


def test_a_failure_keeps_the_rows_up_to_it(fmus):
    with pytest.raises(consort.Error, match="as demanded") as caught:
        consort.simulate_fmu(fmus / "fmi2/Bad.fmu", step_size=0.1, start_values={"deed": "error"})
    assert caught.value.fault == "run"
    assert 4 <= len(caught.value.result) <= 6  # it misbehaves from 0.5 s on
    assert caught.value.result["y"][0] == 1
