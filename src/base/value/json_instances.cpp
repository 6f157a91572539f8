// Instantiates the JSON value type for the whole program.
#include "base/value/json.h"

template class nlohmann::basic_json<nlohmann::ordered_map>;
template class std::vector<nlohmann::ordered_json>;
