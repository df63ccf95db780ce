// Systems from C++: several units, coupled, run at once or step by step.
//
//   consort::System car("car");
//   car.add("wheel", "wheel.fmu").add("chassis", "chassis.fmu", {.solver = "cvode"});
//   car.connect("wheel.z", "chassis.z_wheel").connect("chassis.z", "wheel.z_chassis").set("chassis.m", 400);
//   car.settings().control.controller = "richardson";
//   const consort::Result result = car.run({.stop = 3, .step = 1e-3});
//   use(result.time(), result["chassis.z"], result.unit("chassis.z"));
//
//   consort::Simulation simulation(car, {.stop = 3});        // or by hand
//   simulation.initialize();
//   while (!simulation.done()) { simulation.set("wheel.road", 0.1); simulation.step(); }
//   use(simulation.value("chassis.z"));
//
// Everything throws consort::Error with a text for people; unknown names come with the nearest ones.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "consort/error.hpp"
#include "consort/export.hpp"
#include "consort/fmu.hpp"
#include "consort/linearise.hpp"
#include "consort/native.hpp"
#include "consort/result.hpp"
#include "consort/settings.hpp"

namespace consort {

struct UnitOptions {
  std::string interface_type = {};                                     // "cs" or "me"; default: cs where it has it
  std::string solver = {};                                             // for Model Exchange; default: bdf
  std::uint32_t substeps = 1;                                          // equal steps of its own per communication step
  std::vector<std::pair<std::string, std::string>> start_values = {};  // name in the unit, value as text
  std::string host = {};                                               // where it runs; default: as the run says
  std::string platform = {};             // the binary to run: "win64"; default: the first one that this machine can run
  std::optional<double> tolerance = {};  // relative, of the solver; default: that of the run
};

// What one call adds to System::settings().
struct RunOptions {
  // Times in seconds that replace those of the settings.
  std::optional<double> start = {};
  std::optional<double> stop = {};
  std::optional<double> step = {};
  std::vector<std::pair<std::string, std::string>> set = {};  // start values: path, value as text; beat the system's
  std::filesystem::path output_file = {};                     // of run(): write the rows there, too; default:
                                                              // record.file of the settings
  // Of run(): write a checkpoint every so many simulated seconds, each replacing the one before, and one more if the
  // run is stopped on request. The file is NAME.checkpoint in the working directory by default.
  std::optional<double> checkpoint_every = {};
  std::filesystem::path checkpoint_file = {};
  // Of run(): continue from a checkpoint. The result has the rows from there on; an existing output file continues.
  std::filesystem::path restart_from = {};
  std::function<void(const Progress&)> progress = {};  // of run(): called a few times a second
  const std::atomic<bool>* stop_requested = nullptr;   // of run(): true ends the run cleanly
};

// One setting of a run, as docs/settings.md lists it.
struct SettingInfo {
  std::string section;  // of a system file: "experiment", "run", "loops", "iteration", "control", "record"
  std::string key;      // in it
  std::string help;
  std::string range;     // "> 0"
  std::string standard;  // the default
};
[[nodiscard]] CONSORT_API std::vector<SettingInfo> settings_of_runs();

// A value, not a handle: a copy is a system of its own.
class CONSORT_API System {
 public:
  explicit System(std::string name = "system");
  // A system file, in the format that its ending says. Its settings become settings(), except for the name of the
  // result file.
  [[nodiscard]] static System load(const std::filesystem::path& file);
  System(const System&);
  System& operator=(const System&);
  System(System&&) noexcept;
  System& operator=(System&&) noexcept;
  ~System();

