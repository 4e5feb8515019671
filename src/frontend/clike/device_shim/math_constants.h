// The CPU shim's constants hold on a device, too.
#pragma once
#include "../shim/math_constants.h"
