// Functions with the C types of FMI that send their arguments to the program and return its results.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "fmi/caller.hpp"
#include "fmi/foreign/functions.hpp"
#include "fmi/foreign/link.hpp"

namespace consort::fmi::foreign {

// The link for functions that make an instance; see Library::make_current().
extern thread_local Link* current_link;

// One argument of C type P: the size of its part of the body, how it is written, and how its results are read.
// `arguments`: all arguments of the call.
template <class Kind, class P>
struct Part;

template <class P>
using Target = std::remove_const_t<std::remove_pointer_t<P>>;

struct NoResults {
  template <class... A>
  static void take(A&&...) {}
};
struct OneWord : NoResults {
  template <class... A>
  static std::size_t size(A&&...) {
    return 8;
  }
};
struct Nothing : NoResults {
  template <class... A>
  static std::size_t size(A&&...) {
    return 0;
  }
};

template <class P>
struct Part<Value, P> : OneWord {
  template <class A>
  static void put(Cursor& c, P value, const A&, Link&) {
    const Wire<P> wire = to_wire(value);
    std::memcpy(&c.word(), &wire, sizeof wire);
  }
};
template <class P>
struct Part<Self, P> : OneWord {
  template <class A>
  static void put(Cursor& c, P self, const A&, Link&) {
    c.word() = static_cast<const Remote*>(self)->handle;
  }
};
template <class P>
struct Part<Freed, P> : Part<Self, P> {};

template <class P>
struct Part<One, P> {
  using W = Wire<Target<P>>;
  template <class A>
  static std::size_t size(P, const A&) {
    return Cursor::padded(sizeof(W));
  }
  template <class A>
  static void put(Cursor& c, P value, const A&, Link&) {
    const W wire = to_wire(*value);
    std::memcpy(c.bytes(sizeof wire), &wire, sizeof wire);
  }
  template <class A>
  static void take(Cursor& c, P value, const A&, Link&, Cursor*) {
    W wire;
    std::memcpy(&wire, c.bytes(sizeof wire), sizeof wire);
    *value = from_wire<Target<P>>(wire);
  }
};

template <std::size_t N, class P>
struct ArrayPart {
  using T = Target<P>;
  static_assert(sizeof(T) == sizeof(Wire<T>));
  template <class A>
  static std::size_t bytes(const A& arguments) {
    return static_cast<std::size_t>(std::get<N>(arguments)) * sizeof(T);
  }
  template <class A>
  static std::size_t size(P values, const A& arguments) {
    return 8 + (values == nullptr ? 0 : Cursor::padded(bytes(arguments)));
  }
  template <class A>
  static void put(Cursor& c, P values, const A& arguments, Link&) {
    const std::size_t n = bytes(arguments);
    c.word() = values == nullptr ? null_count : std::get<N>(arguments);
    if (values != nullptr && n > 0) std::memcpy(c.bytes(n), values, n);
  }
};
template <std::size_t N, class P>
struct Part<In<N>, P> : ArrayPart<N, P>, NoResults {};
// Goes both ways, because an FMU may leave values unwritten.
template <std::size_t N, class P>
struct Part<Out<N>, P> : ArrayPart<N, P> {
  template <class A>
  static void take(Cursor& c, P values, const A& arguments, Link&, Cursor*) {
    const std::size_t n = ArrayPart<N, P>::bytes(arguments);
    static_cast<void>(c.word());
    if (values != nullptr && n > 0) std::memcpy(values, c.bytes(n), n);
  }
};

template <std::size_t N, class P>
struct Part<Sizes<N>, P> : Part<In<N>, P> {};
template <std::size_t N, class P>
struct Part<SizesOut<N>, P> : Part<Out<N>, P> {};

inline std::size_t size_of_bytes(const void* data, std::size_t size) {
  return 8 + (data == nullptr ? 0 : Cursor::padded(size));
}
inline void put_bytes(Cursor& c, const void* data, std::size_t size, std::size_t length) {
  c.word() = data == nullptr ? null_count : length;
  if (data != nullptr && size > 0) std::memcpy(c.bytes(size), data, size);
}
// A text that may be null.
inline std::size_t size_of_optional(const char* text) { return text == nullptr ? 8 : size_of_text(text); }
inline void put_optional(Cursor& c, const char* text) {
  if (text == nullptr)
    c.word() = null_count;
  else
    put_text(c, text);
}

struct TextPart : NoResults {
  template <class A>
  static std::size_t size(const char* text, const A&) {
    return size_of_optional(text);
  }
  template <class A>
  static void put(Cursor& c, const char* text, const A&, Link&) {
    put_optional(c, text);
  }
};
template <class P>
struct Part<Text, P> : TextPart {};
template <class P>
struct Part<Uri, P> : TextPart {};
template <class P>
struct Part<Folder, P> : TextPart {};

template <std::size_t N, class P>
struct Part<Texts<N>, P> : NoResults {
  template <class A>
  static std::size_t size(P texts, const A& arguments) {
    std::size_t sum = 8;
    for (std::size_t i = 0; i < std::get<N>(arguments); ++i) sum += size_of_optional(texts[i]);
    return sum;
  }
  template <class A>
  static void put(Cursor& c, P texts, const A& arguments, Link&) {
    c.word() = std::get<N>(arguments);
    for (std::size_t i = 0; i < std::get<N>(arguments); ++i) put_optional(c, texts[i]);
  }
};
template <std::size_t S, std::size_t N, class P>
struct Part<Binaries<S, N>, P> : NoResults {
  template <class A>
  static std::size_t size(P values, const A& arguments) {
    std::size_t sum = 8;
    for (std::size_t i = 0; i < std::get<N>(arguments); ++i) sum += size_of_bytes(values[i], std::get<S>(arguments)[i]);
    return sum;
  }
  template <class A>
  static void put(Cursor& c, P values, const A& arguments, Link&) {
    c.word() = std::get<N>(arguments);
    for (std::size_t i = 0; i < std::get<N>(arguments); ++i) {
      const std::size_t n = std::get<S>(arguments)[i];
      put_bytes(c, values[i], n, n);
    }
  }
};

// Texts and byte strings that the FMU gives: the link keeps them until the next ones.
template <std::size_t N, class P>
struct ToldPart {
  template <class A>
  static std::size_t size(P, const A&) {
    return 8;
  }
  template <class A>
  static void put(Cursor& c, P, const A& arguments, Link&) {
    c.word() = std::get<N>(arguments);
  }
  // `told` has been checked to hold whole items.
  template <class A>
  static void take(Cursor& c, P values, const A& arguments, Link& link, Cursor* told) {
    const std::size_t n = static_cast<std::size_t>(c.word() = std::get<N>(arguments));
    link.kept.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t length = told->word();
      if (length == null_count) {
        values[i] = nullptr;
        continue;
      }
      const std::uint8_t* const first = told->bytes(static_cast<std::size_t>(length));
      link.kept[i].assign(first, first + length);
      link.kept[i].push_back(0);
      values[i] = reinterpret_cast<Target<P>>(link.kept[i].data());
    }
  }
};
template <std::size_t N, class P>
struct Part<Told<N>, P> : ToldPart<N, P> {};
template <std::size_t S, std::size_t N, class P>
struct Part<ToldBinaries<S, N>, P> : ToldPart<N, P> {
  template <class A>
  static void take(Cursor& c, P values, const A& arguments, Link& link, Cursor* told) {
    ToldPart<N, P>::take(c, values, arguments, link, told);
    for (std::size_t i = 0; i < link.kept.size(); ++i)
      if (values[i] != nullptr && std::get<S>(arguments)[i] >= link.kept[i].size()) link.lose("sent a damaged message");
  }
};

