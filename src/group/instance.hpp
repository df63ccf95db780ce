// A group: several Model Exchange instances presented as one.
//
// It has the states, event indicators and variables of all members, in their order. Continuous connections are
// evaluated whenever a value that depends on them is asked for. In event mode, one update is one round of superdense
// time (t, n): it updates each member that has a cause once, then passes values on; members that ask for another
// update, and members whose inputs changed, take part in the next round. Only members with a cause enter event mode: an
// announced event that is due, an indicator that changed its sign, a request after a step, an input that jumped. If
// none has a cause, all are updated.
//
// Saving needs members that all save their states. Members of FMI 1.0 are initialised in one call, after those that
// have an initialization mode.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "couple/gather.hpp"
#include "fmi/instance.hpp"
#include "group/coupling.hpp"
#include "group/derivatives.hpp"
#include "group/directional.hpp"
#include "group/jacobian.hpp"
#include "group/member.hpp"
#include "group/model.hpp"
#include "group/own_events.hpp"

namespace consort::group {

class GroupInstance final : public fmi::ModelExchange,
                            public fmi::StateSaving,
                            public fmi::DirectionalDerivatives,
                            public fmi::BorderedJacobian {
 public:
  // One instance per unit of the model's plan, in its order.
  GroupInstance(std::shared_ptr<const Model> model, std::string name,
                std::vector<std::unique_ptr<fmi::ModelExchange>> members);
  ~GroupInstance() override;

  [[nodiscard]] const describe::Description& description() const { return model_->description(); }
  [[nodiscard]] std::span<const LoopSolver> loops() const { return coupling_.loops(); }

  // Instance
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const describe::Interface& interface() const override { return description().interfaces.front(); }
  void set_debug_logging(bool on, std::span<const std::string> categories) override;
  void enter_initialization(const fmi::Experiment& experiment) override;
  void exit_initialization() override;
  void terminate() override;
  void reset() override;
  void tolerate(const std::function<void()>& reads) override;
  [[nodiscard]] fmi::StateSaving* state_saving() override;
  [[nodiscard]] fmi::DirectionalDerivatives* directional_derivatives() override { return this; }
  [[nodiscard]] fmi::BorderedJacobian* bordered_jacobian() override;
  [[nodiscard]] std::string missing(std::string_view capability) const override;

  // EventMode and ModelExchange
  void enter_event_mode() override;
  fmi::DiscreteUpdate update_discrete_states() override;
  void leave_event_mode() override;
  [[nodiscard]] std::size_t continuous_states() override { return states_; }
  [[nodiscard]] std::size_t event_indicators() override { return indicators_ + coupling_.indicator_count(); }
  void set_time(Time t) override;
  void set_states(std::span<const double> x) override;
  void get_states(std::span<double> x) override;
  void get_derivatives(std::span<double> dx) override;
  void get_event_indicators(std::span<double> z) override;
  void get_nominals(std::span<double> x) override;
  fmi::IntegratorStep completed_integrator_step(bool may_roll_back) override;

  // StateSaving
  std::unique_ptr<fmi::SavedState> save(std::unique_ptr<fmi::SavedState> reuse) override;
  void restore(const fmi::SavedState& state) override;
  [[nodiscard]] bool can_serialize() const override;
  [[nodiscard]] std::vector<std::uint8_t> serialize(const fmi::SavedState& state) override;
  [[nodiscard]] std::unique_ptr<fmi::SavedState> deserialize(std::span<const std::uint8_t> bytes) override;

  // DirectionalDerivatives and BorderedJacobian
  void directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                   std::span<const double> seed, std::span<double> sensitivity) override;
  [[nodiscard]] std::size_t inner_unknowns() const override { return model_->wiring.inputs.size(); }
  [[nodiscard]] std::span<const int> starts() const override { return jacobian_->starts(); }
  [[nodiscard]] std::span<const int> rows() const override { return jacobian_->rows(); }
  void evaluate(std::span<double> values) override;

 protected:
  void read(Type type, std::span<const ValueReference> references, void* values, std::size_t count) override;
  void write(Type type, std::span<const ValueReference> references, const void* values, std::size_t count) override;

