//! Equations: iterative solvers, triangles of sparse matrices, multigrid cycles.

use std::time::Instant;

use anywarp::ops::{
    Bicgstab, ConjugateGradients, Cost, Gmres, IncompleteLu, Jacobi, Multigrid, Preconditioner, Solution, SolveError,
    SparseMatrix, SparseTriangle, SparseTriangularSolve,
};
use anywarp::{Error, UnifiedBuffer};

use super::call::{Call, Solved};
use super::entry::{Form, Operator, Port, Real, by_type};
use super::parameter::{Kind, Parameter, Values};
use crate::failure::Failure;

const A: Port = Port::matrix("a", "The sparse matrix: Matrix Market, or SciPy's save_npz");
const B: Port = Port::new("b", "The right side, with an element for each row");
const START: Port = Port::new("start", "The first approximation, in place of 0").form(Form::Optional);
const X: Port = Port::new("x", "The solution, with an element for each column");

const TOLERANCE: Parameter =
    Parameter::new("tolerance", Kind::Number, "The greatest length of the residual, relative to that of b")
        .default("1e-5");
const MAX_ITERATIONS: Parameter =
    Parameter::new("max_iterations", Kind::Count, "The greatest number of iterations [default: 10 for each row]");
const CHECK_EVERY: Parameter =
    Parameter::new("check_every", Kind::Count, "The number of iterations between two looks of the host").default("32");
const PRECONDITIONER: Parameter = Parameter::new(
    "preconditioner",
    Kind::Word(&["none", "jacobi", "ilu"]),
    "Divide residuals by the diagonal, or solve with incomplete factors",
)
.default("none");

/// Sets the options that all solvers have.
macro_rules! settings {
    ($solver:expr, $values:expr, $from_x:expr) => {{
        let mut solver = $solver.from_x($from_x);
        if let Some(tolerance) = $values.number("tolerance") {
            solver = solver.tolerance(tolerance);
        }
        if let Some(iterations) = count($values, "max_iterations") {
            solver = solver.max_iterations(iterations);
        }
        if let Some(iterations) = count($values, "check_every") {
            solver = solver.check_every(iterations);
        }
        solver
    }};
}

/// Runs a solver, with the preconditioner if there is one.
macro_rules! run {
    ($solver:expr, $given:expr) => {
        match $given.preconditioner {
            Some(preconditioner) => $solver.run_with($given.a, preconditioner, $given.b, $given.x),
            None => $solver.run($given.a, $given.b, $given.x),
        }
    };
}

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "cg",
        summary: "The solution x of a x = b by conjugate gradients, for a symmetric, positive definite matrix",
        inputs: &[A, B, START],
        outputs: &[X],
        parameters: &[
            TOLERANCE,
            MAX_ITERATIONS,
            CHECK_EVERY,
            PRECONDITIONER,
            Parameter::new("jacobi", Kind::Flag, "Divide residuals by the diagonal of the matrix"),
        ],
        run: by_type!([f32, f64], T, call => {
            solution::<T>(call, Solver { cost: |a| ConjugateGradients::new().cost(a).ok(), solve: &|values, given| {
                let solver = ConjugateGradients::new().jacobi(values.flag("jacobi"));
                run!(settings!(solver, values, given.from_x), given)
            } })
        }),
    },
    Operator {
        name: "bicgstab",
        summary: "The solution x of a x = b by BiCGSTAB, for any square matrix",
        inputs: &[A, B, START],
        outputs: &[X],
        parameters: &[TOLERANCE, MAX_ITERATIONS, CHECK_EVERY, PRECONDITIONER],
        run: by_type!([f32, f64], T, call => {
            solution::<T>(call, Solver { cost: |_| None, solve: &|values, given| {
                run!(settings!(Bicgstab::new(), values, given.from_x), given)
            } })
        }),
    },
    Operator {
        name: "gmres",
        summary: "The solution x of a x = b by GMRES, for any square matrix",
        inputs: &[A, B, START],
        outputs: &[X],
        parameters: &[
            TOLERANCE,
            MAX_ITERATIONS,
            CHECK_EVERY,
            PRECONDITIONER,
            Parameter::new("restart", Kind::Count, "The number of iterations of a cycle, up to 1,000").default("30"),
        ],
        run: by_type!([f32, f64], T, call => {
            solution::<T>(call, Solver { cost: |_| None, solve: &|values, given| {
                let mut solver = settings!(Gmres::new(), values, given.from_x);
                if let Some(iterations) = count(values, "restart") {
                    solver = solver.restart(iterations);
                }
                run!(solver, given)
            } })
        }),
    },
    Operator {
        name: "sptrsv",
        summary: "The solution x of t x = b for the lower or upper triangle t of a sparse matrix",
        inputs: &[A, B],
        outputs: &[X],
        parameters: &[
            Parameter::new("upper", Kind::Flag, "Use the upper triangle, in place of the lower one"),
            Parameter::new("unit", Kind::Flag, "Use ones as the diagonal"),
        ],
        run: by_type!([f32, f64], T, call => {
            let (a, b) = (call.matrix::<T>("a")?, call.upload::<T>("b")?);
            let triangle = match (call.values.flag("upper"), call.values.flag("unit")) {
                (false, false) => SparseTriangle::lower(&a),
                (true, false) => SparseTriangle::upper(&a),
                (false, true) => SparseTriangle::unit_lower(&a),
                (true, true) => SparseTriangle::unit_upper(&a),
            };
            let triangle = triangle.map_err(Error::from)?;
            let shape = vec![a.columns()];
            let mut x = call.array::<T>(&shape)?;
            call.cost = Some(SparseTriangularSolve::new().cost(&triangle));
            SparseTriangularSolve::new().record(&mut call.recording).run(&triangle, &b, &mut x)?;
            call.output(x, shape);
            Ok(())
        }),
    },
    Operator {
        name: "multigrid",
        summary: "V-cycles for the Poisson equation on a grid of unit distances, with zeros around it",
        inputs: &[Port::new("b", "The right side: a grid of one to three axes"), START],
        outputs: &[Port::new("x", "The approximate solution, of the same shape")],
        parameters: &[
            Parameter::new("cycles", Kind::Count, "The number of cycles").default("10"),
            Parameter::new("sweeps", Kind::Count, "The number of sweeps of each level, down and up").default("1"),
        ],
        run: by_type!([f32, f64], T, call => {
            let (b, shape) = (call.upload::<T>("b")?, call.shape("b"));
            let mut cycles = Multigrid::new(&shape)?.cycles(call.values.count("cycles").unwrap_or(10));
            if let Some(sweeps) = call.values.count("sweeps") {
                cycles = cycles.sweeps(sweeps);
            }
            let mut x = match call.upload_given::<T>("start")? {
                Some(start) => {
                    cycles = cycles.from_x(true);
                    start
                }
                None => call.array::<T>(&shape)?,
            };
            cycles.record(&mut call.recording, &b, &mut x)?;
            call.output(x, shape);
            Ok(())
        }),
    },
];

