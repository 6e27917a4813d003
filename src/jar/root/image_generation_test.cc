#include "jar/root/image_generation.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jar/root/files.h"
#include "jar/root/generation_directory.h"

namespace belljar::jar {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class ImageGeneration : public ::testing::Test {
 protected:
  ImageGeneration() {
    char name[] = "/var/tmp/belljar-image-XXXXXX";
    base_ = ::mkdtemp(name);
    for (const auto* path : {"jar", "roots", "roots/new/tree/usr/bin", "roots/new/tree/etc", "outside"})
      fs::create_directories(at(path));
    write("outside/file", "outside");
  }
  ~ImageGeneration() override { fs::remove_all(base_); }

  [[nodiscard]] std::string at(const std::string& path) const { return base_ + "/" + path; }
  void write(const std::string& path, std::string_view text) const { std::ofstream(at(path)) << text; }
  [[nodiscard]] static std::string digest(char fill) { return "sha256:" + std::string(64, fill); }
  [[nodiscard]] ImageGenerationRequest request() const {
    return {at("roots"), {::geteuid(), ::getegid(), false}, "0a1b2c3d"};
  }
  [[nodiscard]] Result<Generation> adopt(char fill = 'a') const {
    CleanedTree cleaned;
    return adopt_image(request(), at("roots/new"), {"oci:/x:v", digest(fill)}, cleaned);
  }
  std::string base_;
};

TEST_F(ImageGeneration, IsFoundByItsDigest) {
  EXPECT_FALSE(find_image_generation(request(), digest('a')));
  write("roots/new/tree/etc/passwd", "daemon:x:1:1::/:/bin/sh\n");
  auto made = adopt();
  ASSERT_TRUE(made) << made.error().to_string();
  auto found = find_image_generation(request(), digest('a'));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->saved);
  EXPECT_FALSE(find_image_generation(request(), digest('b')));
  EXPECT_FALSE(fs::exists(at("roots/new")));
  EXPECT_EQ(os::read_file(made->directory + "/passwd").value(), "daemon:x:1:1::/:/bin/sh\n");
  for (const auto* path :
       {"/tree/var/tmp", "/tree/etc/resolv.conf", "/tree/etc/ssl/certs/ca-certificates.crt"})
    EXPECT_TRUE(fs::exists(made->directory + path)) << path;
}

TEST_F(ImageGeneration, LinksOutOfItLeadNowhere) {
  fs::create_directory_symlink(at("outside"), at("roots/new/tree/etc/ssl"));
  fs::create_directory_symlink(at("outside"), at("roots/new/tree/etc/apt"));
  for (const auto* name : {"passwd", "resolv.conf", "hosts", "mtab"})
    fs::create_symlink(at("outside/file"), at("roots/new/tree/etc/") + name);
  fs::create_directory(at("outside/certs"));
  write("outside/certs/ca-certificates.crt", "outside");
  auto made = adopt();
  ASSERT_TRUE(made) << made.error().to_string();
  EXPECT_EQ(os::read_file(at("outside/file")).value(), "outside");
  EXPECT_FALSE(fs::exists(at("outside/apt.conf.d")));
  EXPECT_EQ(os::read_file(made->directory + "/passwd").value(), "");
  EXPECT_THAT(find_trusting(made->directory + "/tree/etc", "0a1b2c3d"), ElementsAre());
}

TEST_F(ImageGeneration, WithoutDirectoriesThatEveryJarNeedsItIsRefused) {
  fs::remove(at("roots/new/tree/etc"));
  fs::create_directory_symlink(at("outside"), at("roots/new/tree/etc"));
  auto made = adopt();
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message(), HasSubstr("its /etc is no directory"));
  EXPECT_FALSE(fs::exists(at("outside/resolv.conf")));
  EXPECT_FALSE(find_image_generation(request(), digest('a')));
}

TEST_F(ImageGeneration, AJarIsShownItsTopDirectoriesButNotInThePlaceOfItsOwn) {
  for (const auto* name : {"srv", "app", "tmp", "proc", "home", ".hidden", "a:b"})
    fs::create_directory(at("roots/new/tree/") + name);
  fs::create_symlink("usr/bin", at("roots/new/tree/bin"));
  fs::create_symlink("/etc", at("roots/new/tree/dev"));
  write("roots/new/tree/file", "");
  auto system = read_image_system(*adopt()).value();
  EXPECT_THAT(system.directories, ElementsAre("app", "etc", "srv", "usr", "var"));
  ASSERT_EQ(system.links.size(), 1U);
  EXPECT_EQ(system.links[0].name, "bin");
  EXPECT_EQ(system.links[0].target, "usr/bin");
}

TEST_F(ImageGeneration, ProgramsAreLookedForWithinIt) {
  fs::create_symlink("usr/bin", at("roots/new/tree/bin"));
  write("roots/new/tree/usr/bin/tool", "");
  ASSERT_EQ(::chmod(at("roots/new/tree/usr/bin/tool").c_str(), 0755), 0);
  fs::create_symlink("/usr/bin/tool", at("roots/new/tree/usr/bin/other"));
  fs::create_symlink("/bin/sh", at("roots/new/tree/usr/bin/sh"));
  fs::create_symlink("../../../../../../../../bin/sh", at("roots/new/tree/usr/bin/escape"));
  write("roots/new/tree/usr/bin/plain", "");
  auto made = adopt().value();
  for (const auto* name : {"tool", "other", "/bin/tool", "/usr/bin/tool"})
    EXPECT_TRUE(has_program(made.directory, name)) << name;
  for (const auto* name : {"sh", "escape", "plain", "nothing", "", "/usr", "/usr/bin/../../../../../bin/sh"})
    EXPECT_FALSE(has_program(made.directory, name)) << name;
}

TEST_F(ImageGeneration, APinIsWhatWasWritten) {
  EXPECT_FALSE(pinned_image(at("jar")));
  ASSERT_TRUE(pin_image(at("jar"), {"docker://debian:12", digest('c')}));
  EXPECT_EQ(pinned_image(at("jar")), (ImagePin{"docker://debian:12", digest('c')}));
  write("jar/image", "docker://debian:12\nsha256:1234\n");
  EXPECT_FALSE(pinned_image(at("jar")));
  write("jar/image", "docker://debian:12\n" + digest('c'));  // cut
  EXPECT_FALSE(pinned_image(at("jar")));
}

TEST_F(ImageGeneration, AJarThatGoesBackFindsItsGenerationOfTheOtherKind) {
  ASSERT_TRUE(record_generation(at("jar"), "metadata-1"));
  ASSERT_TRUE(record_generation(at("jar"), "image-1-a"));
  ASSERT_TRUE(record_generation(at("jar"), "image-1-b"));
  EXPECT_EQ(recorded_generation(at("jar"), GenerationOf::host), "metadata-1");
  EXPECT_EQ(recorded_generation(at("jar"), GenerationOf::image), "image-1-b");
  EXPECT_THAT(recorded_generations(at("jar")), ElementsAre("image-1-b", "metadata-1"));
  ASSERT_TRUE(record_generation(at("jar"), "skeleton-2"));
  EXPECT_EQ(recorded_generation(at("jar"), GenerationOf::host), "skeleton-2");
  EXPECT_EQ(recorded_generation(at("jar"), GenerationOf::image), "image-1-b");
}

}  // namespace
}  // namespace belljar::jar
