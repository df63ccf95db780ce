#include "host/process/unit_server.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/error.hpp"

namespace consort::host {

using fleet::Message;
using fleet::Verb;

namespace {

constexpr fleet::Local only = 0;
constexpr std::size_t most_said = std::size_t{16} << 20;  // bytes between two answers
constexpr std::uint32_t most_substeps = 1'000'000;

std::size_t elements_of(const describe::SignalSet& set) {
  std::size_t sum = 0;
  for (const auto& group : set.groups()) sum += group.elements();
  return sum;
}

std::int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

}  // namespace

UnitServer::UnitServer(WorkerFactory factory) : factory_(std::move(factory)) {}
UnitServer::~UnitServer() = default;

// --- messages of the unit -------------------------------------------------------------------------------------------

void UnitServer::Said::log(const LogMessage& message) { add({false, message}); }

void UnitServer::Said::trace(std::string_view line) {
  Line traced{true, {}};
  traced.message.text = line;
  add(std::move(traced));
}

void UnitServer::Said::add(Line line) {
  const std::size_t size = line.message.unit.size() + line.message.category.size() + line.message.text.size() + 64;
  const std::scoped_lock lock(mutex_);
  if (size > most_said - bytes_) {
    ++dropped_;
    return;
  }
  bytes_ += size;
  lines_.push_back(std::move(line));
}

bool UnitServer::Said::write(Writer& out) {
  const std::scoped_lock lock(mutex_);
  if (lines_.empty() && dropped_ == 0) return false;
  out.put(static_cast<std::uint64_t>(lines_.size()));
  for (const auto& [is_trace, m] : lines_) out(is_trace, m.level, m.unit, m.category, m.text);
  out.put(dropped_);
  clear();
  return true;
}

void UnitServer::Said::forget() {
  const std::scoped_lock lock(mutex_);
  clear();
}

void UnitServer::Said::clear() {
  lines_.clear();
  bytes_ = 0;
  dropped_ = 0;
}

// --- requests and answers -------------------------------------------------------------------------------------------

std::size_t UnitServer::serve(std::span<const std::uint8_t> request, fleet::MessageArea& area) {
  Message what = Message::make;
  try {
    Reader in(request);
    what = in.head().what;
    const bool is_timed = (in.head().flags & fleet::timed) != 0;
    Writer out(area);
    dispatch(in, out);
    const std::uint32_t flags = said_.write(out) ? fleet::lines : 0;
    return out.finish(what, flags, is_timed ? now() : 0);
  } catch (...) {
    return fail(what, std::current_exception(), area);
  }
}

std::size_t UnitServer::fail(Message what, std::exception_ptr why, fleet::MessageArea& area) {
  served_.clear();
  const Time next_event = connected_ ? signals_.next_event[0] : fleet::never;
  try {
    Writer out(area);
    out.put(why);
    out.put(next_event);
    const std::uint32_t flags = fleet::failed | (said_.write(out) ? fleet::lines : 0);
    return out.finish(what, flags, now());
  } catch (...) {
    // The texts do not fit or memory is exhausted.
    said_.forget();
    Writer out(area);
    out.put(std::make_exception_ptr(
        run_error("the answer of the unit does not fit into a message; run the unit in the engine's process")));
    out.put(next_event);
    return out.finish(what, fleet::failed, now());
  }
}

void UnitServer::dispatch(Reader& in, Writer& out) {
  const Message what = in.head().what;
  Reader::check((what == Message::make) == (units_ == nullptr));
  const auto with_events = [&] { Reader::check(traits_.event_verbs); };
  switch (what) {
    case Message::make: return make(in, out);
    case Message::connect: return connect(in);
    case Message::work: return work(in, out);
    case Message::save: return save(in);
    case Message::restore: return restore(in);
    case Message::differentiate: return differentiate(in, out);
    case Message::configure: return configure(in, out);
    case Message::reset: return reset(in, out);
    case Message::enter_initialization: return enter_initialization(in);
    case Message::exit_initialization: units_->exit_initialization(std::span(&only, 1)); break;
    case Message::terminate: units_->terminate(std::span(&only, 1)); break;
    case Message::get: return get(in, out);
    case Message::set: return set(in);
    case Message::try_get: return try_get(in, out);
    case Message::enter_event_mode:
      with_events();
      units_->enter_event_mode(std::span(&only, 1));
      break;
    case Message::leave_event_mode:
      with_events();
      units_->leave_event_mode(std::span(&only, 1));
      break;
    case Message::settle: with_events(); return settle(in, out);
    case Message::serialise: return serialise(in, out);
    case Message::deserialise: return deserialise(in);
    case Message::expect_discards:
      Reader::check(connected_);
      units_->expect_discards(only);
      break;
  }
  in.expect_end();
  await_unit();
}

void UnitServer::await_unit() {
  served_.clear();
  units_->finish(served_);
  served_.rethrow();
}

// --- the phases -----------------------------------------------------------------------------------------------------

void UnitServer::make(Reader& in, Writer& out) {
  fleet::UnitSpec spec;
  spec.fields(in);
  in.expect_end();
  const Voice voice{[this](const LogMessage& message) { said_.log(message); },
                    [this](std::string_view line) { said_.trace(line); }};
  units_ = std::make_unique<SerialUnits>(std::span(&spec, 1), [&](const fleet::UnitSpec& wanted) {
    auto made = factory_(wanted, voice);
    unit_ = made.get();
    return made;
  });
  traits_ = units_->traits()[0];
  traits_.fields(out);
}

void UnitServer::connect(Reader& in) {
  Reader::check(wiring_.units.empty());  // only once, even after an error
  inputs_ = in.set(description());
  outputs_ = in.set(description());
  fleet::Wiring::Unit u;
  u.blocks.inputs = &inputs_;
  u.blocks.outputs = &outputs_;
  in(u.blocks.substeps, u.blocks.keep_parts, u.output_order);
  Reader::check(u.blocks.substeps >= 1 && u.blocks.substeps <= most_substeps);
  Reader::check(u.output_order >= 0 && u.output_order <= std::min(traits_.output_order, fleet::highest_order));
  if (u.blocks.keep_parts)
    Reader::check(elements_of(outputs_) <= fleet::largest_message / sizeof(double) / u.blocks.substeps);
  std::vector<std::uint8_t> members;
  in.list(members);
  in.expect_end();
  wiring_ = {};
  for (const auto member : members) {
    Reader::check(member <= 1 && (member == 0 || traits_.can_roll_back()));
    wiring_.snapshots.emplace_back(member, only);
  }
  wiring_.units.push_back(u);
  wiring_.waves.push_back({{only}, {}});
  wiring_.replies = std::span(&reply_, 1);
  signals_.inputs = inputs_.make_columns();
  signals_.outputs = outputs_.make_columns();
  signals_.derivatives.assign(fleet::highest_order * inputs_.real_elements(), 0.0);
  signals_.output_derivatives.assign(static_cast<std::size_t>(u.output_order) * outputs_.real_elements(), 0.0);
  signals_.order.assign(1, 0);
  signals_.next_event.assign(1, fleet::never);
  saved_.assign(members.size(), false);
  units_->connect(wiring_);
  connected_ = true;
}

// --- steps ----------------------------------------------------------------------------------------------------------

void UnitServer::work(Reader& in, Writer& out) {
  Reader::check(connected_);
  fleet::StepRequest request;
  std::uint8_t order = 0;
  std::uint8_t highest = 0;
  const auto verb = in.take<Verb>();
  in(request.t, request.h, request.may_roll_back, request.stop_at_event, request.may_discard, order, highest,
     signals_.next_event[0]);
  Reader::check(order <= highest && highest <= fleet::highest_order);
  Reader::check(verb != Verb::update || traits_.event_verbs);
  if (verb != Verb::read) in.block(inputs_, signals_.inputs, {});
  if (verb == Verb::step) in.copy(signals_.derivatives.data(), order * inputs_.real_elements() * sizeof(double));
  in.expect_end();
  signals_.order[0] = order;
  signals_.highest = highest;

  served_.clear();
  if (!units_->submit(0, {verb, &request, &signals_})) await_unit();

  const bool told = !served_.told().empty();
  out(signals_.next_event[0], told);
  if (told) out.put(std::exchange(reply_, {}));
  if (verb == Verb::give) return;
  out.block(outputs_, signals_.outputs, {});
  if (verb != Verb::update)  // units provide no derivatives in event mode
    out.bytes(signals_.output_derivatives.data(), signals_.output_derivatives.size() * sizeof(double));
  if (verb == Verb::step)
    for (const auto& part : units_->parts(only)) out.block(outputs_, part, {});
}

// Checks references and sizes, because wrong ones would make the unit access memory out of bounds.
void UnitServer::differentiate(Reader& in, Writer& out) {
  Reader::check(connected_);
  const auto what = in.take<fleet::DerivativeOf>();
  Reader::check(what == fleet::DerivativeOf::outputs ? traits_.derivatives : traits_.step_derivatives);
  const auto count = in.take<std::uint64_t>();
  Reader::check(count <= in.left() / (4 * sizeof(std::uint64_t)));
  if (queries_.size() < count) queries_.resize(count);
  asked_.clear();
  const auto are_scalars = [&](const std::vector<ValueReference>& references) {
    bool all = true;
    for (const auto reference : references) {
      const auto id = description().find(reference, Type::Float64);
      Reader::check(id != describe::no_variable && description()[id].type == Type::Float64);
      all = all && !description()[id].is_array();
    }
    return all;
  };
  std::size_t total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    auto& q = queries_[i];
    in.list(q.unknowns);
    in.list(q.knowns);
    in.list(q.seed);
    const auto wanted = in.take<std::uint64_t>();
    Reader::check(are_scalars(q.unknowns) ? wanted == q.unknowns.size() : wanted >= q.unknowns.size());
    Reader::check(are_scalars(q.knowns) ? q.seed.size() == q.knowns.size() : q.seed.size() >= q.knowns.size());
    Reader::check(wanted <= fleet::largest_message / sizeof(double) - total);
    total += wanted;
    q.sensitivity.assign(wanted, 0.0);
    asked_.push_back({0, q.unknowns, q.knowns, q.seed, q.sensitivity});
  }
  in.expect_end();
  units_->differentiate(what, asked_);
  await_unit();
  for (std::size_t i = 0; i < count; ++i)
    out.bytes(queries_[i].sensitivity.data(), queries_[i].sensitivity.size() * sizeof(double));
}

