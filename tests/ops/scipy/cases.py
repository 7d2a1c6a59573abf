"""Makes cases of SciPy's results, which the cases `scipy` of `cargo test --test ops` compare with those
of operators.

    python cases.py [--whole] DIR

Each file is an archive of `numpy.savez`. Inputs are numbers of `float32`, and results those of SciPy in `float64`. Arrays
named `bound` are bounds of the errors of results, in units of the rounding of an element. Long inputs are not in the files:
`hashed` computes them, here and in the runner, and results are a sample. `--whole` makes transforms of 200 lengths to 2^24
instead of 12.
"""

import argparse
import pathlib

import numpy as np
import scipy.fft
import scipy.linalg
import scipy.signal
import scipy.sparse
import scipy.sparse.linalg

RANDOM = np.random.default_rng(512)
# The results of a long transform that a file has.
SAMPLE = 4096


def numbers(*shape):
    return RANDOM.uniform(-1, 1, shape).astype(np.float32)


def hashed(count):
    """Numbers from -1 to 1 by the last steps of MurmurHash3 on 0, 1, 2 and so on."""
    h = np.arange(count, dtype=np.uint32)
    h ^= h >> np.uint32(16)
    h *= np.uint32(0x85EBCA6B)
    h ^= h >> np.uint32(13)
    h *= np.uint32(0xC2B2AE35)
    h ^= h >> np.uint32(16)
    return (h >> np.uint32(8)).astype(np.float64) * 2.0**-23 - 1


def parts(z):
    """Complex numbers as pairs."""
    return np.stack([z.real, z.imag], -1)


def save(folder, name, **arrays):
    kept = {}
    for key, array in arrays.items():
        array = np.ascontiguousarray(array)
        kind = array.dtype.kind
        kept[key] = array.astype("<f8" if kind == "f" else "<i8")
        assert kind in "iu" or np.isfinite(array).all(), (name, key)
    np.savez(folder / f"{name}.npz", **kept)


def transforms(folder, whole):
    lengths = np.arange(1, 513)
    z = [hashed(2 * n).reshape(n, 2) @ [1, 1j] for n in lengths]
    forward = np.concatenate([scipy.fft.fft(x) for x in z])
    real = np.concatenate([scipy.fft.rfft(x.real) for x in z])
    save(folder, "fft-short", lengths=lengths, forward=parts(forward), real=parts(real))
    # As many lengths between a power of two and the next one, whichever it is; the longest one is a prime.
    random = np.sort(np.exp2(np.random.default_rng(24).uniform(9, 24, 200)).astype(np.int64))
    random[-1] = 16_777_213
    for n in random if whole else random[3:150:13]:
        places = np.unique(np.random.default_rng(n).integers(0, n, SAMPLE))
        y = scipy.fft.fft(hashed(2 * n).view(np.complex128))
        save(folder, f"fft-long-{n:08}", length=n, places=places, forward=parts(y[places]))
    for shape in [(6, 10), (9, 8, 7), (4, 1, 13)]:
        x = numbers(*shape, 2).astype(np.float64)
        y = scipy.fft.fftn(x.view(np.complex128)[..., 0])
        save(folder, "fft-axes-" + "x".join(map(str, shape)), shape=shape, x=x, forward=parts(y))


def halves(folder):
    for n in [1, 2, 7, 64, 97, 1000, 4096]:
        x = hashed(2 * n).astype(np.float16).astype(float)
        z = x.reshape(n, 2) @ [1, 1j]
        real = scipy.fft.rfft(z.real, norm="ortho")
        save(folder, f"fft-halves-{n}", x=x, forward=parts(scipy.fft.fft(z, norm="ortho")), real=parts(real))


def cosines(folder):
    for n in [2, 3, 4, 5, 8, 9, 31, 64, 100, 255]:
        x = numbers(n)
        kinds = [function(x.astype(np.float64), kind) for function in (scipy.fft.dct, scipy.fft.dst) for kind in (1, 2, 3, 4)]
        save(folder, f"dct-{n}", x=x, y=np.stack(kinds))


