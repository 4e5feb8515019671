// Stands in for the header of the same name.
#pragma once
#include <cooperative_groups.h>
#include "hip_runtime.h"