// --- states ---------------------------------------------------------------------------------------------------------

std::uint32_t UnitServer::snapshot_of(Reader& in, bool must_be_saved) const {
  const auto index = in.take<std::uint32_t>();
  Reader::check(index < saved_.size() && !wiring_.snapshots[index].empty() && (saved_[index] || !must_be_saved));
  return index;
}

void UnitServer::save(Reader& in) {
  const auto index = snapshot_of(in, false);
  in.expect_end();
  saved_[index] = false;
  units_->save(index);
  await_unit();
  saved_[index] = true;
}

void UnitServer::restore(Reader& in) {
  const auto index = snapshot_of(in, true);
  in.expect_end();
  units_->restore(index, std::span(&only, 1));
  await_unit();
}

void UnitServer::serialise(Reader& in, Writer& out) {
  const auto index = snapshot_of(in, true);
  in.expect_end();
  Reader::check(traits_.serialises);
  std::vector<std::uint8_t> bytes;
  units_->serialise(index, only, bytes);
  await_unit();
  out.list(std::span<const std::uint8_t>(bytes));
}

void UnitServer::deserialise(Reader& in) {
  const auto index = snapshot_of(in, false);
  Reader::check(traits_.serialises);
  const auto bytes = in.part(in.take<std::uint64_t>());
  in.expect_end();
  units_->deserialise(index, only, bytes);
  await_unit();
  saved_[index] = true;
}

