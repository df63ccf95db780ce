// What the program needs from its operating system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace consort::fmi::foreign {

struct Front;

namespace platform {

// Opens the segment of the engine; false if it cannot be opened.
[[nodiscard]] bool open_segment(const char* name);
// Maps its first `bytes`; null if that fails. Earlier views remain valid.
[[nodiscard]] std::uint8_t* map_segment(std::size_t bytes);

// Takes the pipes to the engine away from the standard streams, so that output of the binary does not disturb them.
// From then on the process ends as soon as the engine does. Failures are written to `front`.
void begin(Front& front);
void wake_engine();
void sleep_until_woken();  // returns after each byte of the engine at least once; may return early
void relax();              // between two looks of a spinning thread
void yield();
[[nodiscard]] std::uint32_t core();  // of this thread
[[nodiscard]] double microseconds();

// Loads the binary. On failure returns null, and `problem` completes "its binary …": "needs gone.dll, which …".
[[nodiscard]] void* load(const std::string& path, std::string& problem);
void unload(void* library);
[[nodiscard]] void* find(void* library, const char* name);
// Reports crashes and dialogs from now on, also if the binary has installed handlers of its own.
void guard();

// The form in which a binary of this platform expects the location of a file: "file:///Z:/tmp/x", "Z:\tmp\x\".
[[nodiscard]] std::string native_uri(const std::string& uri);
[[nodiscard]] std::string native_path(const std::string& path);

// Ends the process at once.
[[noreturn]] void end(int status);

}  // namespace platform
}  // namespace consort::fmi::foreign
