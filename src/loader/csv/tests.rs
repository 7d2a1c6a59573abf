//! Tests of reading columns, and of the errors of invalid texts.

use proptest::prelude::*;

use super::*;

type Pair = (Vec<f32>, Vec<u32>);

fn read<A: CsvArrays>(text: &str, columns: &[&[&str]]) -> Result<A, String> {
    read_columns(text, Columns::Named(columns))
}

fn read_columns<A: CsvArrays>(text: &str, columns: Columns<'_>) -> Result<A, String> {
    let table = Table::of(text, columns).map_err(|problem| match problem {
        Problem::File(message) => message,
        Problem::Cell { line, column, message } => format!("{line}:{column}: {message}"),
    })?;
    let parsed = A::parse(&table).map(|(arrays, _)| arrays);
    parsed.map_err(|(at, message)| {
        let (line, column) = table.place(at);
        format!("{line}:{column}: {message}")
    })
}

#[test]
fn columns_are_found_by_name() {
    let text = "\u{feff}name, a ,\"b\",k\r\n\"x, \"\"y\"\"\nz\",1.5, -2e3 ,7\r\n\r\n,0,.5,8";
    let got: Pair = read(text, &[&["b", "a"], &["k"]]).unwrap();
    assert_eq!(got, (vec![-2000.0, 1.5, 0.5, 0.0], vec![7, 8]));
    assert_eq!(read::<Vec<i32>>("a\n-7\n", &[&["a"]]).unwrap(), [-7]);
    assert!(read::<Vec<f64>>("a,b\n", &[&["a"]]).unwrap().is_empty());
    assert_eq!(read::<Vec<f32>>("a\ninf\n-Infinity\n", &[&["a"]]).unwrap(), [f32::INFINITY, f32::NEG_INFINITY]);
}

#[test]
fn errors_contain_line_and_column() {
    for (text, wanted) in [
        ("", "is empty; its first row"),
        ("a;b;k\n1;2;3\n", "has no column 'a'; it has a;b;k"),
        (
            "1, 2.5,-3\n4,5,6\n",
            "has no column 'a'; its first row must name the columns, but has numbers only: use `csv_columns`",
        ),
        ("a,a,b,k\n", "has several columns 'a'"),
        ("a,b,k\n1,2,3\n1,2\n", "3:1: this row has 2 cells, but the first row names 3 columns"),
        ("a,b,k\n1,2,3,4\n", "2:1: this row has 4 cells"),
        ("a,b,k\n1, x2,3\n", "2:3: 'x2' is not f32"),
        ("ä,a,b,k\nöö,1,,3\n", "2:6: this cell is empty, expected f32"),
        ("a,b,k\n1,1e39,3\n", "2:3: 1e39 exceeds the largest f32, 3.4028235e38"),
        ("a,b,k\n1,2,3\n1,2,-3\n", "3:5: '-3' is not u32, a whole number from 0 to 4294967295"),
        ("a,b,k\n1,2,\"3\n", "2:5: this quote is not closed"),
        ("a,b,k\n1,\"2\"2,3\n", "2:6: a comma or the end of the line must follow"),
    ] {
        let error = read::<Pair>(text, &[&["a", "b"], &["k"]]).unwrap_err();
        assert!(error.contains(wanted), "{text:?}: {error}");
    }
}

#[test]
fn columns_are_found_by_number() {
    let read = |text: &str, columns: &[Range<usize>]| read_columns::<Pair>(text, Columns::Numbered(columns));
    assert_eq!(read("\u{feff}0,1.5,7\n2,3,8\n", &[0..2, 2..3]).unwrap(), (vec![0.0, 1.5, 2.0, 3.0], vec![7, 8]));
    assert_eq!(read("9,1,7", &[1..2, 0..1]).unwrap(), (vec![1.0], vec![9]));
    let within = "has 3 columns, counted from 0: expected ranges within 0..3 that are not empty, got";
    for (text, columns, wanted) in [
        ("", [0..1, 1..2], "is empty; it needs a row, which determines the number of columns".to_owned()),
        ("1,2,3\n", [0..2, 2..4], format!("{within} 2..4")),
        ("1,2,3\n", [0..2, 2..2], format!("{within} 2..2")),
        ("1,2,3\n1,2\n", [0..2, 2..3], "2:1: this row has 2 cells, but the first row has 3".to_owned()),
        ("a,b,k\n1,2,3\n", [0..2, 2..3], "1:1: 'a' is not f32".to_owned()),
    ] {
        assert_eq!(read(text, &columns).unwrap_err(), wanted, "{text:?}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "[a,\"\r\n1.é]{0,40}") {
        let _ = read::<Vec<f32>>(&text, &[&["a"]]);
        let _ = read_columns::<Vec<f32>>(&text, Columns::Numbered(std::slice::from_ref(&(0..1))));
    }

    #[test]
    fn written_values_are_read_back(rows in proptest::collection::vec((any::<i32>(), "[a-z,\" \n]{0,9}"), 0..20)) {
        let mut text = "comment,value\n".to_owned();
        for (value, comment) in &rows {
            text.push_str(&format!("\"{}\",{value}\n", comment.replace('"', "\"\"")));
        }
        let wanted: Vec<i32> = rows.iter().map(|(value, _)| *value).collect();
        prop_assert_eq!(read::<Vec<i32>>(&text, &[&["value"]]).unwrap(), wanted);
    }
}
