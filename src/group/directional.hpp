// Directional derivatives of a group: one sweep through the wiring.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "base/time.hpp"
#include "group/derivatives.hpp"
#include "group/member.hpp"
#include "group/model.hpp"

namespace consort::group {

class Directional {
 public:
  // The derivatives of a connector's formula by its operands at the present point, by index of the connector.
  using ConnectorGradient = std::function<const std::vector<double>&(std::uint32_t)>;
  // The members must be laid out. All arguments must outlive this object.
  Directional(const Model& model, std::span<Member> members, MemberDerivatives& derivatives,
              ConnectorGradient connector_gradient);

  // ∂unknowns/∂knowns · seed at the present point, whose time is t. References are those of the group. `gains`: by link
  // of the wiring.
  void operator()(Time t, std::span<const double> gains, std::span<const ValueReference> unknowns,
                  std::span<const ValueReference> knowns, std::span<const double> seed, std::span<double> sensitivity);

 private:
  // The seeds of a member: its states and its inputs, connected ones first.
  struct Seeds {
    std::vector<double> states;
    std::vector<std::uint32_t> slots;  // of connected inputs
    std::size_t connected = 0;         // references
    std::vector<ValueReference> inputs;
    std::vector<double> values;
    bool moves_states = false;
    bool moves = false;
  };

  void seed(ValueReference known, std::span<const double> values);
  void sweep(Time t);
  void get(const Batch& batch, Time t);
  void set(const Batch& batch);
  void solve(const LoopPart& loop, Time t);
  void change(MemberId m, Time t, std::span<const ValueReference> outputs, std::span<double> values);
  [[nodiscard]] double routed(std::uint32_t input) const;
  [[nodiscard]] double change_of(Time t, const SlotName& source);
  void answer(Time t, ValueReference unknown, std::span<double> values);

  const Model& model_;
  std::span<Member> members_;
  MemberDerivatives& derivatives_;
  ConnectorGradient connector_gradient_;
  std::vector<Seeds> seeds_;                               // by member
  std::vector<std::uint32_t> place_in_seeds_;              // by slot of u: element of the seeds of its member
  std::map<std::uint32_t, std::uint32_t> slot_of_source_;  // element of the plan's outputs → slot of y
  std::map<ValueReference, std::pair<MemberId, std::size_t>> states_;  // of the group → first state of a member
  std::vector<double> y_;
  std::span<const double> gains_{};
  std::vector<double> column_;  // scratch
};

}  // namespace consort::group
