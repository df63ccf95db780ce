// Terminals group variables into physical or logical connectors (FMI 3.0, terminalsAndIcons.xml; also used with
// FMI 2.0).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace consort::describe {

struct TerminalMember {
  std::string variable;
  std::string member;
  std::string kind;
};

struct TerminalGraphics {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  std::string icon_base_name;
  std::string connection_color;
};

struct Terminal {
  std::string name;
  std::string matching_rule;
  std::string kind;
  std::string description;
  std::vector<TerminalMember> members;
  struct StreamMember {
    std::string in_stream_member, out_stream_member, in_stream_variable, out_stream_variable;
  };
  std::vector<StreamMember> stream_members;
  std::vector<Terminal> terminals;  // nested
  std::optional<TerminalGraphics> graphics;
};

struct Terminals {
  std::vector<Terminal> terminals;
  struct Icon {
    double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
    std::string base_name;
  };
  std::optional<Icon> icon;
};

}  // namespace consort::describe