  // An FMU. A relative path is taken from the working directory when the system is run.
  System& add(std::string unit, const std::filesystem::path& source, const UnitOptions& options = {});
  // A model that the program writes itself (consort/native.hpp). It has no file: results and system files name it, and
  // a program that reads them defines it again.
  System& add(std::string unit, const NativeModel& model, const UnitOptions& options = {});
  // A system inside of this one; its units are "name.unit".
  System& add(std::string name, const System& inner);
  // The model for the name of `{model: NAME}` in system files and of the source "model:NAME"; also that of a class in
  // Python, as undefined_models() returns it. Hides a built-in model of this name.
  System& define(const std::string& name, const NativeModel& model);
  // The names of models that units have, and that are neither defined nor built in, each once: "pid", or
  // "python:/folder/pid.py:Pid".
  [[nodiscard]] std::vector<std::string> undefined_models() const;
  // From an output ("wheel.z") to an input: input = factor · output + offset, after the conversion of units of measure.
  // A name without a unit is a connector of the system itself, which is made when it does not exist.
  System& connect(std::string_view from, std::string_view to, double factor = 1, double offset = 0);
  // The input takes the value of an expression of outputs, parameters and inputs of this system: "-k * (left.x + 4
  // [m])". A fixed parameter takes it once. docs/systems.md describes expressions.
  System& connect_value(std::string expression, std::string_view to);
  // An output of the system itself, with the value of an expression.
  System& output(std::string name, std::string expression, std::string unit_of_measure = {});
  // A parameter of the system itself, for its expressions and connections.
  System& parameter(std::string name, double value, std::string unit_of_measure = {});
  // All units of this system are solved together by a solver, as one unit, wherever the system is run or added. They
  // need Model Exchange. The tolerance is relative; default: that of the run.
  System& solver(std::string name, std::optional<double> tolerance = {});
  // A start value by path ("wheel.m"), as text, in the unit of measure given or else the variable's own.
  System& set(std::string path, std::string value, std::string unit_of_measure = {});
  System& set(std::string path, double value);

  // Two outputs whose product is a power, each connected to the other one's unit: the report says what energy the
  // coupling made or lost between them, and the controller "ecco" keeps it small. For runs of this system itself, not
  // of one that it is added to.
  System& bond(std::string effort, std::string flow);

  // How the system is run. Settings that are not given come from the units, then from defaults that Result::report()
  // names. Settings of a system that is added to another one have no effect.
  [[nodiscard]] RunSettings& settings();
  [[nodiscard]] const RunSettings& settings() const;
  // The same as text: a mapping with the keys `experiment`, `run`, `record`, `bonds` and `scenario` of a system file,
  // in YAML or JSON. Other settings keep their values.
  System& configure(std::string_view text);

  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] std::vector<std::string> units() const;  // and systems inside, in the order of adding

  // From start to stop, in this process; any number of times. Throws FailedRun, with the rows up to then, when a unit
  // fails on the way.
  [[nodiscard]] Result run(const RunOptions& options = {}) const;

  // The linear model at a point of the trajectory: all units are solved together, as Model Exchange, up to there.
  // Inputs of the system keep their start values. Throws Error that names units without Model Exchange.
  [[nodiscard]] Linearisation linearise(const LineariseOptions& options = {}) const;

 private:
  friend class Simulation;
  struct Data;
  std::unique_ptr<Data> data_;
};

// One run of a system by hand: initialize(), then step() until done(). Later changes of the system do not reach it. Not
// to be used by two threads at once.
class CONSORT_API Simulation {
 public:
  // Opens and checks everything; throws what is wrong with the system.
  explicit Simulation(const System& system, const RunOptions& options = {});
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  [[nodiscard]] double start_time() const;
  [[nodiscard]] double stop_time() const;
  [[nodiscard]] double step_size() const;
  // The system's own inputs, then every variable of every unit, by path.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] VariableInfo variable(std::string_view path) const;

  void initialize();
  void step();  // to the next communication point; does nothing when done()
  [[nodiscard]] bool done() const;
  [[nodiscard]] double time() const;
  void terminate();  // the destructor does it, too, but keeps errors to itself

  // A checkpoint between two steps, and back to it: a simulation of the same system with the same options that loads it
  // goes on bit for bit as this one would, where units serialise their whole state. load() also initialises.
  void save(const std::filesystem::path& file);
  void load(const std::filesystem::path& file);

  // Of any variable, from initialize() on. value() is for scalars, values() and texts() have one entry per element of
  // an array; texts are exact (the shortest that read back as the same value), also for integers beyond 2^53.
  [[nodiscard]] double value(std::string_view path);
  [[nodiscard]] std::vector<double> values(std::string_view path);
  [[nodiscard]] std::vector<std::string> texts(std::string_view path);
  // Before initialize(): start values. After: inputs that nothing drives and tunable parameters, from the next step on.
  void set(std::string_view path, double value);
  void set(std::string_view path, std::span<const double> elements);
  void set(std::string_view path, std::span<const std::string> elements);  // as texts

  // What was done and assumed until now, in a few lines.
  [[nodiscard]] std::string report() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace consort
