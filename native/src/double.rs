//! Writes doubles with the fewest digits that read back as the same double, in the form of Python's `repr`.

/// Exponents >= FIRST_LARGE or <= LAST_SMALL are written in scientific notation.
const FIRST_LARGE: i32 = 16;
const LAST_SMALL: i32 = -5;

/// Appends the number. NaN and the infinities have the names of protobuf's JSON: `NaN`, `Infinity`, `-Infinity`.
pub fn write_double(number: f64, out: &mut Vec<u8>) {
    if number.is_nan() {
        return out.extend_from_slice(b"NaN");
    }
    if number.is_sign_negative() {
        out.push(b'-');
    }
    if number.is_infinite() {
        return out.extend_from_slice(b"Infinity");
    }
    let mut buffer = zmij::Buffer::new();
    let (digits, exponent) = decimal(buffer.format_finite(number.abs()));
    if exponent <= LAST_SMALL || exponent >= FIRST_LARGE {
        write_scientific(&digits, exponent, out);
    } else {
        write_positional(&digits, exponent, out);
    }
}

/// Returns the significant digits of a written number, and the exponent of ten of the first digit.
fn decimal(written: &str) -> (Vec<u8>, i32) {
    let (mantissa, exponent) = written.split_once('e').unwrap_or((written, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
    let zeros = all.iter().take_while(|digit| **digit == b'0').count();
    let last = all.iter().rposition(|digit| *digit != b'0');
    match last.and_then(|last| all.get(zeros..=last)) {
        None => (vec![b'0'], 0),
        Some(digits) => (digits.to_vec(), exponent + whole.len() as i32 - 1 - zeros as i32),
    }
}

fn write_scientific(digits: &[u8], exponent: i32, out: &mut Vec<u8>) {
    if let Some((first, rest)) = digits.split_first() {
        out.push(*first);
        if !rest.is_empty() {
            out.push(b'.');
            out.extend_from_slice(rest);
        }
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    out.extend_from_slice(format!("e{sign}{:02}", exponent.abs()).as_bytes());
}

fn write_positional(digits: &[u8], exponent: i32, out: &mut Vec<u8>) {
    let zeros = |count: i32| std::iter::repeat_n(b'0', usize::try_from(count).unwrap_or(0));
    let whole = usize::try_from(exponent + 1).unwrap_or(0);
    if whole == 0 {
        out.extend_from_slice(b"0.");
        out.extend(zeros(-exponent - 1));
        return out.extend_from_slice(digits);
    }
    match digits.split_at_checked(whole) {
        Some((whole, fraction)) => {
            out.extend_from_slice(whole);
            out.push(b'.');
            out.extend_from_slice(if fraction.is_empty() { b"0" } else { fraction });
        }
        None => {
            out.extend_from_slice(digits);
            out.extend(zeros(whole as i32 - digits.len() as i32));
            out.extend_from_slice(b".0");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::write_double;

    #[test]
    fn doubles_are_written_as_python_does() {
        for (number, written) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.1, "0.1"),
            (-12.5, "-12.5"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (1.5e-7, "1.5e-07"),
            (1e15, "1000000000000000.0"),
            (9_007_199_254_740_993.0, "9007199254740992.0"),
            (1e16, "1e+16"),
            (1.234e100, "1.234e+100"),
            (5e-324, "5e-324"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            let mut out = Vec::new();
            write_double(number, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), written);
        }
    }
}
