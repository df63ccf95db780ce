#include "group/jacobian.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace consort::group {

using describe::VariableId;

JacobianAssembly::JacobianAssembly(const Wiring& wiring, std::span<Member> members, MemberDerivatives& derivatives)
    : wiring_(wiring), members_(members), derivatives_(derivatives) {
  for (const auto& m : members_) states_ += m.states;
  find_blocks();
  for (MemberId m = 0; m < members_.size(); ++m) find_dependencies(m);
  find_pattern();
}

void JacobianAssembly::find_blocks() {
  blocks_.resize(members_.size());
  const auto add = [&](std::uint32_t slot, const SlotName& name, std::vector<std::uint32_t>& slots,
                       std::vector<ValueReference>& references) {
    slots.push_back(slot);
    if (name.element == 0) references.push_back((*members_[name.member].description)[name.variable].reference);
  };
  for (std::uint32_t i = 0; i < wiring_.inputs.size(); ++i) {
    auto& block = blocks_[wiring_.inputs[i].member];
    add(i, wiring_.inputs[i], block.inputs, block.input_references);
  }
  for (std::uint32_t o = wiring_.externals; o < wiring_.outputs.size(); ++o) {
    auto& block = blocks_[wiring_.outputs[o].member];
    add(o, wiring_.outputs[o], block.outputs, block.output_references);
  }
}

// Local rows: rates, then outputs. Local columns: states, then inputs.
void JacobianAssembly::find_dependencies(MemberId m) {
  auto& block = blocks_[m];
  const auto& member = members_[m];
  const auto& d = *member.description;
  const std::size_t columns = member.states + block.inputs.size();
  const std::size_t row_count = member.states + block.outputs.size();
  block.rows.assign(columns, {});
  std::map<VariableId, std::vector<std::uint32_t>> columns_of;
  const bool knows_states = !member.state_references.empty();
  std::vector<VariableId> row_variables;
  if (knows_states) {
    std::uint32_t column = 0;
    for (const auto& unknown : d.structure.derivatives) {
      const auto state = d[unknown.variable].derivative_of;
      for (std::size_t e = 0; e < member.elements(unknown.variable); ++e) {
        columns_of[state].push_back(column++);
        row_variables.push_back(unknown.variable);
      }
    }
  }
  for (std::size_t i = 0; i < block.inputs.size(); ++i)
    columns_of[wiring_.inputs[block.inputs[i]].variable].push_back(static_cast<std::uint32_t>(member.states + i));
  std::map<VariableId, const describe::Unknown*> declared;
  for (const auto* const unknowns : {&d.structure.derivatives, &d.structure.outputs})
    for (const auto& unknown : *unknowns)
      if (unknown.declared) declared.emplace(unknown.variable, &unknown);
  const auto add_row = [&](std::uint32_t row, VariableId variable) {
    const auto known = declared.find(variable);
    // Without states by name, the dependencies of the states are unknown.
    if (known == declared.end() || !knows_states) {
      for (auto& rows : block.rows) rows.push_back(row);
      return;
    }
    std::set<std::uint32_t> depends;
    // A state that is an output is listed as such with itself as its dependency, or without any.
    if (const auto self = columns_of.find(variable); self != columns_of.end())
      depends.insert(self->second.begin(), self->second.end());
    for (const auto& dependency : d.structure.of(*known->second))
      if (const auto found = columns_of.find(dependency.variable); found != columns_of.end())
        depends.insert(found->second.begin(), found->second.end());
    for (const auto column : depends) block.rows[column].push_back(row);
  };
  for (std::uint32_t r = 0; r < member.states; ++r) add_row(r, knows_states ? row_variables[r] : describe::no_variable);
  for (std::size_t o = 0; o < block.outputs.size(); ++o)
    add_row(static_cast<std::uint32_t>(member.states + o), wiring_.outputs[block.outputs[o]].variable);
  find_groups(block, row_count);
}

