#include "fmi/caller.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "fmi/instance.hpp"

namespace consort::fmi {

namespace {

std::mutex& live_mutex() {
  static std::mutex mutex;
  return mutex;
}

std::set<void*>& live_callers() {
  static std::set<void*> callers;
  return callers;
}

LogLevel level_of(Status status) {
  switch (status) {
    case Status::ok:
    case Status::pending: return LogLevel::info;
    case Status::warning:
    case Status::discard: return LogLevel::warning;
    case Status::error:
    case Status::fatal: break;
  }
  return LogLevel::error;
}

constexpr std::size_t remembered_messages = 5;

}  // namespace

std::string_view name_of(Status status) {
  static constexpr std::array<std::string_view, 6> names{"OK", "Warning", "Discard", "Error", "Fatal", "Pending"};
  const auto i = static_cast<std::size_t>(status);
  return i < names.size() ? names[i] : "an unknown status";
}

// Communication points that differ by 1e-6 of a step are the same (Grid::slack).
Duration shortened_to(Time stop, Time t, Duration h) {
  if (!(t < stop) || t + h - stop > 2e-6 * h) return h;
  Duration to_stop = stop - t;
  while (t + to_stop > stop) to_stop = std::nextafter(to_stop, 0.0);
  return to_stop;
}

int int_of(EnumValue value, const Caller& caller) {
  require_in_unit(caller.unit(),
                  value.value >= std::numeric_limits<int>::min() && value.value <= std::numeric_limits<int>::max(),
                  "{}: {} is too large for an enumeration of this version", caller.who(), value.value);
  return static_cast<int>(value.value);
}

Caller::Caller(std::string unit, const describe::Description& description, LogSink log,
               std::function<void(std::string_view)> trace)
    : unit_(std::move(unit)),
      loaded_(unit_.c_str()),
      description_(description),
      log_(std::move(log)),
      trace_(std::move(trace)),
      site_{unit_.c_str(), nullptr, 0, this} {
  const std::scoped_lock lock(live_mutex());
  live_callers().insert(this);
}

Caller::~Caller() {
  const std::scoped_lock lock(live_mutex());
  live_callers().erase(this);
}

Caller* Caller::from_environment(void* candidate) {
  if (candidate != nullptr) {
    const std::scoped_lock lock(live_mutex());
    if (live_callers().count(candidate) > 0) return static_cast<Caller*>(candidate);
  }
  const os::CallSite* const site = os::current_call_site();
  return site == nullptr ? nullptr : static_cast<Caller*>(site->owner);
}

void Caller::note(Status status) {
  if (status != Status::pending && status != Status::discard) worst_ = std::max(worst_, status);
}

std::string Caller::who() const {
  return fmt::format("unit '{}' ({})", unit_, describe::name_of(description_.version));
}

Error Caller::failure(const char* function, Status status) const {
  const auto words = last_words();
  const std::string said =
      words.empty() ? std::string("it gave no reason") : fmt::format("\"{}\"", fmt::join(words, "\" / \""));
  return run_error("{}: {} returned {} at t = {} s: {}; rerun with --log-fmi to see every call", who(), function,
                   name_of(status), site_.time, said)
      .in_unit(unit_)
      .in_call(function)
      .at(site_.time);
}

Error Caller::escaped(const char* function, const char* what) {
  worst_ = std::max(worst_, Status::error);
  return run_error("{}: {} threw a C++ exception at t = {} s: \"{}\"; report it to the maker of the FMU", who(),
                   function, site_.time, what)
      .in_unit(unit_)
      .in_call(function)
      .at(site_.time);
}

Error Caller::gone(const char* function, const char* how) {
  worst_ = Status::fatal;
  const auto words = last_words();
  const std::string said =
      words.empty() ? std::string() : fmt::format("; its last messages: \"{}\"", fmt::join(words, "\" / \""));
  return run_error(
             "{}: {} did not return at t = {} s, because the program that runs the FMU's binary {}{}; rerun with "
             "--log-fmi "
             "to see every call",
             who(), function, site_.time, how, said)
      .in_unit(unit_)
      .in_call(function)
      .at(site_.time);
}

void Caller::throw_late(const Late& late) {
  note(late.status);
  fail(late.function, late.status);
}

void Caller::fail(const char* function, Status status) const {
  if (status != Status::discard) throw failure(function, status);
  const Error error = failure(function, status);
  throw Discarded(error.fault(), error.what(), error.fields());
}

void Caller::refuse(const char* function, Status status, Status before) {
  const Error error = failure(function, status);
  if (status == Status::fatal) {  // some tools (SimulationX) return it for what they have not implemented
    const auto text = fmt::format(
        "{}; no call is allowed after a fatal error: hold the inputs of the unit within each step ('extrapolation: 0' "
        "in "
        "a system, --hold-inputs if the FMU runs alone)",
        error.what());
    throw FatalRefusal(error.fault(), text, error.fields());
  }
  worst_ = before;
  throw Refused(error.fault(), error.what(), error.fields());
}

void Caller::message(Status status, const char* category, std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  LogMessage message{level_of(status), unit_, category == nullptr ? "" : category, std::move(text)};
  const std::scoped_lock lock(mutex_);
  if (status != Status::ok || last_words_.empty()) {
    last_words_.push_back(message.text.substr(0, 500));
    if (last_words_.size() > remembered_messages) last_words_.pop_front();
    has_said_something_.store(true, std::memory_order_relaxed);
  }
  if (log_) log_(message);
}

void Caller::forget_last_words() {
  const std::scoped_lock lock(mutex_);
  last_words_.clear();
  has_said_something_.store(false, std::memory_order_relaxed);
}

std::vector<std::string> Caller::last_words() const {
  const std::scoped_lock lock(mutex_);
  return {last_words_.begin(), last_words_.end()};
}

void Caller::require_not_fatal() const {
  if (is_fatal())
    throw run_error("unit '{}' cannot continue after its fatal error; start a new run", unit_)
        .in_unit(unit_)
        .at(site_.time);
}

}  // namespace consort::fmi
