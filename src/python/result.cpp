// Results as buffers, and what FMUs say about themselves.
#include "consort/result.hpp"

#include <memory>
#include <span>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "consort/fmu.hpp"
#include "python/module.hpp"

namespace py = pybind11;

namespace consort::python {

namespace {

using SharedResult = std::shared_ptr<Result>;

// One variable of a result as a read-only buffer, which keeps the result alive. It does not use the C interface of
// NumPy, whose layout differs between versions (decision 19).
struct Column {
  SharedResult result;
  std::span<const double> numbers;
};

void add_result(py::module_& m) {
  py::class_<SignalInfo>(m, "SignalInfo")
      .def_readonly("name", &SignalInfo::name)
      .def_readonly("type", &SignalInfo::type)
      .def_readonly("unit", &SignalInfo::unit)
      .def_readonly("description", &SignalInfo::description);
  py::class_<Column>(m, "Column", py::buffer_protocol()).def_buffer([](Column& c) {
    // pybind11 takes a pointer to what may be written; the buffer is read-only.
    auto* const data = const_cast<double*>(c.numbers.data());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    return py::buffer_info(data, static_cast<py::ssize_t>(c.numbers.size()), true);
  });
  py::class_<Result, SharedResult>(m, "Result")
      .def_static(
          "read",
          [](const std::filesystem::path& file) {
            const py::gil_scoped_release released;
            return std::make_shared<Result>(Result::read(file));
          },
          py::arg("file"))
      .def("signals", &Result::signals)
      .def("time",
           [](const SharedResult& r) {
             return Column{r, r->time()};
           })
      .def(
          "numbers",
          [](const SharedResult& r, std::string_view name) {
            return Column{r, (*r)[name]};
          },
          py::arg("name"))
      .def(
          "texts",
          [](const Result& r, std::string_view name) {
            const auto texts = r.texts(name);
            return std::vector<std::string>(texts.begin(), texts.end());
          },
          py::arg("name"))
      .def("unit", &Result::unit, py::arg("name"))
      .def("report", &Result::report)
      .def("report_json", &Result::report_json)
      .def("ended_early", &Result::ended_early);
}

void add_descriptions(py::module_& m) {
  py::class_<VariableInfo>(m, "VariableInfo")
      .def_readonly("name", &VariableInfo::name)
      .def_readonly("type", &VariableInfo::type)
      .def_readonly("causality", &VariableInfo::causality)
      .def_readonly("variability", &VariableInfo::variability)
      .def_readonly("start", &VariableInfo::start)
      .def_readonly("unit", &VariableInfo::unit)
      .def_readonly("description", &VariableInfo::description)
      .def_readonly("shape", &VariableInfo::shape)
      .def_readonly("value_reference", &VariableInfo::value_reference);
  py::class_<InterfaceInfo>(m, "InterfaceInfo")
      .def_readonly("type", &InterfaceInfo::type)
      .def_readonly("model_identifier", &InterfaceInfo::model_identifier)
      .def_readonly("needs_execution_tool", &InterfaceInfo::needs_execution_tool)
      .def_readonly("only_once_per_process", &InterfaceInfo::only_once_per_process)
      .def_readonly("can_save_state", &InterfaceInfo::can_save_state)
      .def_readonly("can_serialize_state", &InterfaceInfo::can_serialize_state)
      .def_readonly("directional_derivatives", &InterfaceInfo::directional_derivatives)
      .def_readonly("variable_step", &InterfaceInfo::variable_step)
      .def_readonly("event_mode", &InterfaceInfo::event_mode)
      .def_readonly("fixed_internal_step", &InterfaceInfo::fixed_internal_step);
  py::class_<ModelInfo>(m, "ModelInfo")
      .def_readonly("model_name", &ModelInfo::model_name)
      .def_readonly("fmi_version", &ModelInfo::fmi_version)
      .def_readonly("description", &ModelInfo::description)
      .def_readonly("author", &ModelInfo::author)
      .def_readonly("version", &ModelInfo::version)
      .def_readonly("copyright", &ModelInfo::copyright)
      .def_readonly("license", &ModelInfo::license)
      .def_readonly("generation_tool", &ModelInfo::generation_tool)
      .def_readonly("generation_date", &ModelInfo::generation_date)
      .def_readonly("instantiation_token", &ModelInfo::instantiation_token)
      .def_readonly("start_time", &ModelInfo::start_time)
      .def_readonly("stop_time", &ModelInfo::stop_time)
      .def_readonly("tolerance", &ModelInfo::tolerance)
      .def_readonly("step_size", &ModelInfo::step_size)
      .def_readonly("continuous_states", &ModelInfo::continuous_states)
      .def_readonly("event_indicators", &ModelInfo::event_indicators)
      .def_readonly("interfaces", &ModelInfo::interfaces);
}

}  // namespace

void add_results(py::module_& m) {
  add_result(m);
  add_descriptions(m);
}

}  // namespace consort::python
