#include "group/coupling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace consort::group {

namespace {

// Of the solution of a loop, relative to its values.
constexpr double loop_tolerance = 1e-13;

}  // namespace

Coupling::Coupling(const graph::Plan& plan, const Wiring& wiring, std::span<Member> members,
                   MemberDerivatives& derivatives)
    : plan_(plan), wiring_(wiring), members_(members), derivatives_(derivatives) {
  state_.y.assign(wiring.outputs.size(), 0.0);
  state_.u.assign(wiring.inputs.size(), 0.0);
  state_.held.assign(wiring.relations, 0.0);
  relation_values_.resize(wiring.relations);
  for (const auto& link : wiring.links) gains_.push_back(link.gain);
  for (const auto* const parts : {&wiring.formulas, &wiring.conditions}) {
    for (const auto& part : *parts) {
      const auto relations = part.formula->program->relations();
      for (std::uint32_t i = 0; i < relations.size(); ++i)
        if (relations[i].located) located_.push_back(part.first_relation + i);
    }
  }
  if (!plan.events.empty()) state_.overrides.assign(wiring.inputs.size(), std::numeric_limits<double>::quiet_NaN());
  state_.loops.resize(wiring.loops.size());
  loops_.reserve(wiring.loops.size());
  for (const auto& loop : wiring.loops) {
    LoopSolver::Problem problem;
    problem.variables = loop.variables;
    problem.nominals = loop.nominals;
    problem.image = [this, &loop](std::span<const double> u, std::span<double> image) {
      evaluate_loop(loop, u, image);
    };
    problem.jacobian = [this, &loop](std::span<double> jacobian) { return loop_jacobian(loop, jacobian); };
    loops_.emplace_back(std::move(problem));
    guesses_.emplace_back(loop.inputs.size());
    state_.loops[loops_.size() - 1].reserve(loop.inputs.size() * loop.inputs.size());
  }
  find_calls();
}

void Coupling::restore(const State& state) {
  state_ = state;  // of the same size: references to the elements stay valid
  find_overrides();
  for (std::size_t l = 0; l < loops_.size(); ++l) loops_[l].restore(state.loops[l]);
}

void Coupling::get(const Batch& batch, Time t) {
  auto& member = members_[batch.member];
  if (member.lags) member.evaluate(t);
  member.instance->get<double>(batch.references, std::span(state_.y).subspan(batch.first, batch.count));
}

void Coupling::route(const Batch& batch) {
  for (std::uint32_t i = batch.first; i < batch.first + batch.count; ++i) state_.u[i] = routed(i);
}

void Coupling::set(const Batch& batch) {
  members_[batch.member].instance->set<double>(batch.references,
                                               std::span<const double>(state_.u).subspan(batch.first, batch.count));
}

void Coupling::find_calls() {
  sources_.resize(wiring_.routes.size());
  for (std::uint32_t i = 0; i < wiring_.routes.size(); ++i) sources_[i] = wiring_.routes[i].source;
  for (const auto& step : wiring_.steps) {
    Call call;
    call.step = step;
    if (step.kind != Step::Kind::solve) {
      const auto& batch = (step.kind == Step::Kind::get ? wiring_.gets : wiring_.sets)[step.index];
      call.batch = &batch;
      call.instance = members_[batch.member].instance.get();
      const auto routes =
          std::span(wiring_.routes).subspan(batch.first, step.kind == Step::Kind::set ? batch.count : 0);
      call.copies = std::all_of(routes.begin(), routes.end(), [](const Route& r) {
        return r.source != none && r.formula == none && r.factor == 1 && r.offset == 0;
      });
      call.evaluates = step.kind == Step::Kind::get && members_[batch.member].lags;
    }
    calls_.push_back(call);
  }
}

void Coupling::operator()(Time t) {
  t_ = t;
  const bool may_copy = !is_overridden_;
  double* const y = state_.y.data();
  double* const u = state_.u.data();
  for (const auto& call : calls_) {
    if (call.step.kind == Step::Kind::solve) {
      solve(call.step.index, t);
      continue;
    }
    const auto& batch = *call.batch;
    if (call.step.kind == Step::Kind::get) {
      if (call.evaluates) [[unlikely]]
        members_[batch.member].evaluate(t);
      call.instance->get<double>(batch.references, std::span(y + batch.first, batch.count));
      continue;
    }
    if (call.copies && may_copy) {
      const std::uint32_t end = batch.first + batch.count;
      for (std::uint32_t i = batch.first; i < end; ++i) u[i] = y[sources_[i]];
    } else {
      route(batch);
    }
    call.instance->set<double>(batch.references, std::span<const double>(u + batch.first, batch.count));
  }
}

void Coupling::some(Time t, std::span<const std::uint8_t> takes_part) {
  t_ = t;
  const auto is_in = [&](const Batch& batch) { return takes_part[batch.member] != 0; };
  for (const auto& step : wiring_.steps) {
    if (step.kind == Step::Kind::get) {
      if (const auto& batch = wiring_.gets[step.index]; is_in(batch)) get(batch, t);
    } else if (step.kind == Step::Kind::set) {
      const auto& batch = wiring_.sets[step.index];
      if (!is_in(batch)) continue;
      route(batch);
      set(batch);
    } else if (const auto& sets = wiring_.loops[step.index].sets; std::all_of(sets.begin(), sets.end(), is_in)) {
      solve(step.index, t);
    }
  }
}

