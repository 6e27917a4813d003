// A directory for a ledger of its own, gone with the test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "ledger/store.h"

namespace belljar::ledger {

class LedgerTest : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = testing::TempDir() + "ledger.XXXXXX";
    ASSERT_NE(::mkdtemp(directory_.data()), nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  static Event denial(std::string host, std::string verdict = "deny") {
    return {.kind = Kind::request, .verdict = std::move(verdict), .host = std::move(host), .port = 443};
  }
  static Entry entry(std::string host, std::string jar = "app") {
    return {.time = wall_clock(),
            .jar = std::move(jar),
            .source = "proxy",
            .event = encode(denial(std::move(host)))};
  }
  std::vector<Row> rows() {
    auto store = Store::open_existing(directory_);
    if (!store || !*store) return {};
    return (*store)->list({.limit = 1'000'000}).value_or({});
  }
  Verification verification() { return Store::open_existing(directory_).value()->verify().value(); }

  std::string directory_;
};

}  // namespace belljar::ledger
