/* oneDNN: the functions of a layer with the comment above them. SPDX-License-Identifier: Apache-2.0 */
#define $functions$
//@begin

/*
//@for about
 * $line$
//@end
//@if impl
 * Planned for: $impl$
//@end
//@if more
 * The same functions compute $more$.
//@end
 */
$functions$
