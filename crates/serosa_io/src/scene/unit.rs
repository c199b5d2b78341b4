//! Quantities with units: `"3 kPa"`, `"2 cm"`; plain numbers are SI.

/// What a quantity measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dim {
    /// A plain number.
    None,
    /// Metres.
    Length,
    /// Kilograms.
    Mass,
    /// Seconds.
    Time,
    /// Radians.
    Angle,
    /// Metres a second.
    Speed,
    /// Metres a second squared.
    Acceleration,
    /// Newtons.
    Force,
    /// Pascals.
    Pressure,
    /// Newtons a metre.
    Stiffness,
    /// Newton seconds a metre.
    Damping,
    /// Newton metres a radian.
    TurnStiffness,
    /// Newton metres: of a sheet against bending.
    Moment,
    /// Newton metres squared: of a rod against bending.
    Rigidity,
    /// Per second.
    Rate,
    /// Kilograms a square metre.
    SurfaceDensity,
    /// Kilograms a cubic metre.
    Density,
    /// Pascals a metre: of what lies behind a surface.
    Bedding,
    /// Metres a metre.
    Strain,
    /// One by metres.
    Curvature,
}

/// (symbol, dimension, size in SI). The first of each dimension is the SI unit; the second is the one that
/// messages use in examples.
const UNITS: &[(&str, Dim, f64)] = &[
    ("m", Dim::Length, 1.0),
    ("cm", Dim::Length, 1e-2),
    ("mm", Dim::Length, 1e-3),
    ("um", Dim::Length, 1e-6),
    ("µm", Dim::Length, 1e-6),
    ("kg", Dim::Mass, 1.0),
    ("g", Dim::Mass, 1e-3),
    ("mg", Dim::Mass, 1e-6),
    ("s", Dim::Time, 1.0),
    ("ms", Dim::Time, 1e-3),
    ("us", Dim::Time, 1e-6),
    ("µs", Dim::Time, 1e-6),
    ("min", Dim::Time, 60.0),
    ("rad", Dim::Angle, 1.0),
    ("deg", Dim::Angle, core::f64::consts::PI / 180.0),
    ("°", Dim::Angle, core::f64::consts::PI / 180.0),
    ("m/s", Dim::Speed, 1.0),
    ("cm/s", Dim::Speed, 1e-2),
    ("mm/s", Dim::Speed, 1e-3),
    ("m/s2", Dim::Acceleration, 1.0),
    ("cm/s2", Dim::Acceleration, 1e-2),
    ("N", Dim::Force, 1.0),
    ("mN", Dim::Force, 1e-3),
    ("kN", Dim::Force, 1e3),
    ("Pa", Dim::Pressure, 1.0),
    ("kPa", Dim::Pressure, 1e3),
    ("MPa", Dim::Pressure, 1e6),
    ("GPa", Dim::Pressure, 1e9),
    ("N/m", Dim::Stiffness, 1.0),
    ("kN/m", Dim::Stiffness, 1e3),
    ("N/mm", Dim::Stiffness, 1e3),
    ("N/cm", Dim::Stiffness, 1e2),
    ("mN/mm", Dim::Stiffness, 1.0),
    ("N s/m", Dim::Damping, 1.0),
    ("mN s/m", Dim::Damping, 1e-3),
    ("N m/rad", Dim::TurnStiffness, 1.0),
    ("mN m/rad", Dim::TurnStiffness, 1e-3),
    ("N m", Dim::Moment, 1.0),
    ("mN m", Dim::Moment, 1e-3),
    ("uN m", Dim::Moment, 1e-6),
    ("µN m", Dim::Moment, 1e-6),
    ("N m2", Dim::Rigidity, 1.0),
    ("mN m2", Dim::Rigidity, 1e-3),
    ("uN m2", Dim::Rigidity, 1e-6),
    ("µN m2", Dim::Rigidity, 1e-6),
    ("N cm2", Dim::Rigidity, 1e-4),
    ("1/s", Dim::Rate, 1.0),
    ("1/min", Dim::Rate, 1.0 / 60.0),
    ("Hz", Dim::Rate, 1.0),
    ("kg/m2", Dim::SurfaceDensity, 1.0),
    ("g/m2", Dim::SurfaceDensity, 1e-3),
    ("g/cm2", Dim::SurfaceDensity, 10.0),
    ("kg/m3", Dim::Density, 1.0),
    ("g/cm3", Dim::Density, 1e3),
    ("Pa/m", Dim::Bedding, 1.0),
    ("kPa/m", Dim::Bedding, 1e3),
    ("kPa/mm", Dim::Bedding, 1e6),
    ("m/m", Dim::Strain, 1.0),
    ("%", Dim::Strain, 1e-2),
    ("1/m", Dim::Curvature, 1.0),
    ("1/cm", Dim::Curvature, 100.0),
];

