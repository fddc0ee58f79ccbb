/* Packing a constant without oneDNN. */
#pragma once

#include "plan.h"

/* As onednn_pack, where the layout that was chosen is one of strides and blocks; false where it is not. dst is zero. */
bool fill_layout(const DnnlMemory *from, const DnnlChoice *choice, void *dst);
