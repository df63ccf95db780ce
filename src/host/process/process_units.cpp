#include "host/process/process_units.hpp"

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "host/cores.hpp"

namespace consort::host {

using fleet::Local;
using fleet::Message;

namespace {

constexpr Local no_local = std::numeric_limits<Local>::max();
constexpr std::chrono::seconds grace{2};

// Spin only if every worker and the engine have a core each.
std::chrono::nanoseconds spin_for(std::size_t workers) {
  return usable_cores().size() > workers ? std::chrono::microseconds(100) : std::chrono::nanoseconds(0);
}

}  // namespace

// --- life of the workers --------------------------------------------------------------------------------------------

ProcessUnits::ProcessUnits(std::span<const fleet::UnitSpec> specs, const std::filesystem::path& worker, Voice voice)
    : voice_(std::move(voice)), served_(specs.size()) {
  const auto spin = spin_for(specs.size());
  workers_.reserve(specs.size());
  pending_.reserve(specs.size());
  try {
    for (const auto& spec : specs) workers_.push_back(std::make_unique<Worker>(spec, worker, voice_, spin));
    for (Local u = 0; u < workers_.size(); ++u)
      ask(u, [&](UnitClient& client, Channel& channel) { return client.make(channel, specs[u]); });
    collect_all();
    served_.rethrow();
  } catch (...) {
    end_all();
    throw;
  }
  for (const auto& w : workers_) traits_.push_back(w->client.traits());
}

ProcessUnits::~ProcessUnits() { end_all(); }

void ProcessUnits::end_all() noexcept {
  for (const auto& w : workers_)
    if (w->lost.empty()) w->channel.end();
  const auto until = Clock::now() + grace;
  auto pause = std::chrono::microseconds(100);
  for (const auto& w : workers_) {
    while (!w->process.has_ended() && Clock::now() < until) {
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, std::chrono::microseconds(5000));
    }
  }
  for (const auto& w : workers_) w->process.kill();
}

void ProcessUnits::lose(Worker& w) {
  w.process.kill();
  w.lost = fmt::format("unit '{}' is lost: its process {} in {}; start the run again", w.client.name(), w.process.how(),
                       w.client.doing());
}

// --- messages -------------------------------------------------------------------------------------------------------

template <class Write>
void ProcessUnits::ask(Local unit, Write&& write) {
  Worker& w = *workers_[unit];
  if (w.pending) collect(unit);
  try {
    if (!w.lost.empty()) throw Error(Fault::run, w.lost);
    w.channel.send(write(w.client, w.channel));
    w.pending = true;
    pending_.push_back(unit);
  } catch (...) {
    served_.fail(id_of(unit), std::current_exception());
  }
}

void ProcessUnits::ask_all(std::span<const Local> units, Message what) {
  for (const auto u : units) ask(u, [&](UnitClient& client, Channel& channel) { return client.ask(channel, what); });
}

void ProcessUnits::collect(Local unit) {
  Worker& w = *workers_[unit];
  if (!std::exchange(w.pending, false)) return;
  fleet::Reply nowhere;
  const auto id = id_of(unit);
  try {
    if (!w.channel.await_answer([&] { return !w.process.has_ended(); })) {
      lose(w);
      throw run_error("unit '{}': its process {} in {}; {}", w.client.name(), w.process.how(), w.client.doing(),
                      w.process.advice())
          .in_unit(w.client.name());
    }
    if (!w.client.read(w.channel.message(), replies_.empty() ? nowhere : replies_[id])) served_.tell(id);
    if (w.measured) [[unlikely]]
      measure(unit);
  } catch (const fleet::Damaged& damage) {
    lose(w);
    served_.fail(id, std::make_exception_ptr(run_error("unit '{}': {}, in {}; report it to the maker of the unit",
                                                       w.client.name(), damage.what(), w.client.doing())
                                                 .in_unit(w.client.name())));
  } catch (...) {
    served_.fail(id, std::current_exception());
  }
  w.measured = false;
}

// Collects in the order of the units, so that replies and errors do not depend on timing.
void ProcessUnits::collect_all() {
  if (pending_.size() > 1) std::sort(pending_.begin(), pending_.end());
  for (const auto u : pending_) collect(u);
  pending_.clear();
}

void ProcessUnits::measure(Local unit) {
  Worker& w = *workers_[unit];
  const Clock::time_point answered{std::chrono::nanoseconds(w.client.answered_at())};
  const auto end = std::clamp(answered, w.begin, std::max(w.begin, Clock::now()));
  if (w.is_step) {
    w.seconds += std::chrono::duration<double>(end - w.begin).count();
    ++w.samples;
  }
  if (timeline_ != nullptr) timeline_->unit(0, w.client.id(), w.begin, end, w.t);
}

void ProcessUnits::finish(fleet::Served& served) {
  if (!pending_.empty()) collect_all();
  served.add(served_);
}

// --- steps ----------------------------------------------------------------------------------------------------------

void ProcessUnits::connect(const fleet::Wiring& wiring) {
  CONSORT_ASSERT(wiring.units.size() == workers_.size());
  replies_ = wiring.replies;
  waves_ = wiring.waves;
  snapshots_ = wiring.snapshots;
  local_of_.assign(replies_.size(), no_local);
  for (Local u = 0; u < workers_.size(); ++u) {
    ids_.push_back(wiring.units[u].id);
    local_of_[ids_.back()] = u;
  }
  for (Local u = 0; u < workers_.size(); ++u)
    ask(u, [&](UnitClient& client, Channel& channel) { return client.connect(channel, wiring, u); });
}

