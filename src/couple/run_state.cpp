#include "couple/run_state.hpp"

namespace consort::couple {

RunState make_run_state(const graph::Plan& plan) {
  RunState state;
  state.signals.inputs = plan.make_inputs();
  state.signals.outputs = plan.make_outputs();
  state.signals.next_event.assign(plan.units.size(), unit::never);
  state.history = History(state.signals.inputs.column<double>().size());
  state.coarse = state.history;
  return state;
}

namespace {

bool have_same_shape(const Columns& a, const Columns& b) {
  bool same = true;
  for_each_type([&]<class T>() { same = same && a.column<T>().size() == b.column<T>().size(); });
  return same;
}

template <class Archive, class State>
void fields(Archive& archive, State& state) {
  archive(state.t, state.steps, state.stopped, state.signals.inputs, state.signals.outputs, state.signals.next_event,
          state.signals.order);
  state.history.fields(archive);
  state.coarse.fields(archive);
  auto& c = state.control;
  archive(c.next, c.taken, c.error, c.accepted, c.rejected, c.unit_steps, c.worst, c.cut, c.at_maximum, c.exceeded,
          c.largest_error, c.lingering, c.error_decided);
  for (auto& m : state.iteration)
    archive(m.x, m.residual, m.numbers, m.tags, m.step, m.columns, m.pairs, m.factor, m.has_matrix);
  for (auto& t : state.tallies)
    archive(t.steps, t.iterations, t.for_jacobian, t.most, t.failures, t.largest, t.last_to_agree, t.residuals);
}

}  // namespace

void write(ByteWriter& writer, const RunState& state) {
  RunState copy = state;  // fields() takes it as a reader would
  fields(writer, copy);
  const bool has_previous = have_same_shape(state.previous, state.signals.outputs);
  writer(static_cast<std::uint64_t>(state.iteration.size()), state.signals.derivatives, state.control.signals,
         state.bonds, has_previous);
  if (has_previous) writer(state.previous);
}

void read(ByteReader& reader, RunState& state) {
  fields(reader, state);
  std::uint64_t components = 0;
  bool has_previous = false;
  reader(components);
  reader.any_size(state.signals.derivatives);
  reader.any_size(state.control.signals);
  reader.any_size(state.bonds);
  reader(has_previous);
  if (has_previous) {
    state.previous = state.signals.outputs;
    reader(state.previous);
  }
  const std::size_t width = state.signals.inputs.column<double>().size();
  const std::size_t derivatives = state.signals.derivatives.size();
  const int order = state.signals.order;
  constexpr int highest = most_points - 1;
  ByteReader::check(components == state.iteration.size() && state.history.is_sound() && state.coarse.is_sound() &&
                    order >= 0 && order <= highest && static_cast<std::size_t>(order) * width <= derivatives &&
                    derivatives <= static_cast<std::size_t>(highest) * width);
}

}  // namespace consort::couple
