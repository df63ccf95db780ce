"""What a program can ask an error for, beside its text."""

import pickle

import consort
import pytest


def test_an_error_knows_nothing_more_than_it_is_told():
    error = consort.Error("text")
    assert (error.unit, error.call, error.time, error.setting) == (None, None, None, None)


def test_an_error_of_another_process_keeps_what_it_knows():
    error = consort.Error("text", "run")
    error.unit, error.time = "wheel", 1.5
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.fault, copy.unit, copy.time, copy.call) == ("text", "run", "wheel", 1.5, None)


def test_a_unit_that_fails_is_named_with_its_call_and_the_time(fmus):
    system = consort.System("s").add("bad", fmus / "fmi2/Bad.fmu", start_values={"deed": "error"})
    with pytest.raises(consort.Error, match="as demanded") as caught:
        system.run(stop=1, step=0.1)
    error = caught.value
    assert (error.fault, error.unit, error.call, error.setting) == ("run", "bad", "fmi2DoStep", None)
    assert error.time == pytest.approx(0.5, abs=0.1)  # it misbehaves from 0.5 s on
    assert error.result is not None


def test_a_single_fmu_that_fails_is_named_too(fmus):
    with pytest.raises(consort.Error, match="as demanded") as caught:
        consort.simulate_fmu(fmus / "fmi3/Bad.fmu", step_size=0.1, start_values={"deed": "error"})
    assert caught.value.unit == "Bad" and caught.value.call == "fmi3DoStep" and caught.value.time is not None


def test_a_wrong_setting_is_named_by_its_key(quarter_car, tmp_path):
    with pytest.raises(consort.Error, match="stepper") as caught:
        quarter_car.run(stop=0.1, step=1e-3, stepper="magic")
    assert (caught.value.fault, caught.value.setting, caught.value.unit) == ("input", "stepper", None)
    file = tmp_path / "system.yaml"
    file.write_text("consort: 1\nunits: {a: a.fmu}\nrun: {iteration: {reuse: -1}}\n")
    with pytest.raises(consort.Error, match="reuse") as caught:
        consort.load_system(file)
    assert caught.value.setting == "iteration.reuse"


def test_a_file_that_is_not_there_has_a_unit_but_no_call(tmp_path):
    system = consort.System("s").add("wheel", tmp_path / "none.fmu")
    with pytest.raises(consort.Error, match="none.fmu") as caught:
        system.run(stop=1, step=0.1)
    assert (caught.value.unit, caught.value.call, caught.value.time) == ("wheel", None, None)