/// A system of equations, as a solver takes it.
struct Given<'a, T> {
    a: &'a SparseMatrix<T>,
    preconditioner: Option<&'a dyn Preconditioner<T>>,
    b: &'a UnifiedBuffer<T>,
    x: &'a mut UnifiedBuffer<T>,
    from_x: bool,
}

/// A function that calls a solver with the options of the command line.
type Solve<T> = dyn Fn(&Values, Given<'_, T>) -> Result<Solution, SolveError>;

/// A solver: the cost of an iteration, if it is known, and its call.
struct Solver<'s, T> {
    cost: fn(&SparseMatrix<T>) -> Option<Cost>,
    solve: &'s Solve<T>,
}

fn count(values: &Values, name: &str) -> Option<u32> {
    values.count(name).map(|count| u32::try_from(count).unwrap_or(u32::MAX))
}

fn solution<T: Real>(call: &mut Call<'_>, solver: Solver<'_, T>) -> Result<(), Failure> {
    let (a, b) = (call.matrix::<T>("a")?, call.upload::<T>("b")?);
    let shape = vec![a.columns()];
    let (mut x, from_x) = match call.upload_given::<T>("start")? {
        Some(start) => (start, true),
        None => (call.array::<T>(&shape)?, false),
    };
    let start = Instant::now();
    let preconditioner: Option<Box<dyn Preconditioner<T>>> = match call.values.text("preconditioner") {
        Some("jacobi") => Some(Box::new(Jacobi::new(&a).map_err(Error::from)?)),
        Some("ilu") => Some(Box::new(IncompleteLu::new(&a).map_err(Error::from)?)),
        _ => None,
    };
    let given = Given { a: &a, preconditioner: preconditioner.as_deref(), b: &b, x: &mut x, from_x };
    let solution = (solver.solve)(call.values, given).map_err(Error::from)?;
    let iterations = u64::from(solution.iterations);
    call.cost = (solver.cost)(&a).map(|mut cost| {
        cost.bytes = cost.bytes.saturating_mul(iterations);
        cost.flops = cost.flops.saturating_mul(iterations);
        cost
    });
    call.solved = Some(Solved { solution, time: start.elapsed() });
    call.output(x, shape);
    Ok(())
}
