// References of the addon's stages to parameters.
#include "src/parameters.hpp"

#include "src/parameter_reference.hpp"

using namespace brezel;

Parameter* brezel::retain_parameter(double handle) { return ParameterTable::instance().retain(handle); }

void brezel::release_parameter(Parameter* parameter) { ParameterTable::instance().release(parameter); }