impl Dim {
    /// With its article, for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "a plain number",
            Self::Length => "a length",
            Self::Mass => "a mass",
            Self::Time => "a time",
            Self::Angle => "an angle",
            Self::Speed => "a speed",
            Self::Acceleration => "an acceleration",
            Self::Force => "a force",
            Self::Pressure => "a pressure",
            Self::Stiffness => "a stiffness",
            Self::Damping => "a damping",
            Self::TurnStiffness => "a turning stiffness",
            Self::Moment => "a bending stiffness of a sheet",
            Self::Rigidity => "a bending stiffness of a rod",
            Self::Rate => "a rate",
            Self::SurfaceDensity => "a mass by area",
            Self::Density => "a density",
            Self::Bedding => "a stiffness by area",
            Self::Strain => "a strain",
            Self::Curvature => "a curvature",
        }
    }

    /// Symbols that may be written.
    pub fn symbols(self) -> impl Iterator<Item = &'static str> {
        UNITS.iter().filter(move |u| u.1 == self).map(|u| u.0)
    }

    /// The SI symbol; empty for plain numbers.
    pub fn si(self) -> &'static str {
        self.symbols().next().unwrap_or("")
    }

    /// A quantity in the unit that shows it with the fewest zeros, for messages.
    pub fn show(self, value: f64) -> String {
        let units = UNITS.iter().filter(|u| u.1 == self && u.0.is_ascii());
        let fitting = units.filter(|u| value.abs() >= u.2).max_by(|a, b| a.2.total_cmp(&b.2));
        match fitting {
            Some((symbol, _, size)) => format!("{} {symbol}", trim(value / size)),
            None if self == Self::None => trim(value),
            None => format!("{} {}", trim(value), self.si()),
        }
    }
}

fn trim(value: f64) -> String {
    let text = format!("{:.6}", value);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "0" && value != 0.0 { format!("{value:e}") } else { text.to_owned() }
}

/// The longest text of a quantity \[bytes\].
const QUANTITY_MAX: usize = 64;

/// What is wrong with a quantity: a message, and what to write instead.
pub type Complaint = (String, String);

/// A quantity from text like `3 kPa`, in SI, with the unit it was written in and that unit's size.
pub fn parse(text: &str, dim: Dim) -> Result<(f64, &'static str, f64), Complaint> {
    let text = text.trim();
    if text.len() > QUANTITY_MAX {
        return Err(("this is too long for a quantity".to_owned(), format!("write {}", example(dim))));
    }
    let split = number_end(text);
    let (digits, unit) = (&text[..split], canonical(&text[split..]));
    let Ok(number) = digits.replace('_', "").parse::<f64>() else {
        let help = format!("write {}", example(dim));
        return Err((format!("\"{text}\" does not begin with a number"), help));
    };
    if !number.is_finite() {
        return Err((format!("\"{text}\" is not a finite number"), format!("write {}", example(dim))));
    }
    if unit.is_empty() {
        return Ok((number, dim.si(), 1.0));
    }
    match UNITS.iter().find(|u| u.0 == unit) {
        Some(&(symbol, d, size)) if d == dim => Ok((number * size, symbol, size)),
        Some(&(_, d, _)) => Err((
            format!("\"{text}\" is {}, but {} is wanted here", d.name(), dim.name()),
            format!("write {}", example(dim)),
        )),
        None => {
            let near = super::nearest::nearest(&unit, dim.symbols());
            let all: Vec<&str> = dim.symbols().collect();
            let help = match (near, all.is_empty()) {
                (_, true) => "write a plain number without a unit".to_owned(),
                (Some(near), _) => {
                    format!("did you mean {near}? Units of {}: {}", dim.name(), all.join(", "))
                }
                (None, _) => format!("units of {}: {}", dim.name(), all.join(", ")),
            };
            Err((format!("the unit \"{unit}\" is not known"), help))
        }
    }
}

