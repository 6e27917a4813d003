#include "config/image_reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belljar::config {
namespace {

using testing::HasSubstr;

const std::string kDigest = "sha256:" + std::string(64, 'a');

TEST(ImageReference, OfARegistryAndOfTheHost) {
  auto debian = parse_image_reference("docker://debian:12").value();
  EXPECT_TRUE(debian.of_registry);
  EXPECT_EQ(debian.source, "docker://debian:12");
  EXPECT_EQ(debian.digest, "");
  auto layout = parse_image_reference("oci:/images/mini:v1").value();
  EXPECT_FALSE(layout.of_registry);
  EXPECT_EQ(layout.source, "oci:/images/mini:v1");
  EXPECT_TRUE(parse_image_reference("docker-archive:/a.tar"));
  EXPECT_TRUE(parse_image_reference("oci-archive:/a.tar:v1"));
}

TEST(ImageReference, ADigestIsTakenOff) {
  auto both = parse_image_reference("docker://registry.example:5000/a/b:1.0@" + kDigest).value();
  EXPECT_EQ(both.source, "docker://registry.example:5000/a/b:1.0");
  EXPECT_EQ(both.digest, kDigest);
  EXPECT_EQ(at_digest(both, both.digest), "docker://registry.example:5000/a/b@" + kDigest);
  auto bare = parse_image_reference("docker://registry.example:5000/a/b").value();
  EXPECT_EQ(at_digest(bare, kDigest), "docker://registry.example:5000/a/b@" + kDigest);
  EXPECT_EQ(parse_image_reference("oci:/images/mini:v1@" + kDigest).value().source, "oci:/images/mini:v1");
}

TEST(ImageReference, WhatIsNone) {
  for (const auto* text :
       {"", "debian", "debian:12", "docker://", "docker:///x", "docker://--help", "docker://a b",
        "docker://a\nb", "docker://a@sha256:1234", "docker://a@sha512:aa", "docker://a$(id)", "oci:relative",
        "oci:", "oci:/", "dir:/x", "docker-daemon:x:y", "containers-storage:x", "--help", "tarball:/x"}) {
    auto parsed = parse_image_reference(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_THAT(parsed.error().message(), HasSubstr("docker://debian:12")) << text;
  }
  EXPECT_FALSE(parse_image_reference("oci:/" + std::string(2000, 'a')));
  EXPECT_FALSE(parse_image_reference("docker://a@" + kDigest + "b"));
}

}  // namespace
}  // namespace belljar::config
