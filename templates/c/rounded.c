/* Apache-2.0. Before a loop whose products are rounded before anything is added to them, as the model's operators do it: a
 * tensor that is quantised next shows the difference, and one step of it grows from layer to layer. clang has no attribute for it. */
//@begin
#if defined(__GNUC__) && !defined(__clang__)
#define NET_ROUNDED __attribute__((optimize("fp-contract=off")))
#else
#define NET_ROUNDED
#endif
