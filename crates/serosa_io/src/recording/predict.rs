//! Where a hand will be next, guessed from where it was: what is recorded is the miss.

use super::bits::{Malformed, RICE_MAX, rice_bits, zigzag};
use serosa_sim::{Control, Hand, Input};

/// Numbers of a hand: three of the position, four of the rotation, one of the jaws.
pub const WIDTH: usize = 8;
/// Those of the rotation.
const ROTATION: std::ops::Range<usize> = 3..7;
/// The numbers of a hand.
pub type Pose = [i32; WIDTH];

/// The numbers of a hand.
pub fn numbers(hand: &Hand) -> Pose {
    let ([x, y, z], [a, b, c, d]) = (hand.pos_64, hand.rot_q22);
    [x, y, z, a, b, c, d, hand.jaw]
}

/// The hand of these numbers.
pub fn hand([x, y, z, a, b, c, d, jaw]: Pose) -> Hand {
    Hand { pos_64: [x, y, z], rot_q22: [a, b, c, d], jaw }
}

/// The numbers of a control element, in two rows: place and turn as those of a hand, then scales, force and torque.
fn halves(control: &Control) -> [Pose; 2] {
    let ([x, y, z], [a, b, c, d]) = (control.pos_64, control.rot_q22);
    let ([sx, sy, sz], [fx, fy, fz], [tx, ty, tz]) =
        (control.scale_q16, control.force_un, control.torque_unm);
    [[x, y, z, a, b, c, d, sx], [sy, sz, fx, fy, fz, tx, ty, tz]]
}

/// All numbers of an input that are guessed: a row for each hand, then two for each control element.
pub fn rows(input: &Input) -> impl Iterator<Item = Pose> {
    input.hands.iter().map(numbers).chain(input.controls.iter().flat_map(halves))
}

/// Writes one of the [`rows`] back.
pub fn set_row(input: &mut Input, row: usize, pose: Pose) {
    let Some(half) = row.checked_sub(input.hands.len()) else {
        return input.hands[row] = hand(pose);
    };
    let Some(control) = input.controls.get_mut(half / 2) else { return };
    let [mut first, mut second] = halves(control);
    *(if half % 2 == 0 { &mut first } else { &mut second }) = pose;
    let ([x, y, z, a, b, c, d, sx], [sy, sz, fx, fy, fz, tx, ty, tz]) = (first, second);
    *control = Control {
        pos_64: [x, y, z],
        rot_q22: [a, b, c, d],
        scale_q16: [sx, sy, sz],
        force_un: [fx, fy, fz],
        torque_unm: [tx, ty, tz],
    };
}

/// Ways to guess a number. The encoder tries all and keeps the one that takes the fewest bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guess {
    /// It stays: best for a hand at rest, or one that jumps.
    Stay,
    /// It goes on as between the last two poses: best for a smooth device.
    Line,
    /// It goes on as over the last four poses: best for a trembling hand, whose noise it amplifies less.
    Trend,
    /// A rotation has length 1, so the other three numbers give this one but for its sign, which stays.
    Unit,
    /// It goes on along the parabola through the last three poses: best for a smooth turn, whose numbers are no line.
    Curve,
}

const GUESSES: [Guess; 5] = [Guess::Stay, Guess::Line, Guess::Trend, Guess::Unit, Guess::Curve];

/// How one number of a hand is coded throughout a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// How it is guessed.
    pub guess: Guess,
    /// Parameter of the Rice code of the misses.
    pub rice: u32,
}

impl Column {
    /// As one byte.
    pub fn to_byte(self) -> u8 {
        (self.guess as u8) << 5 | self.rice as u8
    }

    fn from_byte(byte: u8) -> Result<Self, Malformed> {
        let (guess, rice) = (GUESSES.get(usize::from(byte >> 5)), u32::from(byte & 31));
        match guess {
            Some(&guess) if rice <= RICE_MAX => Ok(Self { guess, rice }),
            _ => Err(Malformed("an unknown way to code a hand")),
        }
    }
}

/// The columns of one hand.
pub type Columns = [Column; WIDTH];

/// Columns from their bytes. One number of the rotation at most may come from the others.
pub fn columns_from(bytes: [u8; WIDTH]) -> Result<Columns, Malformed> {
    let mut columns = [Column { guess: Guess::Stay, rice: 0 }; WIDTH];
    for (column, byte) in columns.iter_mut().zip(bytes) {
        *column = Column::from_byte(byte)?;
    }
    let unit = |columns: &[Column]| columns.iter().filter(|c| c.guess == Guess::Unit).count();
    if unit(&columns) != unit(&columns[ROTATION]) || unit(&columns) > 1 {
        return Err(Malformed("a hand guessed from itself"));
    }
    Ok(columns)
}

/// The order in which the numbers of a hand are coded: one that comes from the others is last.
pub fn coding_order(columns: &Columns) -> impl Iterator<Item = usize> {
    let last = columns.iter().position(|c| c.guess == Guess::Unit);
    (0..WIDTH).filter(move |i| Some(*i) != last).chain(last)
}

/// The last four poses of a hand, latest first. Poses that did not change are not counted twice.
#[derive(Clone, Copy, Debug)]
pub struct Past([Pose; 4]);

impl Past {
    /// A hand that has always been here.
    pub fn at(pose: Pose) -> Self {
        Self([pose; 4])
    }

    /// The latest pose.
    pub fn latest(&self) -> Pose {
        self.0[0]
    }

    /// Takes the next pose.
    pub fn push(&mut self, pose: Pose) {
        self.0 = [pose, self.0[0], self.0[1], self.0[2]];
    }

