// The one place where the code of the JSON value type is compiled.
#include "base/json.h"

template class nlohmann::basic_json<nlohmann::ordered_map>;
template class std::vector<nlohmann::ordered_json>;
