// The object behind an FMI 3.0 instance handle: the unit and the importer's callbacks.
#pragma once

#include <type_traits>

#include "fmi/headers/fmi3/fmi3Functions.h"
#include "glue/unit.hpp"

namespace consort::glue {

const Facts& facts3();

struct Host3 : LogHost {
  Host3(const char* instance, const char* resource_path, bool logging_on, fmi3InstanceEnvironment e,
        fmi3LogMessageCallback l)
      : LogHost(instance, resource_path != nullptr ? resource_path : "", logging_on, forward),
        environment(e),
        log_message(l) {}
  static void forward(const model::Host& host, model::Status status, const char* category, const char* format,
                      const void* argument);

  fmi3InstanceEnvironment environment;
  fmi3LogMessageCallback log_message;
};

struct Component3 {
  Component3(const char* name, const char* resources, bool logging, fmi3InstanceEnvironment e, fmi3LogMessageCallback l,
             Interface interface)
      : host(name, resources, logging, e, l), unit(facts3(), host, interface) {}
  Host3 host;
  Unit unit;
  bool may_return_early = false;
  fmi3IntermediateUpdateCallback intermediate = nullptr;
};

// `body(Unit&)` returns nothing or a status.
template <class Body>
fmi3Status call3(fmi3Instance instance, const char* function, Body&& body) {
  if (instance == nullptr) return fmi3Error;
  Unit& u = static_cast<Component3*>(instance)->unit;
  return static_cast<fmi3Status>(guarded(u, function, [&] {
    if constexpr (std::is_void_v<decltype(body(u))>) {
      body(u);
      return model::Status::ok;
    } else {
      return body(u);
    }
  }));
}

}  // namespace consort::glue
