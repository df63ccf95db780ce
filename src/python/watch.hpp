// What Python may say while a run goes on without its lock: Ctrl-C, and what the progress function returns or raises.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include <pybind11/pybind11.h>

#include "consort/result.hpp"
#include "python/module.hpp"

namespace consort::python {

// Made, asked for its error and destroyed with Python's lock; hand out progress() and stop_requested() to the run.
class Watch {
 public:
  explicit Watch(pybind11::object function) : function_(std::move(function)) {}

  [[nodiscard]] const std::atomic<bool>* stop_requested() const { return &stop_; }
  [[nodiscard]] std::function<void(const Progress&)> progress() {
    return [this](const Progress& p) { look(p); };
  }
  // What was raised meanwhile, as an exception object, or None.
  [[nodiscard]] pybind11::object error() const { return error_; }

 private:
  void look(const Progress& p) {
    const pybind11::gil_scoped_acquire locked;
    if (stop_) return;
    try {
      // Runs Python's handlers of signals, in the main thread: KeyboardInterrupt comes from there.
      if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
      if (!function_.is_none() && function_(p).is(pybind11::bool_(false))) stop_ = true;
    } catch (pybind11::error_already_set& raised) {
      error_ = raised.value();
      if (raised.trace()) PyException_SetTraceback(error_.ptr(), raised.trace().ptr());
      stop_ = true;
    }
  }

  pybind11::object function_;
  pybind11::object error_ = pybind11::none();
  std::atomic<bool> stop_ = false;
};

// Runs `run(watch)`, which returns a Result, without Python's lock. Returns (result, error or None); what failed before
// there was anything to return is thrown.
template <class Run>
pybind11::tuple run_watched(pybind11::object function, Run run) {
  Watch watch(std::move(function));
  std::shared_ptr<const Result> result;
  pybind11::object error = pybind11::none();
  try {
    const pybind11::gil_scoped_release released;
    result = std::make_shared<Result>(run(watch));
  } catch (const FailedRun& failure) {
    error = python_error(failure);
    result = failure.shared_result();
  }
  if (!watch.error().is_none()) error = watch.error();
  return pybind11::make_tuple(std::const_pointer_cast<Result>(result), error);
}

}  // namespace consort::python
