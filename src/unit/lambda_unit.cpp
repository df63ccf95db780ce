#include "unit/lambda_unit.hpp"

#include "base/bytes.hpp"
#include "base/error.hpp"

namespace consort::unit {

using describe::Causality;
using describe::Variability;

namespace {

class ColumnsSnapshot : public Snapshot {
 public:
  Columns columns;
};

}  // namespace

LambdaUnit::LambdaUnit(std::string name) : name_(std::move(name)) {
  description_.model_name = name_;
  describe::Interface interface;
  interface.model_identifier = name_;
  interface.can_save_state = true;
  interface.variable_step = true;
  description_.interfaces.push_back(std::move(interface));
}

const describe::Description& LambdaUnit::description() const {
  if (!finished_) description_.finish();
  finished_ = true;
  return description_;
}

void LambdaUnit::add_variable(std::string_view name, Causality causality, Value start, std::uint32_t index) {
  CONSORT_ASSERT(!finished_);
  describe::Variable v;
  v.name = description_.arena().store(name);
  v.type = start.type();
  v.causality = causality;
  v.variability = causality == Causality::parameter ? Variability::fixed
                  : is_float(v.type)                ? Variability::continuous
                                                    : Variability::discrete;
  v.initial = causality == Causality::input ? describe::Initial::none : describe::Initial::exact;
  v.reference = static_cast<ValueReference>(description_.variables.size());
  v.start = static_cast<std::uint32_t>(description_.starts.size());
  description_.starts.push_back(std::move(start));
  if (causality == Causality::output) description_.structure.outputs.push_back({v.reference, false, {}});
  description_.variables.push_back(v);
  places_.push_back(index);
}

void LambdaUnit::enter_initialization(const Experiment&) { static_cast<void>(description()); }

void LambdaUnit::exit_initialization() {
  if (initialize_) initialize_(values_);
}

void LambdaUnit::get(const describe::SignalSet& signals, Columns& values) {
  for (const auto& group : signals.groups()) {
    with_type(group.type, [&]<class T>() {
      for (std::size_t i = 0; i < group.variables.size(); ++i) {
        values.column<T>()[group.offsets[i]] = values_.columns_.column<T>()[places_[group.variables[i]]];
      }
    });
  }
}

void LambdaUnit::set(const describe::SignalSet& signals, Columns& values) {
  for (const auto& group : signals.groups()) {
    with_type(group.type, [&]<class T>() {
      for (std::size_t i = 0; i < group.variables.size(); ++i) {
        values_.columns_.column<T>()[places_[group.variables[i]]] = values.column<T>()[group.offsets[i]];
      }
    });
  }
}

StepOutcome LambdaUnit::step(const StepRequest& request) {
  require(request.h > 0, "unit '{}' cannot step by {} s; step it by more than 0", name_, request.h);
  return step_ ? step_(values_, request) : completed(request);
}

std::unique_ptr<Snapshot> LambdaUnit::save(std::unique_ptr<Snapshot> reuse) {
  if (!reuse) reuse = std::make_unique<ColumnsSnapshot>();
  static_cast<ColumnsSnapshot&>(*reuse).columns = values_.columns_;
  return reuse;
}

void LambdaUnit::restore(const Snapshot& snapshot) {
  values_.columns_ = static_cast<const ColumnsSnapshot&>(snapshot).columns;
}

std::vector<std::uint8_t> LambdaUnit::serialize(const Snapshot& snapshot) {
  ByteWriter writer;
  writer(static_cast<const ColumnsSnapshot&>(snapshot).columns);
  return writer.take();
}

std::unique_ptr<Snapshot> LambdaUnit::deserialize(std::span<const std::uint8_t> bytes) {
  auto snapshot = std::make_unique<ColumnsSnapshot>();
  snapshot->columns = values_.columns_;
  with_unit(name_, [&] {
    ByteReader reader(bytes);
    reader(snapshot->columns);
    reader.expect_end();
  });
  return snapshot;
}

}  // namespace consort::unit
