// Sweeps: what is too old or too much goes, what is left stays whole.
#include "undo/sweep.h"

#include "undo/testing.h"

namespace belljar::undo {
namespace {

class Sweep : public Place {
 protected:
  /// Files of their own for each, so that every checkpoint has something that only it needs.
  std::uint64_t save_with(int n, int kilobytes) {
    EXPECT_EQ(run("rm -f only-*; head -c " + std::to_string(kilobytes * 1024) + " /dev/urandom > only-" +
                  std::to_string(n) + "; echo same > same"),
              0);
    return save_now().number;
  }
  void age(std::uint64_t number) const {
    EXPECT_EQ(run("touch -d '30 days ago' ../jar/undo/refs/checkpoints/" + std::to_string(number)), 0);
  }
  [[nodiscard]] std::string numbers() const {
    return output("ls ../jar/undo/refs/checkpoints | sort -n | xargs echo");
  }
  [[nodiscard]] std::uint64_t size() const { return Store::open(jar())->size().value_or(0); }
};

TEST_F(Sweep, OldOnesGoWithWhatOnlyTheyNeed) {
  for (int n = 1; n <= 4; ++n)
    save_with(n, 300);
  auto kept = output("sha256sum only-4");
  for (auto n : {1U, 2U, 4U})
    age(n);
  auto before = size();
  auto swept = sweep(jar(), {});
  ASSERT_TRUE(swept) << swept.error().to_string();
  EXPECT_EQ(numbers(), "3 4\n") << "the newest stays, however old";
  EXPECT_LT(size(), before - 500'000);
  EXPECT_EQ(git("fsck --strict --no-dangling"), "");
  ASSERT_TRUE(undo_to(3));
  EXPECT_EQ(output("ls"), "only-3\nsame\n");
  ASSERT_TRUE(undo_to(4));
  EXPECT_EQ(output("sha256sum only-4"), kept);
}

TEST_F(Sweep, WhereAStartWentFromStays) {
  ASSERT_EQ(save_with(1, 1), 1U);
  ASSERT_TRUE(Store::open(jar())->note_start(1));
  save_with(2, 1);
  age(1);
  ASSERT_TRUE(sweep(jar(), {}));
  EXPECT_EQ(numbers(), "1 2\n");
}

TEST_F(Sweep, TheOldestGoWhereThereIsNoRoom) {
  for (int n = 1; n <= 5; ++n)
    save_with(n, 200);
  Bounds bounds;
  bounds.size = 500U << 10;
  auto store = Store::open(jar());
  EXPECT_TRUE(is_sweep_due(*store, bounds).value_or(false));
  store->unlock();
  ASSERT_TRUE(sweep(jar(), bounds));
  EXPECT_EQ(numbers(), "4 5\n");
  EXPECT_LT(size(), 600U << 10);
  ASSERT_TRUE(undo_to(4));
  EXPECT_EQ(output("ls"), "only-4\nsame\n");
}

TEST_F(Sweep, LargeFilesGoToo) {
  for (int n = 1; n <= 3; ++n)
    save_with(n, 5000);
  EXPECT_EQ(output("ls ../jar/undo/large | wc -l"), "3\n");
  age(1);
  age(2);
  ASSERT_TRUE(sweep(jar(), {}));
  EXPECT_EQ(output("ls ../jar/undo/large | wc -l"), "1\n");
  ASSERT_TRUE(undo_to(3));
}

TEST_F(Sweep, ManyPacksBecomeFew) {
  for (int n = 1; n <= 20; ++n)
    save_with(n, 2);
  ASSERT_TRUE(sweep(jar(), {}));
  EXPECT_LE(std::stoi(output("ls ../jar/undo/objects/pack/*.pack | wc -l")), 8);
  EXPECT_EQ(git("fsck --strict --no-dangling"), "");
  for (auto n : {1U, 7U, 20U}) {
    ASSERT_TRUE(undo_to(n));
    EXPECT_EQ(output("ls"), "only-" + std::to_string(n) + "\nsame\n");
  }
}

TEST_F(Sweep, LeftoversOfACrashGo) {
  save_with(1, 2);
  save_with(2, 2);
  ASSERT_EQ(run("echo half > ../jar/undo/objects/pack/pack-c9.pack; echo half > ../jar/undo/large/new"), 0);
  ASSERT_TRUE(sweep(jar(), {}));
  EXPECT_EQ(output("ls ../jar/undo/objects/pack | grep -c c9 || true; ls ../jar/undo/large"), "0\n");
  EXPECT_EQ(numbers(), "1 2\n");
}

TEST_F(Sweep, NothingGoesWhileACheckpointIsDamaged) {
  for (int n = 1; n <= 3; ++n)
    save_with(n, 2);
  age(1);
  ASSERT_EQ(run("echo damage > ../jar/undo/refs/checkpoints/2"), 0);
  EXPECT_FALSE(sweep(jar(), {}));
  EXPECT_EQ(numbers(), "1 2 3\n");
  auto listed = Store::open(jar())->list();
  ASSERT_TRUE(listed);
  EXPECT_NE(listed->at(1).damage, "");
}

}  // namespace
}  // namespace belljar::undo
