// Verifies a model's declaration by running the model.
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "glue/description.hpp"
#include "glue/description_parts.hpp"
#include "model/instance.hpp"

namespace consort::glue {
namespace {

double read(model::Instance& instance, const model::Slot& slot) {
  double value;
  std::memcpy(&value, instance.at(slot), sizeof value);
  return value;
}

void write(model::Instance& instance, const model::Slot& slot, double value) {
  std::memcpy(instance.at(slot), &value, sizeof value);
  instance.touch();
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

class Verifier {
 public:
  explicit Verifier(const Exported& exported)
      : model_(exported, model::Layout::Style::scalars), instance_(model_.layout, host_) {
    instance_.enter_initialization(0, exported.definition->info.stop_time);
    instance_.leave_initialization(model::continuous_time);
    instance_.update_event();
    for (std::uint32_t reference = 1; reference < model_.layout.slots().size(); ++reference) {
      const model::Slot& slot = model_.layout.slots()[reference];
      const model::Variable& v = model_.variable(slot);
      if (slot.kind == model::Kind::float64 && (v.causality == model::Causality::input || v.is_state())) {
        knowns_.push_back(reference);
      }
    }
  }

  std::vector<std::string> find() {
    const Unknowns unknowns(model_);
    for (const auto* list : {&unknowns.outputs, &unknowns.rates}) {
      for (const std::uint32_t unknown : *list) check_dependencies(unknown);
    }
    return std::move(mistakes_);
  }

 private:
  void check_dependencies(std::uint32_t unknown) {
    const model::Slot& slot = model_.layout.slots()[unknown];
    const Dependencies declared = dependencies_of(model_, unknown);
    if (slot.kind != model::Kind::float64 || !declared.declared) return;
    for (const std::uint32_t known : knowns_) {
      bool named = false;
      for (const std::uint32_t reference : declared.references) named |= reference == known;
      if (!named && changes_with(slot, model_.layout.slots()[known]) && !failed()) {
        mistakes_.push_back("'" + model_.name(slot) + "' changes with '" + model_.name(model_.layout.slots()[known]) +
                            "', which its depends_on<...>() does not name; add it there");
      }
    }
  }

  // True if the model cannot run by itself (a missing file, for example); its declaration cannot be verified then.
  [[nodiscard]] bool failed() const { return model_.exported.failed != nullptr && *model_.exported.failed; }

  // Tries a few other values, and NaN, which no computed value survives.
  bool changes_with(const model::Slot& unknown, const model::Slot& known) {
    const double start = read(instance_, known);
    instance_.refresh(model::all_stages);
    const double before = read(instance_, unknown);
    bool changes = false;
    for (const double value : {start + 1, start - 1, start + 1e-3, 2 * start, std::nan("")}) {
      write(instance_, known, value);
      instance_.refresh(model::all_stages);
      changes |= !same(before, read(instance_, unknown));
    }
    write(instance_, known, start);
    instance_.refresh(model::all_stages);
    return changes;
  }

  DescribedModel model_;
  model::Host host_;
  model::Instance instance_;
  std::vector<std::uint32_t> knowns_;
  std::vector<std::string> mistakes_;
};

void check_ranges(const DescribedModel& model, std::vector<std::string>& mistakes) {
  for (const model::Slot& slot : model.layout.slots()) {
    if (slot.variable == model::no_offset || slot.kind != model::Kind::float64 || !model.has_start(slot)) continue;
    const model::Variable& v = model.variable(slot);
    double start;
    std::memcpy(&start, static_cast<const std::byte*>(v.locate(model.specimen)) + slot.element * sizeof start,
                sizeof start);
    if (start < v.min || start > v.max) {
      mistakes.push_back("'" + model.name(slot) + "' starts outside of its range; give the member another start value");
    }
  }
}

}  // namespace

std::vector<std::string> find_mistakes(const Exported& exported) {
  std::vector<std::string> mistakes;
  check_ranges(DescribedModel(exported, model::Layout::Style::scalars), mistakes);
  for (std::string& mistake : Verifier(exported).find()) mistakes.push_back(std::move(mistake));
  return mistakes;
}

}  // namespace consort::glue
