#include "fmi/instance.hpp"

namespace consort::fmi {

void Instance::tolerate(const std::function<void()>& reads) {
  try {
    reads();
  } catch (const Error& error) {
    if (error.fault() != Fault::run) throw;
    throw Refused(error.fault(), error.what(), error.fields());
  }
}

bool CoSimulation::exchange(const RealPorts& ports, const double* in, double* out, Time t, Duration h,
                            bool may_roll_back) {
  if (!ports.inputs.empty()) set<double>(ports.inputs, {in, ports.input_elements});
  last_report_ = do_step(t, h, may_roll_back);
  if (last_report_.end != StepReport::End::completed) return false;
  if (!ports.outputs.empty()) get<double>(ports.outputs, {out, ports.output_elements});
  return !last_report_.event_needed && !last_report_.terminate;
}

}  // namespace consort::fmi
