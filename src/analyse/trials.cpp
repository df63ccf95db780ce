#include "analyse/trials.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/error.hpp"
#include "unit/set_back.hpp"

namespace consort::analyse {

namespace {

using describe::Description;
using describe::Interface;
using describe::InterfaceType;
using describe::VariableId;

constexpr int some = 5;  // steps

Finding holds(std::string text) { return {Verdict::holds, std::move(text)}; }
Finding fails(std::string text) { return {Verdict::fails, std::move(text)}; }
Finding absent(std::string text) { return {Verdict::absent, std::move(text)}; }

Finding same(const Columns& expected, const Columns& found, std::string_view what, double accepted = 0) {
  const double apart = difference(expected, found);
  if (apart == 0) return holds(fmt::format("{} gave the same outputs bit for bit", what));
  if (apart <= accepted) return holds(fmt::format("{} gave the same outputs within {:.2g}, relative", what, apart));
  if (std::isinf(apart)) return fails(fmt::format("{} gave different outputs", what));
  return fails(fmt::format("{} gave outputs that differ by up to {:.2g}, relative", what, apart));
}

// --- states

// Takes some steps, changes inputs and steps on, restores the state with `come_back`, and repeats the first steps.
template <class ComeBack>
Finding repeated(Subject& subject, ComeBack&& come_back, std::string_view what, double accepted = 0) {
  const Time t = subject.time();
  subject.steps(some);
  const Columns expected = subject.outputs();
  subject.shift_inputs(1);
  subject.steps(2);
  come_back();
  subject.set_back(t);
  subject.steps(some);
  return same(expected, subject.outputs(), what, accepted);
}

Finding rollback(const fmi::Fmu& fmu, const SubjectOptions& options) {
  Subject subject(fmu, options);
  auto* const saving = subject.instance().state_saving();
  if (saving == nullptr) return absent(subject.instance().missing("function that saves its state"));
  subject.start();
  subject.steps(2);
  const auto state = saving->save();
  return repeated(
      subject, [&] { saving->restore(*state); }, "repeating steps from a saved state");
}

// Steps until a step has an event, then goes back to its beginning and repeats it. Co-Simulation does not tell of its
// events, but of what they change.
Finding rollback_across_event(const fmi::Fmu& fmu, const SubjectOptions& options) {
  constexpr int most_steps = 1000;
  constexpr double restarted = 1e-2;  // the FMU's own solver begins anew after a return
  Subject subject(fmu, options);
  auto* const saving = subject.instance().state_saving();
  if (saving == nullptr) return absent(subject.instance().missing("function that saves its state"));
  subject.start();
  const Time stop = fmu.description().default_experiment.stop_time.value_or(std::numeric_limits<double>::infinity());
  std::unique_ptr<fmi::SavedState> state;
  for (int i = 0; i < most_steps && subject.time() + options.step <= stop; ++i) {
    const Time t = subject.time();
    const int events = subject.events();
    const auto announced = subject.next_event();
    const Columns before = subject.outputs();
    const Columns discrete = subject.discrete();
    state = saving->save(std::move(state));
    subject.steps(1);
    if (subject.events() == events && difference(discrete, subject.discrete()) == 0) continue;
    const Columns expected = subject.outputs();
    const Columns discrete_expected = subject.discrete();
    const auto when = fmt::format("a step across the event after t = {:.6g} s", t);
    saving->restore(*state);
    subject.set_back(t, announced);
    if (difference(before, subject.outputs()) > restarted || difference(discrete, subject.discrete()) > 0)
      return fails("going back over " + when + " did not restore outputs or discrete variables");
    subject.steps(1);
    if (difference(discrete_expected, subject.discrete()) > 0)
      return fails("repeating " + when + " gave other discrete variables");
    return same(expected, subject.outputs(), "repeating " + when, restarted);
  }
  return absent(fmt::format("no event until t = {:.6g} s", subject.time()));
}

// The trial of unit/set_back.hpp, with steps. Differences of a converged inner iteration are accepted.
Finding rollback_by_states(const fmi::Fmu& fmu, const SubjectOptions& options) {
  constexpr double converged = 1e-9;
  if (options.interface != InterfaceType::model_exchange) return absent("the states of Co-Simulation are its own");
  Subject subject(fmu, options);
  auto& me = *subject.model_exchange();
  if (me.state_saving() != nullptr) return absent("not needed: it saves its whole state");
  if (const auto memory = unit::declared_memory(fmu.description()); !memory.empty())
    return absent("not sufficient: " + memory);
  subject.start();
  subject.steps(2);
  const Time t = subject.time();
  std::vector<double> x(me.continuous_states());
  if (!x.empty()) me.get_states(x);
  std::vector<double> u;
  for (const auto id : subject.real_inputs()) u.push_back(subject.value(id));
  auto finding = repeated(
      subject,
      [&] {
        me.set_time(t);
        for (std::size_t i = 0; i < u.size(); ++i) subject.set(subject.real_inputs()[i], u[i]);
        if (!x.empty()) me.set_states(x);
      },
      "repeating steps from time, continuous states and inputs", converged);
  if (subject.next_event()) return fails(fmt::format("it announces an event for t = {:.6g} s", *subject.next_event()));
  if (subject.events() > 0) return fails("a step ended with an event");
  return finding;
}

Finding serialisation(const fmi::Fmu& fmu, const SubjectOptions& options) {
  Subject subject(fmu, options);
  auto* const saving = subject.instance().state_saving();
  if (saving == nullptr || !saving->can_serialize()) return absent("its state cannot be written to a file");
  subject.start();
  subject.steps(2);
  const auto state = saving->save();
  const auto bytes = saving->serialize(*state);
  auto finding = repeated(
      subject, [&] { saving->restore(*saving->deserialize(bytes)); }, "repeating steps from a serialised state");
  finding.text += fmt::format("; {} bytes", bytes.size());
  return finding;
}

Finding reset(const fmi::Fmu& fmu, const SubjectOptions& options) {
  Subject subject(fmu, options);
  subject.start();
  subject.steps(some);
  const Columns expected = subject.outputs();
  subject.shift_inputs(1);
  subject.steps(1);
  subject.instance().reset();
  subject.start();
  subject.steps(some);
  return same(expected, subject.outputs(), "a new start after a reset");
}

Finding second_instance(const fmi::Fmu& fmu, const SubjectOptions& options) {
  Columns expected;
  {
    Subject alone(fmu, options, "alone");
    alone.start();
    alone.steps(some);
    expected = alone.outputs();
  }
  Subject first(fmu, options, "first");
  first.start();
  Subject second(fmu, options, "second");
  second.start();
  for (int i = 0; i < some; ++i) {
    second.shift_inputs(1);
    first.steps(1);
    second.steps(2);
  }
  return same(expected, first.outputs(), "stepping next to a second instance");
}

Finding repeated_get(const fmi::Fmu& fmu, const SubjectOptions& options) {
  Subject subject(fmu, options);
  subject.start();
  for (int i = 0; i < some; ++i) {
    subject.steps(1);
    const Columns once = subject.outputs();
    if (difference(once, subject.outputs()) != 0) return fails("the second of two reads gave other outputs");
  }
  return holds("two reads gave the same outputs");
}

// --- steps

Finding variable_step(const fmi::Fmu& fmu, const SubjectOptions& options) {
  if (options.interface == InterfaceType::model_exchange) return absent("the importer steps Model Exchange");
  Subject subject(fmu, options);
  subject.start();
  const Duration h = options.step;
  subject.step(h);
  for (const double part : {0.5, 0.5, 1.0 / 3, 2.0 / 3}) {
    try {
      subject.step(part * h);
    } catch (const Error& error) {
      return fails(
          fmt::format("a step of {:.3g} s after steps of {:.3g} s was refused: {}", part * h, h, error.what()));
    }
  }
  return holds(fmt::format("steps of {:.3g} s, and of a half, a third and two thirds of that, were accepted", h));
}

Finding input_derivatives(const fmi::Fmu& fmu, const SubjectOptions& options) {
  const auto run = [&](bool move) {
    Subject subject(fmu, options);
    auto* const derivatives = subject.co_simulation()->input_derivatives();
    std::vector<ValueReference> references;
    for (const auto id : subject.real_inputs()) references.push_back(fmu.description()[id].reference);
    const std::vector<std::int32_t> orders(references.size(), 1);
    const std::vector<double> slopes(references.size(), 1 / options.step);
    subject.start();
    for (int i = 0; i < 2; ++i) {
      subject.shift_inputs(0);
      if (move) derivatives->set_input_derivatives(references, orders, slopes);
      subject.steps(1);
    }
    return subject.outputs();
  };
  if (options.interface == InterfaceType::model_exchange) return absent("the importer sets inputs of Model Exchange");
  {
    Subject subject(fmu, options);
    if (subject.co_simulation()->input_derivatives() == nullptr)
      return absent("it does not accept derivatives of its inputs");
    if (subject.real_inputs().empty()) return absent("it has no continuous inputs");
    if (subject.real_outputs().empty()) return absent("it has no continuous output to observe");
  }
  const double apart = difference(run(false), run(true));
  return apart > 0 ? holds("derivatives of inputs are accepted and change the outputs")
                   : fails("derivatives of inputs are accepted, but do not change any output");
}

// --- derivatives

Finding output_derivatives(const fmi::Fmu& fmu, const SubjectOptions& options) {
  if (options.interface == InterfaceType::model_exchange) return absent("Model Exchange has derivatives of states");
  Subject subject(fmu, options);
  auto* const derivatives = subject.co_simulation()->output_derivatives();
  if (derivatives == nullptr) return absent("it does not provide derivatives of its outputs");
  const auto& outputs = subject.real_outputs();
  if (outputs.empty()) return absent("it has no continuous outputs");
  std::vector<ValueReference> references;
  for (const auto id : outputs) references.push_back(fmu.description()[id].reference);
  const std::vector<std::int32_t> orders(references.size(), 1);
  const auto values = [&] {
    std::vector<double> all;
    for (const auto id : outputs) all.push_back(subject.value(id));
    return all;
  };
  subject.start();
  subject.steps(some);
  const auto before = values();
  subject.steps(1);
  const auto here = values();
  std::vector<double> told(references.size());
  derivatives->output_derivatives(references, orders, told);
  subject.steps(1);
  const auto after = values();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const double back = (here[i] - before[i]) / options.step;
    const double ahead = (after[i] - here[i]) / options.step;
    const double slack = std::abs(ahead - back) + 1e-2 * std::max(std::abs(ahead), std::abs(back)) + 1e-9;
    if (std::abs(told[i] - (ahead + back) / 2) > slack)
      return fails(fmt::format("the derivative of '{}' is given as {:.6g}, but the output changes by {:.6g} per second",
                               fmu.description()[outputs[i]].name, told[i], (ahead + back) / 2));
  }
  return holds("first derivatives of outputs agree with differences");
}

// Runs in initialization mode, in which outputs respond to inputs for every interface.
Finding directional_derivatives(const fmi::Fmu& fmu, const SubjectOptions& options) {
  Subject subject(fmu, options);
  auto* const derivatives = subject.instance().directional_derivatives();
  if (derivatives == nullptr) return absent("it has no directional derivatives");
  const auto& d = fmu.description();
  if (subject.real_inputs().empty() || subject.real_outputs().empty())
    return absent("it has no continuous inputs and outputs to compare them with");
  subject.enter_initialization();
  std::vector<ValueReference> unknowns;
  for (const auto id : subject.real_outputs()) unknowns.push_back(d[id].reference);
  std::size_t compared = 0;
  for (const auto input : subject.real_inputs()) {
    const double u = subject.value(input);
    const double delta = 1e-5 * std::max(1.0, std::abs(u));
    const auto outputs_at = [&](double at) {
      subject.set(input, at);
      std::vector<double> all;
      for (const auto id : subject.real_outputs()) all.push_back(subject.value(id));
      return all;
    };
    const auto above = outputs_at(u + delta);
    const auto below = outputs_at(u - delta);
    static_cast<void>(outputs_at(u));
    std::vector<double> told(unknowns.size());
    const double seed = 1;
    derivatives->directional(unknowns, std::span(&d[input].reference, 1), std::span(&seed, 1), told);
    for (std::size_t i = 0; i < told.size(); ++i, ++compared) {
      const double seen = (above[i] - below[i]) / (2 * delta);
      if (std::abs(seen - told[i]) > 1e-3 * std::max({1.0, std::abs(seen), std::abs(told[i])}))
        return fails(fmt::format("∂{}/∂{} is given as {:.6g}, but differences give {:.6g}",
                                 d[subject.real_outputs()[i]].name, d[input].name, told[i], seen));
    }
  }
  return holds(fmt::format("{} derivatives of outputs with respect to inputs agree with differences", compared));
}

// True if an output may depend directly on an input: this is declared, or nothing is declared.
bool may_feed_through(const Description& d) {
  const auto& structure = d.structure;
  if (structure.outputs.empty()) return true;
  return std::any_of(structure.outputs.begin(), structure.outputs.end(), [&](const describe::Unknown& unknown) {
    const auto dependencies = structure.of(unknown);
    return !unknown.declared || std::any_of(dependencies.begin(), dependencies.end(), [&](const auto& dependency) {
      return d[dependency.variable].causality == describe::Causality::input;
    });
  });
}

Finding outputs_without_step(const fmi::Fmu& fmu, const SubjectOptions& options) {
  Subject subject(fmu, options);
  if (subject.real_inputs().empty()) return absent("it has no continuous inputs");
  if (!may_feed_through(fmu.description())) return absent("no output depends directly on an input");
  subject.start();
  subject.steps(2);
  const Columns before = subject.outputs();
  subject.shift_inputs(1);
  return difference(before, subject.outputs()) > 0 ? holds("outputs respond to new inputs without a step")
                                                   : fails("outputs do not respond to new inputs until the next step");
}

// --- the table

std::optional<bool> unsaid(const Description&, const Interface&) { return std::nullopt; }

constexpr std::array rows{
    TrialRow{"rollback", [](const Description&, const Interface& i) { return std::optional(i.can_save_state); },
             rollback},
    TrialRow{"rollback across an event",
             [](const Description&, const Interface& i) { return std::optional(i.can_save_state); },
             rollback_across_event},
    TrialRow{"rollback by states", unsaid, rollback_by_states},
    TrialRow{"serialisation",
             [](const Description&, const Interface& i) { return std::optional(i.can_serialize_state); },
             serialisation},
    TrialRow{"variable step",
             [](const Description&, const Interface& i) {
               return i.type == InterfaceType::model_exchange ? std::nullopt : std::optional(i.variable_step);
             },
             variable_step},
    TrialRow{"input derivatives",
             [](const Description&, const Interface& i) {
               return i.type == InterfaceType::model_exchange ? std::nullopt : std::optional(i.interpolates_inputs);
             },
             input_derivatives},
    TrialRow{"output derivatives",
             [](const Description&, const Interface& i) {
               return i.type == InterfaceType::model_exchange ? std::nullopt
                                                              : std::optional(i.max_output_derivative_order > 0);
             },
             output_derivatives},
    TrialRow{"directional derivatives",
             [](const Description&, const Interface& i) { return std::optional(i.directional_derivatives); },
             directional_derivatives},
    TrialRow{"second instance",
             [](const Description&, const Interface& i) { return std::optional(!i.only_once_per_process); },
             second_instance},
    TrialRow{"outputs without a step",
             [](const Description&, const Interface& i) {
               return i.type == InterfaceType::model_exchange ? std::optional(true) : std::nullopt;
             },
             outputs_without_step},
    TrialRow{"reset", unsaid, reset},
    TrialRow{"repeated get", unsaid, repeated_get},
};

}  // namespace

std::span<const TrialRow> trial_rows() { return rows; }

}  // namespace consort::analyse
