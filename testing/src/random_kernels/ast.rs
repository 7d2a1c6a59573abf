//! Kernels as data, for the generators, the printer, the reference and the shrinker.

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    Bool,
    U32,
    I32,
    F32,
}

/// An address space of a variable or pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    Function,
    Private,
    Workgroup,
    Uniform,
    /// Read-only storage.
    Input,
    /// Read-write storage.
    Output,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Scalar(Scalar),
    Vector(Scalar, u8),
    /// A matrix with this number of columns and of rows.
    Matrix(u8, u8),
    Array(Box<Type>, u32),
    /// An index into [`Program::structs`].
    Struct(usize),
    Pointer(Space, Box<Type>),
}

/// A value. Vectors, matrices (by column), arrays and structs are lists of their components, elements or members.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Bool(bool),
    U32(u32),
    I32(i32),
    F32(f32),
    Many(Vec<Value>),
    Pointer(Address),
}

/// The memory to which a pointer points during evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Address {
    pub base: Base,
    pub path: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// A variable of a function call: the depth of the call on the stack, and the number of the variable in the
    /// function.
    Slot(usize, usize),
    Global(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    Negate,
    Not,
    Complement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// `&&` and `||`, which may skip the right operand.
    BothOf,
    OneOf,
}

/// Built-in functions; the name in WGSL is in `print`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    Abs,
    Min,
    Max,
    Clamp,
    Sign,
    Select,
    All,
    Any,
    Dot,
    Cross,
    Transpose,
    Determinant,
    Floor,
    Ceil,
    Trunc,
    Round,
    Fract,
    Step,
    Fma,
    Saturate,
    CountOneBits,
    CountLeadingZeros,
    CountTrailingZeros,
    FirstLeadingBit,
    FirstTrailingBit,
    ReverseBits,
    ExtractBits,
    InsertBits,
    Dot4U8,
    Dot4I8,
    Pack4xU8,
    Unpack4xU8,
    Unpack4xI8,
    Pack2x16Float,
    Unpack2x16Float,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub ty: Type,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Literal(Value),
    Zero,
    /// A composed value: the components of a vector (scalars, vectors, or one scalar for all components), the columns
    /// of a matrix, elements or members.
    Compose(Vec<Expr>),
    Load(Place),
    AddressOf(Place),
    Index(Box<Expr>, Box<Expr>),
    Member(Box<Expr>, usize),
    Swizzle(Box<Expr>, Vec<u8>),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Builtin(Builtin, Vec<Expr>),
    Convert(Box<Expr>),
    Bitcast(Box<Expr>),
    Call(usize, Vec<Expr>),
    /// `arrayLength` of the module-scope variable with this index.
    Length(usize),
}

/// A memory location, or a component, element or member of an immutable value.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub root: Root,
    pub path: Vec<Step>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    Slot(usize),
    Global(usize),
    /// The memory to which the pointer in a variable with this number points.
    Deref(usize),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Index(Expr),
    Member(usize),
    Component(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atomic {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Min,
    Max,
    Exchange,
    Load,
    Store,
}

pub type Block = Vec<Stmt>;

#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// A `let`, whose value may be a pointer: the number of the variable, and the value.
    Let(usize, Expr),
    Var(usize, Type, Option<Expr>),
    Assign(Place, Expr),
    Compound(Place, Binary, Expr),
    /// `++` if the boolean is true, otherwise `--`.
    Step(Place, bool),
    If(Expr, Block, Block),
    /// The cases with their selectors (i32 or u32), and the default.
    Switch(Expr, Vec<(Vec<i64>, Block)>, Block),
    /// A `for` loop: the number of the counter variable, its bound, and the body; the counter runs from 0 in steps of
    /// 1.
    For(usize, Expr, Block),
    /// Any other counted loop: the number of the counter variable, its start, the condition, the update, and the body.
    Count(usize, Expr, Expr, Box<Stmt>, Block),
    While(Expr, Block),
    /// A `loop`: its body, its continuing block, and the condition of its `break if`.
    Loop(Block, Block, Option<Expr>),
    Break,
    Continue,
    Return(Option<Expr>),
    /// A call that all invocations make together: the number of the variable for its result, the function, and the
    /// arguments.
    Call(Option<usize>, usize, Vec<Expr>),
    WorkgroupBarrier,
    StorageBarrier,
    UniformLoad(usize, Place),
    /// An atomic operation: the number of the variable for its result, the operation, the location, and the operand
    /// (`None` for a load).
    Atomic(Option<usize>, Atomic, Place, Option<Expr>),
    Block(Block),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub name: String,
    pub params: Vec<(usize, Type)>,
    pub result: Option<Type>,
    pub body: Block,
    pub slots: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Global {
    pub name: String,
    pub ty: Type,
    pub space: Space,
    pub binding: Option<u32>,
    /// Whether the scalars that the variable consists of are atomics.
    pub atomic: bool,
    /// Whether the array's length depends on the size of the buffer.
    pub unsized_array: bool,
    pub init: Option<Expr>,
}

/// The built-in values, which are the first variables of `main`, in this order.
pub const INPUTS: [(&str, &str, bool); 5] = [
    ("global_invocation_id", "gid", true),
    ("local_invocation_id", "lid", true),
    ("local_invocation_index", "li", false),
    ("workgroup_id", "wid", true),
    ("num_workgroups", "nwg", true),
];

#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub structs: Vec<Vec<Type>>,
    pub constants: Vec<Expr>,
    pub globals: Vec<Global>,
    /// The functions, each after the functions that it calls; `main` is last.
    pub functions: Vec<Function>,
    /// Whether the text declares callers before callees.
    pub callers_first: bool,
    pub workgroup_size: [u32; 3],
    pub groups: [u32; 3],
    /// The initial bytes of the buffers, by binding.
    pub buffers: Vec<Vec<u8>>,
    /// The effect of an index out of range.
    pub outside: Outside,
}

