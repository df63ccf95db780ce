// Combines a Model Exchange instance and a solver into a unit.
//
// Inputs. Continuous Float64 inputs follow polynomials (value and up to three derivatives) that are evaluated during
// the integration. A change of a discrete input or tunable parameter, or a jump of a continuous input beyond the
// tolerance, is an external event at the beginning of the step. The solver restarts after such an event and continues
// otherwise. Events of the model are located and handled inside the step. If the request has stop_at_event, the unit
// stops at the first event before handling it; the caller then settles it with the functions of Events. One update of
// the unit is one update of the instance.
//
// States. set() also takes a continuous state. The standards allow that in continuous-time mode only (FMI 2.0, 3.2.2;
// FMI 3.0, 3.2.1), so a unit in event mode finishes its updates, leaves event mode and enters it again.
//
// Values. get() reflects newly set inputs without a step. Continuous inputs take effect with discrete states held;
// other inputs take effect through an event that get() handles.
//
// A snapshot covers the instance, the complete solver state, the known events and the inputs. If the solver restarts
// exactly (our own solver, the default), a restored unit repeats its results bit for bit. An instance that cannot save
// its state (all of FMI 1.0) is set back by its time, continuous states and inputs if it has no other memory: see
// set_back.hpp. Such a snapshot cannot be serialised, because a new instance would lack the rest of the state.
#pragma once

#include <memory>
#include <string>

#include "fmi/fmu.hpp"
#include "solve/solver.hpp"
#include "unit/unit.hpp"

namespace consort::unit {

struct MeUnitOptions {
  std::string solver = "bdf";
  // The tolerance of the experiment, if given, replaces rtol unless `own_tolerance` is set.
  solve::SolverOptions solver_options{};
  bool own_tolerance = false;
};

// Throws what Fmu::model_exchange throws. Throws Error (input) for an unknown solver and lists the available ones. The
// Fmu must outlive the unit, because the unit refers to its description.
[[nodiscard]] std::unique_ptr<Unit> make_me_unit(const fmi::Fmu& fmu, fmi::InstanceOptions instance,
                                                 MeUnitOptions options = {});
// The same for an existing instance that is not yet initialised. The description must outlive the unit.
[[nodiscard]] std::unique_ptr<Unit> make_me_unit(std::unique_ptr<fmi::ModelExchange> instance,
                                                 const describe::Description& description, MeUnitOptions options = {});

}  // namespace consort::unit
