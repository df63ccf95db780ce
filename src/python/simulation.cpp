// FMUs and systems: built, run, stepped by hand.
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "consort/fmu.hpp"
#include "consort/system.hpp"
#include "python/module.hpp"
#include "python/watch.hpp"

namespace py = pybind11;

namespace consort::python {

namespace {

// One call at a time: with Python's lock released, two threads may come at once.
struct GuardedSimulation {
  GuardedSimulation(const System& system, const RunOptions& options) : simulation(system, options) {}
  Simulation simulation;
  std::mutex mutex;

  template <class Work>
  auto use(Work work) {
    const py::gil_scoped_release released;
    const std::lock_guard locked(mutex);
    return work(simulation);
  }
};

void add_options(py::module_& m) {
  py::class_<Progress>(m, "Progress")
      .def_readonly("start_time", &Progress::start_time)
      .def_readonly("time", &Progress::time)
      .def_readonly("stop_time", &Progress::stop_time)
      .def_readonly("step_size", &Progress::step_size)
      .def_readonly("wall_seconds", &Progress::wall_seconds);
  py::class_<SimulateOptions>(m, "SimulateOptions")
      .def(py::init<>())
      .def_readwrite("start_time", &SimulateOptions::start_time)
      .def_readwrite("stop_time", &SimulateOptions::stop_time)
      .def_readwrite("step_size", &SimulateOptions::step_size)
      .def_readwrite("output_interval", &SimulateOptions::output_interval)
      .def_readwrite("tolerance", &SimulateOptions::tolerance)
      .def_readwrite("start_values", &SimulateOptions::start_values)
      .def_readwrite("input_file", &SimulateOptions::input_file)
      .def_readwrite("outputs", &SimulateOptions::outputs)
      .def_readwrite("output_file", &SimulateOptions::output_file)
      .def_readwrite("interface_type", &SimulateOptions::interface_type)
      .def_readwrite("platform", &SimulateOptions::platform)
      .def_readwrite("solver", &SimulateOptions::solver);
  py::class_<RunOptions>(m, "RunOptions")
      .def(py::init<>())
      .def_readwrite("set", &RunOptions::set)
      .def_readwrite("output_file", &RunOptions::output_file)
      .def_readwrite("checkpoint_every", &RunOptions::checkpoint_every)
      .def_readwrite("checkpoint_file", &RunOptions::checkpoint_file)
      .def_readwrite("restart_from", &RunOptions::restart_from);
  py::class_<SettingInfo>(m, "SettingInfo")
      .def_readonly("section", &SettingInfo::section)
      .def_readonly("key", &SettingInfo::key)
      .def_readonly("help", &SettingInfo::help)
      .def_readonly("range", &SettingInfo::range)
      .def_readonly("standard", &SettingInfo::standard);
  m.def("settings", &settings_of_runs);
}

py::tuple simulate(const Fmu& fmu, SimulateOptions options, py::object progress) {
  return run_watched(std::move(progress), [&](Watch& watch) {
    options.progress = watch.progress();
    options.stop_requested = watch.stop_requested();
    return fmu.simulate(options);
  });
}

// The system is a copy: another thread may change the original meanwhile. `settings`: text for System::configure().
py::tuple run(System system, const std::string& settings, RunOptions options, py::object progress) {
  return run_watched(std::move(progress), [&](Watch& watch) {
    options.progress = watch.progress();
    options.stop_requested = watch.stop_requested();
    return system.configure(settings).run(options);
  });
}

void add_system(py::module_& m) {
  py::class_<System>(m, "System")
      .def(py::init<std::string>(), py::arg("name"))
      .def_static("load", &System::load, py::arg("file"))
      .def(
          "add",
          [](System& s, std::string unit, const std::filesystem::path& source, const std::string& interface_type,
             const std::string& solver, std::uint32_t substeps,
             const std::vector<std::pair<std::string, std::string>>& start_values, const std::string& platform) {
            UnitOptions options{interface_type, solver, substeps, start_values};
            options.platform = platform;
            s.add(std::move(unit), source, options);
          },
          py::arg("unit"), py::arg("source"), py::arg("interface_type"), py::arg("solver"), py::arg("substeps"),
          py::arg("start_values"), py::arg("platform"))
      .def(
          "add_model",
          [](System& s, std::string unit, const NativeModel& model, const std::string& interface_type,
             const std::string& solver, std::uint32_t substeps,
             const std::vector<std::pair<std::string, std::string>>& start_values) {
            s.add(std::move(unit), model, {interface_type, solver, substeps, start_values});
          },
          py::arg("unit"), py::arg("model"), py::arg("interface_type"), py::arg("solver"), py::arg("substeps"),
          py::arg("start_values"))
      .def(
          "define", [](System& s, const std::string& name, const NativeModel& model) { s.define(name, model); },
          py::arg("name"), py::arg("model"))
      .def("undefined_models", &System::undefined_models)
      .def(
          "add_system", [](System& s, std::string name, const System& inner) { s.add(std::move(name), System(inner)); },
          py::arg("name"), py::arg("inner"))
      .def(
          "connect_value",
          [](System& s, std::string expression, std::string_view to) { s.connect_value(std::move(expression), to); },
          py::arg("expression"), py::arg("to"))
      .def(
          "output",
          [](System& s, std::string name, std::string expression, std::string unit) {
            s.output(std::move(name), std::move(expression), std::move(unit));
          },
          py::arg("name"), py::arg("expression"), py::arg("unit"))
      .def(
          "parameter",
          [](System& s, std::string name, double value, std::string unit) {
            s.parameter(std::move(name), value, std::move(unit));
          },
          py::arg("name"), py::arg("value"), py::arg("unit"))
      .def(
          "solver",
          [](System& s, std::string name, std::optional<double> tolerance) { s.solver(std::move(name), tolerance); },
          py::arg("name"), py::arg("tolerance"))
      .def(
          "connect",
          [](System& s, std::string_view from, std::string_view to, double factor, double offset) {
            s.connect(from, to, factor, offset);
          },
          py::arg("source"), py::arg("target"), py::arg("factor"), py::arg("offset"))
      .def(
          "set",
          [](System& s, std::string path, std::string value, std::string unit) {
            s.set(std::move(path), std::move(value), std::move(unit));
          },
          py::arg("path"), py::arg("value"), py::arg("unit"))
      .def(
          "bond", [](System& s, std::string effort, std::string flow) { s.bond(std::move(effort), std::move(flow)); },
          py::arg("effort"), py::arg("flow"))
      .def("name", &System::name)
      .def("units", &System::units)
      .def("run", &run, py::arg("settings"), py::arg("options"), py::arg("progress"));
}

// A copy, as above.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
std::unique_ptr<GuardedSimulation> make_simulation(System system, const std::string& settings,
                                                   const RunOptions& options) {
  const py::gil_scoped_release released;
  return std::make_unique<GuardedSimulation>(system.configure(settings), options);
}

void add_by_hand(py::module_& m) {
  using Guarded = GuardedSimulation;
  py::class_<Guarded>(m, "Simulation")
      .def(py::init(&make_simulation), py::arg("system"), py::arg("settings"), py::arg("options"))
      .def("start_time", [](Guarded& g) { return g.simulation.start_time(); })
      .def("stop_time", [](Guarded& g) { return g.simulation.stop_time(); })
      .def("step_size", [](Guarded& g) { return g.simulation.step_size(); })
      .def("names", [](Guarded& g) { return g.simulation.names(); })
      .def(
          "variable", [](Guarded& g, std::string_view path) { return g.simulation.variable(path); }, py::arg("path"))
      .def("initialize", [](Guarded& g) { g.use([](Simulation& s) { s.initialize(); }); })
      .def("step", [](Guarded& g) { g.use([](Simulation& s) { s.step(); }); })
      .def("done", [](Guarded& g) { return g.use([](Simulation& s) { return s.done(); }); })
      .def("time", [](Guarded& g) { return g.use([](Simulation& s) { return s.time(); }); })
      .def("terminate", [](Guarded& g) { g.use([](Simulation& s) { s.terminate(); }); })
      .def(
          "save", [](Guarded& g, const std::string& file) { g.use([&](Simulation& s) { s.save(file); }); },
          py::arg("file"))
      .def(
          "load", [](Guarded& g, const std::string& file) { g.use([&](Simulation& s) { s.load(file); }); },
          py::arg("file"))
      .def("report", [](Guarded& g) { return g.use([](Simulation& s) { return s.report(); }); })
      .def(
          "numbers",
          [](Guarded& g, const std::string& path) { return g.use([&](Simulation& s) { return s.values(path); }); },
          py::arg("path"))
      .def(
          "texts",
          [](Guarded& g, const std::string& path) { return g.use([&](Simulation& s) { return s.texts(path); }); },
          py::arg("path"))
      .def(
          "set_numbers",
          [](Guarded& g, const std::string& path, const std::vector<double>& elements) {
            g.use([&](Simulation& s) { s.set(path, std::span(elements)); });
          },
          py::arg("path"), py::arg("elements"))
      .def(
          "set_texts",
          [](Guarded& g, const std::string& path, const std::vector<std::string>& elements) {
            g.use([&](Simulation& s) { s.set(path, std::span(elements)); });
          },
          py::arg("path"), py::arg("elements"));
}

}  // namespace

void add_simulation(py::module_& m) {
  add_options(m);
  py::class_<Fmu>(m, "Fmu")
      .def(py::init([](const std::filesystem::path& path) {
             const py::gil_scoped_release released;
             return std::make_unique<Fmu>(path);
           }),
           py::arg("path"))
      .def("info", &Fmu::info)
      .def("variables", &Fmu::variables)
      .def("problems", &Fmu::problems)
      .def("simulate", &simulate, py::arg("options"), py::arg("progress"));
  add_system(m);
  add_by_hand(m);
}

}  // namespace consort::python