def signals(folder):
    for shape, kernel in [((1,), (4,)), ((9,), (4,)), ((100,), (29,)), ((1000,), (37,)), ((6, 10), (3, 5))]:
        x, w = numbers(*shape), numbers(*kernel)
        modes = ["full", "same"] + ["valid"] * all(a >= b for a, b in zip(shape, kernel))
        results = {mode: scipy.signal.convolve(x.astype(float), w.astype(float), mode, "direct") for mode in modes}
        save(folder, "convolve-" + "x".join(map(str, shape)), shape=shape, kernel=kernel, x=x, w=w, **results)
    # SciPy leaves out the last frame of a signal that only the first zero of the periodic Hann window reaches.
    cases = [("kaiser", 4, 16, 53), ("hamming", 8, 32, 200), ("blackman", 5, 27, 101), ("hann", 8, 16, 49), ("hann", 8, 16, 50)]
    for name, hop, transform, count in cases:
        x, factors = numbers(count), scipy.signal.get_window((name, 8.0) if name == "kaiser" else name, 16)
        tool = scipy.signal.ShortTimeFFT(factors, hop, 1.0, mfft=transform)
        given = dict(window=factors, hop=hop, transform=transform)
        save(folder, f"stft-{name}-{count}", x=x, y=parts(tool.stft(x.astype(float)).T), **given)
        z = numbers(count, 2).astype(float)
        tool = scipy.signal.ShortTimeFFT(factors, hop, 1.0, mfft=transform, fft_mode="twosided")
        y = tool.stft(z.view(np.complex128)[..., 0]).T
        save(folder, f"stft-{name}-{count}-complex", complex=1, x=z, y=parts(y), **given)


def poisson(*grid):
    matrix = scipy.sparse.csr_array((1, 1))
    for n in grid:
        line = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
        size = matrix.shape[0]
        matrix = scipy.sparse.kron(matrix, scipy.sparse.eye_array(n)) + scipy.sparse.kron(scipy.sparse.eye_array(size), line)
    return scipy.sparse.csr_array(matrix)


def diffusion(n, strength=0.125, angle=np.pi / 6):
    """Diffusion with a weak direction, on squares with bilinear elements: a stencil of nine points."""
    (c, s) = np.cos(angle), np.sin(angle)
    tensor = np.array([[c, -s], [s, c]]) @ np.diag([1, strength]) @ np.array([[c, s], [-s, c]])
    stencil = sum(tensor[i, j] * PRODUCTS[i][j] for i in range(2) for j in range(2))
    return assembled(n, stencil, 1)


def elasticity(n, young=1.0, ratio=0.3):
    """Plane stress on squares with bilinear elements: two unknowns at each point."""
    factor = young / (1 - ratio**2)
    stiff, shear = factor * ratio, factor * (1 - ratio) / 2
    element = np.zeros((8, 8))
    for i in range(2):
        for j in range(2):
            block = stiff * PRODUCTS[i][j] + shear * PRODUCTS[j][i]
            if i == j:
                block = factor * PRODUCTS[i][i] + shear * PRODUCTS[1 - i][1 - i]
            element[i::2, j::2] = block
    return assembled(n, element, 2)


def products():
    """Integrals of the products of derivatives of the four bilinear functions on a unit square."""
    points = [0.5 - 0.5 / np.sqrt(3), 0.5 + 0.5 / np.sqrt(3)]
    sums = [[np.zeros((4, 4)), np.zeros((4, 4))], [np.zeros((4, 4)), np.zeros((4, 4))]]
    for x in points:
        for y in points:
            slopes = [np.array([y - 1, 1 - y, -y, y]), np.array([x - 1, -x, 1 - x, x])]
            for i in range(2):
                for j in range(2):
                    sums[i][j] += np.outer(slopes[i], slopes[j]) / 4
    return sums


PRODUCTS = products()


