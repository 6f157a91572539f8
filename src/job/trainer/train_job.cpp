// Looks the row of TrainJob up.
#include "job/trainer/train_job.h"

namespace trainctl::job {

const Kind& train_job_kind() {
  return *find_kind("trainjob");
}

}  // namespace trainctl::job
