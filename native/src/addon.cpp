// The Node-API module. Only boundary/ uses N-API values.
#include "src/boundary/module.hpp"
