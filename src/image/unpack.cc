#include "image/unpack.h"

#include <cerrno>
#include <chrono>
#include <memory>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agents/program.h"
#include "image/watched.h"
#include "jar/namespaces/backend.h"

namespace belljar::image {

namespace {

constexpr auto kLongest = std::chrono::minutes(30);
constexpr const char* kHome = "/unpack";  // in the jar
constexpr const char* kTree = "rootfs";

jar::JarSpec spec_of(const UnpackRequest& request) {
  jar::JarSpec spec{.name = "unpack",
                    .state_directory = request.directory,
                    .cache_directory = request.cache_directory,
                    .home = kHome,
                    .user_name = "root",
                    .limits = {.memory = 4ULL << 30, .cpus = {}, .processes = 512, .wall = {}, .disk = {}},
                    .root = jar::RootChoice::read_only};
  spec.programs.push_back({request.layout});
  if (!agents::is_system_path(request.umoci)) spec.programs.push_back({request.umoci});
  return spec;
}

jar::ExecRequest command_of(const UnpackRequest& request, int errors) {
  // Rootless: it makes no devices, and takes it that owners can't be changed.
  jar::ExecRequest command{
      .arguments = {request.umoci, "raw", "unpack", "--rootless", "--image", request.layout + ":image",
                    fmt::format("{}/{}", kHome, kTree)},
      .environment = {fmt::format("HOME={}", kHome), "PATH=/usr/bin:/bin", "LANG=C.UTF-8"},
      .working_directory = kHome};
  command.standard[2] = errors;
  return command;
}

/// The exit of the one program of the jar.
Result<os::Exit> await_exit(jar::RunningJar& jar, Watched watched, Said& errors) {
  Said nothing;
  watched.ended = jar.events_fd();
  while (true) {
    TRY(watch(watched, nothing, errors));
    if (auto ended = TRY(jar.next_exit())) return ended->exit;
  }
}

/// Takes the tree out of the jar's home, which an attacker may have written: through no symlink.
Result<void> take_tree(const UnpackRequest& request) {
  auto home = TRY(os::open_file(request.directory + "/home", O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  struct stat status {};
  if (::fstatat(home.get(), kTree, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(status.st_mode))
    return Error(ErrorCode::malformed, "umoci made no directory of the image");
  // All processes of the jar have ended; a directory that its owner can't write can't be moved.
  if (::fchmodat(home.get(), kTree, 0755, 0) < 0) return Error::from_errno(errno, "chmod the unpacked image");
  if (::renameat(home.get(), kTree, AT_FDCWD, request.tree.c_str()) < 0)
    return Error::from_errno(errno, "move the unpacked image to " + request.tree);
  return {};
}

Result<void> unpack_in(jar::RunningJar& jar, const UnpackRequest& request, const RoomWatch& room) {
  auto pipe = TRY(os::create_pipe());
  (void)TRY(jar.exec(command_of(request, pipe.second.get())));
  pipe.second.reset();
  Said errors;
  auto exit = TRY(await_exit(jar,
                             {.errors = pipe.first.get(),
                              .room = &room,
                              .doing = "unpacking the image",
                              .tell = request.tell,
                              .deadline = std::chrono::steady_clock::now() + kLongest},
                             errors));
  if (exit.shell_code() == 0) return {};
  return Error(ErrorCode::malformed, "umoci can't unpack the image: " + errors.last_line());
}

}  // namespace

Result<void> unpack_image(const UnpackRequest& request, const RoomWatch& room) {
  auto jar = TRY(jar::NamespaceBackend(request.init_program)
                     .start(spec_of(request))
                     .context("confining umoci, which unpacks images"));
  auto unpacked = unpack_in(*jar, request, room);
  TRY(jar->stop());
  TRY(std::move(unpacked));
  jar.reset();
  return take_tree(request);
}

}  // namespace belljar::image
