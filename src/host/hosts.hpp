// The table of hosts on which units can run.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/log.hpp"
#include "fleet/host.hpp"

namespace consort::host {

// Arguments for making hosts; each host uses the members it needs.
struct HostSetup {
  fleet::UnitFactory factory{};  // for units in this process
  std::function<std::shared_ptr<const describe::Description>(const fleet::UnitSpec&)> describe{};
  unsigned threads = 1;                           // number of threads of this process
  LogSink log{};                                  // receives messages of units in other processes
  std::function<void(std::string_view)> trace{};  // receives traced calls of units in other processes
  std::string worker{};                           // the worker program; empty: see find_worker()
};

// A row of the table in hosts.cpp.
struct HostRow {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<fleet::Host> (*make)(const HostSetup&) = nullptr;
  bool in_process = true;  // true: any kind of unit; false: only units made from files
};
[[nodiscard]] std::span<const HostRow> hosts();
// Throws Error (input) that lists the available hosts.
[[nodiscard]] const HostRow& find_host(std::string_view name);

}  // namespace consort::host
