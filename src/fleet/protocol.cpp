#include "fleet/protocol.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

namespace consort::fleet {

namespace {

constexpr std::array<std::string_view, message_count> names{
    "instantiation",
    "connecting",
    "step",
    "saving",
    "restoring",
    "differentiation",
    "configuration",
    "initialization",
    "the end of initialization",
    "terminating",
    "reading of variables",
    "setting of variables",
    "event mode",
    "leaving event mode",
    "settling of events",
    "serialising",
    "deserialising",
    "preparation for discarded steps",
    "resetting",
    "reading of variables",
};

// Kind of an exception, as far as the other side can rethrow it.
enum class Thrown : std::uint8_t { error, bad_alloc, other };
constexpr Thrown last_of(Thrown) { return Thrown::other; }

// Types whose elements are copied as plain memory.
template <class T>
inline constexpr bool is_flat = !std::is_same_v<T, std::string> && !std::is_same_v<T, Binary>;

}  // namespace

std::string_view name_of(Message what) { return names.at(static_cast<std::size_t>(what)); }

// --- writing ---------------------------------------------------------------------------------------------------------

std::size_t MessageWriter::finish(Message what, std::uint32_t flags, std::int64_t time) {
  const Head head{protocol_version, what, flags, used_, time};
  std::memcpy(area_.data(), &head, sizeof head);
  return used_;
}

void MessageWriter::put(const describe::SignalSet& set) {
  const auto& choice = set.choice();
  put(static_cast<std::uint64_t>(choice.size()));
  for (std::size_t i = 0; i < choice.size(); ++i) {
    put(choice[i]);
    put(set.place(i).count);
    put(set.place(i).type);
  }
}

void MessageWriter::block(const describe::SignalSet& set, const Columns& values, const describe::Offsets& at) {
  for (const auto& group : set.groups()) {
    with_type(group.type, [&]<class T>() {
      const T* const first = values.column<T>().data() + at[static_cast<std::size_t>(group.type)];
      if constexpr (is_flat<T>) {
        bytes(first, group.elements() * sizeof(T));
      } else {
        for (std::size_t i = 0; i < group.elements(); ++i) {
          put(static_cast<std::uint64_t>(first[i].size()));
          bytes(first[i].data(), first[i].size());
        }
      }
    });
  }
}

void MessageWriter::put(const Reply& reply) {
  (*this)(reply.outcome.reached, reply.outcome.why, reply.counts.early_returns, reply.counts.discarded,
          reply.counts.repeated_as_is, reply.counts.events, reply.first_event, reply.next_event_moved, reply.repeat,
          reply.warning);
}

void MessageWriter::put(const EventOutcome& outcome) {
  (*this)(outcome.repeat, outcome.terminate, outcome.next_event.has_value(), outcome.next_event.value_or(never));
}

void MessageWriter::put(const std::exception_ptr& why) {
  try {
    std::rethrow_exception(why);
  } catch (const Error& error) {
    (*this)(Thrown::error, error.fault(), std::string_view(error.what()), std::string_view(error.unit()),
            std::string_view(error.call()), std::string_view(error.setting()),
            error.time().value_or(std::numeric_limits<Time>::quiet_NaN()));
  } catch (const std::bad_alloc&) {
    put(Thrown::bad_alloc);
  } catch (const std::exception& error) {
    (*this)(Thrown::other, std::string_view(error.what()));
  } catch (...) {
    (*this)(Thrown::other, std::string_view("an exception of unknown type"));
  }
}

// --- reading ---------------------------------------------------------------------------------------------------------

MessageReader::MessageReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {
  std::uint16_t version = 0;
  take(version);
  if (version != protocol_version) {
    throw Damaged(
        fmt::format("a message has version {} of the unit protocol, expected {}; install the engine and "
                    "its workers from the same version of Consort",
                    version, protocol_version));
  }
  (*this)(head_.what, head_.flags, head_.size, head_.time);
  check(head_.size == bytes.size());
}

void MessageReader::fail() {
  throw Damaged(
      "a message between the engine and the process of a unit is damaged; the unit may write to memory that is not "
      "its own");
}

void MessageReader::take(std::string& text) {
  const auto size = take<std::uint64_t>();
  const auto from = part(size);
  text.assign(reinterpret_cast<const char*>(from.data()), from.size());
}

describe::SignalSet MessageReader::set(const describe::Description& description) {
  const auto size = take<std::uint64_t>();
  check(size <= bytes_.size() / (2 * sizeof(std::uint32_t) + 1));
  std::vector<describe::VariableId> choice(size);
  std::vector<std::uint64_t> sizes(size);
  std::size_t total = 0;
  for (std::size_t i = 0; i < size; ++i) {
    take(choice[i]);
    sizes[i] = take<std::uint32_t>();
    const Type type = take<Type>();
    check(choice[i] < description.variables.size());
    const auto& v = description[choice[i]];
    check(v.type == type && (v.is_array() || sizes[i] == 1));
    total += sizes[i] * with_type(type, []<class T>() { return sizeof(T); });
    check(total <= largest_message);
  }
  return {description, choice, sizes};
}

void MessageReader::block(const describe::SignalSet& set, Columns& values, const describe::Offsets& at) {
  for (const auto& group : set.groups()) {
    with_type(group.type, [&]<class T>() {
      T* const first = values.column<T>().data() + at[static_cast<std::size_t>(group.type)];
      const std::size_t count = group.elements();
      if constexpr (std::is_base_of_v<Bool, T>) {
        const auto from = part(count);
        for (std::size_t i = 0; i < count; ++i) {
          const std::uint8_t byte = from[i];
          check(byte <= 1);  // a bool must be 0 or 1
          first[i] = T(byte == 1);
        }
      } else if constexpr (is_flat<T>) {
        copy(first, count * sizeof(T));
      } else {
        for (std::size_t i = 0; i < count; ++i) {
          const auto from = part(take<std::uint64_t>());
          first[i].assign(from.begin(), from.end());
        }
      }
    });
  }
}

void MessageReader::take(Reply& reply) {
  (*this)(reply.outcome.reached, reply.outcome.why, reply.counts.early_returns, reply.counts.discarded,
          reply.counts.repeated_as_is, reply.counts.events, reply.first_event, reply.next_event_moved, reply.repeat,
          reply.warning);
}

void MessageReader::take(EventOutcome& outcome) {
  bool announces = false;
  Time next = never;
  (*this)(outcome.repeat, outcome.terminate, announces, next);
  outcome.next_event.reset();
  if (announces) outcome.next_event = next;
}

std::exception_ptr MessageReader::exception(std::string_view unit) {
  const auto thrown = take<Thrown>();
  if (thrown == Thrown::bad_alloc) return std::make_exception_ptr(std::bad_alloc());
  if (thrown == Thrown::other)
    return std::make_exception_ptr(run_error("unit '{}': {}", unit, take<std::string>()).in_unit(std::string(unit)));
  const auto fault = take<Fault>();
  const auto text = take<std::string>();
  ErrorFields fields;
  fields.unit = take<std::string>();
  fields.call = take<std::string>();
  fields.setting = take<std::string>();
  if (const auto t = take<Time>(); std::isfinite(t)) fields.time = t;
  return std::make_exception_ptr(Error(fault, text, std::move(fields)));
}

}  // namespace consort::fleet