void Coupling::solve(std::uint32_t index, Time t) {
  const auto& loop = wiring_.loops[index];
  auto& guess = guesses_[index];
  for (std::size_t i = 0; i < guess.size(); ++i) guess[i] = state_.u[loop.inputs[i]];
  loops_[index](guess, loop_tolerance, t);
  state_.loops[index] = loops_[index].memory();
}

void Coupling::override_input(std::uint32_t input, double value) {
  state_.overrides[input] = value;
  find_overrides();
}

void Coupling::find_overrides() {
  is_overridden_ =
      std::any_of(state_.overrides.begin(), state_.overrides.end(), [](double x) { return !std::isnan(x); });
}

void Coupling::evaluate_loop(const LoopPart& loop, std::span<const double> u, std::span<double> image) {
  for (std::size_t i = 0; i < u.size(); ++i) state_.u[loop.inputs[i]] = u[i];
  for (const auto& batch : loop.sets) set(batch);
  for (const auto& batch : loop.gets) get(batch, t_);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = routed(loop.inputs[i]);
}

// Each input of the loop in turn: the outputs of its member that depend on it, and the inputs that take these.
bool Coupling::loop_jacobian(const LoopPart& loop, std::span<double> jacobian) {
  const std::size_t n = loop.inputs.size();
  std::fill(jacobian.begin(), jacobian.end(), 0.0);
  column_.assign(state_.y.size(), 0.0);
  const auto by_link = gains(t_);
  for (std::size_t j = 0; j < n; ++j) {
    const auto& slot = wiring_.inputs[loop.inputs[j]];
    const auto batch =
        std::find_if(loop.gets.begin(), loop.gets.end(), [&](const Batch& b) { return b.member == slot.member; });
    if (batch == loop.gets.end()) continue;
    const auto part = std::span(column_).subspan(batch->first, batch->count);
    if (!derivatives_.outputs_by_input(*batch, loop.inputs[j], part)) return false;
    for (std::size_t i = 0; i < n; ++i) {
      for (const auto l : wiring_.links_to[loop.inputs[i]]) {
        const auto output = wiring_.links[l].output;
        if (output >= batch->first && output < batch->first + batch->count)
          jacobian[j * n + i] += by_link[l] * column_[output];
      }
    }
  }
  return true;
}

// --- formulas --------------------------------------------------------------------------------------------------------

void Coupling::read_operands(const FormulaPart& part, couple::FormulaSlots& slots) const {
  for (std::size_t i = 0; i < part.operands.size(); ++i) {
    const auto& o = part.operands[i];
    const double value = o.output != none ? state_.y[o.output] : couple::number_at(*discrete_, o.type, o.source);
    slots[i] = o.factor * value + o.offset;
  }
}

double Coupling::value_of(const FormulaPart& part) {
  couple::FormulaSlots slots;
  read_operands(part, slots);
  const auto& f = *part.formula;
  if (!holds_) static_cast<void>(f.program->refresh(slots, t_, held(part)));
  return part.sign * (f.factor * f.program->evaluate(slots, t_, held(part)) + f.offset);
}

void Coupling::indicators(Time t, std::span<double> values) {
  for (const auto& batch : wiring_.late) get(batch, t);
  for (const auto* const parts : {&wiring_.formulas, &wiring_.conditions}) {
    for (const auto& part : *parts) {
      const auto count = part.formula->program->relations().size();
      if (count == 0) continue;
      couple::FormulaSlots slots;
      read_operands(part, slots);
      part.formula->program->indicators(slots, t, held(part),
                                        std::span(relation_values_).subspan(part.first_relation, count));
    }
  }
  for (std::size_t i = 0; i < located_.size(); ++i) values[i] = relation_values_[located_[i]];
}

void Coupling::refresh_conditions(Time t) {
  for (const auto& batch : wiring_.late) get(batch, t);
  for (const auto& part : wiring_.conditions) {
    couple::FormulaSlots slots;
    read_operands(part, slots);
    static_cast<void>(part.formula->program->refresh(slots, t, held(part)));
  }
}

std::span<const double> Coupling::gains(Time t) {
  for (std::size_t l = 0; l < gains_.size(); ++l) gains_[l] = wiring_.links[l].gain;
  for (const auto& part : wiring_.formulas) {
    couple::FormulaSlots slots, gradient;
    read_operands(part, slots);
    double value = 0, by_time = 0;
    part.formula->program->gradient(slots, t, held(part), value, std::span(gradient).first(part.links.size()), by_time);
    const auto used = part.formula->program->operands();
    for (std::size_t k = 0; k < part.links.size(); ++k)
      if (part.links[k] != none)
        gains_[part.links[k]] = part.sign * part.formula->factor * gradient[k] * part.operands[used[k].slot].factor;
  }
  for (std::size_t i = 0; i < state_.overrides.size(); ++i)
    if (!std::isnan(state_.overrides[i]))
      for (const auto l : wiring_.links_to[i]) gains_[l] = 0;
  return gains_;
}

std::string Coupling::explain(Time t) const {
  for (const auto& part : wiring_.formulas) {
    if (std::isfinite(state_.u[part.input])) continue;
    couple::FormulaSlots slots;
    read_operands(part, slots);
    auto reason = part.formula->program->explain(slots, t);
    if (!reason.empty()) return fmt::format("{} has no value: {}", part.formula->text, reason);
  }
  return {};
}

}  // namespace consort::group
