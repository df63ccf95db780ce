// The functions that are common to Model Exchange and Co-Simulation in FMI 1.0; exactly one of the two glues, which
// include this file, is in an FMU. FMI 1.0 names functions after the model. So that the glue is compiled once for all
// models, its functions are named consort_fmi… and hidden; fmi1_cs_names.cpp and fmi1_me_names.cpp export them under
// the names of one model.
#pragma once

#define MODEL_IDENTIFIER consort
#ifdef _WIN32
#define DllExport  // only what is declared dllexport leaves a DLL
#else
#define DllExport __attribute__((visibility("hidden")))
#endif

#include <string>
#include <type_traits>
#include <vector>

#include "fmi/headers/fmi1/fmiFunctions.h"
#include "fmi/headers/fmi1/fmiModelFunctions.h"
#include "glue/scalar_values.hpp"
#include "glue/unit.hpp"

namespace {

namespace glue = consort::glue;
namespace model = consort::model;
using glue::Interface;
using glue::Unit;

const glue::Facts& facts() {
  static const glue::Facts the_facts(glue::exported_model(), model::Layout::Style::scalars);
  return the_facts;
}

struct Host1 : glue::LogHost {
  Host1(const char* instance, std::string resource_path, bool logging_on, fmiCallbackLogger l, fmiComponent c)
      : LogHost(instance, std::move(resource_path), logging_on, forward), logger(l), component(c) {}

  static void forward(const model::Host& host, model::Status status, const char* category, const char* format,
                      const void* argument) {
    const auto& self = static_cast<const Host1&>(host);
    if (!self.wants(status, category) || self.logger == nullptr) return;
    self.logger(self.component, self.instance_name, static_cast<fmiStatus>(status), category, format, argument);
  }

  fmiCallbackLogger logger;
  fmiComponent component;
};

struct Component1 {
  Component1(const char* instance, std::string resources, bool logging, fmiCallbackLogger logger, Interface interface)
      : host(instance, std::move(resources), logging, logger, this), unit(facts(), host, interface) {}
  Host1 host;
  Unit unit;
};

fmiComponent instantiate(const char* name, const char* guid, std::string resources, bool logging,
                         fmiCallbackLogger logger, Interface interface) {
  const auto complain = [&](const char* text) -> fmiComponent {
    if (logger != nullptr) logger(nullptr, name, fmiError, "logStatusError", "%s", text);
    return nullptr;
  };
  if (name == nullptr || *name == '\0') return complain("the instance needs a name");
  if (guid == nullptr || facts().token_text != guid) return complain("the GUID does not match this binary");
  try {
    return new Component1(name, std::move(resources), logging, logger, interface);
  } catch (const std::exception& e) {
    return complain(e.what());
  } catch (...) {
    return complain("the model threw something that is not an exception");
  }
}

// `body(Unit&)` returns nothing or a status.
template <class Body>
fmiStatus call(fmiComponent c, const char* function, Body&& body) {
  if (c == nullptr) return fmiError;
  Unit& u = static_cast<Component1*>(c)->unit;
  return static_cast<fmiStatus>(glue::guarded(u, function, [&] {
    if constexpr (std::is_void_v<decltype(body(u))>) {
      body(u);
      return model::Status::ok;
    } else {
      return body(u);
    }
  }));
}

}  // namespace

const char* fmiGetVersion(void) { return fmiVersion; }

fmiStatus fmiSetDebugLogging(fmiComponent c, fmiBoolean loggingOn) {
  return call(c, "fmiSetDebugLogging", [&](Unit& u) { u.host.choose(loggingOn != fmiFalse, 0, nullptr); });
}

fmiStatus fmiGetReal(fmiComponent c, const fmiValueReference vr[], size_t nvr, fmiReal value[]) {
  return call(c, "fmiGetReal", [&](Unit& u) { glue::read_reals(u, vr, nvr, value); });
}

fmiStatus fmiGetInteger(fmiComponent c, const fmiValueReference vr[], size_t nvr, fmiInteger value[]) {
  return call(c, "fmiGetInteger", [&](Unit& u) {
    for (size_t i = 0; i < nvr; ++i) value[i] = glue::read_integer(u, vr[i]);
  });
}

fmiStatus fmiGetBoolean(fmiComponent c, const fmiValueReference vr[], size_t nvr, fmiBoolean value[]) {
  return call(c, "fmiGetBoolean", [&](Unit& u) {
    for (size_t i = 0; i < nvr; ++i) value[i] = glue::read_boolean(u, vr[i]) ? fmiTrue : fmiFalse;
  });
}

fmiStatus fmiGetString(fmiComponent c, const fmiValueReference vr[], size_t nvr, fmiString value[]) {
  return call(c, "fmiGetString", [&](Unit& u) {
    for (size_t i = 0; i < nvr; ++i) value[i] = glue::read_string(u, vr[i]);
  });
}

fmiStatus fmiSetReal(fmiComponent c, const fmiValueReference vr[], size_t nvr, const fmiReal value[]) {
  return call(c, "fmiSetReal", [&](Unit& u) { glue::write_reals(u, vr, nvr, value); });
}

fmiStatus fmiSetInteger(fmiComponent c, const fmiValueReference vr[], size_t nvr, const fmiInteger value[]) {
  return call(c, "fmiSetInteger", [&](Unit& u) {
    for (size_t i = 0; i < nvr; ++i) glue::write_integer(u, vr[i], value[i]);
    u.instance.touch();
  });
}

fmiStatus fmiSetBoolean(fmiComponent c, const fmiValueReference vr[], size_t nvr, const fmiBoolean value[]) {
  return call(c, "fmiSetBoolean", [&](Unit& u) {
    for (size_t i = 0; i < nvr; ++i) glue::write_boolean(u, vr[i], value[i] != fmiFalse);
    u.instance.touch();
  });
}

fmiStatus fmiSetString(fmiComponent c, const fmiValueReference vr[], size_t nvr, const fmiString value[]) {
  return call(c, "fmiSetString", [&](Unit& u) {
    for (size_t i = 0; i < nvr; ++i) glue::write_string(u, vr[i], value[i]);
    u.instance.touch();
  });
}
