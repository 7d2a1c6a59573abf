// Functions of scalars only.
#define aw_lift1(f)
#define aw_lift2(f)
#define aw_lift2_unlike(f)
#define aw_lift2_mixed(f)
#define aw_lift3(f)
