#include "host/fleets.hpp"

#include "base/error.hpp"
#include "host/pool_fleet.hpp"
#include "unit/serial_fleet.hpp"

namespace consort::host {

std::unique_ptr<unit::Fleet> make_fleet(std::span<const std::unique_ptr<unit::Unit>> units,
                                        std::span<const unit::Ports> ports, unsigned threads) {
  require(threads > 0, "a simulation needs at least one thread; give 1 or more");
  if (threads == 1 || units.size() < 2) return std::make_unique<unit::SerialFleet>(units, ports);
  return std::make_unique<PoolFleet>(units, ports, threads);
}

}  // namespace consort::host
