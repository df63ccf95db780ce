#include "glue/unit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace consort::glue {
namespace {

constexpr char magic[8] = {'c', 'o', 'n', 's', 'o', 'r', 't', '1'};

struct StateHeader {
  char magic[8];
  std::uint64_t high;
  std::uint64_t low;
  std::uint64_t size;
};

const char* name_of(model::Modes mode) {
  switch (mode) {
    case model::instantiated: return "instantiated";
    case model::configuration: return "configuration mode";
    case model::initialization: return "initialization mode";
    case model::event_mode: return "event mode";
    case model::continuous_time: return "continuous-time mode";
    case model::step_mode: return "step mode";
    case model::intermediate: return "an intermediate update";
    case model::terminated: return "terminated";
    default: return "stopped by an error";
  }
}

const char* category_of(model::Status status) {
  switch (status) {
    case model::Status::ok: return "logEvents";
    case model::Status::warning: return "logStatusWarning";
    case model::Status::discard: return "logStatusDiscard";
    case model::Status::error: return "logStatusError";
    case model::Status::fatal: break;
  }
  return "logStatusFatal";
}

#ifdef _WIN32
bool is_separator(char c) { return c == '/' || c == '\\'; }
#else
bool is_separator(char c) { return c == '/'; }
#endif

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

LogHost::LogHost(const char* instance, std::string resource_path, bool logging_on, Log* forward)
    : name(instance != nullptr ? instance : ""), path(std::move(resource_path)), logging(logging_on) {
  while (path.size() > 1 && is_separator(path.back())) path.pop_back();
  log = forward;
  instance_name = name.c_str();
  resources = path.c_str();
}

void LogHost::choose(bool on, std::size_t count, const char* const* categories) {
  logging = on;
  chosen.clear();
  for (std::size_t i = 0; i < count; ++i) {
    if (categories[i] != nullptr) chosen.emplace_back(categories[i]);
  }
}

bool LogHost::wants(model::Status status, const char* category) const {
  if (!logging) return status >= model::Status::error || status == model::Status::warning;
  return chosen.empty() || std::find(chosen.begin(), chosen.end(), category) != chosen.end();
}

Facts::Facts(const Exported& model, model::Layout::Style style)
    : exported(model), layout(*model.definition, style), token(token_of(model, layout)), token_text(token.text()) {}

Unit::Unit(const Facts& unit_facts, LogHost& unit_host, Interface unit_interface)
    : facts(unit_facts),
      host(unit_host),
      interface(unit_interface),
      instance(unit_facts.layout, unit_host),
      stepper(unit_facts.exported, instance),
      importer_handles_events(unit_interface == Interface::model_exchange) {}

// --- refusals

void Unit::refuse_reference(std::uint32_t reference) const {
  char text[128];
  std::snprintf(text, sizeof text, "there is no variable with the value reference %u", reference);
  throw model::Failure(text);
}

void Unit::refuse_setting(const model::Slot& slot) const {
  const std::string_view variable =
      slot.variable == model::no_offset ? "time" : facts.exported.definition->variables[slot.variable].name;
  char text[256];
  std::snprintf(text, sizeof text, "the variable '%.*s' may not be set now (%s)", static_cast<int>(variable.size()),
                variable.data(), name_of(instance.head().mode));
  throw model::Failure(text);
}

void Unit::refuse_type(const model::Slot& slot, const char* asked) const {
  const std::string_view variable =
      slot.variable == model::no_offset ? "time" : facts.exported.definition->variables[slot.variable].name;
  char text[256];
  std::snprintf(text, sizeof text, "the variable '%.*s' is not of the type %s, or its value does not fit",
                static_cast<int>(variable.size()), variable.data(), asked);
  throw model::Failure(text);
}

void Unit::refuse_mode() const {
  char text[128];
  std::snprintf(text, sizeof text, "the function may not be called now (%s)", name_of(instance.head().mode));
  throw model::Failure(text);
}

model::Status Unit::fail(const char* function, model::Status status, const char* text) {
  char message[512];
  std::snprintf(message, sizeof message, "%s: %s (t = %.17g)", function, text, instance.head().time);
  instance.context().log(status, category_of(status), message);
  if (status >= model::Status::error) instance.head().mode = model::failed;
  return status;
}

// --- modes and steps

void Unit::leave_initialization() {
  if (interface == Interface::model_exchange || importer_handles_events) {
    instance.leave_initialization(model::event_mode);
    return;
  }
  instance.leave_initialization(model::step_mode);
  stepper.start();
}

void Unit::leave_event_mode() {
  const bool steps = interface == Interface::co_simulation;
  instance.head().mode = steps ? model::step_mode : model::continuous_time;
  if (steps) stepper.note_signs();
}

void Unit::refuse_step(double t, double h) const {
  if (!(h > 0) || !std::isfinite(h)) throw model::Failure("the step size must be positive");
  if (!same_time(t, instance.head().time)) {
    throw model::Failure("the communication point differs from the end of the last step");
  }
  throw model::Failure("the step goes beyond the stop time");
}

// --- states

std::byte* Unit::save(std::byte* reuse) {
  std::byte* const state = reuse != nullptr ? reuse : new std::byte[instance.memory_size()];
  instance.save(state);
  return state;
}

void Unit::restore(const std::byte* state) {
  if (state == nullptr) throw model::Failure("there is no state to restore");
  instance.restore(state);
}

void Unit::release(std::byte* state) { delete[] state; }

std::size_t Unit::serialized_size() const { return sizeof(StateHeader) + instance.memory_size(); }

void Unit::serialize(const std::byte* state, std::byte* to, std::size_t size) const {
  if (state == nullptr || size < serialized_size()) throw model::Failure("the buffer for the state is too small");
  StateHeader header{{}, facts.token.high, facts.token.low, instance.memory_size()};
  std::memcpy(header.magic, magic, sizeof magic);
  std::memcpy(to, &header, sizeof header);
  std::memcpy(to + sizeof header, state, instance.memory_size());
}

std::byte* Unit::deserialize(const std::byte* from, std::size_t size) const {
  StateHeader header;
  if (size != serialized_size())
    throw model::Failure("the serialized state does not have the size of this model's state");
  std::memcpy(&header, from, sizeof header);
  if (std::memcmp(header.magic, magic, sizeof magic) != 0 || header.high != facts.token.high ||
      header.low != facts.token.low || header.size != instance.memory_size()) {
    throw model::Failure("the serialized state belongs to another model");
  }
  auto* const state = new std::byte[instance.memory_size()];
  std::memcpy(state, from + sizeof header, instance.memory_size());
  return state;
}

std::string path_of_uri(const char* uri) {
  if (uri == nullptr) return {};
  std::string_view text = uri;
  if (text.substr(0, 5) != "file:") return std::string(text);
  text.remove_prefix(5);
  if (text.substr(0, 2) == "//") {
    text.remove_prefix(2);
    text.remove_prefix(std::min(text.find('/'), text.size()));  // drop the host name; it is this machine
  }
  std::string path;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
      path += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      path += text[i];
    }
  }
#ifdef _WIN32
  // file:///C:/folder, also file:///C|/folder
  if (path.size() > 2 && path[0] == '/' && (path[2] == ':' || path[2] == '|')) {
    path[2] = ':';
    path.erase(0, 1);
  }
#endif
  return path;
}

}  // namespace consort::glue
