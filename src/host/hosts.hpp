// The table of hosts: where units can run.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/log.hpp"
#include "fleet/host.hpp"

namespace consort::host {

// What hosts are made with; each takes of it what it needs.
struct HostSetup {
  fleet::UnitFactory factory{};  // for units in this process
  std::function<std::shared_ptr<const describe::Description>(const fleet::UnitSpec&)> describe{};
  unsigned threads = 1;                           // of this process
  LogSink log{};                                  // what units elsewhere say
  std::function<void(std::string_view)> trace{};  // their calls
  std::string worker{};  // the program that runs units in processes of their own; empty: it is looked for
};

// Rows of the table in hosts.cpp.
struct HostRow {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<fleet::Host> (*make)(const HostSetup&) = nullptr;
  bool in_process = true;  // units may be of any kind; otherwise they are made from files where they live
};
[[nodiscard]] std::span<const HostRow> hosts();
// Throws Error (input) that lists those available.
[[nodiscard]] const HostRow& find_host(std::string_view name);

}  // namespace consort::host
