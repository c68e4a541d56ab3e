#include <sqrtdk/testing/laws/run_apart.hpp>

#include <iostream>
#include <string>
#include <system_error>

#if __has_include(<sys/wait.h>)
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#endif

namespace sqrtdk::testing {

#if __has_include(<sys/wait.h>)

namespace {

/// Added to the value that the process ends with, which is then none that a library ends with.
constexpr int returned = 192;

[[noreturn]] void call_and_end(const std::function<int()>& function, unsigned seconds) {
  for (const int death : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM})
    std::signal(death, SIG_DFL);
  alarm(seconds);
  const int value = function();
  std::cout.flush();
  std::fflush(stdout);
  _exit(returned + value);
}

}  // namespace

Ending run_apart(const std::function<int()>& function, unsigned seconds) {
  std::cout.flush();
  std::fflush(nullptr);  // or the copy would print it again
  const pid_t copy = fork();
  if (copy == 0) call_and_end(function, seconds);
  int status = 0;
  while (copy > 0 && waitpid(copy, &status, 0) < 0)
    if (errno != EINTR) break;
  if (copy < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return {-1, "no end after " + std::to_string(seconds) + " seconds"};
  if (WIFSIGNALED(status)) return {-1, strsignal(WTERMSIG(status))};
  const int code = WEXITSTATUS(status);
  if (code < returned) return {-1, "exit status " + std::to_string(code)};
  return {code - returned, ""};
}

#else

Ending run_apart(const std::function<int()>& function, unsigned) { return {function(), ""}; }

#endif

}  // namespace sqrtdk::testing
