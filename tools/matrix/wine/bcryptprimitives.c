/* Wine 8 has no bcryptprimitives.dll, from which Rust's standard library takes its random numbers.
 * This is the one function of it that is used, by the older way to the same source.
 * Built with: x86_64-w64-mingw32-gcc -shared -o bcryptprimitives.dll bcryptprimitives.c -ladvapi32 */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T length)
{
    while (length > 0) {
        ULONG part = length > 0x10000000 ? 0x10000000 : (ULONG)length;
        if (!SystemFunction036(buffer, part)) {
            return FALSE;
        }
        buffer += part;
        length -= part;
    }
    return TRUE;
}
