//! The kernels: for each its input and its expected result in plain Rust.

use crate::case::{Case, Scale, random_floats, random_words};

type Make = fn(Scale) -> Case;

/// The name, the text and the case of every kernel.
pub(crate) const ALL: [(&str, &str, Make); 18] = [
    ("nbody", include_str!("kernels/nbody.wgsl"), nbody),
    ("box_filter", include_str!("kernels/box_filter.wgsl"), box_filter),
    ("boids", include_str!("kernels/boids.wgsl"), boids),
    ("histogram", include_str!("kernels/histogram.wgsl"), histogram),
    ("prefix_step", include_str!("kernels/prefix_step.wgsl"), prefix_step),
    ("matmul", include_str!("kernels/matmul.wgsl"), matmul),
    ("sph_density", include_str!("kernels/sph_density.wgsl"), sph_density),
    ("bitonic_step", include_str!("kernels/bitonic_step.wgsl"), bitonic_step),
    ("spmv", include_str!("kernels/spmv.wgsl"), spmv),
    ("fluid_pressure", include_str!("kernels/fluid_pressure.wgsl"), fluid_pressure),
    ("fft_stage", include_str!("kernels/fft_stage.wgsl"), fft_stage),
    ("hash_lookup", include_str!("kernels/hash_lookup.wgsl"), hash_lookup),
    ("game_of_life", include_str!("kernels/game_of_life.wgsl"), game_of_life),
    ("kmeans_assign", include_str!("kernels/kmeans_assign.wgsl"), kmeans_assign),
    ("transpose", include_str!("kernels/transpose.wgsl"), transpose),
    ("unguarded", include_str!("kernels/unguarded.wgsl"), unguarded),
    ("gather", include_str!("kernels/gather.wgsl"), gather),
    ("volume_heat", include_str!("kernels/volume_heat.wgsl"), volume_heat),
];

/// A case of the kernel with this name.
fn case(name: &str) -> Case {
    Case::of(ALL.iter().find(|(other, ..)| *other == name).map_or("", |(_, text, _)| text))
}

fn bits(float: f32) -> u32 {
    float.to_bits()
}

fn nbody(scale: Scale) -> Case {
    let count = scale.pick(200, 4000, 20_000);
    let bodies = random_floats(count * 4, 1);
    let (step, softening) = (0.01f32, 0.5f32);
    case("nbody")
        .param_bits(&[count as u32, bits(step), bits(softening)])
        .input("bodies", &bodies)
        .output("moved", count * 4)
        .threads([count, 1, 1], [64, 1, 1])
        .compared(400)
        .floats(1e-3, move |at| {
            let (own, axis) = (&bodies[at / 4 * 4..][..4], at % 4);
            if axis == 3 {
                return own[3];
            }
            let force = bodies.chunks(4).map(|other| {
                let away: [f32; 3] = std::array::from_fn(|axis| other[axis] - own[axis]);
                let square = away.iter().map(|part| part * part).sum::<f32>() + softening;
                away[axis] * (other[3] / (square * square.sqrt()))
            });
            own[axis] + force.sum::<f32>() * step
        })
}

fn box_filter(scale: Scale) -> Case {
    let (width, height, radius) = (scale.pick(90, 600, 4000), scale.pick(70, 400, 3000), 3);
    let picture = random_floats(width * height, 1);
    case("box_filter")
        .params(&[width, height, radius])
        .input("picture", &picture)
        .output("blurred", width * height)
        .threads([width, height, 1], [16, 8, 1])
        .floats(1e-4, move |at| {
            let near = |at: usize, by: usize, most: usize| (at + by).saturating_sub(radius).min(most - 1);
            let side = 2 * radius + 1;
            let sum: f32 = (0..side * side)
                .map(|cell| {
                    let (x, y) = (near(at % width, cell % side, width), near(at / width, cell / side, height));
                    picture[y * width + x]
                })
                .sum();
            sum / (side * side) as f32
        })
}

