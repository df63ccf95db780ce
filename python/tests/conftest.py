"""What the tests share: where the FMUs are, the program, and small systems."""

import os
import pathlib
import subprocess

import consort
import pytest



@pytest.fixture(scope="session")
def fmus() -> pathlib.Path:
    return pathlib.Path(os.environ["CONSORT_FMU_DIR"])


@pytest.fixture(scope="session")
def source() -> pathlib.Path:
    return pathlib.Path(os.environ["CONSORT_SOURCE_DIR"])


@pytest.fixture(scope="session")
def program():
    """Runs the command line; returns nothing and fails when it does."""

    def run(*arguments):
        environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
        done = subprocess.run([os.environ["CONSORT_PROGRAM"], *map(str, arguments)], env=environment, text=True,
                              capture_output=True, check=False)
        assert done.returncode == 0, done.stderr

    return run


@pytest.fixture
def quarter_car(fmus):
    car = consort.System("quarter_car")
    car.add("wheel", fmus / "fmi2/QuarterCarWheel.fmu").add("chassis", fmus / "fmi3/QuarterCarChassis.fmu")
    car.connect("wheel.z", "chassis.z_wheel").connect("wheel.v", "chassis.v_wheel")
    car.connect("chassis.z", "wheel.z_chassis").connect("chassis.v", "wheel.v_chassis")
    return car


@pytest.fixture
def quarter_car_file(fmus, tmp_path):
    file = tmp_path / "car.yaml"
    file.write_text(f"""consort: 1
units: {{wheel: "{fmus}/fmi2/QuarterCarWheel.fmu", chassis: "{fmus}/fmi3/QuarterCarChassis.fmu"}}
connections:
  - wheel.z -> chassis.z_wheel
  - wheel.v -> chassis.v_wheel
  - chassis.z -> wheel.z_chassis
  - chassis.v -> wheel.v_chassis
experiment: {{stop: 0.5, step: 1 ms}}
""")
    return file
