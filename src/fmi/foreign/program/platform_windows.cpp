#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include "fmi/foreign/program/platform.hpp"
#include "fmi/foreign/wire.hpp"

namespace consort::fmi::foreign::platform {

namespace {

HANDLE segment = nullptr;
HANDLE from_engine = nullptr;
HANDLE to_engine = nullptr;
HANDLE woken = nullptr;
Front* front = nullptr;

std::wstring wide(const std::string& text) {
  const int n = MultiByteToWideChar(CP_UTF8, 0, text.c_str(), -1, nullptr, 0);
  std::wstring to(static_cast<std::size_t>(n > 0 ? n - 1 : 0), L'\0');
  if (n > 0) MultiByteToWideChar(CP_UTF8, 0, text.c_str(), -1, to.data(), n);
  return to;
}
std::string narrow(const wchar_t* text) {
  const int n = WideCharToMultiByte(CP_UTF8, 0, text, -1, nullptr, 0, nullptr, nullptr);
  std::string to(static_cast<std::size_t>(n > 0 ? n - 1 : 0), '\0');
  if (n > 0) WideCharToMultiByte(CP_UTF8, 0, text, -1, to.data(), n, nullptr, nullptr);
  return to;
}

[[noreturn]] void fail(const std::string& text) {
  std::strncpy(front->failure, text.c_str(), sizeof front->failure - 1);
  TerminateProcess(GetCurrentProcess(), 1);
  std::abort();
}

// Each byte wakes the serving thread; the end of the pipe is the end of the engine.
DWORD WINAPI listen(void*) {
  char bytes[64];
  DWORD n = 0;
  while (ReadFile(from_engine, bytes, sizeof bytes, &n, nullptr) != 0 && n > 0) SetEvent(woken);
  TerminateProcess(GetCurrentProcess(), 0);
  return 0;
}

// Wine 10 ends only the thread whose stack has overflowed, without an exception, and a binary may call ExitThread. The
// process would go on without the thread that answers.
DWORD WINAPI outlive(void* serving) {
  WaitForSingleObject(serving, INFINITE);
  DWORD status = 0;
  GetExitCodeThread(serving, &status);
  fail("crashed: its thread ended with exit status " + std::to_string(status) +
       ", which Wine does after a stack overflow");
}

HANDLE private_copy(DWORD standard) {
  HANDLE copy = nullptr;
  DuplicateHandle(GetCurrentProcess(), GetStdHandle(standard), GetCurrentProcess(), &copy, 0, FALSE,
                  DUPLICATE_SAME_ACCESS);
  return copy;
}

}  // namespace

// --- segment and waking ----------------------------------------------------------------------------------------------

bool open_segment(const char* name) {
  segment = CreateFileW(wide(native_path(name)).c_str(), GENERIC_READ | GENERIC_WRITE,
                        FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr, OPEN_EXISTING, 0, nullptr);
  return segment != INVALID_HANDLE_VALUE;
}

std::uint8_t* map_segment(std::size_t bytes) {
  const auto size = static_cast<std::uint64_t>(bytes);
  HANDLE const mapping = CreateFileMappingW(segment, nullptr, PAGE_READWRITE, static_cast<DWORD>(size >> 32),
                                            static_cast<DWORD>(size), nullptr);
  if (mapping == nullptr) return nullptr;
  auto* const view = static_cast<std::uint8_t*>(MapViewOfFile(mapping, FILE_MAP_ALL_ACCESS, 0, 0, bytes));
  CloseHandle(mapping);
  return view;
}

void begin(Front& shared) {
  front = &shared;
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
  from_engine = private_copy(STD_INPUT_HANDLE);
  to_engine = private_copy(STD_OUTPUT_HANDLE);
  // For binaries that share this program's C runtime, and for those that have their own.
  std::fflush(stdout);
  _dup2(_fileno(stderr), _fileno(stdout));
  const int nothing = _open("NUL", _O_RDONLY);
  if (nothing >= 0) _dup2(nothing, 0);
  SetStdHandle(STD_OUTPUT_HANDLE, GetStdHandle(STD_ERROR_HANDLE));
  SetStdHandle(STD_INPUT_HANDLE, reinterpret_cast<HANDLE>(_get_osfhandle(0)));
  woken = CreateEventW(nullptr, FALSE, FALSE, nullptr);
  CloseHandle(CreateThread(nullptr, 0, listen, nullptr, 0, nullptr));
  HANDLE serving = nullptr;
  DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(), &serving, SYNCHRONIZE, FALSE,
                  DUPLICATE_SAME_ACCESS);
  CloseHandle(CreateThread(nullptr, 0, outlive, serving, 0, nullptr));
}

void wake_engine() {
  DWORD written = 0;
  WriteFile(to_engine, "!", 1, &written, nullptr);
}
void sleep_until_woken() { WaitForSingleObject(woken, INFINITE); }
void relax() { __builtin_ia32_pause(); }
void yield() { SwitchToThread(); }
std::uint32_t core() { return GetCurrentProcessorNumber(); }
double microseconds() {
  static const double scale = [] {
    LARGE_INTEGER frequency;
    QueryPerformanceFrequency(&frequency);
    return 1e6 / static_cast<double>(frequency.QuadPart);
  }();
  LARGE_INTEGER now;
  QueryPerformanceCounter(&now);
  return static_cast<double>(now.QuadPart) * scale;
}

