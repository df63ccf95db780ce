// Write a model once as a plain struct; run it natively, or export it as an FMU of any version with consort_add_fmu.
//
//   struct Ball {
//     double h = 1, der_h = 0;                                     // members hold everything; start values are here
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
//   instantiate   once, when an instance is made
//   initialize    from parameters, inputs and start values: calculated parameters, states that start calculated. Called
//                 again when one of these changes during initialization.
//   derivatives   from states, inputs, parameters, discrete members and time: the derivatives of the states
//   outputs       from the same: outputs and locals
//   indicators    from the same: event indicators
//   event         (Event&): what changes at an event; called once after initialization, at time events
//   (Event::next_time),
//                 where an indicator has changed its sign, and when an importer asks for it. May change states.
//   completed     after each completed step of the solver; may change members that are not variables
//   directional   (const M& seed, M& sensitivity, const Context&) const: analytic directional derivatives. Without it
//                 they are computed by differences.
//
// derivatives, outputs and indicators may be called at any time and any number of times, also for trial steps: they
// change nothing but what they compute. All functions may throw Failure, Discard or Fatal. How-to:
// docs/howto/write_a_model.md.
#pragma once

#include "consort/model/context.hpp"      // IWYU pragma: export
#include "consort/model/declaration.hpp"  // IWYU pragma: export
#include "consort/model/definition.hpp"   // IWYU pragma: export
#include "consort/model/text.hpp"         // IWYU pragma: export
#include "consort/model/variable.hpp"     // IWYU pragma: export