// Curtis, Powell, Reid 1974.
void JacobianAssembly::find_groups(Block& block, std::size_t row_count) const {
  std::vector<std::vector<bool>> taken;
  for (std::uint32_t c = 0; c < block.rows.size(); ++c) {
    const auto& rows = block.rows[c];
    std::size_t g = 0;
    while (g < taken.size() && std::any_of(rows.begin(), rows.end(), [&](std::uint32_t r) { return taken[g][r]; })) ++g;
    if (g == taken.size()) {
      taken.emplace_back(row_count, false);
      block.groups.emplace_back();
    }
    block.groups[g].push_back(c);
    for (const auto r : rows) taken[g][r] = true;
  }
}

template <class Place>
void JacobianAssembly::for_each_entry(MemberId m, std::uint32_t column, Place&& place) const {
  const auto& block = blocks_[m];
  const auto& member = members_[m];
  for (const auto row : block.rows[column]) {
    if (row < member.states) {
      place(member.first_state + row, none, row);
      continue;
    }
    for (const auto link : wiring_.links_from[block.outputs[row - member.states]])
      place(states_ + wiring_.links[link].input, link, row);
  }
}

void JacobianAssembly::find_pattern() {
  const std::size_t size = states_ + inputs();
  std::vector<std::set<int>> columns(size);
  const auto global = [&](MemberId m, std::uint32_t column) {
    const auto& member = members_[m];
    return column < member.states ? member.first_state + column : states_ + blocks_[m].inputs[column - member.states];
  };
  for (MemberId m = 0; m < members_.size(); ++m)
    for (std::uint32_t c = 0; c < blocks_[m].rows.size(); ++c)
      for_each_entry(m, c, [&](std::size_t row, std::uint32_t, std::uint32_t) {
        columns[global(m, c)].insert(static_cast<int>(row));
      });
  for (std::size_t i = 0; i < size; ++i) columns[i].insert(static_cast<int>(i));
  starts_.assign(1, 0);
  for (const auto& column : columns) {
    rows_.insert(rows_.end(), column.begin(), column.end());
    starts_.push_back(static_cast<int>(rows_.size()));
  }
  const auto place_of = [&](std::size_t row, std::size_t column) {
    const auto first = rows_.begin() + starts_[column];
    return static_cast<std::size_t>(
        std::lower_bound(first, rows_.begin() + starts_[column + 1], static_cast<int>(row)) - rows_.begin());
  };
  for (MemberId m = 0; m < members_.size(); ++m)
    for (const auto& group : blocks_[m].groups)
      for (const auto c : group)
        for_each_entry(m, c, [&](std::size_t row, std::uint32_t, std::uint32_t) {
          places_.push_back(place_of(row, global(m, c)));
        });
  for (std::size_t i = states_; i < size; ++i) diagonal_.push_back(place_of(i, i));
}

void JacobianAssembly::evaluate(Time t, std::span<const double> gains, std::span<double> values) {
  std::fill(values.begin(), values.end(), 0.0);
  for (const auto place : diagonal_) values[place] = 1;
  std::size_t next = 0;
  for (MemberId m = 0; m < members_.size(); ++m) {
    const auto& block = blocks_[m];
    const auto& member = members_[m];
    rates_.resize(member.states);
    y_.resize(block.outputs.size());
    for (const auto& group : block.groups) {
      x_.assign(member.states, 0.0);
      u_.assign(block.inputs.size(), 0.0);
      for (const auto c : group) (c < member.states ? x_[c] : u_[c - member.states]) = 1;
      const bool moves_states = group.front() < member.states;
      const bool moves_inputs = group.back() >= member.states;
      derivatives_(
          m, t,
          {moves_states ? std::span<const double>(x_) : std::span<const double>(),
           moves_inputs ? std::span<const ValueReference>(block.input_references) : std::span<const ValueReference>(),
           moves_inputs ? std::span<const double>(u_) : std::span<const double>()},
          {rates_, block.output_references, y_});
      for (const auto c : group)
        for_each_entry(m, c, [&](std::size_t, std::uint32_t link, std::uint32_t row) {
          values[places_[next++]] += row < member.states ? rates_[row] : -gains[link] * y_[row - member.states];
        });
    }
  }
}

}  // namespace consort::group
