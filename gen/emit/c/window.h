/* Bindings for templates with sliding windows. */
#pragma once

#include "../../ops/window.h"
#include "nn.h"

/* The constants of the window along each dimension, the innermost named W, then H and D: source W, kernel KW, stride
 * SW, dilation LW, padding PW, output OW. */
void c_bind_window(Bindings *b, const Window *w);
