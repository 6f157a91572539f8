// Two flags at one path: the last one used to win, and the other data was missing without a word.
#include <doctest/doctest.h>

#include "job/manifest/rendering.h"

namespace TEST_FILE {

using namespace trainctl;
using trainctl::testing::refusal;
using trainctl::testing::try_render;

struct Line {
  std::vector<std::string> flags;
  std::string_view message;  // "" = both may stand
};

const Line k_lines[] = {
    {{"--pvc=data:/data", "--pvc=other:/data"},
     "--pvc data:/data and --pvc other:/data both mount at /data"},
    {{"--pvc=data:/data", "--pvc-exists=claimname=other,path=/data"},
     "--pvc data:/data and --pvc-exists claimname=other,path=/data both mount at /data"},
    {{"--pvc=data:/data", "--pvc=data:/data:ro"},
     "--pvc data:/data and --pvc data:/data:ro both mount at /data"},
    {{"--ephemeral-pvc=10Gi:/data", "--scratch=/data/"},
     "--ephemeral-pvc 10Gi:/data and --scratch /data/ both mount at /data"},
    {{"--volume=/mnt:/data", "--pvc-new=new:1Gi:/data"},
     "--volume /mnt:/data and --pvc-new new:1Gi:/data both mount at /data"},
    {{"--secret-volume=keys:/keys", "--configmap-volume=conf:/keys"},
     "--secret-volume keys:/keys and --configmap-volume conf:/keys both mount at /keys"},
    {{"--shm-size=1Gi", "--scratch=/dev/shm:memory"},
     "--shm-size 1Gi and --scratch /dev/shm:memory both mount at /dev/shm"},
    {{"--large-shm", "--pvc=data:/dev/shm"},
     "--large-shm and --pvc data:/dev/shm both mount at /dev/shm"},
    {{"--worker-pvc=a:/data", "--worker-pvc=b:/data"},
     "--worker-pvc a:/data and --worker-pvc b:/data both mount at /data"},
    {{"--pvc=data:/data", "--pvc=data:/data"}, ""},
    {{"--pvc=data:/data", "--pvc=data:/data/more"}, ""},
    {{"--pvc=data:/data", "--worker-pvc=other:/data"}, ""},
    {{"--master-pvc=data:/data", "--worker-pvc=other:/data"}, ""},
    {{"--large-shm", "--shm-size=1Gi"}, ""},
    {{"--pvc=data:/data", "--download=source=https://a.test/x,path=/data"}, ""},
    {{"--pvc=data:/code", "--git-sync=repository=https://a.test/x,path=/code"}, ""},
};

TEST_CASE("two flags that mount at one path are refused by name, and what fills a volume is not") {
  for (const Line& line : k_lines) {
    CAPTURE(line.message);
    CAPTURE(line.flags.back());
    const auto manifest = try_render({"pytorch", line.flags});
    if (line.message.empty()) {
      CHECK(manifest);
      continue;
    }
    REQUIRE_FALSE(manifest);
    CHECK(manifest.error().code == Code::usage);
    CHECK(manifest.error().message == line.message);
  }
}

}  // namespace TEST_FILE