def assembled(n, element, unknowns):
    """The matrix of n x n squares, whose points around the grid are fixed."""
    rows, columns, values = [], [], []
    for at in range(n * n):
        corner = at // n * (n + 1) + at % n
        points = [corner, corner + 1, corner + n + 1, corner + n + 2]
        places = [point * unknowns + part for point in points for part in range(unknowns)]
        rows += np.repeat(places, len(places)).tolist()
        columns += places * len(places)
        values += element.ravel().tolist()
    size = (n + 1) ** 2 * unknowns
    matrix = scipy.sparse.csr_array((values, (rows, columns)), shape=(size, size))
    inside = [p * unknowns + part for p in range((n + 1) ** 2) if 0 < p % (n + 1) < n and 0 < p // (n + 1) < n for part in range(unknowns)]
    return scipy.sparse.csr_array(matrix[inside][:, inside])


def skewed(n):
    """Rows of very different lengths, and a diagonal greater than the rest of its row."""
    counts = np.minimum(1 + (n / 2 / (1 + RANDOM.permutation(n))).astype(int), n)
    rows = np.repeat(np.arange(n), counts)
    matrix = scipy.sparse.csr_array((numbers(rows.size), (rows, RANDOM.integers(0, n, rows.size))), shape=(n, n))
    return scipy.sparse.csr_array(matrix + scipy.sparse.diags_array(abs(matrix).sum(axis=1) + 1))


def narrow(matrix):
    """A matrix in sorted rows, with the indices of 32 bits that SuperLU takes."""
    a = scipy.sparse.csr_array(matrix)
    a.sort_indices()
    a.indices, a.indptr = a.indices.astype(np.int32), a.indptr.astype(np.int32)
    return a


def sparse(folder):
    matrices = {
        "poisson-17x13": (poisson(17, 13), True),
        "poisson-6x5x7": (poisson(6, 5, 7), True),
        "diffusion": (diffusion(15), True),
        "elasticity": (elasticity(10), True),
        "skewed": (skewed(180), False),
    }
    for name, (matrix, definite) in matrices.items():
        a = narrow(matrix.astype(np.float32).astype(np.float64))
        n = a.shape[0]
        dense, x, b = a.toarray(), numbers(n).astype(float), numbers(n).astype(float)
        other = narrow(scipy.sparse.random_array((n, n), density=3 / n, rng=RANDOM, dtype=np.float32).astype(float))
        lower = narrow(scipy.sparse.tril(a))
        solved = scipy.sparse.linalg.spsolve_triangular(lower, b)
        inverse = np.linalg.inv(lower.toarray())
        save(
            folder, f"sparse-{name}", definite=int(definite), condition=np.linalg.cond(dense),
            offsets=a.indptr, columns=a.indices, values=a.data,
            other_offsets=other.indptr, other_columns=other.indices, other_values=other.data,
            x=x, product=a @ x, product_bound=abs(a) @ abs(x),
            transposed=a.T @ x, transposed_bound=abs(a.T) @ abs(x),
            sum=(2 * a - other).toarray(), sum_bound=(2 * abs(a) + abs(other)).toarray(),
            gemm=(a @ other).toarray(), gemm_bound=(abs(a) @ abs(other)).toarray(),
            b=b, triangle=solved, triangle_bound=abs(inverse) @ (abs(lower) @ abs(solved)),
            solution=scipy.sparse.linalg.spsolve(a.tocsc(), b),
        )


def dense(folder):
    for n in [1, 2, 5, 16, 33, 50]:
        a, b = numbers(n, n).astype(float), numbers(n, 3).astype(float)
        a[np.diag_indices(n)] += 2 * np.sign(a[np.diag_indices(n)])
        definite = (a @ a.T + np.eye(n)).astype(np.float32).astype(float)
        symmetric = np.triu(a) + np.triu(a, 1).T
        tall = numbers(n + n // 2, n).astype(float)
        factors, exchanges = scipy.linalg.lu_factor(a)
        q, r = scipy.linalg.qr(tall, mode="economic")
        save(
            folder, f"dense-{n}", a=a, b=b, condition=np.linalg.cond(a),
            definite=definite, definite_condition=np.linalg.cond(definite),
            cholesky=scipy.linalg.cholesky(definite, lower=True), definite_solution=scipy.linalg.solve(definite, b, assume_a="pos"),
            lu=factors, exchanges=exchanges, solution=scipy.linalg.solve(a, b),
            symmetric=symmetric, eigenvalues=scipy.linalg.eigh(symmetric, eigvals_only=True),
            tall=tall, tall_condition=np.linalg.cond(tall), q=q, r=r, singular=scipy.linalg.svd(tall, compute_uv=False),
        )


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--whole", action="store_true")
    options.add_argument("folder", type=pathlib.Path)
    options = options.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    transforms(options.folder, options.whole)
    for make in (halves, cosines, signals, sparse, dense):
        make(options.folder)


main()
