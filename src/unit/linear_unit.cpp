#include "unit/linear_unit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"

namespace consort::unit {

using describe::Causality;

namespace {

constexpr int degree = 3;

class LinearSnapshot : public Snapshot {
 public:
  std::vector<double> x, u, slopes;
};

}  // namespace

LinearUnit::LinearUnit(std::string name, LinearSystem system) : name_(std::move(name)), s_(std::move(system)) {
  const std::size_t n = s_.start.size();
  const std::size_t in = s_.inputs.size();
  const std::size_t out = s_.outputs.size();
  if (s_.offset.empty()) s_.offset.assign(n, 0.0);
  if (s_.d.empty()) s_.d.assign(out * in, 0.0);
  require_in_unit(
      name_,
      s_.a.size() == n * n && s_.b.size() == n * in && s_.c.size() == out * n && s_.d.size() == out * in &&
          s_.offset.size() == n,
      "the matrices of the linear unit '{}' do not match {} states, {} inputs and {} outputs; correct their sizes",
      name_, n, in, out);
  x_ = s_.start;
  u_.assign(in * (degree + 1), 0.0);
  slopes_.assign(in, 0.0);
  term_.resize(n);
  next_.resize(n);
  describe();
}

void LinearUnit::describe() {
  auto& d = description_;
  d.model_name = name_;
  describe::Interface interface;
  interface.model_identifier = name_;
  interface.can_save_state = s_.can_roll_back;
  interface.variable_step = true;
  d.interfaces.push_back(std::move(interface));
  const auto add = [&](const std::string& variable, Causality causality, double start) {
    describe::Variable v;
    v.name = d.arena().store(variable);
    v.type = Type::Float64;
    v.causality = causality;
    v.variability = describe::Variability::continuous;
    v.initial = causality == Causality::input ? describe::Initial::none : describe::Initial::exact;
    v.reference = static_cast<ValueReference>(d.variables.size());
    v.start = static_cast<std::uint32_t>(d.starts.size());
    d.starts.push_back(Value::scalar(start));
    d.variables.push_back(v);
  };
  for (const auto& input : s_.inputs) add(input, Causality::input, 0.0);
  for (std::size_t i = 0; i < s_.outputs.size(); ++i) {
    const auto begin = static_cast<std::uint32_t>(d.structure.dependencies.size());
    for (std::uint32_t j = 0; j < s_.inputs.size(); ++j)
      if (s_.d[i * s_.inputs.size() + j] != 0) d.structure.dependencies.push_back({j});
    const auto count = static_cast<std::uint32_t>(d.structure.dependencies.size()) - begin;
    d.structure.outputs.push_back({static_cast<describe::VariableId>(d.variables.size()), true, {begin, count}});
    add(s_.outputs[i], Causality::output, output(i));
  }
  d.finish();
}

double LinearUnit::output(std::size_t i) const {
  double y = 0;
  for (std::size_t j = 0; j < x_.size(); ++j) y += s_.c[i * x_.size() + j] * x_[j];
  for (std::size_t j = 0; j < s_.inputs.size(); ++j) y += s_.d[i * s_.inputs.size() + j] * u_[j];
  return y;
}

void LinearUnit::get(const describe::SignalSet& signals, Columns& values) {
  const std::size_t in = s_.inputs.size();
  for (const auto& group : signals.groups())
    for (std::size_t i = 0; i < group.variables.size(); ++i)
      values.column<double>()[group.offsets[i]] =
          group.variables[i] < in ? u_[group.variables[i]] : output(group.variables[i] - in);
}

void LinearUnit::set(const describe::SignalSet& signals, Columns& values) {
  for (const auto& group : signals.groups())
    for (std::size_t i = 0; i < group.variables.size(); ++i)
      u_[require_input(group.references[i])] = values.column<double>()[group.offsets[i]];
}

std::size_t LinearUnit::require_input(ValueReference reference) const {
  require(reference < s_.inputs.size(), "unit '{}': the value reference {} is not an input; set inputs only", name_,
          reference);
  return reference;
}

std::size_t LinearUnit::require_output(ValueReference reference) const {
  require(reference >= s_.inputs.size() && reference < s_.inputs.size() + s_.outputs.size(),
          "unit '{}': the value reference {} is not an output; only outputs have derivatives", name_, reference);
  return reference - s_.inputs.size();
}

double LinearUnit::slope(std::size_t i) const {
  const std::size_t n = x_.size();
  const std::size_t in = s_.inputs.size();
  double slope = 0;
  for (std::size_t j = 0; j < n; ++j) {
    double rate = s_.offset[j];
    for (std::size_t k = 0; k < n; ++k) rate += s_.a[j * n + k] * x_[k];
    for (std::size_t k = 0; k < in; ++k) rate += s_.b[j * in + k] * u_[k];
    slope += s_.c[i * n + j] * rate;
  }
  for (std::size_t k = 0; k < in; ++k) slope += s_.d[i * in + k] * slopes_[k];
  return slope;
}

void LinearUnit::get_output_derivatives(std::span<const ValueReference> outputs, std::span<const std::int32_t> orders,
                                        std::span<double> values) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    require(orders[i] == 1, "unit '{}' provides only first derivatives of its outputs; request order 1", name_);
    values[i] = slope(require_output(outputs[i]));
  }
}

