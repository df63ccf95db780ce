#include "host/hosts.hpp"

#include <array>

#include "base/registry.hpp"
#include "host/local_host.hpp"
#include "host/process/process_host.hpp"

namespace consort::host {

namespace {

constexpr auto rows = std::to_array<HostRow>({
    {"threads", "in this process, in as many threads as pay", make_thread_host},
    {"serial", "in this process, one after another", make_serial_host},
    {"process", "each in a process of its own, so that none takes the others down", make_process_host, false},
});

}  // namespace

std::span<const HostRow> hosts() { return rows; }

const HostRow& find_host(std::string_view name) { return find_row(rows, name, "host"); }

}  // namespace consort::host
