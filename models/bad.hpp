// Misbehaves on demand from a given time on; for tests of importers.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <thread>

#include <consort/model.hpp>

struct Bad {
  enum class Deed : std::int64_t {
    nothing = 1,
    crash,
    hang,
    error,
    fatal,
    discard,
    not_a_number,
    leak,
    log_percent,
    log_percent_n,
    log_bad_pointer,
    crash_in_thread,
  };
  static constexpr std::string_view deeds[] = {
      "nothing",      "crash", "hang",        "error",         "fatal",           "discard",
      "not a number", "leak",  "log percent", "log percent n", "log bad pointer", "crash in thread"};

  double u = 0;
  double x = 1, der_x = 0;
  double y = 0;
  Deed deed = Deed::nothing;
  double when = 0.5;
  double longest_step = 1e-3;

  static constexpr auto describe() {
    using M = Bad;
    using namespace consort::model;
    return declare({.description = "Misbehaves on demand", .stop_time = 1, .step = 1e-2}, input<&M::u>("input"),
                   state<&M::x, &M::der_x>("state").depends_on<&M::u, &M::x>(),
                   output<&M::y>("the state").depends_on<&M::x>(),
                   parameter<&M::deed>("what it does after each step").named_values(deeds).tunable(),
                   parameter<&M::when>("s", "from this time on"),
                   parameter<&M::longest_step>("s", "discard: longer steps than this are discarded"));
  }

  void derivatives() { der_x = u - x; }
  void outputs(double t) { y = deed == Deed::not_a_number && t >= when ? std::numeric_limits<double>::quiet_NaN() : x; }
  void completed(const consort::model::Context& c) {
    using namespace consort::model;
    // Half a nanosecond of tolerance, because some importers add up steps and have rounding errors.
    if (c.time < when - 5e-10) return;
    switch (deed) {
      case Deed::crash: return crash();
      case Deed::crash_in_thread: return std::thread(crash).join();
      case Deed::hang: return hang();
      case Deed::error: throw Failure("an error, as demanded");
      case Deed::fatal: throw Fatal("a fatal error, as demanded");
      case Deed::discard:
        if (c.step > longest_step * (1 + 1e-9)) throw Discard("the step is too long, as demanded");
        return;
      case Deed::leak: return leak();
      case Deed::log_percent:
        return c.log_format(Status::warning, "logStatusWarning", "50% done, 100%s of %d %f %", "it");
      case Deed::log_percent_n: return c.log_format(Status::warning, "logStatusWarning", "written: %n", nullptr);
      case Deed::log_bad_pointer:
        return c.log_format(Status::warning, "logStatusWarning", "text at a bad address: %s", bad_address());
      case Deed::nothing:
      case Deed::not_a_number: return;
    }
  }

 private:
  // Without the attribute, a sanitizer would report the access before the crash.
  __attribute__((no_sanitize("undefined"))) static void crash() {
    volatile int* volatile nowhere = nullptr;
    *nowhere = 1;
  }
  static void hang() {
    volatile bool forever = true;
    while (forever) {
    }
  }
  static void leak() {
    auto* volatile lost = static_cast<char*>(std::malloc(1 << 20));
    if (lost == nullptr) return;
    for (int i = 0; i < 1 << 20; i += 4096) lost[i] = 1;  // touches the pages, so that they become resident
  }
  static const void* bad_address() {
    static volatile std::uintptr_t address = 16;
    return reinterpret_cast<const void*>(static_cast<std::uintptr_t>(address));  // NOLINT: a bad address on purpose
  }
};
