// Fleets of every kind for the units of test_units.hpp.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/tests/places.hpp"
#include "fleet/fleet.hpp"
#include "host/hosts.hpp"
#include "host/local_host.hpp"
#include "host/pooled_units.hpp"
#include "host/process/process_host.hpp"
#include "host/tests/test_units.hpp"

namespace consort::host {

inline HostSetup test_setup(unsigned threads = 1) {
  HostSetup setup;
  setup.factory = [](const fleet::UnitSpec& spec) { return make_test_unit(spec); };
  setup.threads = threads;
  setup.worker = places::test_worker();
  return setup;
}

// A host with a thread pool that can distribute every wave and gives tests access to the pool.
class PoolHost final : public fleet::Host {
 public:
  PoolHost(unsigned threads, bool always) : threads_(threads), always_(always) {}
  [[nodiscard]] std::shared_ptr<const describe::Description> describe(const fleet::UnitSpec&) override {
    return nullptr;
  }
  [[nodiscard]] std::unique_ptr<fleet::HostedUnits> make(std::span<const fleet::UnitSpec> specs) override {
    auto units = std::make_unique<PooledUnits>(specs, test_setup().factory, threads_);
    units->always_share(always_);
    pool = units.get();
    return units;
  }
  PooledUnits* pool = nullptr;  // the last pool made

 private:
  unsigned threads_;
  bool always_;
};

// A fleet with its hosts; not yet connected.
struct HostedFleet {
  std::vector<std::unique_ptr<fleet::Host>> hosts;
  std::unique_ptr<fleet::Fleet> fleet;

  fleet::Fleet* operator->() const { return fleet.get(); }
  fleet::Fleet& operator*() const { return *fleet; }
};

inline HostedFleet on_one_host(std::span<const fleet::UnitSpec> specs, std::unique_ptr<fleet::Host> host) {
  HostedFleet hosted;
  hosted.hosts.push_back(std::move(host));
  hosted.fleet = std::make_unique<fleet::Fleet>(specs, *hosted.hosts.front());
  return hosted;
}

inline HostedFleet serial_fleet(std::span<const fleet::UnitSpec> specs) {
  return on_one_host(specs, make_serial_host(test_setup()));
}

inline HostedFleet process_fleet(std::span<const fleet::UnitSpec> specs) {
  return on_one_host(specs, make_process_host(test_setup()));
}

// Units with even ids run in this process, units with odd ids in their own processes.
inline HostedFleet mixed_fleet(std::span<const fleet::UnitSpec> specs) {
  HostedFleet hosted;
  hosted.hosts.push_back(make_serial_host(test_setup()));
  hosted.hosts.push_back(make_process_host(test_setup()));
  std::vector<std::uint32_t> host_of;
  for (std::uint32_t i = 0; i < specs.size(); ++i) host_of.push_back(i % 2);
  const std::vector<fleet::Host*> hosts = {hosted.hosts[0].get(), hosted.hosts[1].get()};
  hosted.fleet = std::make_unique<fleet::Fleet>(specs, hosts, host_of);
  return hosted;
}

}  // namespace consort::host
