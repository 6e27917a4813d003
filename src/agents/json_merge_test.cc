#include "agents/json_merge.h"

#include <gtest/gtest.h>

namespace belljar::agents {
namespace {

TEST(JsonMerge, AddsAndTakesNothingAway) {
  EXPECT_EQ(merge_json(R"({"z": 1, "keys": {"approved": ["old"], "x": true}, "key": null})",
                       R"({"keys": {"approved": ["new"], "rejected": []}, "z": 2, "key": "k"})"),
            "{\n  \"z\": 1,\n  \"keys\": {\n    \"approved\": [\n      \"old\",\n      \"new\"\n    ],\n"
            "    \"x\": true,\n    \"rejected\": []\n  },\n  \"key\": \"k\"\n}\n");
}

TEST(JsonMerge, NothingToAddChangesNothing) {
  EXPECT_FALSE(merge_json(R"({"a": ["x"], "b": 1})", R"({"a": ["x"]})"));
  EXPECT_FALSE(merge_json(R"({"a": "other type"})", R"({"a": ["x"]})"));
}

TEST(JsonMerge, WhatIsNoObjectOrTooDeepStays) {
  for (const char* present : {"", "[]", "7", "{", "{\"a\": }", "\xff"})
    EXPECT_FALSE(merge_json(present, R"({"a": 1})")) << present;
  std::string deep = "{\"x\": " + std::string(200000, '[') + std::string(200000, ']') + "}";
  EXPECT_FALSE(merge_json(deep, R"({"a": 1})"));
  std::string fine = "{\"x\": " + std::string(60, '[') + std::string(60, ']') + "}";
  EXPECT_TRUE(merge_json(fine, R"({"a": 1})"));
  EXPECT_FALSE(merge_json("{\"x\": \"" + std::string(17U << 20, 'x') + "\"}", R"({"a": 1})"));
}

}  // namespace
}  // namespace belljar::agents
