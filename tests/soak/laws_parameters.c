#include "soak.h"
const law laws_parameters[] = {{0}};
const int law_parameters_count = 0;
