// Models written in Python: what a class of the package (consort/_model.py) declares, and calls of its functions.
//
// Functions of the model are those of an adapter, which the package makes for each unit: they take and return lists of
// numbers. All calls hold Python's lock; exceptions become C++ exceptions with their text, because they pass through
// code that knows nothing of Python.
#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include "consort/native.hpp"
#include "python/module.hpp"

namespace py = pybind11;

namespace consort::python {

namespace {

// A Python object that is released with Python's lock, whichever thread drops it last.
std::shared_ptr<py::object> shared(py::object object) {
  return {new py::object(std::move(object)), [](py::object* held) {
            const py::gil_scoped_acquire locked;
            delete held;
          }};
}

std::string text_of(py::error_already_set& raised) {
  if (raised.trace()) PyException_SetTraceback(raised.value().ptr(), raised.trace().ptr());
  return py::str(py::module_::import("consort._model").attr("text_of_exception")(raised.value()));
}

// Calls `work` with Python's lock.
template <class Work>
auto in_python(Work&& work) {
  const py::gil_scoped_acquire locked;
  try {
    return work();
  } catch (py::error_already_set& raised) {
    if (raised.matches(PyExc_KeyboardInterrupt)) {
      PyErr_SetInterrupt();  // raised again when the run has ended
      throw std::runtime_error("it was interrupted");
    }
    const auto discard = py::module_::import("consort._model").attr("Discard");
    const std::string text = text_of(raised);
    if (raised.matches(discard)) throw model::Discard(text);
    throw std::runtime_error(text);
  } catch (const py::cast_error&) {
    throw std::runtime_error("it returned something else than numbers");
  }
}

std::vector<double> numbers(std::span<const double> from) { return {from.begin(), from.end()}; }

void take(const py::object& from, std::span<double> to) {
  const auto values = from.cast<std::vector<double>>();
  if (values.size() != to.size())
    throw std::runtime_error("it returned " + std::to_string(values.size()) + " numbers for " +
                             std::to_string(to.size()));
  std::copy(values.begin(), values.end(), to.begin());
}

class PythonUnit final : public NativeUnit {
 public:
  explicit PythonUnit(py::object adapter) : adapter_(shared(std::move(adapter))) {
    why_no_save_ = get("why_no_save").cast<std::string>();
    has_directional_ = get("has_directional").cast<bool>();
  }

  void initialize(NativeEvent& e) override {
    in_python([&] { take(get("initialize")(e.time, numbers(e.x), numbers(e.u), numbers(e.p)), e.x); });
  }
  void derivatives(const NativePoint& at, std::span<double> to) override { call("derivatives", at, to); }
  void outputs(const NativePoint& at, std::span<double> to) override { call("outputs", at, to); }
  void indicators(const NativePoint& at, std::span<double> to) override { call("event_indicators", at, to); }
  void event(NativeEvent& e) override {
    in_python([&] {
      const auto result = get("event")(e.time, numbers(e.x), numbers(e.u), numbers(e.p)).cast<py::tuple>();
      take(result[0], e.x);
      if (!result[1].is_none()) e.next_time = result[1].cast<double>();
      e.again = result[2].cast<bool>();
      e.terminate = result[3].cast<bool>();
    });
  }
  [[nodiscard]] bool has_directional() const override { return has_directional_; }
  void directional(const NativePoint& at, const NativeDirection& d) override {
    in_python([&] {
      const auto result =
          get("directional")(at.time, numbers(at.x), numbers(at.u), numbers(at.p), numbers(d.x), numbers(d.u))
              .cast<py::tuple>();
      take(result[0], d.f);
      take(result[1], d.g);
    });
  }

  [[nodiscard]] std::string why_no_save() const override { return why_no_save_; }
  [[nodiscard]] std::shared_ptr<const void> save() override {
    return in_python([&] { return std::shared_ptr<const void>(shared(get("save")())); });
  }
  void restore(const std::shared_ptr<const void>& from) override {
    in_python([&] { get("restore")(*static_cast<const py::object*>(from.get())); });
  }
  [[nodiscard]] std::string serialize(const std::shared_ptr<const void>& from) override {
    return in_python([&] { return get("serialize")(*static_cast<const py::object*>(from.get())).cast<std::string>(); });
  }
  [[nodiscard]] std::shared_ptr<const void> deserialize(std::string_view bytes) override {
    return in_python(
        [&] { return std::shared_ptr<const void>(shared(get("deserialize")(py::bytes(bytes.data(), bytes.size())))); });
  }

 private:
  [[nodiscard]] py::object get(const char* name) const { return adapter_->attr(name); }
  void call(const char* name, const NativePoint& at, std::span<double> to) {
    in_python([&] { take(get(name)(at.time, numbers(at.x), numbers(at.u), numbers(at.p)), to); });
  }

  std::shared_ptr<py::object> adapter_;
  std::string why_no_save_;
  bool has_directional_ = false;
};

NativeVariable variable_from(const py::dict& d) {
  NativeVariable v;
  v.name = d["name"].cast<std::string>();
  v.start = d["start"].cast<double>();
  v.unit = d["unit"].cast<std::string>();
  v.description = d["description"].cast<std::string>();
  const auto type = d["type"].cast<std::string>();
  v.type = type == "Boolean" ? NativeType::boolean : type == "Int32" ? NativeType::integer : NativeType::real;
  v.discrete = d["discrete"].cast<bool>();
  v.tunable = d["tunable"].cast<bool>();
  v.nominal = d["nominal"].cast<double>();
  if (!d["depends_on"].is_none()) v.depends_on = d["depends_on"].cast<std::vector<std::string>>();
  return v;
}

std::vector<NativeVariable> variables_from(const py::handle& list) {
  std::vector<NativeVariable> all;
  for (const auto& item : list) all.push_back(variable_from(item.cast<py::dict>()));
  return all;
}

// `make`: returns a new adapter.
NativeModel model_from(const py::dict& d, py::object make) {
  NativeDeclaration declaration;
  declaration.name = d["name"].cast<std::string>();
  declaration.description = d["description"].cast<std::string>();
  declaration.states = variables_from(d["states"]);
  declaration.inputs = variables_from(d["inputs"]);
  declaration.outputs = variables_from(d["outputs"]);
  declaration.parameters = variables_from(d["parameters"]);
  declaration.indicators = d["indicators"].cast<std::uint32_t>();
  declaration.stop_time = d["stop_time"].cast<double>();
  declaration.step = d["step"].cast<double>();
  return {std::move(declaration), [name = declaration.name, factory = shared(std::move(make))] {
            return in_python([&] { return std::unique_ptr<NativeUnit>(new PythonUnit((*factory)())); });
          }};
}

}  // namespace

void add_models(py::module_& m) {
  py::class_<NativeModel>(m, "NativeModel")
      .def(py::init(&model_from), py::arg("declaration"), py::arg("make"))
      .def("name", &NativeModel::name);
  py::class_<BuiltInModel>(m, "BuiltInModel")
      .def_readonly("name", &BuiltInModel::name)
      .def_readonly("description", &BuiltInModel::description);
  m.def("built_in_models", &built_in_models);
}

}  // namespace consort::python