void end(int status) {
  TerminateProcess(GetCurrentProcess(), static_cast<UINT>(status));
  std::abort();
}

// --- the binary ------------------------------------------------------------------------------------------------------

namespace {

std::string text_of(DWORD code) {
  wchar_t* text = nullptr;
  const DWORD n = FormatMessageW(
      FORMAT_MESSAGE_ALLOCATE_BUFFER | FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr, code,
      MAKELANGID(LANG_ENGLISH, SUBLANG_ENGLISH_US), reinterpret_cast<wchar_t*>(&text), 0, nullptr);
  std::string result = n > 0 ? narrow(text) : "error " + std::to_string(code);
  LocalFree(text);
  while (!result.empty() && std::strchr(".\r\n ", result.back()) != nullptr) result.pop_back();
  return result;
}

// Names of the DLLs that `file` imports, read without loading them.
std::vector<std::string> imports_of(const std::wstring& file) {
  std::vector<std::string> names;
  HMODULE const image = LoadLibraryExW(file.c_str(), nullptr, DONT_RESOLVE_DLL_REFERENCES);
  if (image == nullptr) return names;
  auto* const base = reinterpret_cast<const std::uint8_t*>(image);
  const auto* const dos = reinterpret_cast<const IMAGE_DOS_HEADER*>(base);
  const auto* const nt = reinterpret_cast<const IMAGE_NT_HEADERS*>(base + dos->e_lfanew);
  const auto& directory = nt->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT];
  if (directory.VirtualAddress != 0 && directory.Size >= sizeof(IMAGE_IMPORT_DESCRIPTOR)) {
    const auto* entry = reinterpret_cast<const IMAGE_IMPORT_DESCRIPTOR*>(base + directory.VirtualAddress);
    for (; entry->Name != 0; ++entry) names.emplace_back(reinterpret_cast<const char*>(base + entry->Name));
  }
  FreeLibrary(image);
  return names;
}

// The DLLs that neither Windows has nor the folder of the binary, also those that its companions need.
void add_missing(const std::wstring& folder, const std::wstring& file, std::vector<std::string>& seen,
                 std::vector<std::string>& missing) {
  for (const auto& name : imports_of(file)) {
    bool known = false;
    for (const auto& other : seen) known = known || _stricmp(other.c_str(), name.c_str()) == 0;
    if (known) continue;
    seen.push_back(name);
    const std::wstring beside = folder + wide(name);
    if (GetFileAttributesW(beside.c_str()) != INVALID_FILE_ATTRIBUTES) {
      add_missing(folder, beside, seen, missing);
      continue;
    }
    HMODULE const found = LoadLibraryExW(wide(name).c_str(), nullptr, 0);
    if (found == nullptr)
      missing.push_back(name);
    else
      FreeLibrary(found);
  }
}

}  // namespace

void* load(const std::string& path, std::string& problem) {
  const std::wstring file = wide(native_path(path));
  const std::wstring folder = file.substr(0, file.rfind(L'\\') + 1);
  SetDllDirectoryW(folder.c_str());  // for DLLs that the binary loads by name later
  HMODULE const module = LoadLibraryExW(file.c_str(), nullptr, LOAD_WITH_ALTERED_SEARCH_PATH);
  if (module != nullptr) return module;
  const DWORD code = GetLastError();
  std::vector<std::string> seen;
  std::vector<std::string> missing;
  if (code == ERROR_MOD_NOT_FOUND) add_missing(folder, file, seen, missing);
  for (const auto& name : missing) problem += (problem.empty() ? "needs " : ", ") + name;
  if (!missing.empty())
    problem += missing.size() == 1 ? ", which is neither in the FMU nor part of Wine"
                                   : ", which are neither in the FMU nor part of Wine";
  else
    problem = "cannot be loaded: " + text_of(code);
  return nullptr;
}

void unload(void* library) {
  if (library != nullptr) FreeLibrary(static_cast<HMODULE>(library));
}