/// Where the number ends: the longest prefix made of characters of a number that is one.
fn number_end(text: &str) -> usize {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-' | 'e' | 'E' | '_');
    let longest = text.find(|c| !is_part(c)).unwrap_or(text.len());
    // "3e" or "2 e5": give characters back until what is left reads as a number.
    (0..=longest)
        .rev()
        .filter(|&i| text.is_char_boundary(i))
        .find(|&i| text[..i].replace('_', "").parse::<f64>().is_ok())
        .unwrap_or(0)
}

/// One spelling for each unit: `N·s/m`, `N*s/m` → `N s/m`; `m/s²`, `m/s^2` → `m/s2`.
fn canonical(unit: &str) -> String {
    let unit = unit.replace(['·', '*'], " ").replace('²', "2").replace('^', "").replace('μ', "µ");
    unit.split_whitespace().collect::<Vec<_>>().join(" ").replace(" /", "/").replace("/ ", "/")
}

/// A way to write a quantity, for messages.
pub fn example(dim: Dim) -> String {
    match dim.symbols().nth(1).or(dim.symbols().next()) {
        Some(symbol) => format!("\"2 {symbol}\" or a plain number in {}", dim.si()),
        None => "a plain number like 0.3".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read() {
        let si = |text, dim| parse(text, dim).map(|q| q.0);
        assert_eq!(si("3 kPa", Dim::Pressure), Ok(3000.0));
        assert_eq!(si("2cm", Dim::Length), Ok(0.02));
        assert_eq!(si("-1.5e-3 m", Dim::Length), Ok(-0.0015));
        assert_eq!(si("0.5 N·s/m", Dim::Damping), Ok(0.5));
        assert_eq!(si("0.5 N*s / m", Dim::Damping), Ok(0.5));
        assert_eq!(si("9.81 m/s^2", Dim::Acceleration), Ok(9.81));
        assert_eq!(si("9.81 m/s²", Dim::Acceleration), Ok(9.81));
        assert_eq!(si("7", Dim::Mass), Ok(7.0));
        assert_eq!(si("1 g", Dim::Mass), Ok(1e-3));
        assert_eq!(si("3 e5", Dim::None).map_err(|e| e.0), Err("the unit \"e5\" is not known".into()));
    }

    #[test]
    fn a_unit_that_does_not_fit_is_named() {
        let (message, help) = parse("3 kg", Dim::Length).unwrap_err();
        assert_eq!(message, "\"3 kg\" is a mass, but a length is wanted here");
        assert!(help.contains("\"2 cm\""), "{help}");
        let (message, help) = parse("3 kp", Dim::Pressure).unwrap_err();
        assert_eq!(message, "the unit \"kp\" is not known");
        assert!(help.starts_with("did you mean kPa?"), "{help}");
        assert!(parse("", Dim::Length).is_err() && parse("soft", Dim::Length).is_err());
        assert!(parse("1e999 m", Dim::Length).is_err() && parse("nan m", Dim::Length).is_err());
    }

    #[test]
    fn values_are_shown_in_a_fitting_unit() {
        assert_eq!(Dim::Time.show(0.05), "50 ms");
        assert_eq!(Dim::Length.show(1e-5), "10 um");
        assert_eq!(Dim::Length.show(0.0), "0 m");
        assert_eq!(Dim::None.show(0.3), "0.3");
        assert_eq!(Dim::Stiffness.show(2500.0), "2.5 N/mm");
    }
}
