// The Node-API module. Only boundary/ touches N-API values.
#include "src/boundary/module.hpp"