fn boids(scale: Scale) -> Case {
    let count = scale.pick(200, 4000, 20_000);
    let birds = random_floats(count * 4, 2);
    let (near, too_near) = (0.05f32, 0.005f32);
    case("boids")
        .param_bits(&[count as u32, bits(near), bits(too_near)])
        .input("birds", &birds)
        .output("turned", count * 2)
        .threads([count, 1, 1], [64, 1, 1])
        .compared(200)
        // Rounding may decide which birds are near.
        .mostly(0.02, move |at, found| {
            let (own, axis) = (&birds[at / 2 * 4..][..4], at % 2);
            let (mut along, mut apart) = (0.0, 0.0);
            for (_, other) in birds.chunks(4).enumerate().filter(|(other, _)| *other != at / 2) {
                let away = [other[0] - own[0], other[1] - own[1]];
                let square = away[0] * away[0] + away[1] * away[1];
                along += if square < near { other[2 + axis] } else { 0.0 };
                apart -= if square < too_near { away[axis] } else { 0.0 };
            }
            (f32::from_bits(found) - (own[2 + axis] + along * 0.001 + apart * 0.1)).abs() < 1e-3
        })
}

fn histogram(scale: Scale) -> Case {
    let count = scale.pick(5000, 1 << 20, 1 << 26);
    let words = random_words(count, 1);
    let mut counts = vec![0u32; 256];
    words.iter().for_each(|word| counts[(word & 255) as usize] += 1);
    case("histogram")
        .params(&[count])
        .input("words", &words)
        .output("counts", 256)
        .cleared()
        .threads([count / 8, 1, 1], [256, 1, 1])
        .words(move |at| counts[at])
}

fn prefix_step(scale: Scale) -> Case {
    let (count, distance) = (scale.pick(5000, 1 << 21, 1 << 26), 1024);
    let before = random_words(count, 1);
    case("prefix_step")
        .params(&[count, distance])
        .input("before", &before)
        .output("after", count)
        .threads([count, 1, 1], [256, 1, 1])
        .words(move |at| before[at].wrapping_add(at.checked_sub(distance).map_or(0, |at| before[at])))
}

fn matmul(scale: Scale) -> Case {
    let [rows, columns, inner] = [scale.pick(50, 240, 2000), scale.pick(70, 260, 2000), scale.pick(60, 250, 2000)];
    let (a, b) = (random_floats(rows * inner, 1), random_floats(inner * columns, 2));
    case("matmul")
        .params(&[rows, columns, inner])
        .input("a", &a)
        .input("b", &b)
        .output("c", rows * columns)
        .threads([columns, rows, 1], [16, 4, 1])
        .compared(4000)
        .floats(1e-3, move |at| {
            let (row, column) = (at / columns, at % columns);
            (0..inner).map(|k| a[row * inner + k] * b[k * columns + column]).sum()
        })
}

fn sph_density(scale: Scale) -> Case {
    let (count, cells, radius) = (scale.pick(500, 20_000, 1 << 20), scale.pick(20, 500, 1 << 14), 0.8f32);
    let mut places: Vec<f32> =
        random_floats(count, 1).iter().map(|at| (at * 0.5 + 0.5).min(0.9999) * cells as f32).collect();
    places.sort_unstable_by(f32::total_cmp);
    let cell = move |place: f32| (place as usize).min(cells - 1);
    let starts: Vec<u32> = (0..=cells).map(|at| places.partition_point(|place| cell(*place) < at) as u32).collect();
    case("sph_density")
        .param_bits(&[count as u32, cells as u32, bits(radius)])
        .input("places", &places)
        .input("starts", &starts)
        .output("densities", count)
        .threads([count, 1, 1], [64, 1, 1])
        .compared(1000)
        .floats(1e-3, move |at| {
            let near = cell(places[at]);
            let (first, end) = (starts[near.max(1) - 1] as usize, starts[(near + 1).min(cells - 1) + 1] as usize);
            let density = places[first..end].iter().map(|place| {
                let away = (place - places[at]).abs() / radius;
                (1.0 - away * away).max(0.0)
            });
            density.sum()
        })
}

fn bitonic_step(scale: Scale) -> Case {
    let (count, distance, block) = (scale.pick(1 << 12, 1 << 21, 1 << 25), 64, 256);
    let keys = random_words(count, 1);
    case("bitonic_step")
        .params(&[count, distance, block])
        .input("keys", &keys)
        .output("sorted", count)
        .threads([count, 1, 1], [256, 1, 1])
        .words(move |at| {
            let (own, other) = (keys[at], keys[at ^ distance]);
            let least = (at & distance == 0) == (at & block == 0);
            if least { own.min(other) } else { own.max(other) }
        })
}