    /// Number `i` of the next pose, of which `known` holds those coded before. All in wrapping arithmetic:
    /// misses then fit 32 bits whatever the numbers are.
    pub fn guess(&self, guess: Guess, i: usize, known: &Pose) -> i32 {
        let [a, b, c, d] = self.0.map(|pose| pose[i]);
        match guess {
            Guess::Stay => a,
            Guess::Line => a.wrapping_add(a.wrapping_sub(b)),
            Guess::Trend => a.wrapping_add(a.wrapping_sub(d) / 3),
            Guess::Curve => a.wrapping_sub(b).wrapping_mul(3).wrapping_add(c),
            Guess::Unit => {
                let square = |j: usize| u64::from(known[j].unsigned_abs()).pow(2);
                let others: u64 = ROTATION.filter(|j| *j != i).map(square).sum();
                // Rounded to the nearest: half of the root of four times the square.
                let size = ((1u64 << 44).saturating_sub(others) * 4).isqrt().div_ceil(2) as i32;
                if a < 0 { -size } else { size }
            }
        }
    }
}

/// The columns that code a sequence of poses, the first of them known, in the fewest bits.
pub fn best_columns(poses: &[Pose]) -> Columns {
    let straight = [Guess::Stay, Guess::Line, Guess::Trend, Guess::Curve];
    let mut misses = Vec::with_capacity(poses.len());
    let mut best = [(u64::MAX, Column { guess: Guess::Stay, rice: 0 }); WIDTH];
    for (i, best) in best.iter_mut().enumerate() {
        for guess in straight {
            let found = cost(poses, guess, i, &mut misses);
            if found.0 < best.0 {
                *best = found;
            }
        }
    }
    let units = ROTATION.map(|i| (i, cost(poses, Guess::Unit, i, &mut misses)));
    let saved = |(i, (bits, _)): &(usize, (u64, Column))| best[*i].0.saturating_sub(*bits);
    let largest = units.max_by_key(saved).filter(|unit| saved(unit) > 0);
    let mut columns = best.map(|(_, column)| column);
    if let Some((i, (_, column))) = largest {
        columns[i] = column;
    }
    columns
}

/// Bits that number `i` takes when guessed so, and the column with the best parameter.
fn cost(poses: &[Pose], guess: Guess, i: usize, misses: &mut Vec<u32>) -> (u64, Column) {
    misses.clear();
    let Some((first, rest)) = poses.split_first() else { return (0, Column { guess, rice: 0 }) };
    let mut past = Past::at(*first);
    for pose in rest {
        misses.push(zigzag(pose[i].wrapping_sub(past.guess(guess, i, pose))));
        past.push(*pose);
    }
    let bits = |rice: u32| misses.iter().map(|z| rice_bits(*z, rice)).sum::<u64>();
    let (bits, rice) = (0..=RICE_MAX).map(|rice| (bits(rice), rice)).min().unwrap_or_default();
    (bits, Column { guess, rice })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_keep_their_bytes() {
        for guess in GUESSES {
            let column = Column { guess, rice: 17 };
            assert_eq!(Column::from_byte(column.to_byte()), Ok(column));
        }
        assert!(Column::from_byte(0xff).is_err());
        assert!(Column::from_byte(31).is_err());
        let unit = Column { guess: Guess::Unit, rice: 1 }.to_byte();
        assert!(columns_from([0, 0, 0, 0, unit, 0, 0, 0]).is_ok());
        assert!(columns_from([0, 0, 0, unit, unit, 0, 0, 0]).is_err());
        assert!(columns_from([unit, 0, 0, 0, 0, 0, 0, 0]).is_err());
        assert!(columns_from([0, 0, 0, 0, 0, 0, 0, unit]).is_err());
    }

    #[test]
    fn a_rotation_gives_its_own_last_number() {
        let rot = [1_280_000, -1_920_000, 640_000];
        let w =
            (4_194_304f64.powi(2) - rot.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>()).sqrt().round();
        let pose = [1, 2, 3, rot[0], rot[1], rot[2], -w as i32, 0];
        let past = Past::at([0, 0, 0, 0, 0, 0, -1, 0]);
        assert_eq!(past.guess(Guess::Unit, 6, &pose), -w as i32);
        assert_eq!(Past::at([0; WIDTH]).guess(Guess::Unit, 6, &pose), w as i32);
    }

    #[test]
    fn numbers_at_their_ends_are_guessed() {
        let ends = [i32::MIN, i32::MAX, i32::MIN, i32::MIN, i32::MIN, i32::MIN, i32::MAX, 0];
        let mut past = Past::at(ends);
        past.push(ends.map(|v| !v));
        for guess in GUESSES {
            for i in ROTATION {
                past.guess(guess, i, &ends);
            }
        }
    }

    #[test]
    fn the_best_way_is_found() {
        let line: Vec<Pose> = (0..50).map(|t| [7 * t, 0, 0, 0, 0, 0, 1 << 22, 0]).collect();
        assert_eq!(best_columns(&line)[0], Column { guess: Guess::Line, rice: 0 });
        let turn = |t: i32| {
            let (x, z) = ((128_000 * t) % 1_920_000, (57_600 * t * t) % 1_280_000);
            let w = (4_194_304f64.powi(2) - f64::from(x).powi(2) - f64::from(z).powi(2)).sqrt().round();
            [0, 0, 0, x, 0, z, w as i32, 0]
        };
        let columns = best_columns(&(0..50).map(turn).collect::<Vec<_>>());
        assert_eq!(columns[6], Column { guess: Guess::Unit, rice: 0 });
        assert_eq!(coding_order(&columns).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 7, 6]);
        let bend: Vec<Pose> = (0..50).map(|t| [3 * t * t - 40 * t, 0, 0, 0, 0, 0, 1 << 22, 0]).collect();
        assert_eq!(best_columns(&bend)[0], Column { guess: Guess::Curve, rice: 0 });
    }
}
