// Write a model once as a plain struct; run it natively, or export it as an FMU of any version with consort_add_fmu.
//
//   struct Ball {
//     double h = 1, der_h = 0;                                     // the members hold all values and start values
//     double v = 0, der_v = 0;
//     double g = 9.81;
//
//     static constexpr auto describe() {                           // names, types and start values are not repeated
//       using namespace consort::model;
//       return declare({.description = "A ball that falls", .stop_time = 3},
//                      state<&Ball::h, &Ball::der_h>("m", "height").output(),
//                      state<&Ball::v, &Ball::der_v>("m/s", "velocity"),
//                      parameter<&Ball::g>("m/s2", "acceleration of gravity"));
//     }
//     void derivatives() { der_h = v; der_v = -g; }
//   };
//
// Functions that a model may have, each with no argument, (double t) or (const Context&):
//
//   instantiate   called once, when an instance is made
//   initialize    computes calculated parameters and calculated start values of states from parameters, inputs and
//                 start values. Called again when one of these changes during initialization.
//   derivatives   computes the derivatives of the states from states, inputs, parameters, discrete members and time
//   outputs       computes outputs and locals from the same values
//   indicators    computes event indicators from the same values
//   event         (Event&): handles an event. Called once after initialization, at time events (Event::next_time),
//                 after a sign change of an indicator, and on request of an importer. May change states.
//   completed     called after each completed step of the solver; may change members that are not variables
//   directional   (const M& seed, M& sensitivity, const Context&) const: analytic directional derivatives. Without
//                 this function they are computed by differences.
//
// derivatives, outputs and indicators may be called at any time and any number of times, also for trial steps. They
// must change only the values that they compute. All functions may throw Failure, Discard or Fatal. How-to:
// docs/howto/write_a_model.md.
#pragma once

#include "consort/model/context.hpp"      // IWYU pragma: export
#include "consort/model/declaration.hpp"  // IWYU pragma: export
#include "consort/model/definition.hpp"   // IWYU pragma: export
#include "consort/model/text.hpp"         // IWYU pragma: export
#include "consort/model/variable.hpp"     // IWYU pragma: export