 private:
  enum class Mode : std::uint8_t { instantiated, initialization, event, continuous };
  // What the group remembers beside the members and the coupling.
  struct Memory {
    std::vector<Time> next_events;             // by member
    std::vector<std::int8_t> signs;            // of the indicators after the last event
    std::vector<std::uint8_t> relation_signs;  // likewise, of the relations of formulas
    std::vector<std::uint8_t> step_events;     // by member: requested by the last completed step
    Columns outputs, inputs;                   // of the plan, as last passed on
    OwnEvents::State events;
    Time t = 0;

    template <class Archive>
    void fields(Archive& archive) {
      archive(next_events, signs, relation_signs, step_events, outputs, inputs, t);
      events.fields(archive);
    }
  };
  struct Saved;
  // An element of a connected input that changes only at events.
  struct Held {
    Type type = Type::Float64;
    std::uint32_t input = 0;  // in the inputs of the plan
    bool watched = true;      // a change is a cause; not if the source is continuous
    std::uint32_t place = 0;  // of the variable, in the inputs of the unit
  };

  // --- life
  void configure_members();
  void give_start_values(bool in_initialization);
  void give_defaults_to_externals();
  void remember_start(ValueReference reference, Value value);
  void initialize_old_members();
  bool pass_parameters();
  void lay_out();
  void make_directional();
  void find_held_inputs();
  void hold_target(const graph::PlannedEvent::Action& action);
  [[nodiscard]] Type source_type(const graph::ConnectionInfo& connection) const;
  // --- values
  double read_source(const SlotName& source, Type type);
  void read_operands(std::uint32_t connector, couple::FormulaSlots& slots);
  [[nodiscard]] double read_formula(std::uint32_t connector);
  const std::vector<double>& connector_gradient(std::uint32_t connector);
  template <class T>
  void read_values(std::span<const ValueReference> references, T* values);
  template <class T>
  void write_values(std::span<const ValueReference> references, const T* values);
  template <class T>
  void write_member(MemberId m, ValueReference reference, const T* values, std::size_t count);
  [[nodiscard]] const Origin& origin(ValueReference reference) const;
  std::size_t find_run(std::span<const ValueReference> references, std::size_t& i);
  void refresh(MemberId m);  // before values of a member are read
  void evaluate_coupling();
  // --- events
  void exchange();
  void find_causes();
  void ask(MemberId m);
  void enter(MemberId m);
  void gather(MemberId m);
  bool fire_own_events();
  void reinitialise(const OwnEvents::Reinit& reinit);
  void give_inputs(MemberId m);
  void find_changed_inputs();
  [[nodiscard]] bool held_changed(MemberId m) const;
  [[nodiscard]] bool has_jump(MemberId m) const;
  void remember_given(MemberId m);
  void remember_signs();
  [[nodiscard]] Error unsettled() const;

  std::shared_ptr<const Model> model_;
  std::string name_;
  std::vector<Member> members_;
  MemberDerivatives derivatives_;
  Coupling coupling_;
  std::vector<couple::Gather> gathers_;  // by member
  std::vector<std::vector<Held>> held_;  // by member
  OwnEvents own_events_;
  std::optional<JacobianAssembly> jacobian_;
  std::optional<Directional> directional_;
  std::vector<std::vector<std::uint32_t>> slots_of_;  // by member: its slots of u
  std::vector<Composite::Start> starts_;
  bool can_save_ = true;

  Memory memory_;
  Mode mode_ = Mode::instantiated;
  bool dirty_ = false;       // inputs of members do not belong to the present point
  std::uint64_t point_ = 0;  // counts the points, for members that have to be evaluated at each
  std::size_t states_ = 0;
  std::size_t indicators_ = 0;  // of members
  double rtol_ = 1e-6;
  // An event:
  std::vector<std::uint8_t> in_event_, asked_, initialised_, takes_part_;  // by member
  std::vector<double> given_;  // by slot of u: at the last update of its member
  Columns given_held_;         // likewise, all inputs of the plan
  std::uint32_t rounds_ = 0;
  bool own_cause_ = false;  // a relation of a formula changed
  // Scratch:
  std::vector<std::uint64_t> evaluated_at_;  // by member: point_
  std::vector<double> indicators_now_;
  std::vector<ValueReference> references_scratch_;
  std::vector<double> gradient_, states_now_;
  Columns scratch_;  // one variable
  std::vector<OwnEvents::Reinit> reinits_;
};

}  // namespace consort::group
