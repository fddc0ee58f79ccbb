/* Apache-2.0. What is fused behind a kernel, for one element of its result. */
#define NET_INLINE static inline
#define $T_stored$ float
#define $fn$_epilogue sample_epilogue
#define $params$(x) x
#define $A_x$ float
#define $param$ x
#define $name$ y
#define $value$ x * 2
#define $result$ y
//@begin
/* Epilogue for one element: $operators$. */
NET_INLINE $T_stored$ $fn$_epilogue($params$(const $A_x$ $param$))
{
//@for locals
    const $A_x$ $name$ = $value$;
//@end
    return $result$;
}