// The importer's callbacks stay here; the program has its own, which call these through the link.
template <class P>
struct Part<Callbacks, P> : Nothing {
  template <class A>
  static void put(Cursor&, P given, const A&, Link& link) {
    const auto& functions = [&]() -> const auto& {
      if constexpr (std::is_pointer_v<P>)
        return *given;
      else
        return given;
    }
    ();
    void* environment = nullptr;
    if constexpr (std::is_pointer_v<P>) environment = functions.componentEnvironment;
    using StatusType = std::conditional_t<std::is_pointer_v<P>, fmi2Status, fmiStatus>;
    link.log = [logger = functions.logger, environment](int status, const char* category, const char* text) {
      if (logger != nullptr) logger(environment, "", static_cast<StatusType>(status), category, "%s", text);
    };
  }
};
template <class P>
struct Part<Environment, P> : Nothing {
  template <class A>
  static void put(Cursor&, P environment, const A&, Link& link) {
    link.environment = environment;
  }
};
template <class P>
struct Part<LogMessage, P> : Nothing {
  template <class A>
  static void put(Cursor&, P logger, const A&, Link& link) {
    link.log = [logger, environment = link.environment](int status, const char* category, const char* text) {
      if (logger != nullptr) logger(environment, static_cast<fmi3Status>(status), category, text);
    };
  }
};
template <class P>
struct Part<IntermediateUpdate, P> : OneWord {
  template <class A>
  static void put(Cursor& c, P update, const A&, Link& link) {
    c.word() = update != nullptr ? 1 : 0;
    if (update == nullptr) return;
    link.update = [update, environment = link.environment](UpdateBody& b) {
      fmi3Boolean early = false;
      update(environment, b.time, b.set_requested != 0, b.get_allowed != 0, b.step_finished != 0,
             b.can_return_early != 0, &early, &b.early_return_time);
      b.early_return = early ? 1 : 0;
    };
  }
};
template <class P>
struct Part<ClockUpdate, P> : Nothing {
  template <class A>
  static void put(Cursor&, P update, const A&, Link& link) {
    link.tick = [update, environment = link.environment] {
      if (update != nullptr) update(environment);
    };
  }
};
template <class P>
struct Part<Preemption, P> : Nothing {
  template <class A>
  static void put(Cursor&, P, const A&, Link&) {}
};