void LinearUnit::set_input_derivatives(std::span<const ValueReference> inputs, std::span<const std::int32_t> orders,
                                       std::span<const double> values) {
  forget_derivatives();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    require(orders[i] >= 1 && orders[i] <= degree, "unit '{}' accepts derivatives of orders 1 to {}, got order {}",
            name_, degree, orders[i]);
    u_[static_cast<std::size_t>(orders[i]) * s_.inputs.size() + require_input(inputs[i])] = values[i];
  }
}

void LinearUnit::forget_derivatives() {
  std::fill(u_.begin() + static_cast<std::ptrdiff_t>(s_.inputs.size()), u_.end(), 0.0);
}

// Advances one interval by a Taylor series; stops when terms become negligible.
void LinearUnit::advance(Duration h) {
  const std::size_t n = x_.size();
  const std::size_t in = s_.inputs.size();
  term_ = x_;
  double factorial = 1;
  for (int k = 0; k < 40; ++k) {
    double size = 0;
    if (k > 0) factorial *= k;
    for (std::size_t i = 0; i < n; ++i) {
      double sum = k == 0 ? s_.offset[i] : 0.0;
      for (std::size_t j = 0; j < n; ++j) sum += s_.a[i * n + j] * term_[j];
      if (k <= degree)
        for (std::size_t j = 0; j < in; ++j)
          sum += s_.b[i * in + j] * u_[static_cast<std::size_t>(k) * in + j] * std::pow(h, k) / factorial;
      next_[i] = sum * h / (k + 1);
      size = std::max(size, std::abs(next_[i]));
    }
    for (std::size_t i = 0; i < n; ++i) x_[i] += next_[i];
    std::swap(term_, next_);
    if (k > degree && size == 0) break;
  }
  // Move the origin of the input polynomials to the end of the interval.
  for (std::size_t j = 0; j < in; ++j) {
    double* const u = u_.data() + j;
    const auto at = [&](std::size_t m) -> double& { return u[m * in]; };
    at(0) += h * (at(1) + h / 2 * (at(2) + h / 3 * at(3)));
    at(1) += h * (at(2) + h / 2 * at(3));
    at(2) += h * at(3);
  }
}

StepOutcome LinearUnit::step(const StepRequest& request) {
  require(request.h > 0, "unit '{}' cannot step by {} s; step it by more than 0", name_, request.h);
  double norm = 0;
  for (const double a : s_.a) norm = std::max(norm, std::abs(a));
  norm *= static_cast<double>(std::max<std::size_t>(x_.size(), 1));
  const int parts = std::max(1, static_cast<int>(std::ceil(std::min(std::sqrt(norm) + 1, norm) * request.h)));
  for (int i = 0; i < parts; ++i) advance(request.h / parts);
  std::copy_n(u_.begin() + static_cast<std::ptrdiff_t>(slopes_.size()), slopes_.size(), slopes_.begin());
  forget_derivatives();
  return {request.t + request.h, Why::completed};
}

std::unique_ptr<Snapshot> LinearUnit::save(std::unique_ptr<Snapshot> reuse) {
  if (!reuse) reuse = std::make_unique<LinearSnapshot>();
  auto& s = static_cast<LinearSnapshot&>(*reuse);
  s.x = x_;
  s.u = u_;
  s.slopes = slopes_;
  return reuse;
}

void LinearUnit::restore(const Snapshot& snapshot) {
  const auto& s = static_cast<const LinearSnapshot&>(snapshot);
  x_ = s.x;
  u_ = s.u;
  slopes_ = s.slopes;
}

std::vector<std::uint8_t> LinearUnit::serialize(const Snapshot& snapshot) {
  const auto& s = static_cast<const LinearSnapshot&>(snapshot);
  ByteWriter writer;
  writer(s.x, s.u, s.slopes);
  return writer.take();
}

std::unique_ptr<Snapshot> LinearUnit::deserialize(std::span<const std::uint8_t> bytes) {
  auto s = std::make_unique<LinearSnapshot>();
  s->x.resize(x_.size());
  s->u.resize(u_.size());
  s->slopes.resize(slopes_.size());
  with_unit(name_, [&] {
    ByteReader reader(bytes);
    reader(s->x, s->u, s->slopes);
    reader.expect_end();
  });
  return s;
}

void LinearUnit::directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                             std::span<const double> seed, std::span<double> sensitivity) {
  const std::size_t in = s_.inputs.size();
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const std::size_t output = require_output(unknowns[i]);
    sensitivity[i] = 0;
    for (std::size_t j = 0; j < knowns.size(); ++j)
      sensitivity[i] += s_.d[output * in + require_input(knowns[j])] * seed[j];
  }
}

}  // namespace consort::unit
