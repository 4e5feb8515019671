// Stands in for the header of the same name.
#pragma once
#include "../hip/hip_cooperative_groups.h"