bool ProcessUnits::submit(std::uint32_t wave, const fleet::Work& work) {
  const auto& units = waves_[wave].units;
  const bool is_step = work.verb == fleet::Verb::step;
  const bool sample = is_step && sampling_(work.request->t);
  const bool measured = sample || timeline_ != nullptr;
  has_shared_ = has_shared_ || units.size() > 1;
  for (const auto u : units) {
    ask(u, [&](UnitClient& client, Channel& channel) {
      if (measured) [[unlikely]] {
        Worker& w = *workers_[u];
        w.measured = true;
        w.is_step = is_step;
        w.t = work.request->t;
        w.begin = Clock::now();
      }
      return client.work(channel, work, measured);
    });
  }
  return units.empty();
}

void ProcessUnits::save(std::uint32_t snapshot) {
  for (const auto u : snapshots_[snapshot])
    ask(u, [&](UnitClient& client, Channel& channel) { return client.save(channel, snapshot); });
}

void ProcessUnits::restore(std::uint32_t snapshot, std::span<const Local> units) {
  for (const auto u : units)
    ask(u, [&](UnitClient& client, Channel& channel) { return client.restore(channel, snapshot); });
}

// Sends all queries of a unit in one message, at the position of its first query.
void ProcessUnits::differentiate(fleet::DerivativeOf what, std::span<const fleet::DerivativeQuery> queries) {
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto id = queries[i].unit;
    const Local u = local_of_[id];
    if (u == no_local) continue;
    const auto before = queries.first(i);
    if (std::any_of(before.rbegin(), before.rend(), [&](const auto& q) { return q.unit == id; })) continue;
    ask(u, [&](UnitClient& client, Channel& channel) { return client.differentiate(channel, what, queries); });
  }
}

// --- life and values ------------------------------------------------------------------------------------------------

void ProcessUnits::configure(Local unit, const describe::SignalSet& set, Columns& values, bool& done) {
  ask(unit, [&](UnitClient& client, Channel& channel) { return client.configure(channel, set, values, done); });
}

void ProcessUnits::reset(Local unit, bool& done) {
  ask(unit, [&](UnitClient& client, Channel& channel) { return client.reset(channel, done); });
}

void ProcessUnits::enter_initialization(std::span<const Local> units, const unit::Experiment& experiment) {
  for (const auto u : units)
    ask(u, [&](UnitClient& client, Channel& channel) { return client.enter_initialization(channel, experiment); });
}

void ProcessUnits::exit_initialization(std::span<const Local> units) { ask_all(units, Message::exit_initialization); }

void ProcessUnits::terminate(std::span<const Local> units) {
  for (const auto u : units)
    if (workers_[u]->lost.empty()) ask_all(std::span(&u, 1), Message::terminate);
}

void ProcessUnits::get(Local unit, const describe::SignalSet& set, Columns& values, const describe::Offsets& at) {
  ask(unit, [&](UnitClient& client, Channel& channel) { return client.get(channel, set, values, at); });
}

void ProcessUnits::set(Local unit, const describe::SignalSet& set, Columns& values, const describe::Offsets& at) {
  ask(unit, [&](UnitClient& client, Channel& channel) { return client.set(channel, set, values, at); });
}

void ProcessUnits::try_get(Local unit, const describe::SignalSet& set, Columns& values, std::string& refusal) {
  ask(unit, [&](UnitClient& client, Channel& channel) { return client.try_get(channel, set, values, refusal); });
}

// --- events ---------------------------------------------------------------------------------------------------------

void ProcessUnits::enter_event_mode(std::span<const Local> units) { ask_all(units, Message::enter_event_mode); }

void ProcessUnits::leave_event_mode(std::span<const Local> units) { ask_all(units, Message::leave_event_mode); }

void ProcessUnits::settle(std::span<const Local> units, Time t, std::span<fleet::EventOutcome> outcomes) {
  for (std::size_t i = 0; i < units.size(); ++i)
    ask(units[i], [&](UnitClient& client, Channel& channel) { return client.settle(channel, t, outcomes[i]); });
}

// --- states ---------------------------------------------------------------------------------------------------------

void ProcessUnits::serialise(std::uint32_t snapshot, Local unit, std::vector<std::uint8_t>& bytes) {
  ask(unit, [&](UnitClient& client, Channel& channel) { return client.serialise(channel, snapshot, bytes); });
}

void ProcessUnits::deserialise(std::uint32_t snapshot, Local unit, std::span<const std::uint8_t> bytes) {
  ask(unit, [&](UnitClient& client, Channel& channel) { return client.deserialise(channel, snapshot, bytes); });
}

void ProcessUnits::expect_discards(Local unit) { ask_all(std::span(&unit, 1), Message::expect_discards); }

// --- the run so far -------------------------------------------------------------------------------------------------

std::span<const Columns> ProcessUnits::parts(Local unit) const { return workers_[unit]->client.parts(); }

double ProcessUnits::cost(Local unit) const {
  const auto& w = *workers_[unit];
  return w.samples == 0 ? 0.0 : w.seconds / static_cast<double>(w.samples);
}

}  // namespace consort::host
