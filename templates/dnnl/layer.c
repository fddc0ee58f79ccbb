/* oneDNN: the functions of a layer with the comment above them. SPDX-License-Identifier: Apache-2.0 */
#define $functions$
//@begin

/*
//@for about
 * $line$
//@end
 * Planned for: $impl$
//@if more
 * The same for $more$.
//@end
 */
$functions$