/// The effect of an access out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// Undefined: such an access is an error in the kernel.
    Undefined,
    /// Reads return the last element, stores and atomics have no effect, and the result of an atomic is zero.
    Defined,
}

impl Type {
    pub const BOOL: Self = Self::Scalar(Scalar::Bool);
    pub const U32: Self = Self::Scalar(Scalar::U32);
    pub const I32: Self = Self::Scalar(Scalar::I32);
    pub const F32: Self = Self::Scalar(Scalar::F32);

    pub fn vector(scalar: Scalar, width: u8) -> Self {
        if width == 1 { Self::Scalar(scalar) } else { Self::Vector(scalar, width) }
    }

    /// The scalar type and width of a scalar or vector.
    pub fn numeric(&self) -> Option<(Scalar, u8)> {
        match *self {
            Self::Scalar(scalar) => Some((scalar, 1)),
            Self::Vector(scalar, width) => Some((scalar, width)),
            _ => None,
        }
    }

    /// The types of the components, elements or members of a value of this type.
    pub fn parts(&self, structs: &[Vec<Self>]) -> Vec<Self> {
        match self {
            Self::Scalar(_) | Self::Pointer(..) => Vec::new(),
            Self::Vector(scalar, width) => vec![Self::Scalar(*scalar); usize::from(*width)],
            Self::Matrix(columns, rows) => vec![Self::Vector(Scalar::F32, *rows); usize::from(*columns)],
            Self::Array(element, length) => vec![(**element).clone(); *length as usize],
            Self::Struct(index) => structs[*index].clone(),
        }
    }

    /// The number of scalars in the type.
    pub fn scalars(&self, structs: &[Vec<Self>]) -> usize {
        match self {
            Self::Scalar(_) | Self::Pointer(..) => 1,
            Self::Array(element, length) => element.scalars(structs) * *length as usize,
            _ => self.parts(structs).iter().map(|part| part.scalars(structs)).sum(),
        }
    }

    pub fn zero(&self, structs: &[Vec<Self>]) -> Value {
        match self {
            Self::Scalar(Scalar::Bool) => Value::Bool(false),
            Self::Scalar(Scalar::U32) => Value::U32(0),
            Self::Scalar(Scalar::I32) => Value::I32(0),
            Self::Scalar(Scalar::F32) => Value::F32(0.0),
            Self::Pointer(..) => Value::Pointer(Address { base: Base::Global(0), path: Vec::new() }),
            _ => Value::Many(self.parts(structs).iter().map(|part| part.zero(structs)).collect()),
        }
    }
}

impl Expr {
    pub fn new(ty: Type, kind: Kind) -> Self {
        Self { ty, kind }
    }

    pub fn u32(value: u32) -> Self {
        Self::new(Type::U32, Kind::Literal(Value::U32(value)))
    }

    pub fn i32(value: i32) -> Self {
        Self::new(Type::I32, Kind::Literal(Value::I32(value)))
    }

    pub fn f32(value: f32) -> Self {
        Self::new(Type::F32, Kind::Literal(Value::F32(value)))
    }

    pub fn slot(slot: usize, ty: Type) -> Self {
        Self::new(ty, Kind::Load(Place { root: Root::Slot(slot), path: Vec::new() }))
    }

    pub fn binary(op: Binary, left: Self, right: Self) -> Self {
        let ty = if op.compares() {
            let width = left.ty.numeric().map_or(1, |(_, width)| width);
            Type::vector(Scalar::Bool, width)
        } else {
            left.ty.clone()
        };
        Self::new(ty, Kind::Binary(op, Box::new(left), Box::new(right)))
    }

    pub fn builtin(ty: Type, builtin: Builtin, arguments: Vec<Self>) -> Self {
        Self::new(ty, Kind::Builtin(builtin, arguments))
    }

    pub fn convert(self, ty: Type) -> Self {
        Self::new(ty, Kind::Convert(Box::new(self)))
    }

    pub fn bitcast(self, ty: Type) -> Self {
        Self::new(ty, Kind::Bitcast(Box::new(self)))
    }

    /// This scalar as a value of type `ty`, in every component.
    pub fn splat(self, ty: &Type) -> Self {
        if self.ty == *ty { self } else { Self::new(ty.clone(), Kind::Compose(vec![self])) }
    }
}

impl Binary {
    pub fn compares(self) -> bool {
        use Binary::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        matches!(self, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
    }
}
