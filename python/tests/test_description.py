"""read_model_description."""

import numpy as np
import pytest

import consort

def test_says_what_the_model_says(fmus):
    md = consort.read_model_description(fmus / "fmi2/BouncingBall.fmu")
    assert md.model_name == "BouncingBall"
    assert md.fmi_version == "2.0"
    assert md.default_experiment.stop_time == 3
    assert {i.type for i in md.interfaces} == {"Co-Simulation", "Model Exchange"}
    assert md.interfaces[0].model_identifier == "BouncingBall"
    h = md["h"]
    assert (h.type, h.causality, h.variability, h.unit, h.start) == ("Float64", "output", "continuous", "m", 1.0)
    assert h.description and "h" in md and "hh" not in md
    assert md.problems == []
    assert "BouncingBall" in repr(md)


@pytest.mark.parametrize("version", ["fmi1/cs", "fmi1/me", "fmi2", "fmi3"])
def test_reads_every_version_given_as_text(fmus, version):
    md = consort.read_model_description(str(fmus / version / "Dahlquist.fmu"))
    assert "k" in md and md["k"].start == 1.0


def test_start_values_have_the_types_of_python(fmus):
    md = consort.read_model_description(fmus / "fmi3/Feedthrough.fmu")
    start = {name: md[name].start for name in ("float64_in", "int32_in", "boolean_in", "string_in", "enumeration_in")}
    assert start == {"float64_in": 0.0, "int32_in": 0, "boolean_in": False, "string_in": "as it was", "enumeration_in": 1}
    assert isinstance(start["int32_in"], int) and isinstance(start["boolean_in"], bool)
    assert md["binary_in"].start == b"foo"
    assert md["matrix_in"].shape == (2, 3)
    np.testing.assert_array_equal(md["matrix_in"].start, [[1, 2, 3], [4, 5, 6]])
    assert md["float64_out"].start is None


def test_an_unknown_variable_suggests_the_nearest(fmus):
    md = consort.read_model_description(fmus / "fmi3/Feedthrough.fmu")
    with pytest.raises(consort.Error, match="int32_in"):
        md["int32_inn"]


def test_what_cannot_be_read_is_an_error(tmp_path):
    with pytest.raises(consort.Error, match="none.fmu") as caught:
        consort.read_model_description(tmp_path / "none.fmu")
    assert caught.value.fault == "input" and caught.value.result is None
    (tmp_path / "broken.fmu").write_bytes(b"PK\3\4 no archive")
    with pytest.raises(consort.Error, match="broken.fmu"):
        consort.read_model_description(tmp_path / "broken.fmu")
    with pytest.raises(TypeError):
        consort.read_model_description(3)
