// Linear models: matrices as buffers.
#include <complex>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <pybind11/complex.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "consort/fmu.hpp"
#include "consort/linearise.hpp"
#include "consort/system.hpp"
#include "python/module.hpp"

namespace py = pybind11;

namespace consort::python {

namespace {

using SharedLinearisation = std::shared_ptr<Linearisation>;

// A matrix as a read-only buffer of two dimensions, which keeps the linearisation alive. As in result.cpp, it does not
// use the C interface of NumPy (decision 19).
struct MatrixView {
  SharedLinearisation owner;
  const Matrix* matrix = nullptr;
};

py::buffer_info buffer_of(MatrixView& view) {
  const auto& m = *view.matrix;
  // pybind11 takes a pointer to what may be written; the buffer is read-only.
  auto* const data = const_cast<double*>(m.values.data());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  const std::vector<py::ssize_t> shape = {static_cast<py::ssize_t>(m.rows), static_cast<py::ssize_t>(m.columns)};
  const auto size = static_cast<py::ssize_t>(sizeof(double));
  const std::vector<py::ssize_t> strides = {size * shape[1], size};
  return {data, size, py::format_descriptor<double>::format(), 2, shape, strides, true};
}

template <class Model>
SharedLinearisation linearise(const Model& model, const LineariseOptions& options) {
  const py::gil_scoped_release released;
  return std::make_shared<Linearisation>(model.linearise(options));
}

std::vector<std::complex<double>> eigenvalues_of(const Linearisation& lin) {
  std::vector<std::complex<double>> values;
  for (const auto& e : lin.eigenvalues) values.push_back(e.value);
  return values;
}

std::vector<double> of_eigenvalues(const Linearisation& lin, double Eigenvalue::*field) {
  std::vector<double> values;
  for (const auto& e : lin.eigenvalues) values.push_back(e.*field);
  return values;
}

void add_linearise_options(py::module_& m) {
  py::class_<LineariseOptions>(m, "LineariseOptions")
      .def(py::init<>())
      .def_readwrite("at", &LineariseOptions::at)
      .def_readwrite("solver", &LineariseOptions::solver)
      .def_readwrite("tolerance", &LineariseOptions::tolerance)
      .def_readwrite("set", &LineariseOptions::set)
      .def_readwrite("eigenvectors", &LineariseOptions::eigenvectors);
}

}  // namespace

void add_linearisation(py::module_& m) {
  add_linearise_options(m);
  py::class_<MatrixView>(m, "Matrix", py::buffer_protocol()).def_buffer(&buffer_of);
  const auto matrix = [](Matrix Linearisation::*which) {
    return [which](const SharedLinearisation& lin) { return MatrixView{lin, &((*lin).*which)}; };
  };
  const auto field = [](std::vector<double> Linearisation::*which) {
    return [which](const Linearisation& lin) { return lin.*which; };
  };
  py::class_<Linearisation, std::shared_ptr<Linearisation>>(m, "Linearisation")
      .def_readonly("system", &Linearisation::system)
      .def_readonly("time", &Linearisation::time)
      .def_readonly("solver", &Linearisation::solver)
      .def_readonly("tolerance", &Linearisation::tolerance)
      .def_readonly("states", &Linearisation::states)
      .def_readonly("inputs", &Linearisation::inputs)
      .def_readonly("outputs", &Linearisation::outputs)
      .def_readonly("state_units", &Linearisation::state_units)
      .def_readonly("input_units", &Linearisation::input_units)
      .def_readonly("output_units", &Linearisation::output_units)
      .def_readonly("is_equilibrium", &Linearisation::is_equilibrium)
      .def_readonly("notes", &Linearisation::notes)
      .def("a", matrix(&Linearisation::a))
      .def("b", matrix(&Linearisation::b))
      .def("c", matrix(&Linearisation::c))
      .def("d", matrix(&Linearisation::d))
      .def("x0", field(&Linearisation::x0))
      .def("u0", field(&Linearisation::u0))
      .def("y0", field(&Linearisation::y0))
      .def("f0", field(&Linearisation::f0))
      .def("eigenvalues", &eigenvalues_of)
      .def("frequency", [](const Linearisation& l) { return of_eigenvalues(l, &Eigenvalue::frequency); })
      .def("damped_frequency", [](const Linearisation& l) { return of_eigenvalues(l, &Eigenvalue::damped_frequency); })
      .def("damping", [](const Linearisation& l) { return of_eigenvalues(l, &Eigenvalue::damping); })
      .def("eigenvectors", [](const Linearisation& l) { return l.eigenvectors; })
      .def("save", &Linearisation::save, py::arg("file"));
  // NOLINTNEXTLINE(performance-unnecessary-value-param): a copy, because another thread may change the original
  m.def(
      "linearise_system", [](System s, const LineariseOptions& o) { return linearise(s, o); }, py::arg("system"),
      py::arg("options"));
  m.def(
      "linearise_fmu", [](const Fmu& f, const LineariseOptions& o) { return linearise(f, o); }, py::arg("fmu"),
      py::arg("options"));
}

}  // namespace consort::python
