#include "couple/run_state.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace consort::couple {

RunState make_run_state(const graph::Plan& plan) {
  RunState state;
  state.signals.inputs = plan.make_inputs();
  state.signals.outputs = plan.make_outputs();
  state.signals.next_event.assign(plan.units.size(), fleet::never);
  state.signals.order.assign(plan.units.size(), 0);
  state.stopped.assign(plan.units.size(), fleet::never);
  state.loops.resize(plan.loops.size());
  state.apart.resize(plan.units.size());
  return state;
}

std::string text_of(const Sightings& s, const std::function<std::string(std::uint64_t)>& name) {
  std::string text;
  const auto shown = std::min<std::uint64_t>(s.count, Sightings::most);
  for (std::size_t i = 0; i < shown; ++i)
    text += fmt::format("{}{} at t = {:.6g} s", i == 0 ? "" : ", ", name(s.where[i]), s.when[i]);
  if (s.count > shown) text += fmt::format(" and {} more", s.count - shown);
  return text;
}

void hear(const fleet::Fleet& fleet, RunState& state, const unit::StepRequest& request, unit::StepOutcome& outcome) {
  using unit::Why;
  const Time end = request.t + request.h;
  const Duration near = fleet::slack(request.t, end);
  for (const auto u : fleet.told()) {
    const auto& reply = fleet.reply(u);
    if (reply.outcome.why == Why::discarded) {
      if (outcome.why != Why::discarded || reply.outcome.reached < outcome.reached) outcome = reply.outcome;
      state.discarded_by = u;
      continue;
    }
    if (reply.counts.discarded > 0 && fleet.size() > 1) {
      auto& apart = state.apart[u];
      if (apart.count++ == 0) apart.first = request.t;
      ++state.discards;
    }
    state.events += reply.counts.events;
    if (reply.counts.events > 0 && reply.first_event > request.t + near && reply.first_event < end - near)
      state.inner_events.add(u, reply.first_event);
    if (reply.outcome.why == Why::event) {
      state.stopped[u] = std::min(state.stopped[u], reply.outcome.reached);
      const bool inside = reply.outcome.reached < end - near;
      const bool first = outcome.why != Why::event || reply.outcome.reached < outcome.reached;
      if (inside && first && outcome.why != Why::discarded) outcome = reply.outcome;
    }
    if (reply.outcome.why != Why::terminate) continue;
    if (outcome.why == Why::completed) outcome.why = Why::terminate;
    if (!state.stop.asked || reply.outcome.reached < state.stop.at) state.stop = {true, u, reply.outcome.reached};
  }
}

namespace {

template <class Archive, class State>
void fields(Archive& archive, State& state) {
  archive(state.t, state.n, state.steps, state.events, state.stop.asked, state.stop.unit, state.stop.at,
          state.rows.points, state.rows.next, state.signals.inputs, state.signals.outputs, state.signals.next_event,
          state.signals.order, state.signals.highest, state.kept, state.loops, state.inner_events, state.apart,
          state.discards);
  auto& c = state.control;
  archive(c.next, c.taken, c.error, c.accepted, c.rejected, c.unit_steps, c.worst, c.cut, c.at_maximum, c.exceeded,
          c.largest_error, c.lingering, c.error_decided, c.at_event, c.jumps);
  for (auto& t : state.tallies)
    archive(t.steps, t.iterations, t.for_jacobian, t.most, t.failures, t.largest, t.last_to_agree, t.residuals);
}

}  // namespace

void write(ByteWriter& writer, const RunState& state) {
  RunState copy = state;  // fields() takes a mutable reference, because it also reads
  fields(writer, copy);
  writer(state.signals.derivatives, state.signals.output_derivatives, state.control.signals, state.bonds);
  state.memory.back.write(writer);
  state.memory.stays.write(writer);
}

void read(ByteReader& reader, RunState& state) {
  fields(reader, state);
  reader.any_size(state.signals.derivatives);
  reader(state.signals.output_derivatives);
  reader.any_size(state.control.signals);
  reader.any_size(state.bonds);
  state.memory.back.read(reader);
  state.memory.stays.read(reader);
  const std::size_t width = state.signals.inputs.column<double>().size();
  const std::size_t derivatives = state.signals.derivatives.size();
  const int order = state.signals.highest;
  const auto is_order = [&](std::uint8_t o) { return o <= order; };
  ByteReader::check(order >= 0 && order <= fleet::highest_order &&
                    std::all_of(state.signals.order.begin(), state.signals.order.end(), is_order) &&
                    static_cast<std::size_t>(order) * width <= derivatives &&
                    derivatives <= static_cast<std::size_t>(fleet::highest_order) * width);
}

}  // namespace consort::couple
