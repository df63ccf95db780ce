// All calls into an FMU go through Caller: it sets the call site for the crash guard, turns missing functions and bad
// statuses into errors that name the call, collects the FMU's messages, and traces calls on request.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/time.hpp"
#include "base/value.hpp"
#include "describe/description.hpp"
#include "fmi/instance.hpp"
#include "os/crash_guard.hpp"

namespace consort::fmi {

// The status codes of all three versions.
enum class Status : int { ok = 0, warning = 1, discard = 2, error = 3, fatal = 4, pending = 5 };
[[nodiscard]] std::string_view name_of(Status status);

// A function of the FMU's binary; `call` is null if the binary does not have it, which is an error only when it is
// used.
template <class F>
struct Function {
  const char* name = "";
  F* call = nullptr;
  F* post = nullptr;

  // The same function, for a call without results right before another one whose failure is treated alike. If another
  // program executes the calls, it makes both at once: the status is OK, and an error is thrown by the next call.
  [[nodiscard]] Function later() const { return {name, post, post}; }
};

// A list argument that a trace can print; converts to the pointer that the C function takes.
template <class T>
struct Listed {
  Listed(T* d, std::size_t n) : data(d), count(n) {}
  T* data;
  std::size_t count;
  operator T*() const { return data; }  // NOLINT(google-explicit-constructor)
};
// An argument that points to one result.
template <class T>
struct Result {
  explicit Result(T* v) : value(v) {}
  T* value;
  operator T*() const { return value; }  // NOLINT(google-explicit-constructor)
};
class Caller;

// Thrown by a function that another program executes if this program is gone; says how it ended ("crashed: …").
struct Lost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Thrown by a call if a call that was made later() has failed.
struct Late {
  const char* function = "";
  Status status = Status::error;
};

// The step h from t, shortened if it would end beyond the stop time by a rounding error: FMUs refuse such steps.
[[nodiscard]] Duration shortened_to(Time stop, Time t, Duration h);
[[nodiscard]] inline Duration kept_within(Time stop, Time t, Duration h) {
  return t + h <= stop ? h : shortened_to(stop, t, h);
}

// Enumerations of FMI 1.0 and 2.0 have 32 bits. Throws Error (input) for a larger number.
[[nodiscard]] int int_of(EnumValue value, const Caller& caller);

class Caller {
 public:
  // `description` must outlive the caller.
  Caller(std::string unit, const describe::Description& description, LogSink log,
         std::function<void(std::string_view)> trace);
  ~Caller();
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  [[nodiscard]] const std::string& unit() const { return unit_; }
  [[nodiscard]] const describe::Description& description() const { return description_; }
  void set_time(Time t) { site_.time = t; }
  [[nodiscard]] Time time() const { return site_.time; }
  // After fatal no function may be called; after error (FMI 1.0, 2.0) only freeing and reset.
  [[nodiscard]] bool is_fatal() const { return worst_ == Status::fatal; }
  void require_not_fatal() const;  // throws Error (run)
  [[nodiscard]] bool is_broken() const { return worst_ >= Status::error && worst_ != Status::pending; }
  void mend() { worst_ = Status::ok; }  // after a successful reset