// --- the functions ---------------------------------------------------------------------------------------------------

template <class Kind>
inline constexpr bool is_told = false;
template <std::size_t N>
inline constexpr bool is_told<Told<N>> = true;
template <std::size_t S, std::size_t N>
inline constexpr bool is_told<ToldBinaries<S, N>> = true;

// Throws Lost if `told` does not hold `count` items.
void check_told(const std::vector<std::uint8_t>& told, std::size_t count, Link& link);

template <std::size_t number, class Row, class Function>
struct Stub;

template <std::size_t number, Name name, class F, class... Kinds, class R, class... P>
struct Stub<number, Row<name, F, Kinds...>, R(P...)> {
  using First = std::tuple_element_t<0, std::tuple<Kinds...>>;
  static constexpr bool frees = std::is_same_v<First, Freed>;
  static constexpr bool makes = std::is_pointer_v<R>;

  static R call(P... p) {
    if constexpr (frees) {
      auto* const remote = static_cast<Remote*>(std::get<0>(std::tie(p...)));
      Link& link = *remote->link;
      link.drop_posted();
      try {
        static_cast<void>(send(link, p...));
      } catch (const Lost&) {  // NOLINT(bugprone-empty-catch): an instance of a program that is gone is freed
      }
      link.remove(remote);
    } else if constexpr (makes) {
      const std::uint64_t handle = send(*current_link, p...);
      return handle == 0 ? nullptr : current_link->add(handle);
    } else {
      return static_cast<R>(send(*static_cast<Remote*>(std::get<0>(std::tie(p...)))->link, p...));
    }
  }

  // The same for a function without results, which is made together with the next call: see Function::later().
  static R post(P... p) {
    if constexpr (frees || makes || (has_results<Kinds, P> || ...)) {
      return call(p...);
    } else {
      Link& link = *static_cast<Remote*>(std::get<0>(std::tie(p...)))->link;
      const std::tuple<P...> arguments{p...};
      const std::size_t size = (Part<Kinds, P>::size(p, arguments) + ... + 0);
      if (!link.can_post(size)) return call(p...);
      const Link::Call posted(link, number, size, true);
      Cursor to(posted.body());
      (Part<Kinds, P>::put(to, p, arguments, link), ...);
      return R{};
    }
  }

 private:
  static std::uint64_t send(Link& link, P... p) {
    const std::tuple<P...> arguments{p...};
    Link::Call call(link, number, (Part<Kinds, P>::size(p, arguments) + ... + 0));
    Cursor to(call.body());
    (Part<Kinds, P>::put(to, p, arguments, link), ...);
    const std::uint64_t result = call.exchange();
    if constexpr ((has_results<Kinds, P> || ...)) {
      std::vector<std::uint8_t> told;
      if constexpr ((is_told<Kinds> || ...)) told = call.told();
      Cursor items(told.data());
      Cursor from(call.body());
      (take<Kinds, P>(from, p, arguments, link, told, items), ...);
    }
    return result;
  }

  template <class Kind, class Q>
  static constexpr bool has_results = !std::is_base_of_v<NoResults, Part<Kind, Q>>;

  template <class Kind, class Q, class A>
  static void take(Cursor& from, Q argument, const A& arguments, Link& link, const std::vector<std::uint8_t>& told,
                   Cursor& items) {
    if constexpr (!has_results<Kind, Q>) {
      static_cast<void>(from.bytes(Part<Kind, Q>::size(argument, arguments)));
    } else {
      if constexpr (is_told<Kind>) check_told(told, count_of(Kind{}, arguments), link);
      Part<Kind, Q>::take(from, argument, arguments, link, &items);
    }
  }
  template <std::size_t N, class A>
  static std::size_t count_of(Told<N>, const A& arguments) {
    return static_cast<std::size_t>(std::get<N>(arguments));
  }
  template <std::size_t S, std::size_t N, class A>
  static std::size_t count_of(ToldBinaries<S, N>, const A& arguments) {
    return static_cast<std::size_t>(std::get<N>(arguments));
  }
};

}  // namespace consort::fmi::foreign
