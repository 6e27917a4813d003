#include "jar/namespaces/testing/world.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/core.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace belljar::jar::testing {

namespace {

constexpr uid_t kOrdinaryUser = 54321;

std::string programs_directory() {
  std::string own(4096, 0);
  auto length = ::readlink("/proc/self/exe", own.data(), own.size());
  own.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  return own.substr(0, own.rfind('/'));
}

/// Copies of the programs where an unprivileged user can execute them, made by the caller before it becomes
/// one.
std::string& copied_programs() {
  static std::string directory;
  return directory;
}

std::string make_base() {
  char name[] = "/var/tmp/belljar-test-XXXXXX";
  if (::mkdtemp(name) == nullptr) return {};
  ::chmod(name, 0755);
  return name;
}

/// The cache of all tests of this build and user, as the first start of a jar looks through the whole of
/// /usr.
std::string cache_of(uid_t user) { return programs_directory() + "/../test-cache-" + std::to_string(user); }

std::string shared_cache() {
  std::error_code out_of_reach;  // a build below root's home, for the ordinary user
  auto path = std::filesystem::weakly_canonical(cache_of(::geteuid()), out_of_reach).string();
  if (out_of_reach) return {};
  ::mkdir(path.c_str(), 0700);
  return ::access(path.c_str(), W_OK) == 0 ? path : std::string();
}

std::string prepare_programs() {
  auto directory = make_base();
  for (const auto* name : {"belljar-init", "jar_probe"})
    World::host(fmt::format("cp {}/{} {}/ && chmod 755 {}/{}", programs_directory(), name, directory,
                            directory, name));
  return directory;
}

}  // namespace

World::World() : base_(make_base()), cache_(shared_cache()), backend_(copied_programs() + "/belljar-init") {
  if (cache_.empty()) cache_ = path("cache");
  ::mkdir(path("project").c_str(), 0755);
  host("cp " + copied_programs() + "/jar_probe " + path("project/probe"));
}

World::~World() { host("rm -rf " + base_); }

JarSpec World::spec() const {
  JarSpec spec;
  spec.name = "test";
  spec.state_directory = path("state");
  spec.cache_directory = cache_;
  spec.workspace = path("project");
  spec.home = "/home/somebody";
  spec.user_name = "somebody";
  spec.ca_certificate = []() -> Result<std::string> {
    return std::string("-----BEGIN CERTIFICATE-----\nthe jar's own\n-----END CERTIFICATE-----\n");
  };
  spec.ca_subject_hash = "0a1b2c3d";
  return spec;
}

void World::write(const std::string& below, const std::string& content) const {
  std::filesystem::create_directories(std::filesystem::path(path(below)).parent_path());
  auto file = os::open_file(path(below), O_WRONLY | O_CREAT | O_TRUNC, 0644).value();
  os::write_all(file.get(), as_bytes(content)).value();
}

std::string World::read(const std::string& below) const { return os::read_file(path(below)).value_or(""); }

bool World::host(const std::string& command) { return std::system(command.c_str()) == 0; }

Result<RunningJar::Ended> await_exit(RunningJar& jar) {
  while (true) {
    auto ended = TRY(jar.next_exit());
    if (ended) return *ended;
    pollfd event{jar.events_fd(), POLLIN, 0};
    if (::poll(&event, 1, 20'000) == 0) return Error(ErrorCode::timed_out, "no exit within 20 s");
  }
}

Outcome run(RunningJar& jar, const std::vector<std::string>& arguments) {
  auto pipe = os::create_pipe().value();
  ExecRequest request;
  request.arguments = arguments;
  request.environment = {"PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME=/home/somebody",
                         "LANG=C.UTF-8"};
  request.standard[1] = request.standard[2] = pipe.second.get();
  auto started = jar.exec(request);
  if (!started) return {127, started.error().to_string()};
  pipe.second.reset();
  Outcome outcome;
  outcome.output = os::read_all(pipe.first.get(), 8U << 20).value_or("?");
  auto ended = await_exit(jar);
  if (ended) outcome.code = ended->exit.shell_code();
  return outcome;
}

std::string unavailable() {
  pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0) (void)!::setresuid(kOrdinaryUser, kOrdinaryUser, kOrdinaryUser);
    ::_exit(::unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS) < 0 ? errno : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status == 0) return {};
  return fmt::format("this host lets no ordinary user create namespaces: {}",
                     std::strerror(WEXITSTATUS(status)));
}

void as_each_user(const std::function<void(World&)>& scenario) {
  copied_programs() = prepare_programs();
  {
    SCOPED_TRACE(::geteuid() == 0 ? "as root" : "as the calling user");
    World world;
    scenario(world);
  }
  if (::geteuid() == 0) {
    ::fflush(nullptr);
    ::mkdir(cache_of(kOrdinaryUser).c_str(), 0700);
    (void)!::chown(cache_of(kOrdinaryUser).c_str(), kOrdinaryUser, kOrdinaryUser);
    pid_t child = ::fork();
    if (child == 0) {
      bool changed = ::setgroups(0, nullptr) == 0 &&
                     ::setresgid(kOrdinaryUser, kOrdinaryUser, kOrdinaryUser) == 0 &&
                     ::setresuid(kOrdinaryUser, kOrdinaryUser, kOrdinaryUser) == 0;
      ::setenv("HOME", "/nonexistent", 1);
      ::prctl(PR_SET_DUMPABLE, 1);  // changing ids took it, and with it the right to write a child's id maps
      if (!changed) ::_exit(2);
      {
        SCOPED_TRACE("as an unprivileged user");
        World world;
        scenario(world);
      }
      ::fflush(nullptr);
      ::_exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << "as an unprivileged user";
  }
  World::host("rm -rf " + copied_programs());
}

}  // namespace belljar::jar::testing
