// The memory that the engine shares with the program that calls a foreign binary, and the layout of messages in it.
// Compiled for both sides, so all fields have the same size and place everywhere.
//
// The two sides take turns: each message of one is followed by one of the other. The engine sends a call; the program
// answers, or first sends callbacks, each of which the engine ends with `resume`. During a callback the engine may send
// further calls. Each message has its body behind those that are not yet finished.
//
// Calls without results may be posted: the program makes them right before the next call. Each posted call is a word
// (the function, and the size of the body times 2^32) and its body.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace consort::fmi::foreign {

inline constexpr std::uint32_t magic = 0x464d4943;
inline constexpr std::uint32_t protocol = 1;
inline constexpr std::size_t front_size = 4096;         // bodies begin here
inline constexpr std::size_t first_capacity = 1 << 16;  // bytes for bodies in a new segment
inline constexpr std::uint64_t null_count = ~std::uint64_t{0};

enum class Message : std::uint32_t {
  // of the engine
  load,    // body: the binary and how to name its functions; the first message
  call,    // of function `function`
  fetch,   // asks for the results that did not fit into the segment
  resume,  // ends a callback
  end,     // asks the program to unload the binary and to end
  // of the program
  answer,  // to the engine's last load, call or fetch
  late,    // instead of an answer to a call: a posted call before it failed, and the call was not made
  log,     // callback: a message of the FMU
  update,  // callback: intermediate update (FMI 3.0)
  tick,    // callback: clock update (FMI 3.0)
};

// What one side writes; on a cache line of its own.
struct alignas(64) Side {
  std::atomic<std::uint32_t> sent;    // number of messages of this side
  std::atomic<std::uint32_t> sleeps;  // 1: this side is woken by a byte in a pipe
  // The last message of this side:
  Message message;
  std::uint32_t function;  // of a call, or of the posted call that failed
  std::uint64_t base;      // of the body
  std::uint64_t size;      // of the body
  union {
    std::uint64_t first;   // engine, of a call: where the posted calls before it begin; `base` if there are none
    std::uint64_t result;  // program, of a call: status, or handle of an instance
  };
  union {
    std::uint64_t capacity;  // engine: of the segment, without the front
    std::uint64_t extra;     // program: size of the results that have no place in the body; see Told
  };
};
static_assert(sizeof(Side) == 64);

struct Front {
  std::uint32_t magic;
  std::uint32_t protocol;
  std::uint32_t spin_us;                    // how long each side spins before it sleeps
  std::atomic<std::uint32_t> program_core;  // where the program ran when it last had to wait for long
  Side engine;
  Side program;
  // Why the program ends, if it knows: a crash, a dialog. A text, written at any time by any thread.
  char failure[1024];
};
static_assert(sizeof(Front) <= front_size && std::atomic<std::uint32_t>::is_always_lock_free);

// The parts of a body, one after the other, each a multiple of eight bytes.
class Cursor {
 public:
  explicit Cursor(std::uint8_t* at) : at_(at) {}
  [[nodiscard]] std::uint64_t& word() { return *reinterpret_cast<std::uint64_t*>(bytes(8)); }
  [[nodiscard]] std::uint8_t* bytes(std::size_t n) {
    std::uint8_t* const here = at_;
    at_ += padded(n);
    return here;
  }
  [[nodiscard]] static constexpr std::size_t padded(std::size_t n) { return (n + 7) & ~std::size_t{7}; }

 private:
  std::uint8_t* at_;
};

// A text: its length, then its characters and a zero.
[[nodiscard]] inline std::size_t size_of_text(std::string_view text) { return 8 + Cursor::padded(text.size() + 1); }
inline void put_text(Cursor& cursor, std::string_view text) {
  cursor.word() = text.size();
  std::uint8_t* const place = cursor.bytes(text.size() + 1);
  std::memcpy(place, text.data(), text.size());
  place[text.size()] = 0;
}

// The event infos of FMI 1.0 and 2.0: five flags and a time.
struct WireEventInfo {
  std::int32_t flags[5];
  alignas(8) double next;
};

// The type in a body for a C type: pointers have 64 bits even if the program has 32. A single size_t lies in a word of
// 64 bits, of which such a program uses the lower half; for arrays of them see Sizes.
template <class T>
struct WireOf {
  using type = std::conditional_t<std::is_class_v<T>, WireEventInfo, T>;
};
template <>
struct WireOf<void*> {
  using type = std::uint64_t;
};
template <class T>
using Wire = typename WireOf<T>::type;

template <class T>
[[nodiscard]] Wire<T> to_wire(const T& value) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<std::uintptr_t>(value);
  else if constexpr (std::is_class_v<T>) {
    const auto& [a, b, c, d, e, next] = value;
    return {{a, b, c, d, e}, next};
  } else
    return value;
}
template <class T>
[[nodiscard]] T from_wire(const Wire<T>& value) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<T>(static_cast<std::uintptr_t>(value));
  else if constexpr (std::is_class_v<T>) {
    T made{};
    auto& [a, b, c, d, e, next] = made;
    const auto set = [](auto& to, std::int32_t from) { to = static_cast<std::remove_reference_t<decltype(to)>>(from); };
    set(a, value.flags[0]), set(b, value.flags[1]), set(c, value.flags[2]), set(d, value.flags[3]);
    set(e, value.flags[4]);
    next = value.next;
    return made;
  } else
    return static_cast<T>(value);
}

// The parts of a callback `update`.
struct UpdateBody {
  double time;
  std::uint32_t set_requested, get_allowed, step_finished, can_return_early;
  std::uint32_t early_return;  // written by the engine
  std::uint32_t reserved;
  double early_return_time;  // written by the engine
};

}  // namespace consort::fmi::foreign