// --- life and values ------------------------------------------------------------------------------------------------

void UnitServer::configure(Reader& in, Writer& out) {
  const auto chosen = in.set(description());
  Columns values = chosen.make_columns();
  in.block(chosen, values, {});
  in.expect_end();
  bool done = false;
  units_->configure(only, chosen, values, done);
  await_unit();
  out.put(done);
}

void UnitServer::reset(Reader& in, Writer& out) {
  in.expect_end();
  bool done = false;
  units_->reset(only, done);
  await_unit();
  out.put(done);
}

void UnitServer::enter_initialization(Reader& in) {
  unit::Experiment experiment;
  const auto optional = [&](std::optional<double>& value) {
    const bool is_given = in.take<bool>();
    const auto number = in.take<double>();
    if (is_given) value = number;
  };
  in(experiment.start);
  optional(experiment.stop);
  optional(experiment.tolerance);
  in.expect_end();
  units_->enter_initialization(std::span(&only, 1), experiment);
  await_unit();
}

void UnitServer::get(Reader& in, Writer& out) {
  const auto chosen = in.set(description());
  in.expect_end();
  Columns values = chosen.make_columns();
  units_->get(only, chosen, values, {});
  await_unit();
  out.block(chosen, values, {});
}

void UnitServer::set(Reader& in) {
  const auto chosen = in.set(description());
  Columns values = chosen.make_columns();
  in.block(chosen, values, {});
  in.expect_end();
  units_->set(only, chosen, values, {});
  await_unit();
}

void UnitServer::try_get(Reader& in, Writer& out) {
  const auto chosen = in.set(description());
  in.expect_end();
  Columns values = chosen.make_columns();
  std::string refusal;
  units_->try_get(only, chosen, values, refusal);
  await_unit();
  out.put(refusal);
  if (refusal.empty()) out.block(chosen, values, {});
}

void UnitServer::settle(Reader& in, Writer& out) {
  const auto t = in.take<Time>();
  in.expect_end();
  fleet::EventOutcome outcome;
  units_->settle(std::span(&only, 1), t, std::span(&outcome, 1));
  await_unit();
  out.put(outcome);
}

}  // namespace consort::host