void* find(void* library, const char* name) {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

// --- crashes and dialogs ---------------------------------------------------------------------------------------------

namespace {

// Exceptions by which Wine and C++ tell what happened.
constexpr DWORD missing_function = 0x80000100;
constexpr DWORD cxx_exception = 0xE06D7363;
constexpr DWORD gcc_exception = 0x20474343;

std::string place_of(const void* address) {
  HMODULE module = nullptr;
  wchar_t file[MAX_PATH]{};
  char text[64];
  if (GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                         static_cast<const wchar_t*>(address), &module) == 0 ||
      GetModuleFileNameW(module, file, MAX_PATH) == 0) {
    std::snprintf(text, sizeof text, "at %p", address);
    return text;
  }
  const wchar_t* const name = std::wcsrchr(file, L'\\');
  std::snprintf(text, sizeof text, " + 0x%lx",
                static_cast<unsigned long>(static_cast<const char*>(address) - reinterpret_cast<const char*>(module)));
  return "in " + narrow(name == nullptr ? file : name + 1) + text;
}

std::string what_happened(const EXCEPTION_RECORD& e) {
  const auto text = [&](std::size_t i) { return reinterpret_cast<const char*>(e.ExceptionInformation[i]); };
  char number[32];
  switch (e.ExceptionCode) {
    case EXCEPTION_ACCESS_VIOLATION: {
      std::snprintf(number, sizeof number, "%p", reinterpret_cast<void*>(e.ExceptionInformation[1]));
      return std::string("crashed: it ") + (e.ExceptionInformation[0] == 1 ? "wrote to" : "read from") +
             " the invalid address " + number;
    }
    case EXCEPTION_STACK_OVERFLOW: return "crashed: stack overflow";
    case EXCEPTION_INT_DIVIDE_BY_ZERO: return "crashed: integer division by zero";
    case EXCEPTION_ILLEGAL_INSTRUCTION: return "crashed: illegal instruction";
    case cxx_exception:
    case gcc_exception: return "threw a C++ exception";
    case missing_function: {
      const auto name = e.ExceptionInformation[1];
      const std::string function = name >> 16 != 0 ? text(1) : "number " + std::to_string(name);
      return "called the function " + function + " of " + text(0) + ", which Wine does not have,";
    }
    default: break;
  }
  std::snprintf(number, sizeof number, "0x%08lx", e.ExceptionCode);
  return std::string("crashed with exception ") + number;
}

LONG WINAPI report_crash(EXCEPTION_POINTERS* e) {
  const auto& record = *e->ExceptionRecord;
  if (record.ExceptionCode == EXCEPTION_STACK_OVERFLOW) {  // there is no room for texts
    std::strcpy(front->failure, "crashed: stack overflow");
    TerminateProcess(GetCurrentProcess(), 1);
  }
  fail(what_happened(record) + " " + place_of(record.ExceptionAddress));
}

[[noreturn]] void report_dialog(const std::string& title, const std::string& text) {
  fail("showed a dialog, which nobody can answer: \"" + title + (title.empty() || text.empty() ? "" : ": ") + text +
       "\"");
}
std::string known(const char* text) { return text == nullptr ? "" : text; }
std::string known(const wchar_t* text) { return text == nullptr ? "" : narrow(text); }

template <class Char>
int WINAPI message_box(HWND, const Char* text, const Char* title, UINT) {
  report_dialog(known(title), known(text));
}
template <class Char>
int WINAPI message_box_ex(HWND, const Char* text, const Char* title, UINT, WORD) {
  report_dialog(known(title), known(text));
}

// Lets `name` of user32 begin with a jump to `replacement`.
template <class F>
void replace(HMODULE user32, const char* name, F* replacement) {
  auto* const place = reinterpret_cast<std::uint8_t*>(GetProcAddress(user32, name));
  DWORD old = 0;
  if (place == nullptr || VirtualProtect(place, 16, PAGE_EXECUTE_READWRITE, &old) == 0) return;
#ifdef _WIN64
  const std::uint8_t load_rax[]{0x48, 0xb8};
  const std::uint8_t jump_rax[]{0xff, 0xe0};
#else
  const std::uint8_t load_rax[]{0xb8};
  const std::uint8_t jump_rax[]{0xff, 0xe0};
#endif
  const auto target = reinterpret_cast<std::uintptr_t>(replacement);
  std::memcpy(place, load_rax, sizeof load_rax);
  std::memcpy(place + sizeof load_rax, &target, sizeof target);
  std::memcpy(place + sizeof load_rax + sizeof target, jump_rax, sizeof jump_rax);
  VirtualProtect(place, 16, old, &old);
  FlushInstructionCache(GetCurrentProcess(), place, 16);
}

}  // namespace

void guard() {
  ULONG for_report = 65536;
  SetThreadStackGuarantee(&for_report);
  SetUnhandledExceptionFilter(report_crash);
  HMODULE const user32 = GetModuleHandleW(L"user32.dll");
  if (user32 == nullptr) return;
  replace(user32, "MessageBoxA", message_box<char>);
  replace(user32, "MessageBoxW", message_box<wchar_t>);
  replace(user32, "MessageBoxExA", message_box_ex<char>);
  replace(user32, "MessageBoxExW", message_box_ex<wchar_t>);
}

// --- paths -----------------------------------------------------------------------------------------------------------

// Drive Z: is the root of the file system.
std::string native_path(const std::string& path) {
  if (path.empty() || path.front() != '/') return path;
  std::string native = "Z:" + path;
  for (char& c : native)
    if (c == '/') c = '\\';
  return native;
}

std::string native_uri(const std::string& uri) {
  const std::string scheme = "file://";
  return uri.compare(0, scheme.size() + 1, scheme + "/") == 0 ? scheme + "/Z:" + uri.substr(scheme.size()) : uri;
}

}  // namespace consort::fmi::foreign::platform
