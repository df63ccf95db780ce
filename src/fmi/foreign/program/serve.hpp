// Takes the arguments of a call out of a body, calls the FMU, and puts the results back.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "fmi/foreign/functions.hpp"
#include "fmi/foreign/program/callbacks.hpp"
#include "fmi/foreign/program/platform.hpp"
#include "fmi/foreign/program/server.hpp"

namespace consort::fmi::foreign {

// One argument of C type P, while the call is served. Constructed in order from the body; argument() is what the FMU
// gets; finish() comes after the call.
template <class Kind, class P>
struct Hold;

template <class P>
using Element = std::remove_const_t<std::remove_pointer_t<P>>;

// For arguments without results.
struct NoResult {
  template <class Arguments>
  void finish(const Arguments&, Server&) {}
};

template <class P>
struct Hold<Value, P> : NoResult {
  explicit Hold(Cursor& c) { std::memcpy(&wire, &c.word(), sizeof wire); }
  P argument() { return from_wire<P>(wire); }
  Wire<P> wire;
};
template <class P>
struct Hold<Self, P> : Hold<Value, P> {
  using Hold<Value, P>::Hold;
};
template <class P>
struct Hold<Freed, P> : Hold<Value, P> {
  using Hold<Value, P>::Hold;
};

template <class P>
struct Hold<One, P> {
  using T = Element<P>;
  explicit Hold(Cursor& c) : place(c.bytes(sizeof(Wire<T>))) {
    Wire<T> wire;
    std::memcpy(&wire, place, sizeof wire);
    value = from_wire<T>(wire);
  }
  P argument() { return &value; }
  template <class Arguments>
  void finish(const Arguments&, Server&) {
    const Wire<T> wire = to_wire(value);
    std::memcpy(place, &wire, sizeof wire);
  }
  std::uint8_t* place;
  T value;
};

// Arrays lie in the body as the FMU expects them.
template <class P>
struct ArrayHold {
  explicit ArrayHold(Cursor& c) {
    const std::uint64_t n = c.word();
    if (n != null_count) place = c.bytes(static_cast<std::size_t>(n) * sizeof(Element<P>));
  }
  P argument() { return reinterpret_cast<P>(place); }
  std::uint8_t* place = nullptr;
};
template <std::size_t N, class P>
struct Hold<In<N>, P> : ArrayHold<P>, NoResult {
  using ArrayHold<P>::ArrayHold;
};
template <std::size_t N, class P>
struct Hold<Out<N>, P> : ArrayHold<P>, NoResult {
  using ArrayHold<P>::ArrayHold;
};
struct SizesHold {
  explicit SizesHold(Cursor& c) {
    const std::uint64_t n = c.word();
    if (n == null_count) return;
    place = reinterpret_cast<std::uint64_t*>(c.bytes(static_cast<std::size_t>(n) * sizeof(std::uint64_t)));
    for (std::uint64_t i = 0; i < n; ++i) copy.push_back(static_cast<std::size_t>(place[i]));
  }
  std::size_t* argument() { return place == nullptr ? nullptr : copy.data(); }
  std::uint64_t* place = nullptr;
  std::vector<std::size_t> copy;
};
template <std::size_t N, class P>
struct Hold<Sizes<N>, P> : SizesHold, NoResult {
  using SizesHold::SizesHold;
};
template <std::size_t N, class P>
struct Hold<SizesOut<N>, P> : SizesHold {
  using SizesHold::SizesHold;
  template <class Arguments>
  void finish(const Arguments&, Server&) {
    for (std::size_t i = 0; i < this->copy.size(); ++i) this->place[i] = this->copy[i];
  }
};

// The text or byte string that follows; null if it is null.
inline const std::uint8_t* take_bytes(Cursor& c, std::size_t terminator) {
  const std::uint64_t n = c.word();
  return n == null_count ? nullptr : c.bytes(static_cast<std::size_t>(n) + terminator);
}

template <class P>
struct Hold<Text, P> : NoResult {
  explicit Hold(Cursor& c) : text(reinterpret_cast<const char*>(take_bytes(c, 1))) {}
  const char* argument() { return text; }
  const char* text;
};
template <class P, std::string (*translate)(const std::string&)>
struct TranslatedText : NoResult {
  explicit TranslatedText(Cursor& c) {
    const auto* const text = reinterpret_cast<const char*>(take_bytes(c, 1));
    is_null = text == nullptr;
    if (!is_null) native = translate(text);
  }
  const char* argument() { return is_null ? nullptr : native.c_str(); }
  bool is_null = false;
  std::string native;
};
template <class P>
struct Hold<Uri, P> : TranslatedText<P, platform::native_uri> {
  using TranslatedText<P, platform::native_uri>::TranslatedText;
};
template <class P>
struct Hold<Folder, P> : TranslatedText<P, platform::native_path> {
  using TranslatedText<P, platform::native_path>::TranslatedText;
};

template <class T, std::size_t terminator>
struct ListHold : NoResult {
  explicit ListHold(Cursor& c) {
    const std::uint64_t n = c.word();
    for (std::uint64_t i = 0; n != null_count && i < n; ++i)
      all.push_back(reinterpret_cast<T>(take_bytes(c, terminator)));
  }
  T* argument() { return all.data(); }
  std::vector<T> all;
};
template <std::size_t N, class P>
struct Hold<Texts<N>, P> : ListHold<const char*, 1> {
  using ListHold<const char*, 1>::ListHold;
};
template <std::size_t S, std::size_t N, class P>
struct Hold<Binaries<S, N>, P> : ListHold<const std::uint8_t*, 0> {
  using ListHold<const std::uint8_t*, 0>::ListHold;
};

template <class P>
struct ToldHold {
  using T = Element<P>;
  explicit ToldHold(Cursor& c) : all(static_cast<std::size_t>(c.word())) {}
  T* argument() { return all.data(); }
  std::vector<T> all;
};
template <std::size_t N, class P>
struct Hold<Told<N>, P> : ToldHold<P> {
  using ToldHold<P>::ToldHold;
  template <class Arguments>
  void finish(const Arguments&, Server& server) {
    for (const char* const text : this->all) server.tell(text, text == nullptr ? 0 : std::strlen(text));
  }
};
template <std::size_t S, std::size_t N, class P>
struct Hold<ToldBinaries<S, N>, P> : ToldHold<P> {
  using ToldHold<P>::ToldHold;
  template <class Arguments>
  void finish(const Arguments& arguments, Server& server) {
    for (std::size_t i = 0; i < this->all.size(); ++i) server.tell(this->all[i], std::get<S>(arguments)[i]);
  }
};

// The importer's functions are those of this program.
template <class P>
struct Hold<Callbacks, P> : NoResult {
  explicit Hold(Cursor&) {}
  P argument() { return callbacks<P>(); }
};
template <class P>
struct Hold<Environment, P> : NoResult {
  explicit Hold(Cursor&) {}
  P argument() { return the_server; }
};
template <class P>
struct Hold<LogMessage, P> : NoResult {
  explicit Hold(Cursor&) {}
  P argument() { return log_message3; }
};
template <class P>
struct Hold<IntermediateUpdate, P> : NoResult {
  explicit Hold(Cursor& c) : is_wanted(c.word() != 0) {}
  P argument() { return is_wanted ? intermediate_update : nullptr; }
  bool is_wanted;
};
template <class P>
struct Hold<ClockUpdate, P> : NoResult {
  explicit Hold(Cursor&) {}
  P argument() { return clock_update; }
};
template <class P>
struct Hold<Preemption, P> : NoResult {
  explicit Hold(Cursor&) {}
  P argument() { return preemption; }
};

template <class Row, class Function>
struct Serving;

template <Name name, class F, class... Kinds, class R, class... P>
struct Serving<Row<name, F, Kinds...>, R(P...)> {
  static std::uint64_t serve(void* function, std::uint8_t* body, Server& server) {
    Cursor cursor(body);
    std::tuple<Hold<Kinds, P>...> holds{Hold<Kinds, P>(cursor)...};  // in the order of the arguments
    return std::apply(
        [&](auto&... hold) -> std::uint64_t {
          const std::tuple<P...> arguments{hold.argument()...};
          auto* const call = reinterpret_cast<R (*)(P...)>(function);
          if constexpr (std::is_void_v<R>) {
            std::apply(call, arguments);
            return 0;
          } else {
            const R result = std::apply(call, arguments);
            (hold.finish(arguments, server), ...);
            if constexpr (std::is_pointer_v<R>)
              return to_wire(result);
            else
              return static_cast<std::uint64_t>(result);
          }
        },
        holds);
  }
};

}  // namespace consort::fmi::foreign
