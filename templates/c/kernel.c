/* Apache-2.0. A kernel with the comment above it. */
#define $functions$
//@begin

/*
//@for about
 * $line$
//@end
//@if more
 * The same for $more$.
//@end
 */
$functions$
