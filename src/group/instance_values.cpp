// Variables of a group: those of its members, its inputs, and its outputs.
#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "group/instance.hpp"

namespace consort::group {

void GroupInstance::refresh(MemberId m) {
  if (mode_ == Mode::initialization && dirty_) exchange();
  evaluate_coupling();
  if (mode_ != Mode::continuous || !members_[m].may_lag || evaluated_at_[m] == point_) return;
  members_[m].evaluate(memory_.t);
  evaluated_at_[m] = point_;
}

// A value that a connector shows, as a number.
double GroupInstance::read_source(const SlotName& source, Type type) {
  if (source.member == none) return couple::number_at(memory_.outputs, type, source.element);
  refresh(source.member);
  auto& member = members_[source.member];
  const auto& v = (*member.description)[source.variable];
  const auto elements =
      model_->composite.origins[model_->composite.first_of_member[source.member] + source.variable].elements;
  return with_type(type, [&]<class T>() {
    auto& all = scratch_.column<T>();
    all.resize(elements);
    member.instance->get<T>(std::span(&v.reference, 1), std::span<T>(all));
    return (v.negated ? -1 : 1) * couple::number_at(scratch_, type, source.element);
  });
}

void GroupInstance::read_operands(std::uint32_t connector, couple::FormulaSlots& slots) {
  const auto& formula = *model_->plan.connectors[connector].formula;
  const auto& sources = model_->composite.connector_sources[connector];
  for (std::size_t k = 0; k < sources.size(); ++k)
    slots[k] =
        formula.operands[k].factor * read_source(sources[k], formula.operands[k].type) + formula.operands[k].offset;
}

double GroupInstance::read_formula(std::uint32_t connector) {
  const auto& formula = *model_->plan.connectors[connector].formula;
  couple::FormulaSlots slots;
  read_operands(connector, slots);
  return formula.factor * formula.program->evaluate(slots, memory_.t) + formula.offset;
}

const std::vector<double>& GroupInstance::connector_gradient(std::uint32_t connector) {
  const auto& formula = *model_->plan.connectors[connector].formula;
  couple::FormulaSlots slots, by_used;
  read_operands(connector, slots);
  const auto used = formula.program->operands();
  double value = 0, by_time = 0;
  formula.program->gradient(slots, memory_.t, value, std::span(by_used).first(used.size()), by_time);
  gradient_.assign(formula.operands.size(), 0.0);
  for (std::size_t k = 0; k < used.size(); ++k)
    gradient_[used[k].slot] += formula.factor * by_used[k] * formula.operands[used[k].slot].factor;
  return gradient_;
}

const Origin& GroupInstance::origin(ValueReference reference) const {
  const auto& origins = model_->composite.origins;
  if (reference >= origins.size())
    throw run_error("the group '{}' has no variable with the value reference {}; use one of its description", name_,
                    reference)
        .in_unit(name_);
  return origins[reference];
}

// Fills the scratch with the references from `i` on that belong to one member, and moves `i` behind them. Returns the
// number of elements.
std::size_t GroupInstance::find_run(std::span<const ValueReference> references, std::size_t& i) {
  const auto member = origin(references[i]).index;
  references_scratch_.clear();
  std::size_t elements = 0;
  for (; i < references.size(); ++i) {
    const auto& next = origin(references[i]);
    if (next.kind != Origin::Kind::member || next.index != member) break;
    references_scratch_.push_back((*members_[member].description)[next.variable].reference);
    elements += next.elements;
  }
  return elements;
}

// Consecutive references of one member are read by one call.
template <class T>
void GroupInstance::read_values(std::span<const ValueReference> references, T* values) {
  const auto& origins = model_->composite.origins;
  const auto read_connector = [&](const Origin& origin) {
    const auto& connector = model_->plan.connectors[origin.index];
    if constexpr (std::is_same_v<T, double>) {
      if (connector.formula) {
        *values = read_formula(origin.index);
        return;
      }
    }
    const auto& source = model_->composite.connector_sources[origin.index].front();
    if (source.member == none) {
      *values = memory_.outputs.column<T>()[source.element];
    } else {
      refresh(source.member);
      const auto& member = members_[source.member];
      const auto& v = (*member.description)[source.variable];
      const auto elements = origins[model_->composite.first_of_member[source.member] + source.variable].elements;
      auto& all = scratch_.column<T>();
      all.resize(elements);
      member.instance->get<T>(std::span(&v.reference, 1), std::span<T>(all));
      *values = all[source.element];
      if constexpr (std::is_same_v<T, double>) *values *= v.negated ? -1 : 1;
    }
    if constexpr (std::is_same_v<T, double>) *values = connector.factor * *values + connector.offset;
  };
  for (std::size_t i = 0; i < references.size();) {
    const auto& origin = this->origin(references[i]);
    if (origin.kind == Origin::Kind::external) {
      const auto& e = model_->plan.externals[origin.index];
      std::copy_n(memory_.outputs.column<T>().begin() + e.element, e.count, values);
      values += e.count;
      ++i;
    } else if (origin.kind == Origin::Kind::connector) {
      read_connector(origin);
      ++values;
      ++i;
    } else {
      refresh(origin.index);
      const std::size_t elements = find_run(references, i);
      members_[origin.index].instance->get<T>(references_scratch_, std::span<T>(values, elements));
      values += elements;
    }
  }
}

void GroupInstance::read(Type type, std::span<const ValueReference> references, void* values, std::size_t) {
  with_type(type, [&]<class T>() { read_values(references, static_cast<T*>(values)); });
}

template <class T>
void GroupInstance::write_values(std::span<const ValueReference> references, const T* values) {
  for (std::size_t i = 0; i < references.size();) {
    const auto reference = references[i];
    const auto& origin = this->origin(reference);
    if (mode_ == Mode::continuous && origin.kind == Origin::Kind::member) {
      const std::size_t elements = find_run(references, i);
      members_[origin.index].instance->set<T>(references_scratch_, std::span<const T>(values, elements));
      values += elements;
      dirty_ = true;
      ++point_;
      continue;
    }
    ++i;
    if (origin.kind == Origin::Kind::member) {
      write_member(origin.index, reference, values, origin.elements);
    } else {
      CONSORT_ASSERT(origin.kind == Origin::Kind::external);
      std::copy_n(values, origin.elements,
                  memory_.outputs.column<T>().begin() + model_->plan.externals[origin.index].element);
      dirty_ = true;
    }
    values += origin.elements;
  }
  if constexpr (std::is_same_v<T, double>) {
    for (std::uint32_t i = 0; i < model_->wiring.externals; ++i)
      coupling_.externals()[i] = memory_.outputs.template column<double>()[model_->wiring.sources[i]];
  }
}

// In event mode, a changed value is a cause of its member's event.
template <class T>
void GroupInstance::write_member(MemberId m, ValueReference reference, const T* values, std::size_t count) {
  auto& instance = *members_[m].instance;
  const auto& own = (*members_[m].description)[model_->composite.origins[reference].variable];
  const std::span<const T> given(values, count);
  if (mode_ == Mode::instantiated || mode_ == Mode::initialization)
    remember_start(reference, Value(std::vector<T>(values, values + count)));
  if (mode_ == Mode::event && initialised_[m] != 0) {
    auto& now = scratch_.column<T>();
    now.resize(count);
    instance.get<T>(std::span(&own.reference, 1), std::span<T>(now));
    const auto same = [](const T& a, const T& b) {
      if constexpr (std::is_same_v<T, EnumValue> || std::is_base_of_v<Bool, T>)
        return a.value == b.value;
      else
        return a == b;
    };
    if (std::equal(given.begin(), given.end(), now.begin(), same)) return;
    enter(m);
    ask(m);
  }
  instance.set<T>(std::span(&own.reference, 1), given);
  dirty_ = true;
  ++point_;
}

void GroupInstance::write(Type type, std::span<const ValueReference> references, const void* values, std::size_t) {
  with_type(type, [&]<class T>() { write_values(references, static_cast<const T*>(values)); });
}

void GroupInstance::remember_start(ValueReference reference, Value value) {
  const auto known =
      std::find_if(starts_.begin(), starts_.end(), [&](const Composite::Start& s) { return s.variable == reference; });
  if (known != starts_.end()) {
    known->value = std::move(value);
  } else {
    starts_.push_back({reference, std::move(value)});
  }
}

}  // namespace consort::group