fn spmv(scale: Scale) -> Case {
    let (rows, columns) = (scale.pick(500, 100_000, 1 << 20), scale.pick(300, 50_000, 1 << 20));
    let lengths = random_words(rows, 1);
    let mut starts = vec![0u32];
    lengths.iter().for_each(|length| starts.push(starts[starts.len() - 1] + length % 16));
    let count = (starts[rows] as usize).max(1);
    let names: Vec<u32> = random_words(count, 2).iter().map(|word| word % columns as u32).collect();
    let (values, x) = (random_floats(count, 3), random_floats(columns, 4));
    case("spmv")
        .params(&[rows])
        .input("starts", &starts)
        .input("columns", &names)
        .input("values", &values)
        .input("x", &x)
        .output("y", rows)
        .threads([rows, 1, 1], [64, 1, 1])
        .floats(1e-4, move |row| {
            (starts[row] as usize..starts[row + 1] as usize).map(|k| values[k] * x[names[k] as usize]).sum()
        })
}

fn fluid_pressure(scale: Scale) -> Case {
    let (width, height) = (scale.pick(90, 1000, 8000), scale.pick(70, 700, 6000));
    let (divergence, before) = (random_floats(width * height, 1), random_floats(width * height, 2));
    case("fluid_pressure")
        .params(&[width, height, 7])
        .input("divergence", &divergence)
        .input("before", &before)
        .output("after", width * height)
        .threads([width, height, 1], [16, 8, 1])
        .floats(1e-5, move |at| {
            let (x, y) = (at % width, at / width);
            if x == 0 || y == 0 || x + 1 == width || y + 1 == height {
                return before[at];
            }
            let around = before[at - 1] + before[at + 1] + before[at - width] + before[at + width];
            (around - divergence[at]) * 0.25
        })
}

fn fft_stage(scale: Scale) -> Case {
    let (half, span) = (scale.pick(1 << 10, 1 << 19, 1 << 24), 64);
    let input = random_floats(half * 4, 1);
    case("fft_stage")
        .params(&[half, span])
        .input("input", &input)
        .output("output", half * 4)
        .threads([half, 1, 1], [64, 1, 1])
        .floats(1e-3, move |at| {
            let (to, part) = (at / 2, at % 2);
            let second = to % (2 * span) >= span;
            let i = to / (2 * span) * span + to % span;
            let angle = -std::f32::consts::PI * (i % span) as f32 / span as f32;
            let (one, two) = (&input[2 * i..][..2], &input[2 * (i + half)..][..2]);
            let turned = [two[0] * angle.cos() - two[1] * angle.sin(), two[0] * angle.sin() + two[1] * angle.cos()];
            one[part] + if second { -turned[part] } else { turned[part] }
        })
}

fn hash_lookup(scale: Scale) -> Case {
    let (count, capacity) = (scale.pick(1000, 1 << 19, 1 << 23), scale.pick(1 << 10, 1 << 18, 1 << 22));
    let slot = move |key: u32| key.wrapping_mul(2_654_435_761) as usize & (capacity - 1);
    let (mut keys, mut values) = (vec![0u32; capacity], vec![0u32; capacity]);
    let known: Vec<u32> = random_words(capacity / 2, 1).iter().map(|word| word | 1).collect();
    let find = move |keys: &[u32], key: u32| {
        let mut at = slot(key);
        while keys[at] != key && keys[at] != 0 {
            at = (at + 1) & (capacity - 1);
        }
        at
    };
    for (number, key) in known.iter().enumerate() {
        let at = find(&keys, *key);
        (keys[at], values[at]) = (*key, number as u32 + 1);
    }
    let others = random_words(count, 2);
    let wanted: Vec<u32> =
        (0..count).map(|at| if at % 2 == 0 { known[at % known.len()] } else { others[at] | 1 }).collect();
    case("hash_lookup")
        .params(&[count, capacity])
        .input("wanted", &wanted)
        .input("keys", &keys)
        .input("values", &values)
        .output("found", count)
        .threads([count, 1, 1], [64, 1, 1])
        .words(move |at| values[find(&keys, wanted[at])])
}

