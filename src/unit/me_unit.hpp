// A Model Exchange instance together with a solver, as a unit that is stepped like any other.
//
// Inputs. Continuous Float64 inputs follow polynomials (value and up to three derivatives) that are evaluated inside
// the integration. Discrete inputs and tunable parameters that change, and continuous inputs that jump by more than the
// tolerance, are external events at the beginning of the step; the solver starts anew after them and goes on otherwise.
// Events of the model are located and handled inside of the step, unless the request is to stop at them: the unit then
// stands at the first one, before it, and is to be settled by its event verbs. One update is one of the instance.
//
// Values. get() answers with the inputs that were set, without a step: continuous ones count with discrete states held,
// others by an event that is handled then.
//
// Saving covers the instance, everything the solver remembers, what is known of its events, and the inputs. With a
// solver whose restart is exact (our own; the default) a restored unit repeats what it did bit for bit. FMI 1.0 cannot
// save the discrete states of an instance, so that units of FMI 1.0 have no rollback at all: one that is right only as
// long as there is no event would be wrong without a word.
#pragma once

#include <memory>
#include <string>

#include "fmi/fmu.hpp"
#include "solve/solver.hpp"
#include "unit/unit.hpp"

namespace consort::unit {

struct MeUnitOptions {
  std::string solver = "bdf";
  // rtol is the experiment's tolerance, where it has one, unless `own_tolerance`.
  solve::SolverOptions solver_options{};
  bool own_tolerance = false;
};

// Throws what Fmu::model_exchange throws, and Error (input) for an unknown solver, with a list of those available. The
// Fmu must outlive the unit (its description is the unit's).
[[nodiscard]] std::unique_ptr<Unit> make_me_unit(const fmi::Fmu& fmu, fmi::InstanceOptions instance,
                                                 MeUnitOptions options = {});
// The same for an instance that there is already, not yet initialised; the description must live as long as it.
[[nodiscard]] std::unique_ptr<Unit> make_me_unit(std::unique_ptr<fmi::ModelExchange> instance,
                                                 const describe::Description& description, MeUnitOptions options = {});

}  // namespace consort::unit
