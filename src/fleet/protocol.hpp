// The unit protocol: the byte format of requests to a unit and its answers, between processes of one machine.
//
// A message is a Head and a body. Values have the same layout as in memory, so that a block of numbers is one copy per
// type. Texts and binaries are preceded by their lengths. The format does not depend on the FMI version. Both sides
// must be the same version of the program; the head carries the version and the reader checks it.
//
// A reader trusts no input: it throws Damaged for invalid data. It reads every byte only once, so that concurrent
// writes by the other side do no harm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/value.hpp"
#include "describe/description.hpp"
#include "describe/signals.hpp"
#include "fleet/request.hpp"
#include "fleet/spec.hpp"
#include "fleet/traits.hpp"

namespace consort::fleet {

inline constexpr std::uint16_t protocol_version = 2;
inline constexpr std::size_t largest_message = std::size_t{1} << 30;  // bytes

// Requests to a unit. Brackets show the content of the answer.
enum class Message : std::uint16_t {
  make,     // a UnitSpec [UnitTraits]
  connect,  // blocks, sub-steps, snapshots
  work,     // a Verb with inputs [outputs, the next event, a Reply if any]
  save,
  restore,
  differentiate,  // queries [sensitivities]
  configure,      // values [whether there is a configuration mode]
  enter_initialization,
  exit_initialization,
  terminate,
  get,  // a choice of variables [values]
  set,
  enter_event_mode,
  leave_event_mode,
  settle,       // a time [EventOutcome]
  serialise,    // [bytes]
  deserialise,  // bytes
  expect_discards,
  reset,    // [whether it is done]
  try_get,  // a choice of variables [the refusal; without one, values]
};
inline constexpr std::size_t message_count = 20;
[[nodiscard]] std::string_view name_of(Message what);  // for messages; work: "step"

// The bytes are not a valid message of this protocol.
class Damaged : public Error {
 public:
  explicit Damaged(const std::string& what) : Error(Fault::run, what) {}
};

struct Head {
  std::uint16_t version = protocol_version;
  Message what = Message::make;
  std::uint32_t flags = 0;
  std::uint64_t size = 0;  // of the whole message
  std::int64_t time = 0;   // of timed answers: steady-clock time in ns when the answer was ready
};
static_assert(std::is_trivially_copyable_v<Head> && sizeof(Head) == 24);
// Flags of requests.
inline constexpr std::uint32_t timed = 1;
// Flags of answers.
inline constexpr std::uint32_t failed = 2;  // the body is the exception
inline constexpr std::uint32_t lines = 4;   // log lines of the unit follow the body

// --- memory for messages ---------------------------------------------------------------------------------------------

class MessageArea {
 public:
  virtual ~MessageArea() = default;
  [[nodiscard]] std::uint8_t* data() const { return data_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  // Grows to at least `capacity` and keeps the content; data() may change. Throws Error (run) if the capacity is too
  // large.
  virtual void grow(std::size_t capacity) = 0;

 protected:
  std::uint8_t* data_ = nullptr;
  std::size_t capacity_ = 0;
};

// A message in the memory of this process: for tests, and for messages that are passed on by other means.
class MessageBuffer final : public MessageArea {
 public:
  void grow(std::size_t capacity) override {
    bytes_.resize(capacity);
    data_ = bytes_.data();
    capacity_ = bytes_.size();
  }

 private:
  std::vector<std::uint8_t> bytes_;
};

// --- writing ---------------------------------------------------------------------------------------------------------

class MessageWriter {
 public:
  // Begins a message; reserves space for the head, which finish() writes.
  explicit MessageWriter(MessageArea& area) : area_(area) { restart(); }
  void restart() {
    used_ = 0;
    room(sizeof(Head));
    used_ = sizeof(Head);
  }
  // Writes the head. Returns the size of the message.
  std::size_t finish(Message what, std::uint32_t flags, std::int64_t time = 0);

  template <class... T>
  void operator()(const T&... fields) {
    (put(fields), ...);
  }
  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void put(const T& value) { bytes(&value, sizeof value); }
  void put(const std::string& text) { put(std::string_view(text)); }
  void put(std::string_view text) {
    put(static_cast<std::uint64_t>(text.size()));
    bytes(text.data(), text.size());
  }
  template <class T>
  void list(std::span<const T> values) {
    static_assert(std::is_arithmetic_v<T>);
    put(static_cast<std::uint64_t>(values.size()));
    bytes(values.data(), values.size_bytes());
  }
  void put(const std::vector<UnitSpec>& specs) {
    put(static_cast<std::uint64_t>(specs.size()));
    for (auto spec : specs) spec.own_fields(*this);
  }
  void put(const describe::SignalSet& set);
  // Writes the values of a set; they begin at `at`.
  void block(const describe::SignalSet& set, const Columns& values, const describe::Offsets& at);
  void put(const Reply& reply);
  void put(const EventOutcome& outcome);
  void put(const std::exception_ptr& why);

