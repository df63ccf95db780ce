"""What a program can ask an error for, beside its text."""

import pickle

import consort
import pytest
from consort._error import in_python


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

def test_errors_are_what_python_expects(quarter_car, fmus, tmp_path):
    with pytest.raises(KeyError, match="did you mean") as caught:
        quarter_car.run(stop=0.1, step=0.01)["wheel.zz"]
    assert isinstance(caught.value, consort.Error) and not str(caught.value).startswith(('"', "'\""))
    with pytest.raises(KeyError):
        quarter_car.simulation(stop=1, step=0.1)["wheel.q"]
    with pytest.raises(KeyError):
        quarter_car.simulation(stop=1, step=0.1)["wheel.q"] = 1
    with pytest.raises(KeyError):
        consort.read_model_description(fmus / "fmi2/Dahlquist.fmu")["q"]
    with pytest.raises(TypeError, match="did you mean 'stepper'"):
        quarter_car.run(stop=1, step=0.1, steper="jacobi")
    with pytest.raises(TypeError):
        quarter_car.set("wheel.z", object())
    with pytest.raises(TypeError, match="stop_time is '3' of type str; give a number"):
        consort.simulate_fmu(fmus / "fmi2/Dahlquist.fmu", stop_time="3")
    with pytest.raises(ValueError, match=r"simulate_fmu\(\)"):
        consort.load_system(fmus / "fmi2/Dahlquist.fmu")
    with pytest.raises(ValueError):
        quarter_car.run(stop=1, step=0.1, stepper="magic")
    with pytest.raises(RuntimeError):
        consort.simulate_fmu(fmus / "fmi3/Bad.fmu", step_size=0.1, start_values={"deed": "error"})
    for missing in (consort.load_system, consort.read_result, consort.read_model_description, consort.simulate_fmu):
        with pytest.raises(FileNotFoundError, match="none") as caught:
            missing(tmp_path / "none.h5")
        assert isinstance(caught.value, consort.Error) and isinstance(caught.value, ValueError)


def test_an_exception_of_any_kind_survives_pickling():
    for kind in (consort.InputError, consort.ArgumentError, consort.UnknownName, consort.MissingFile, consort.RunError):
        error = kind("text")
        error.unit = "wheel"
        copy = pickle.loads(pickle.dumps(error))
        assert (type(copy), str(copy), copy.unit, copy.fault) == (kind, "text", "wheel", error.fault)


@pytest.mark.parametrize("text, words", [
    ("offers Co-Simulation only; use --interface-type cs", "offers Co-Simulation only; use interface_type='cs'"),
    ("choose one of these with --interface-type", "choose one of these with interface_type"),
    ("leave out --start-time", "leave out start_time"),
    ("set it by a binding or '--set wheel.k=VALUE'", "set it by a binding or set={'wheel.k': VALUE}"),
    ("a binding or '--set'", "a binding or set={...}"),
    ("choose another place with --output-file, then repeat", "choose another place with output_file, then repeat"),
    ("add --compile to build", "add the command-line option --compile to build"),
    ("no variable 'q'; 'consort info' lists all variables",
     "no variable 'q'; read_model_description(...).variables lists all variables"),
    ("a minus sign - and -- a dash", "a minus sign - and -- a dash"),
])
def test_texts_speak_of_arguments_and_not_of_options(text, words):
    assert in_python(text) == words


def test_errors_of_settings_name_keyword_arguments(quarter_car, fmus):
    with pytest.raises(ValueError) as caught:
        quarter_car.run(stop=1, step=0)
    assert str(caught.value).startswith("step must be > 0"), str(caught.value)
    with pytest.raises(ValueError, match=r"'axle.k'.*write it as {'UNIT.VARIABLE': VALUE}"):
        quarter_car.run(stop=1, step=0.1, set={"axle.k": 7})
    with pytest.raises(ValueError) as caught:
        quarter_car.run(stop=1, step=0.1, control={"safety": 7})
    assert "control['safety'] must be" in str(caught.value) and caught.value.setting == "control.safety"
    with pytest.raises(ValueError) as caught:
        consort.simulate_fmu(fmus / "fmi1/cs/Dahlquist.fmu", interface_type="me")
    assert "interface_type='cs'" in str(caught.value) and "--" not in str(caught.value)