fn game_of_life(scale: Scale) -> Case {
    let (width, height) = (scale.pick(100, 1000, 8000), scale.pick(70, 600, 6000));
    let before: Vec<u32> = random_words(width * height, 1).into_iter().map(|word| word >> 31).collect();
    case("game_of_life")
        .params(&[width, height])
        .input("before", &before)
        .output("after", width * height)
        .threads([width, height, 1], [8, 8, 1])
        .words(move |at| {
            let row = |dy: usize| (at / width + dy + height - 1) % height * width;
            let block: u32 =
                (0..9).map(|cell| before[row(cell / 3) + (at % width + cell % 3 + width - 1) % width]).sum();
            u32::from(block == 3 || block == 4 && before[at] == 1)
        })
}

fn kmeans_assign(scale: Scale) -> Case {
    let (points, centres, dimensions) = (scale.pick(300, 30_000, 1 << 20), 16, 8);
    let (places, middles) = (random_floats(points * dimensions, 1), random_floats(centres * dimensions, 2));
    case("kmeans_assign")
        .params(&[points, centres, dimensions])
        .input("points", &places)
        .input("centres", &middles)
        .output("nearest", points)
        .threads([points, 1, 1], [64, 1, 1])
        .compared(3000)
        // Rounding may decide which of two centres is nearer.
        .mostly(0.001, move |at, found| {
            let square = |centre: usize| -> f32 {
                let parts = places[at * dimensions..][..dimensions].iter().zip(&middles[centre * dimensions..]);
                parts.map(|(one, two)| (one - two) * (one - two)).sum()
            };
            (0..centres).min_by(|one, two| square(*one).total_cmp(&square(*two))) == Some(found as usize)
        })
}

fn transpose(scale: Scale) -> Case {
    let (width, height) = (scale.pick(90, 1300, 8000), scale.pick(70, 1100, 6000));
    let input = random_words(width * height, 1);
    let floats: Vec<f32> = input.iter().map(|word| (word >> 8) as f32).collect();
    case("transpose")
        .params(&[width, height])
        .input("input", &floats)
        .output("output", width * height)
        .threads([width, height, 1], [16, 16, 1])
        .floats(0.0, move |at| floats[at % height * width + at / height])
}

fn unguarded(scale: Scale) -> Case {
    let count = scale.pick(1 << 12, 1 << 21, 1 << 26);
    let x = random_floats(count, 1);
    case("unguarded")
        .param_bits(&[bits(2.0)])
        .input("x", &x)
        .output("y", count)
        .threads([count, 1, 1], [64, 1, 1])
        .floats(0.0, move |at| 2.0 * x[at])
}

fn gather(scale: Scale) -> Case {
    let (rows, width, table) = (scale.pick(100, 5000, 1 << 17), 128, scale.pick(60, 4000, 1 << 16));
    let names: Vec<u32> = random_words(rows, 1).iter().map(|word| word % table as u32).collect();
    let values = random_floats(table * width, 2);
    case("gather")
        .params(&[rows, width])
        .input("names", &names)
        .input("table", &values)
        .output("taken", rows * width)
        .threads([width, rows, 1], [64, 1, 1])
        .floats(0.0, move |at| values[names[at / width] as usize * width + at % width])
}

fn volume_heat(scale: Scale) -> Case {
    let (size, rate) = ([scale.pick(40, 120, 512), scale.pick(33, 90, 384), scale.pick(20, 60, 256)], 0.1f32);
    let count = size.iter().product();
    let before = random_floats(count, 1);
    case("volume_heat")
        .param_bits(&[size[0] as u32, size[1] as u32, size[2] as u32, bits(rate)])
        .input("before", &before)
        .output("after", count)
        .threads(size, [16, 4, 2])
        .floats(1e-5, move |at| {
            let place = [at % size[0], at / size[0] % size[1], at / (size[0] * size[1])];
            let cell = |[x, y, z]: [usize; 3]| before[(z * size[1] + y) * size[0] + x];
            let flow = (0..3).map(|axis| {
                let (mut lower, mut upper) = (place, place);
                lower[axis] = place[axis].saturating_sub(1);
                upper[axis] = (place[axis] + 1).min(size[axis] - 1);
                cell(lower) + cell(upper) - 2.0 * before[at]
            });
            before[at] + rate * flow.sum::<f32>()
        })
}