  void bytes(const void* data, std::size_t size) {
    if (size == 0) return;
    room(size);
    std::memcpy(area_.data() + used_, data, size);
    used_ += size;
  }

 private:
  void room(std::size_t size) {
    if (size > area_.capacity() - used_) [[unlikely]]
      area_.grow(used_ + size);
  }

  MessageArea& area_;
  std::size_t used_ = 0;
};

// --- reading ---------------------------------------------------------------------------------------------------------

// The last value of each enumeration, for range checks.
[[nodiscard]] constexpr Message last_of(Message) { return Message::try_get; }
[[nodiscard]] constexpr Verb last_of(Verb) { return Verb::give; }
[[nodiscard]] constexpr Why last_of(Why) { return Why::terminate; }
[[nodiscard]] constexpr DerivativeOf last_of(DerivativeOf) { return DerivativeOf::step; }
[[nodiscard]] constexpr RollbackKind last_of(RollbackKind) { return RollbackKind::process; }
[[nodiscard]] constexpr Type last_of(Type) { return Type::Clock; }
[[nodiscard]] constexpr Fault last_of(Fault) { return Fault::run; }
[[nodiscard]] constexpr LogLevel last_of(LogLevel) { return LogLevel::error; }
[[nodiscard]] constexpr describe::InterfaceType last_of(describe::InterfaceType) {
  return describe::InterfaceType::scheduled_execution;
}

class MessageReader {
 public:
  // Reads and checks the head.
  explicit MessageReader(std::span<const std::uint8_t> bytes);
  [[nodiscard]] const Head& head() const { return head_; }
  [[nodiscard]] std::size_t left() const { return bytes_.size(); }
  void expect_end() const { check(bytes_.empty()); }

  template <class... T>
  void operator()(T&... fields) {
    (take(fields), ...);
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  void take(T& value) { copy(&value, sizeof value); }
  void take(bool& value) {
    std::uint8_t byte = 0;
    take(byte);
    check(byte <= 1);
    value = byte == 1;
  }
  template <class T>
  requires std::is_enum_v<T>
  void take(T& value) {
    std::make_unsigned_t<std::underlying_type_t<T>> number{};
    take(number);
    check(number <= static_cast<decltype(number)>(last_of(T{})));
    value = static_cast<T>(number);
  }
  void take(std::string& text);
  void take(std::vector<UnitSpec>& specs) {
    const auto size = take<std::uint64_t>();
    check(size <= bytes_.size());  // each has more than one byte
    specs.resize(size);
    for (auto& spec : specs) spec.own_fields(*this);
  }
  template <class T>
  [[nodiscard]] T take() {
    T value{};
    take(value);
    return value;
  }
  template <class T>
  void list(std::vector<T>& values) {
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>);
    const auto size = take<std::uint64_t>();
    check(size <= bytes_.size() / sizeof(T));
    values.resize(size);
    copy(values.data(), size * sizeof(T));
  }
  // Reads a set for a unit with this description. Throws Damaged if its values do not fit into a message.
  [[nodiscard]] describe::SignalSet set(const describe::Description& description);
  void block(const describe::SignalSet& set, Columns& values, const describe::Offsets& at);
  void take(Reply& reply);
  void take(EventOutcome& outcome);
  // Reads the exception thrown by the unit of this name.
  [[nodiscard]] std::exception_ptr exception(std::string_view unit);

  void copy(void* to, std::size_t size) {
    const auto from = part(size);
    if (size != 0) std::memcpy(to, from.data(), size);
  }
  // Returns the next `size` bytes in place.
  [[nodiscard]] std::span<const std::uint8_t> part(std::size_t size) {
    check(size <= bytes_.size());
    const auto first = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return first;
  }
  static void check(bool condition) {
    if (!condition) [[unlikely]]
      fail();
  }

 private:
  [[noreturn]] static void fail();

  std::span<const std::uint8_t> bytes_;
  Head head_;
};

}  // namespace consort::fleet
