// Wine, which runs Windows programs: where it is, and the folder (prefix) in which it keeps its state.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace consort::fmi::foreign {

struct Wine {
  std::filesystem::path program;      // starts Windows programs
  std::filesystem::path libraries;    // its DLLs for 64 bits
  std::filesystem::path libraries32;  // its DLLs for 32 bits; empty: it cannot run programs for 32 bits
};

// $CONSORT_WINE ("none": as if there were none), or the places of Debian and of WineHQ, or the program in $PATH;
// nullopt if there is none.
[[nodiscard]] std::optional<Wine> find_wine();
// What to install: "install Wine (as root: apt-get install …)".
[[nodiscard]] std::string advice_on_wine();

// The folder of all prefixes, below $XDG_CACHE_HOME or ~/.cache. Never the user's own prefix.
[[nodiscard]] std::filesystem::path prefix_root();
// The prefix for this Wine. Makes it if necessary: half a megabyte, without desktop, menus, network, Mono and Gecko.
// Several processes may call it at once. Throws Error (run) if it cannot be written.
[[nodiscard]] std::filesystem::path prepare_prefix(const Wine& wine);
[[nodiscard]] bool is_prepared(const Wine& wine);
// Gives the prefix another name, so that the next prepare_prefix() makes a new one, with a server of its own. Programs
// that run in it go on. For a server that no longer answers, because a program was killed while it started. Removed by
// remove_prefixes().
void retire_prefix(const std::filesystem::path& prefix);
// Removes all prefixes. Returns false if there were none.
bool remove_prefixes();

// The environment of a program that Wine runs: that of this process, with the prefix and without a display.
[[nodiscard]] std::vector<std::string> wine_environment(const std::filesystem::path& prefix);

}  // namespace consort::fmi::foreign
