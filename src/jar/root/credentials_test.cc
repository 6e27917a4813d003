#include "jar/root/credentials.h"

#include <gtest/gtest.h>

namespace belljar::jar {
namespace {

TEST(Credentials, NamesThatAreNeverCopied) {
  for (const auto* path :
       {"shadow", "sudoers", "ssl/private", "ssh/ssh_host_ed25519_key", "apt/auth.conf", "netrc", "docker",
        "NetworkManager", "foo/.netrc", "x/id_rsa", "x/tls.key", "fstab", "machine-id"})
    EXPECT_TRUE(is_private_name(path)) << path;
  for (const auto* path : {"ssh/ssh_config", "ssh/ssh_host_ed25519_key.pub", "ssl/certs/x.pem", "bash.bashrc",
                           "apt/sources.list"})
    EXPECT_FALSE(is_private_name(path)) << path;
}

TEST(Credentials, ValuesOfSecretsGoAndTheirNamesStay) {
  EXPECT_EQ(
      clean_file("npmrc", "registry=https://r/\n//r/:_authToken=abcdef\n//r/:_password = x\nalways=1\n"),
      "registry=https://r/\n//r/:_authToken=\n//r/:_password =\nalways=1\n");
  EXPECT_EQ(
      clean_file("environment", "PATH=/bin\nGITHUB_TOKEN=x\nexport AWS_SECRET_ACCESS_KEY='y'\nEDITOR=vi\n"),
      "PATH=/bin\nGITHUB_TOKEN=\nexport AWS_SECRET_ACCESS_KEY=\nEDITOR=vi\n");
  EXPECT_EQ(clean_file("gitconfig", "[http]\n\textraheader = AUTHORIZATION: basic x\n\tproxy = p\n"),
            "[http]\n\textraheader =\n\tproxy = p\n");
  EXPECT_EQ(clean_file("profile.d/a.sh", "# see ghp_0123456789abcdefABCDEF0123456789abcd\nx=1\n"), "\nx=1\n");
}

// Without the line node and curl refuse to start: "variable has no value".
TEST(Credentials, ASettingThatOtherLinesReferToIsStillThere) {
  EXPECT_EQ(clean_file("ssl/openssl.cnf", "[i]\nsecret = pass:x # comment\n[pbm]\nsecret = $i::secret\n"),
            "[i]\nsecret =\n[pbm]\nsecret = $i::secret\n");
}

TEST(Credentials, ALineWhoseNameHoldsATokenGoesWhole) {
  EXPECT_EQ(clean_file("gitconfig", "[url \"https://ghp_0123456789abcdefghij@h/\"]\n\tinsteadOf = x\n"),
            "\n\tinsteadOf = x\n");
  EXPECT_EQ(clean_file("some.conf", "ghp_0123456789abcdefghij = 1\nkey = ghp_0123456789abcdefghij\n"),
            "\nkey =\n");
}

TEST(Credentials, UrlsLoseTheirUser) {
  EXPECT_EQ(clean_file("pip.conf", "index-url = https://user:pa:ss@host/simple\n"),
            "index-url = https://host/simple\n");
  EXPECT_EQ(clean_file("apt/sources.list", "deb http://u:p@a/ x\ndeb http://b/ y@z\n"),
            "deb http://a/ x\ndeb http://b/ y@z\n");
}

TEST(Credentials, WhatCannotBeCleanedIsLeftOut) {
  EXPECT_FALSE(clean_file("a.json", "{\"auths\": {\"h\": {\"auth\": \"eA==\"}}}").has_value());
  EXPECT_FALSE(clean_file("maven/settings.xml", "<server><password>x</password></server>").has_value());
  EXPECT_FALSE(clean_file("x.pem", "-----BEGIN RSA PRIVATE KEY-----\n").has_value());
  EXPECT_FALSE(clean_file("x", "-----BEGIN OPENSSH PRIVATE KEY-----\n").has_value());
}

TEST(Credentials, OrdinaryConfigurationStays) {
  for (const std::string text : {"passwd: files\n", "password requisite pam_deny.so\n",
                                 "PASS_MAX_DAYS 99999\n", "PermitRootLogin prohibit-password\n",
                                 "export TOKEN=$OTHER\n", "password=\n", "no newline at the end"})
    EXPECT_EQ(clean_file("some.conf", text), text);
  EXPECT_EQ(clean_file("ld.so.cache", std::string("glibc-ld.so.cache\0token=x\n", 26)),
            std::string("glibc-ld.so.cache\0token=x\n", 26));
}

}  // namespace
}  // namespace belljar::jar
