#include "host/process/unit_client.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"

namespace consort::host {

using fleet::Message;
using fleet::Verb;

namespace {

constexpr std::array<std::string_view, fleet::verb_count> verbs{"step", "evaluation", "reading of outputs",
                                                                "update in event mode", "setting of inputs"};

// An error thrown before the unit was made may not contain its name.
std::exception_ptr named(const std::exception_ptr& thrown, const std::string& name) {
  try {
    with_unit(name, [&] { std::rethrow_exception(thrown); });
  } catch (...) {
    return std::current_exception();
  }
  return thrown;
}

}  // namespace

std::string UnitClient::doing() const {
  if (asked_ != Message::work) return std::string(name_of(asked_));
  return fmt::format("{} at t = {} s", verbs.at(static_cast<std::size_t>(verb_)), t_);
}

// --- requests -------------------------------------------------------------------------------------------------------

std::size_t UnitClient::finish(Writer& out, Message what, std::uint32_t flags) {
  asked_ = what;
  return out.finish(what, flags);
}

std::size_t UnitClient::make(Area& area, const fleet::UnitSpec& spec) {
  Writer out(area);
  fleet::UnitSpec(spec).fields(out);
  return finish(out, Message::make);
}

std::size_t UnitClient::connect(Area& area, const fleet::Wiring& wiring, fleet::Local self) {
  const auto& u = wiring.units[self];
  id_ = u.id;
  blocks_ = u.blocks;
  output_order_ = u.output_order;
  reals_in_ = static_cast<std::uint32_t>(blocks_.inputs->real_elements());
  reals_out_ = static_cast<std::uint32_t>(blocks_.outputs->real_elements());
  if (blocks_.keep_parts && blocks_.substeps > 1) parts_.assign(blocks_.substeps - 1, blocks_.outputs->make_columns());
  std::vector<std::uint8_t> members;
  for (const auto& units : wiring.snapshots)
    members.push_back(std::find(units.begin(), units.end(), self) != units.end() ? 1 : 0);
  Writer out(area);
  out.put(*blocks_.inputs);
  out.put(*blocks_.outputs);
  out(blocks_.substeps, blocks_.keep_parts, output_order_);
  out.list(std::span<const std::uint8_t>(members));
  return finish(out, Message::connect);
}

std::size_t UnitClient::work(Area& area, const fleet::Work& work, bool is_timed) {
  const auto& request = *work.request;
  const auto& signals = *work.signals;
  verb_ = work.verb;
  t_ = request.t;
  signals_ = work.signals;
  // The highest order of all units selects the code path of the unit; its own order determines the derivatives sent.
  const std::uint8_t order = signals.highest > 0 ? signals.order[id_] : std::uint8_t{0};
  Writer out(area);
  out(work.verb, request.t, request.h, request.may_roll_back, request.stop_at_event, request.may_discard, order,
      static_cast<std::uint8_t>(signals.highest), signals.next_event[id_]);
  if (verb_ != Verb::read) out.block(*blocks_.inputs, signals.inputs, blocks_.first_input);
  if (verb_ == Verb::step) {
    const std::size_t width = signals.inputs.column<double>().size();
    for (std::size_t m = 0; m < order; ++m)
      out.bytes(signals.derivatives.data() + m * width + blocks_.first_input[float64], reals_in_ * sizeof(double));
  }
  return finish(out, Message::work, is_timed ? fleet::timed : 0);
}

std::size_t UnitClient::differentiate(Area& area, fleet::DerivativeOf what,
                                      std::span<const fleet::DerivativeQuery> queries) {
  queries_ = queries;
  const auto own = static_cast<std::uint64_t>(
      std::count_if(queries.begin(), queries.end(), [&](const auto& q) { return q.unit == id_; }));
  Writer out(area);
  out(what, own);
  for (const auto& q : queries) {
    if (q.unit != id_) continue;
    out.list(q.unknowns);
    out.list(q.knowns);
    out.list(q.seed);
    out.put(static_cast<std::uint64_t>(q.sensitivity.size()));
  }
  return finish(out, Message::differentiate);
}

std::size_t UnitClient::serialise(Area& area, std::uint32_t snapshot, std::vector<std::uint8_t>& bytes) {
  bytes_ = &bytes;
  return plain(area, Message::serialise, snapshot);
}

std::size_t UnitClient::deserialise(Area& area, std::uint32_t snapshot, std::span<const std::uint8_t> bytes) {
  Writer out(area);
  out.put(snapshot);
  out.list(bytes);
  return finish(out, Message::deserialise);
}

std::size_t UnitClient::configure(Area& area, const describe::SignalSet& set, const Columns& values, bool& done) {
  done_ = &done;
  Writer out(area);
  out.put(set);
  out.block(set, values, {});
  return finish(out, Message::configure);
}

std::size_t UnitClient::reset(Area& area, bool& done) {
  done_ = &done;
  return plain(area, Message::reset);
}

std::size_t UnitClient::enter_initialization(Area& area, const unit::Experiment& e) {
  return plain(area, Message::enter_initialization, e.start, e.stop.has_value(), e.stop.value_or(0),
               e.tolerance.has_value(), e.tolerance.value_or(0));
}

std::size_t UnitClient::get(Area& area, const describe::SignalSet& set, Columns& values, const describe::Offsets& at) {
  chosen_ = &set;
  values_ = &values;
  at_ = at;
  Writer out(area);
  out.put(set);
  return finish(out, Message::get);
}

std::size_t UnitClient::set(Area& area, const describe::SignalSet& set, const Columns& values,
                            const describe::Offsets& at) {
  Writer out(area);
  out.put(set);
  out.block(set, values, at);
  return finish(out, Message::set);
}

std::size_t UnitClient::try_get(Area& area, const describe::SignalSet& set, Columns& values, std::string& refusal) {
  chosen_ = &set;
  values_ = &values;
  refusal_ = &refusal;
  Writer out(area);
  out.put(set);
  return finish(out, Message::try_get);
}

std::size_t UnitClient::settle(Area& area, Time t, fleet::EventOutcome& outcome) {
  outcome_ = &outcome;
  return plain(area, Message::settle, t);
}

// --- answers --------------------------------------------------------------------------------------------------------

bool UnitClient::read(std::span<const std::uint8_t> answer, fleet::Reply& reply) {
  Reader in(answer);
  const bool has_failed = (in.head().flags & fleet::failed) != 0;
  Reader::check(in.head().what == asked_ || has_failed);  // on failure, the worker may not have understood the request
  answered_at_ = in.head().time;
  bool quiet = true;
  std::exception_ptr thrown;
  if (has_failed) [[unlikely]] {
    thrown = in.exception(name_);
    if (asked_ == Message::make) thrown = named(thrown, name_);
    const auto next_event = in.take<Time>();
    if (asked_ == Message::work) signals_->next_event[id_] = next_event;
  } else {
    read_body(in, reply, quiet);
  }
  if ((in.head().flags & fleet::lines) != 0) read_lines(in);
  in.expect_end();
  if (thrown) std::rethrow_exception(thrown);
  return quiet;
}

void UnitClient::read_body(Reader& in, fleet::Reply& reply, bool& quiet) {
  switch (asked_) {
    case Message::make: {
      fleet::UnitTraits traits;
      traits.fields(in);
      Reader::check(traits.input_order >= 0 && traits.output_order >= 0);
      traits_ = std::move(traits);
      break;
    }
    case Message::work: return read_work(in, reply, quiet);
    case Message::differentiate:
      for (const auto& q : queries_)
        if (q.unit == id_) in.copy(q.sensitivity.data(), q.sensitivity.size_bytes());
      break;
    case Message::configure:
    case Message::reset: in(*done_); break;
    case Message::get: in.block(*chosen_, *values_, at_); break;
    case Message::try_get:
      in(*refusal_);
      if (refusal_->empty()) in.block(*chosen_, *values_, {});
      break;
    case Message::settle: in.take(*outcome_); break;
    case Message::serialise: in.list(*bytes_); break;
    default: break;
  }
}

void UnitClient::read_work(Reader& in, fleet::Reply& reply, bool& quiet) {
  bool told = false;
  in(signals_->next_event[id_], told);
  if (told) in.take(reply);
  quiet = !told;
  if (verb_ == Verb::give) return;
  in.block(*blocks_.outputs, signals_->outputs, blocks_.first_output);
  const std::size_t width = signals_->outputs.column<double>().size();
  for (std::size_t m = 0; verb_ != Verb::update && m < static_cast<std::size_t>(output_order_); ++m)
    in.copy(signals_->output_derivatives.data() + m * width + blocks_.first_output[float64],
            reals_out_ * sizeof(double));
  if (verb_ == Verb::step)
    for (auto& part : parts_) in.block(*blocks_.outputs, part, {});
}

void UnitClient::read_lines(Reader& in) {
  const auto count = in.take<std::uint64_t>();
  LogMessage message;
  for (std::uint64_t i = 0; i < count; ++i) {
    const bool is_trace = in.take<bool>();
    in(message.level, message.unit, message.category, message.text);
    if (is_trace && voice_->trace) voice_->trace(message.text);
    if (!is_trace && voice_->log) voice_->log(message);
  }
  if (const auto dropped = in.take<std::uint64_t>(); dropped > 0 && voice_->log) {
    voice_->log({LogLevel::warning, name_, "",
                 fmt::format("{} more messages of this unit were dropped because it wrote too many at once", dropped)});
  }
}

}  // namespace consort::host
