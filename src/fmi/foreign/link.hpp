// The engine's end of the connection to a program that calls a foreign binary.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "fmi/foreign/wire.hpp"
#include "os/program.hpp"

namespace consort::fmi::foreign {

// How to start the program, and what it loads.
struct LinkSetup {
  os::ProgramStart start{};  // without descriptors; the name of the segment is appended to the arguments
  int version = 2;           // of FMI
  std::string binary{};
  std::string prefix{};  // the model identifier
  std::string shown{};   // the FMU's name in messages
  std::optional<std::chrono::duration<double>> call_limit{};
  std::chrono::duration<double> start_limit{30};  // the first start of Wine on a machine takes some seconds
};

// The program did not begin to work in time.
class StuckAtStart : public Error {
 public:
  using Error::Error;
};

// An instance in the program; the engine's handle of an instance points to one.
struct Remote {
  class Link* link = nullptr;
  std::uint64_t handle = 0;
};

class Link {
 public:
  // Starts the program and lets it load the binary. Throws Error (input) if it cannot load it, Error (run) if the
  // program does not run, StuckAtStart (run) if it does nothing.
  explicit Link(LinkSetup setup);
  ~Link();  // asks the program to end, and kills it if it does not within two seconds
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  [[nodiscard]] bool has(std::size_t function) const { return functions_[function]; }
  [[nodiscard]] bool is_lost() const { return is_lost_; }

  // One call: begin() gives the body, exchange() sends it, the results are in body() afterwards. Calls may nest in
  // callbacks; the destructor of a Call frees its place.
  class Call {
   public:
    // `size`: of the body. Throws Error (run) if there is no memory.
    // `is_posted`: the call is made right before the next one, which sends both; only if can_post().
    Call(Link& link, std::uint32_t function, std::size_t size, bool is_posted = false);
    ~Call() {
      if (!is_posted_) link_.top_ = link_.depth_ == 0 ? 0 : base_;  // with the calls that were posted before
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    [[nodiscard]] std::uint8_t* body() const { return link_.at(is_posted_ ? base_ + 8 : base_); }
    // Returns the result of the function. Throws Lost if the program is gone or exceeds the time limit, Late if a
    // posted call has failed; this one is not made then.
    std::uint64_t exchange();
    // The results without a place in the body. Each read checks the size; throws Lost.
    [[nodiscard]] std::vector<std::uint8_t> told();

   private:
    Link& link_;
    std::uint64_t base_;
    std::uint64_t size_;
    std::uint32_t function_;
    bool is_posted_;
  };
  // True if a call with a body of this size may be posted.
  [[nodiscard]] bool can_post(std::size_t size) const;

  // Forgets posted calls, before an instance is freed.
  void drop_posted() {
    if (depth_ == 0) top_ = 0;
  }
  // Ends the program, and throws Lost.
  [[noreturn]] void lose(std::string how);

  // --- callbacks; set when an instance is made

  std::function<void(int status, const char* category, const char* text)> log{};
  std::function<void(UpdateBody&)> update{};
  std::function<void()> tick{};
  void* environment = nullptr;  // FMI 3.0

  // --- instances and their results

  Remote* add(std::uint64_t handle);
  void remove(Remote* remote);
  // Keeps texts and byte strings that a function has given until the next call that gives some.
  std::vector<std::vector<std::uint8_t>> kept{};

 private:
  void load();
  void send(Message message);
  void await();
  bool sleep_until_answered();
  void leave_the_core_of_the_program();
  void call_back();
  void serve_callback(Message message, std::uint64_t base, std::uint64_t size);
  void grow(std::uint64_t capacity);
  [[noreturn]] void lose_ended();
  [[nodiscard]] std::string failure() const;  // what the program has left in the segment
  [[nodiscard]] std::uint8_t* at(std::uint64_t base) const { return view_ + front_size + base; }

  LinkSetup setup_;
  Descriptor segment_;
  Descriptor to_program_;
  Descriptor from_program_;
  std::uint8_t* view_ = nullptr;
  Front* front_ = nullptr;
  std::uint64_t capacity_ = first_capacity;
  std::uint64_t top_ = 0;   // end of the bodies in use
  int depth_ = 0;           // calls that have not returned: more than one in callbacks
  std::uint32_t turn_ = 0;  // messages of the program that have been received
  std::optional<os::Program> program_;
  std::vector<bool> functions_;
  std::vector<std::unique_ptr<Remote>> remotes_;
  std::chrono::nanoseconds spin_{};
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  std::chrono::steady_clock::time_point next_move_{};
  bool is_lost_ = false;
  std::exception_ptr problem_;  // thrown in a callback; rethrown when the call has returned
};

}  // namespace consort::fmi::foreign
