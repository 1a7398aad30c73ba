#include "soak.h"
const lie_law laws_lie[] = {{0}};
const int law_lie_count = 0;