  // Calls the function and returns its status; throws if the function is missing. Earlier messages of the FMU are
  // dropped, so that an error quotes only messages of this call.
  template <class F, class... A>
  Status call(const Function<F>& f, void* instance, const A&... arguments) {
    if (has_said_something()) [[unlikely]]
      forget_last_words();
    return follow_up(f, instance, arguments...);
  }
  // As call(), but keeps the earlier messages: for a call that asks for details of the preceding call.
  template <class F, class... A>
  Status follow_up(const Function<F>& f, void* instance, const A&... arguments) {
    require_function(f);
    const Status status = static_cast<Status>(guarded(f, instance, arguments...));
    if (status != Status::ok) [[unlikely]]
      note(status);
    if (trace_) [[unlikely]]
      trace(f.name, status, arguments...);
    return status;
  }
  // As call(), but throws unless the status is ok or warning.
  template <class F, class... A>
  void check(const Function<F>& f, void* instance, const A&... arguments) {
    const Status status = call(f, instance, arguments...);
    if (status > Status::warning) [[unlikely]]
      fail(f.name, status);
  }
  // As check(), for a call that is not essential: throws Refused unless the status is ok, and the instance stays
  // usable; FatalRefusal if the status is fatal.
  template <class F, class... A>
  void offer(const Function<F>& f, void* instance, const A&... arguments) {
    const Status before = worst_;
    const Status status = call(f, instance, arguments...);
    if (status != Status::ok) [[unlikely]]
      refuse(f.name, status, before);
  }
  // Runs calls that are not essential and throw Error (run) if they fail. Then throws Refused, and the instance stays
  // usable unless the status is fatal.
  template <class Body>
  void tolerate(Body&& body) {
    const Status before = worst_;
    try {
      body();
    } catch (const Error& error) {
      if (error.fault() != Fault::run || is_fatal()) throw;
      worst_ = before;
      throw Refused(error.fault(), error.what(), error.fields());
    }
  }
  // For functions that do not return a status (instantiate, free). Keeps the FMU's messages, since an FMU may be
  // instantiated in several attempts.
  template <class F, class... A>
  auto call_plain(const Function<F>& f, const A&... arguments) {
    require_function(f);
    return guarded(f, arguments...);
  }
  // Makes several calls with the overhead of one, for the step loop. Use it only for functions that the binary has,
  // without a trace, and while there are no earlier messages to drop.
  class Burst {
   public:
    template <class F, class... A>
    Status call(const Function<F>& f, const A&... arguments) {
      caller_.site_.call = f.name;
      const Status status = static_cast<Status>(f.call(arguments...));
      if (status != Status::ok) [[unlikely]]
        caller_.note(status);
      return status;
    }
    template <class F, class... A>
    void check(const Function<F>& f, const A&... arguments) {
      const Status status = call(f, arguments...);
      if (status > Status::warning) [[unlikely]]
        caller_.fail(f.name, status);
    }

   private:
    friend class Caller;
    explicit Burst(Caller& caller) : caller_(caller) {}
    Caller& caller_;
  };
  template <class Body>
  auto burst(Body&& body) {
    const Scope scope(*this, "");
    Burst calls(*this);
    try {
      return body(calls);
    } catch (const Error&) {
      throw;
    } catch (const Lost& lost) {
      throw gone(site_.call, lost.what());
    } catch (const Late& late) {
      throw_late(late);
    } catch (const std::exception& problem) {
      throw escaped(site_.call, problem.what());
    }
  }
  [[nodiscard]] bool is_watched() const { return static_cast<bool>(trace_); }  // never changes
  [[nodiscard]] bool has_said_something() const { return has_said_something_.load(std::memory_order_relaxed); }
  void trace_line(std::string_view line) const {
    if (trace_) trace_(fmt::format("{}: {}", unit_, line));
  }

  // "unit 'wheel' (FMI 2.0): fmi2DoStep returned error at t = 1.25 s: "negative mass"; …"
  [[nodiscard]] Error failure(const char* function, Status status) const;
  // "unit 'wheel' (FMI 2.0)".
  [[nodiscard]] std::string who() const;

  // Takes a message of the FMU, from any thread. `category` may be null.
  void message(Status status, const char* category, std::string text);
  // Runs the body of a callback. Drops its exceptions, because they must not pass through the FMU's frames.
  template <class F>
  static void contain(F&& body) noexcept {
    try {
      body();
    } catch (...) {  // NOLINT(bugprone-empty-catch)
    }
  }
  // The FMU's messages during the last call, newest last.
  [[nodiscard]] std::vector<std::string> last_words() const;

