// A team: invocations of a workgroup that compute a row together. All invocations of the workgroup call these
// functions, in uniform control flow.

// The number of invocations of a workgroup, and of a team: a power of two.
override group: u32 = 256u;
override width: u32 = 256u;

// Returns the number of teams of a workgroup.
fn teams() -> u32 {
    return group / width;
}

// Values of all invocations, and of parts of a team. The memory is for two calls, so that the second call need not wait
// for the loads of the first call.
var<workgroup> shared_values: array<f32, 512>;
var<workgroup> shared_parts: array<f32, 512>;

// In a team of more invocations than this number, the team's values are first combined to this many values.
const first_sums = 16u;

// Returns the sum of a team's values in each of its invocations. `call` is 0 or 1, and different in successive calls.
fn team_sum(value: f32, local: u32, call: u32) -> f32 {
    if width == 1u {
        return value;
    }
    let first = call * 256u + local / width * width;
    let lane = local % width;
    shared_values[call * 256u + local] = value;
    workgroupBarrier();
    var sum = 0.0;
    if width <= first_sums {
        for (var at = 0u; at < width; at++) {
            sum += shared_values[first + at];
        }
        return sum;
    }
    let each = width / first_sums;
    let first_part = call * 256u + local / width * first_sums;
    if lane < first_sums {
        for (var at = 0u; at < each; at++) {
            sum += shared_values[first + lane * each + at];
        }
        shared_parts[first_part + lane] = sum;
    }
    workgroupBarrier();
    sum = 0.0;
    for (var at = 0u; at < first_sums; at++) {
        sum += shared_parts[first_part + at];
    }
    return sum;
}

// Returns the greatest of a team's values, none of which is NaN.
fn team_max(value: f32, local: u32, call: u32) -> f32 {
    if width == 1u {
        return value;
    }
    let first = call * 256u + local / width * width;
    let lane = local % width;
    shared_values[call * 256u + local] = value;
    workgroupBarrier();
    var greatest = value;
    if width <= first_sums {
        for (var at = 0u; at < width; at++) {
            greatest = max(greatest, shared_values[first + at]);
        }
        return greatest;
    }
    let each = width / first_sums;
    let first_part = call * 256u + local / width * first_sums;
    if lane < first_sums {
        for (var at = 0u; at < each; at++) {
            greatest = max(greatest, shared_values[first + lane * each + at]);
        }
        shared_parts[first_part + lane] = greatest;
    }
    workgroupBarrier();
    for (var at = 0u; at < first_sums; at++) {
        greatest = max(greatest, shared_parts[first_part + at]);
    }
    return greatest;
}
