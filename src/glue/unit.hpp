// The instance behind the importer's handle, common to the exported FMUs of all versions.
//
// Part of every exported FMU: uses nothing but the standard library.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "glue/advance.hpp"
#include "glue/token.hpp"
#include "model/instance.hpp"

namespace consort::glue {

// The model's host inside an FMU: passes messages on to the importer if wants() is true.
struct LogHost : model::Host {
  LogHost(const char* instance_name, std::string resource_path, bool logging_on, Log* forward);
  LogHost(const LogHost&) = delete;
  LogHost& operator=(const LogHost&) = delete;

  // FMI 2.0, 2.1.5: without categories, all are chosen. Warnings and errors are passed on even when debug logging is
  // off.
  void choose(bool on, std::size_t count, const char* const* categories);
  [[nodiscard]] bool wants(model::Status status, const char* category) const;

  std::string name;
  std::string path;
  bool logging;
  std::vector<std::string> chosen;
};

// The facts about this FMU's model, shared by all instances.
struct Facts {
  Facts(const Exported& model, model::Layout::Style style);
  const Exported& exported;
  model::Layout layout;
  Token token;
  std::string token_text;
};

// Equality with a tolerance, for importers that add up their steps.
inline bool same_time(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b)); }

enum class Interface : std::uint8_t { model_exchange, co_simulation };

class Unit {
 public:
  Unit(const Facts& unit_facts, LogHost& unit_host, Interface unit_interface);

  const Facts& facts;
  LogHost& host;
  const Interface interface;
  model::Instance instance;
  Stepper stepper;
  // True for Model Exchange, and for Co-Simulation if the importer requested event mode.
  bool importer_handles_events;

  // Both throw model::Failure that names the reference.
  [[nodiscard]] const model::Slot& readable(std::uint32_t reference) {
    const model::Slot* slot = facts.layout.find(reference);
    if (slot == nullptr) refuse_reference(reference);
    instance.refresh(slot->needs);
    return *slot;
  }
  [[nodiscard]] const model::Slot& writable(std::uint32_t reference) {
    const model::Slot* slot = facts.layout.find(reference);
    if (slot == nullptr) refuse_reference(reference);
    if ((slot->settable & instance.head().mode) == 0) refuse_setting(*slot);
    return *slot;
  }
  [[noreturn]] void refuse_reference(std::uint32_t reference) const;
  [[noreturn]] void refuse_setting(const model::Slot& slot) const;
  [[noreturn]] void refuse_type(const model::Slot& slot, const char* asked) const;
  // Throws Failure unless the instance is in one of these modes.
  void require(model::Modes modes) {
    if ((instance.head().mode & modes) == 0) refuse_mode();
  }
  [[noreturn]] void refuse_mode() const;

  void leave_initialization();
  void leave_event_mode();
  // Checks the communication point and the step size against the instance's own time.
  StepResult step(const StepRequest& request) {
    check_step(request.t, request.h);
    return stepper.advance(request);
  }
  StepResult step(double t, double h) {
    check_step(t, h);
    return stepper.advance(t, h);
  }
  void check_step(double t, double h) const {
    const model::Head& head = instance.head();
    const bool fits = same_time(t, head.time) && (t + h <= head.stop_time || same_time(t + h, head.stop_time));
    if (!fits || !(h > 0) || !std::isfinite(h)) refuse_step(t, h);
  }
  [[noreturn]] void refuse_step(double t, double h) const;

  // Logs the failure; after an error the instance refuses further calls.
  model::Status fail(const char* function, model::Status status, const char* text);

  // --- states
  [[nodiscard]] std::byte* save(std::byte* reuse);  // null: allocates a new state
  void restore(const std::byte* state);
  static void release(std::byte* state);
  [[nodiscard]] std::size_t serialized_size() const;
  void serialize(const std::byte* state, std::byte* to, std::size_t size) const;
  [[nodiscard]] std::byte* deserialize(const std::byte* from, std::size_t size) const;
};

// Runs the body of an FMI function and converts exceptions to its status.
template <class U, class Body>
model::Status guarded(U& u, const char* function, Body&& body) {
  try {
    return body();
  } catch (const model::Failure& failure) {
    return u.fail(function, failure.status(), failure.what());
  } catch (const std::exception& e) {
    return u.fail(function, model::Status::error, e.what());
  } catch (...) {
    return u.fail(function, model::Status::error, "the model threw something that is not an exception");
  }
}

// "file:///a%20b" → "/a b", on Windows "file:///C:/a%20b" → "C:/a b"; a text that is not a file URI is taken as a path.
[[nodiscard]] std::string path_of_uri(const char* uri);

}  // namespace consort::glue