  // The live caller for a pointer that an FMU handed back: `candidate` if it is a live caller, otherwise the caller of
  // this thread's current call, or null. FMI 1.0 has no environment pointer, and some FMUs of FMI 2.0 pass an invalid
  // one.
  static Caller* from_environment(void* candidate);

 private:
  class Scope {
   public:
    Scope(Caller& caller, const char* function)
        : caller_(caller), outer_(os::current_call_site()), call_(caller.site_.call) {
      caller.site_.call = function;
      os::current_call_site() = &caller.site_;
    }
    ~Scope() {
      os::current_call_site() = outer_;
      caller_.site_.call = call_;  // calls may nest: FMU to callback to FMU
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Caller& caller_;
    const os::CallSite* outer_;
    const char* call_;
  };

  // An exception that escapes from an FMU written in C++ is reported as a failure of the FMU.
  template <class F, class... A>
  auto guarded(const Function<F>& f, const A&... arguments) {
    const Scope scope(*this, f.name);
    try {
      return f.call(arguments...);
    } catch (const Error&) {
      throw;  // thrown by Consort in a callback
    } catch (const Lost& lost) {
      throw gone(f.name, lost.what());
    } catch (const Late& late) {
      throw_late(late);
    } catch (const std::exception& problem) {
      throw escaped(f.name, problem.what());
    }
  }
  [[nodiscard]] Error escaped(const char* function, const char* what);
  [[nodiscard]] Error gone(const char* function, const char* how);
  [[noreturn]] void throw_late(const Late& late);
  [[noreturn]] void fail(const char* function, Status status) const;
  [[noreturn]] void refuse(const char* function, Status status, Status before);

  template <class F>
  void require_function(const Function<F>& f) const {
    if (f.call == nullptr) [[unlikely]] {
      throw run_error(
          "{}: the FMU's binary has no function {}, which is needed here; ask the maker of the FMU to export it", who(),
          f.name)
          .in_unit(unit_)
          .in_call(f.name)
          .at(site_.time);
    }
  }
  void note(Status status);
  void forget_last_words();

  template <class... A>
  void trace(const char* function, Status status, const A&... arguments) const {
    std::string text = fmt::format("{}: {}(", unit_, function);
    [[maybe_unused]] const char* separator = "";
    ((text += separator, append_argument(text, arguments), separator = ", "), ...);
    trace_(fmt::format("{}) -> {}", text, name_of(status)));
  }
  template <class T>
  static void append_argument(std::string& to, const Listed<T>& list) {
    to += '[';
    for (std::size_t i = 0; i < list.count; ++i) {
      if (i > 0) to += ", ";
      append_argument(to, list.data[i]);
    }
    to += ']';
  }
  template <class T>
  static void append_argument(std::string& to, const Result<T>& result) {
    append_argument(to, *result.value);
  }
  template <class T>
  static void append_argument(std::string& to, const T& value) {
    if constexpr (std::is_convertible_v<T, const char*>) {
      to += value == nullptr ? "null" : fmt::format("\"{}\"", static_cast<const char*>(value));
    } else if constexpr (std::is_pointer_v<T>) {
      to += value == nullptr ? "null" : fmt::format("{}", static_cast<const void*>(value));
    } else if constexpr (std::is_enum_v<T>) {
      to += fmt::format("{}", static_cast<int>(value));
    } else if constexpr (std::is_same_v<T, char>) {
      to += fmt::format("{}", static_cast<int>(value));
    } else if constexpr (std::is_arithmetic_v<T>) {
      to += fmt::format("{}", value);
    } else {
      to += "…";
    }
  }

  std::string unit_;
  os::LoadedUnit loaded_;
  const describe::Description& description_;
  LogSink log_;
  std::function<void(std::string_view)> trace_;
  os::CallSite site_;  // of this caller's current call
  Status worst_ = Status::ok;
  mutable std::mutex mutex_;  // messages may come from threads of the FMU
  std::deque<std::string> last_words_;
  std::atomic<bool> has_said_something_{false};  // true: last_words_ is not empty; checked before every call
};

}  // namespace consort::fmi
