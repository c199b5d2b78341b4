//! In which unit a mesh is written. Few formats say so; the size of the thing does, if one knows what it is.

/// A unit of length, and why it is taken for the file's.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// As people say it.
    pub unit: &'static str,
    /// Its size \[m\].
    pub size_m: f64,
    /// A whole sentence.
    pub reason: String,
}

const UNITS: [(&str, f64); 3] = [("metres", 1.0), ("centimetres", 0.01), ("millimetres", 0.001)];

/// Words of file names, what they mean, and how large such a thing is \[m\]; the first that fits is taken.
const KNOWN: &[(&[&str], &str, f64)] = &[
    (&["gallbladder", "gall_bladder"], "a gallbladder", 0.08),
    (&["liver", "hepa"], "a liver", 0.2),
    (&["kidney", "renal"], "a kidney", 0.11),
    (&["spleen"], "a spleen", 0.12),
    (&["stomach"], "a stomach", 0.25),
    (&["pancreas"], "a pancreas", 0.15),
    (&["bladder"], "a bladder", 0.1),
    (&["prostate"], "a prostate", 0.04),
    (&["uterus"], "a uterus", 0.08),
    (&["heart", "ventric", "myocard"], "a heart", 0.12),
    (&["lung"], "a lung", 0.25),
    (&["brain"], "a brain", 0.17),
    (&["eye", "retina", "cornea"], "an eye", 0.025),
    (&["intestine", "colon", "bowel"], "an intestine, as it lies", 0.35),
    (&["rectum", "appendix"], "an end of the bowel", 0.12),
    (&["thyroid", "adrenal", "ovary"], "a gland", 0.04),
    (&["aorta", "vein", "vena", "artery", "vessel"], "a great vessel", 0.3),
    (&["skull", "pelvis", "hip", "femur"], "a large bone", 0.3),
    (&["vertebra"], "a vertebra", 0.08),
    (&["skin", "torso", "body", "human"], "a body", 1.7),
    (&["needle", "suture"], "a needle", 0.04),
    (&["stapl", "forcep", "grasp", "scissor", "scalpel", "hook"], "a hand instrument", 0.2),
    (&["trocar", "gripper", "tool"], "an instrument's tip", 0.02),
];

/// The unit that makes a thing of its name as large as such things are. Without a name to go by: metres up to 2,
/// centimetres up to 10, millimetres beyond, which fits things between a finger's breadth and a person.
pub fn guess(name: &str, format: &str, size: f64) -> Guess {
    let told = |(unit, size_m), reason: String| Guess { unit, size_m, reason };
    let digits = short(size);
    if size <= 0.0 {
        return told(UNITS[0], "Metres, since a thing without size does not say.".to_owned());
    }
    if matches!(format, "gltf" | "glb") {
        return told(UNITS[0], format!("Size {digits}: metres, since glTF is always in metres."));
    }
    let stem = name.rsplit(['/', '\\']).next().unwrap_or(name).to_ascii_lowercase();
    let known = KNOWN.iter().find(|(words, ..)| words.iter().any(|w| stem.contains(w)));
    let Some((_, what, usual)) = known else {
        let (unit, why) = match size {
            ..2.0 => (UNITS[0], "as centimetres it would be smaller than a finger's breadth"),
            ..10.0 => (UNITS[1], "as metres it would be larger than a person"),
            _ => (UNITS[2], "as metres it would be a building"),
        };
        return told(unit, format!("Size {digits}: {}, since {why}; its name says nothing.", unit.0));
    };
    let off = |unit: &(&str, f64)| (size * unit.1 / usual).log10().abs();
    let best = UNITS.into_iter().min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(UNITS[0]);
    let doubt = if off(&best) > 0.4 {
        format!("; but then it is {} m, so check it", short(size * best.1))
    } else {
        String::new()
    };
    told(best, format!("Size {digits}: {}, since {what} is about {usual} m{doubt}.", best.0))
}

/// A number with four digits.
pub fn short(v: f64) -> String {
    if v == 0.0 || !v.is_finite() {
        return v.to_string();
    }
    let places = (3 - v.abs().log10().floor() as i32).clamp(0, 12) as usize;
    if v.abs() < 1e-4 || v.abs() >= 1e9 {
        return format!("{v:.3e}");
    }
    let text = format!("{v:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn organs_are_as_large_as_organs_are() {
        let cases = [
            ("liver.stl", 210.0, "millimetres"),
            ("a/Liver_2.obj", 0.2, "metres"),
            ("liver.obj", 6.48, "centimetres"),
            ("needle_40mm.obj", 0.0407, "metres"),
            ("colon.obj", 380.0, "millimetres"),
            ("thing.obj", 1.5, "metres"),
            ("thing.obj", 6.0, "centimetres"),
            ("thing.obj", 150.0, "millimetres"),
            ("body_skin.stl", 1700.0, "millimetres"),
            ("x.obj", 0.0, "metres"),
        ];
        for (name, size, unit) in cases {
            let guess = guess(name, "obj", size);
            assert_eq!(guess.unit, unit, "{name} {size}: {}", guess.reason);
        }
        assert!(
            guess("liver.stl", "stl", 210.0)
                .reason
                .contains("size 210: millimetres, since a liver".trim_start_matches("size "))
        );
        assert!(guess("liver.obj", "obj", 6.48).reason.contains("check it"), "a third of a liver is odd");
        assert_eq!(guess("liver.glb", "glb", 210.0).unit, "metres");
    }

    #[test]
    fn four_digits_are_kept() {
        let cases = [
            (210.0, "210"),
            (0.123456, "0.1235"),
            (6.4, "6.4"),
            (1.5e-7, "1.500e-7"),
            (123456.0, "123456"),
            (-2.0, "-2"),
        ];
        for (v, text) in cases {
            assert_eq!(short(v), text);
        }
    }
}
