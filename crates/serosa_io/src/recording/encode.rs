//! Collects the ticks of a batch and codes them as [`batch`](super::batch) says.

use super::batch::{SWEEPS_RICE, number_of};
use super::bits::{BitSink, put_varint, zigzag};
use super::predict::{Columns, Past, Pose, best_columns, coding_order, rows};
use serosa_sim::{Input, Real};

/// The ticks of a batch to be. All its inputs have the same number of hands, control elements and tunables.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    first: u64,
    hashes: Vec<u64>,
    inputs: Shape,
    rows: Vec<Pose>,
    sweeps: Vec<u32>,
    tunables: Vec<Real>,
    /// Bodies given back, by the numbers by which they are written.
    releases: Vec<u32>,
}

/// Things in each input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Shape {
    hands: usize,
    controls: usize,
    tunables: usize,
}

impl Shape {
    fn of(input: &Input) -> Self {
        Self { hands: input.hands.len(), controls: input.controls.len(), tunables: input.tunables.len() }
    }

    /// Rows of numbers that are guessed.
    fn rows(self) -> usize {
        self.hands + 2 * self.controls
    }
}

impl Builder {
    /// Ticks collected.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Whether an input can stand in the same batch as those before.
    pub fn fits(&self, input: &Input) -> bool {
        self.is_empty() || self.inputs == Shape::of(input)
    }

    /// Takes a tick that follows the last; the input [`fits`](Self::fits).
    pub fn push(&mut self, tick: u64, input: &Input, hash: u64) {
        if self.is_empty() {
            self.first = tick;
            self.inputs = Shape::of(input);
        }
        self.hashes.push(hash);
        self.rows.extend(rows(input));
        self.sweeps.push(input.sweeps);
        self.tunables.extend(&input.tunables);
        self.releases.push(number_of(input.release));
    }

    /// Forgets all ticks.
    pub fn clear(&mut self) {
        self.hashes.clear();
        self.rows.clear();
        self.sweeps.clear();
        self.tunables.clear();
        self.releases.clear();
    }

    /// The bytes of the batch. There is one tick at least.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(64 + self.len() * (4 + 8 * self.inputs.rows()));
        put_varint(&mut out, self.first);
        put_varint(&mut out, self.len() as u64);
        for hash in &self.hashes {
            out.extend((*hash as u32).to_le_bytes());
        }
        let last = self.hashes.last().copied().unwrap_or_default();
        out.extend(((last >> 32) as u32).to_le_bytes());
        self.put_first(&mut out);
        let columns: Vec<Columns> = (0..self.inputs.rows()).map(|h| best_columns(&self.poses(h))).collect();
        columns.iter().flatten().for_each(|column| out.push(column.to_byte()));
        self.put_changes(&columns, BitSink::new(&mut out));
        out
    }

    fn put_first(&self, out: &mut Vec<u8>) {
        put_varint(out, self.inputs.hands as u64);
        put_varint(out, self.inputs.controls as u64);
        for number in self.rows_at(0).iter().flatten() {
            put_varint(out, u64::from(zigzag(*number)));
        }
        put_varint(out, u64::from(self.sweeps.first().copied().unwrap_or_default()));
        put_varint(out, self.inputs.tunables as u64);
        for tunable in self.tunables_at(0) {
            out.extend(tunable.to_bits().to_le_bytes());
        }
        put_varint(out, u64::from(self.releases.first().copied().unwrap_or_default()));
    }

    fn put_changes(&self, columns: &[Columns], mut bits: BitSink) {
        let mut pasts: Vec<Past> = self.rows_at(0).iter().map(|row| Past::at(*row)).collect();
        let (mut changes, mut last_changes) = (Vec::new(), Vec::new());
        let mut last = 0;
        for t in 1..self.len() {
            self.find_changes(t, &mut changes);
            if !changes.contains(&true) {
                continue;
            }
            bits.gamma((t - last) as u32);
            last = t;
            let new = changes != last_changes;
            bits.put(u64::from(new), 1);
            if new {
                changes.iter().for_each(|change| bits.put(u64::from(*change), 1));
                last_changes.clone_from(&changes);
            }
            for (h, row) in self.rows_at(t).iter().enumerate().filter(|(h, _)| changes[*h]) {
                put_row(&mut bits, &columns[h], &mut pasts[h], *row);
            }
            if changes[self.inputs.rows()] {
                let difference = self.sweeps[t].wrapping_sub(self.sweeps[t - 1]) as i32;
                bits.rice(zigzag(difference), SWEEPS_RICE);
            }
            if changes[self.inputs.rows() + 1] {
                self.put_tunables(t, &mut bits);
            }
            if changes[self.inputs.rows() + 2] {
                bits.put(u64::from(self.releases[t]), 32);
            }
        }
        bits.gamma((self.len() - last) as u32);
        bits.finish();
    }

    /// What differs from the tick before: each row, the sweeps, the tunables, the body given back.
    fn find_changes(&self, t: usize, changes: &mut Vec<bool>) {
        changes.clear();
        let rows = self.rows_at(t).iter().zip(self.rows_at(t - 1));
        changes.extend(rows.map(|(now, before)| now != before));
        changes.push(self.sweeps[t] != self.sweeps[t - 1]);
        changes.push(self.tunables_that_change(t).any(|(change, _)| change));
        changes.push(self.releases[t] != self.releases[t - 1]);
    }

    /// Whether each tunable differs, bit for bit, from the tick before, and its value.
    fn tunables_that_change(&self, t: usize) -> impl Iterator<Item = (bool, u64)> {
        let pairs = self.tunables_at(t).iter().zip(self.tunables_at(t - 1));
        pairs.map(|(now, before)| (now.to_bits() != before.to_bits(), now.to_bits()))
    }

    fn put_tunables(&self, t: usize, bits: &mut BitSink) {
        self.tunables_that_change(t).for_each(|(change, _)| bits.put(u64::from(change), 1));
        for (_, value) in self.tunables_that_change(t).filter(|(change, _)| *change) {
            bits.put(value & 0xffff_ffff, 32);
            bits.put(value >> 32, 32);
        }
    }

    fn rows_at(&self, t: usize) -> &[Pose] {
        &self.rows[t * self.inputs.rows()..][..self.inputs.rows()]
    }

    fn tunables_at(&self, t: usize) -> &[Real] {
        &self.tunables[t * self.inputs.tunables..][..self.inputs.tunables]
    }

    /// The numbers of a row, each counted once for as long as it stays.
    fn poses(&self, h: usize) -> Vec<Pose> {
        let mut poses: Vec<Pose> = (0..self.len()).map(|t| self.rows_at(t)[h]).collect();
        poses.dedup();
        poses
    }
}

fn put_row(bits: &mut BitSink, columns: &Columns, past: &mut Past, pose: Pose) {
    for i in coding_order(columns) {
        let miss = pose[i].wrapping_sub(past.guess(columns[i].guess, i, &pose));
        bits.rice(zigzag(miss), columns[i].rice);
    }
    past.push(pose);
}

#[cfg(test)]
mod tests {
    use super::super::batch::{Batch, Player};
    use super::super::bits::Malformed;
    use super::*;
    use proptest::prelude::*;
    use serosa_sim::{BodyId, Control, Hand};

    fn any_hand() -> impl Strategy<Value = Hand> {
        // Mostly small moves, sometimes any numbers at all.
        let small = (any::<[i8; 3]>(), any::<[i8; 4]>());
        let small = small.prop_map(|(p, r)| Hand {
            pos_64: p.map(i32::from),
            rot_q22: r.map(i32::from),
            jaw: i32::from(p[0] > 100),
        });
        let wild = any::<([i32; 3], [i32; 4], i32)>();
        prop_oneof![9 => small, 1 => wild.prop_map(|(pos_64, rot_q22, jaw)| Hand { pos_64, rot_q22, jaw })]
    }

    fn any_control() -> impl Strategy<Value = Control> {
        let wild = any::<([i32; 3], [i32; 4], [i8; 3], [i8; 3], [i32; 3])>();
        wild.prop_map(|(pos_64, rot_q22, scale, force, torque_unm)| Control {
            pos_64,
            rot_q22,
            scale_q16: scale.map(i32::from),
            force_un: force.map(i32::from),
            torque_unm,
        })
    }

    fn any_ticks() -> impl Strategy<Value = (u64, Vec<(Input, u64)>)> {
        let shape = (0..3usize, 0..3usize, 0..3usize);
        let tick = |(hands, controls, tunables): (usize, usize, usize)| {
            let any_bits = any::<u64>().prop_map(f64::from_bits);
            let input = (
                prop::collection::vec(any_hand(), hands),
                prop::collection::vec(any_control(), controls),
                any::<u32>(),
                prop::collection::vec(any_bits, tunables),
                prop_oneof![4 => Just(None), 1 => (0..u32::MAX).prop_map(|b| Some(BodyId(b)))],
            );
            let input = input.prop_map(|(hands, controls, sweeps, tunables, release)| Input {
                hands,
                controls,
                sweeps,
                tunables,
                release,
            });
            prop::collection::vec((input, any::<u64>(), 1..4usize), 1..12)
        };
        let repeat = |ticks: Vec<(Input, u64, usize)>| {
            let one =
                |(input, hash, n): (Input, u64, usize)| (0..n as u64).map(move |i| (input.clone(), hash ^ i));
            ticks.into_iter().flat_map(one).collect()
        };
        (0..1_000_000u64, shape.prop_flat_map(tick).prop_map(repeat))
    }

    fn builder(first: u64, ticks: &[(Input, u64)]) -> Builder {
        let mut builder = Builder::default();
        for (tick, (input, hash)) in (first..).zip(ticks) {
            assert!(builder.fits(input));
            builder.push(tick, input, *hash);
        }
        builder
    }

    /// All bits of an input; `==` would not see a NaN.
    fn bits(input: &Input) -> (Vec<Pose>, u32, Vec<u64>, Option<BodyId>) {
        let tunables = input.tunables.iter().map(|t| t.to_bits()).collect();
        (rows(input).collect(), input.sweeps, tunables, input.release)
    }

    proptest! {
        #[test]
        fn a_batch_comes_back((first, ticks) in any_ticks()) {
            let batch = Batch::new(builder(first, &ticks).encode()).unwrap();
            prop_assert_eq!((batch.first(), batch.ticks()), (first, ticks.len() as u64));
            let mut player = batch.play().unwrap();
            for (tick, (input, hash)) in (first..).zip(&ticks) {
                prop_assert_eq!(player.advance(), Ok(true));
                prop_assert_eq!(player.tick(), tick);
                prop_assert_eq!(bits(player.input()), bits(input));
                prop_assert_eq!(player.hash32(), *hash as u32);
                let last = tick == batch.last();
                prop_assert_eq!(player.hash64(), last.then_some(*hash));
            }
            prop_assert_eq!(player.advance(), Ok(false));
        }

        #[test]
        fn a_batch_that_breaks_off_is_refused((first, ticks) in any_ticks(), at in any::<prop::sample::Index>()) {
            let bytes = builder(first, &ticks).encode();
            prop_assert!(Batch::new(bytes[..at.index(bytes.len())].to_vec()).is_err());
            let longer: Vec<u8> = bytes.iter().copied().chain([0]).collect();
            prop_assert_eq!(Batch::new(longer).err(), Some(Malformed("bits after the end of a batch")));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Batch::new(bytes);
        }
    }

    #[test]
    fn only_changes_take_bytes() {
        let input = Input {
            hands: vec![Hand { pos_64: [5; 3], rot_q22: [0, 0, 0, 1 << 22], jaw: 0 }; 2],
            ..Input::default()
        };
        let short = builder(1, &[(input.clone(), 7)]).encode();
        let long = builder(1, &vec![(input, 7); 240]).encode();
        assert_eq!(long.len(), short.len() + 239 * 4 + 1 + 1, "4 of a hash, a longer count and gap");
    }

    #[test]
    fn counts_that_lie_are_refused_at_once() {
        for bytes in [
            vec![1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0, 0, 0],
            vec![1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0],
            vec![1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0],
            vec![1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0],
        ] {
            assert_eq!(Player::new(&bytes).err(), Some(Malformed("it ends too early")));
        }
        assert_eq!(Batch::new(vec![1, 0]).err(), Some(Malformed("a batch without ticks")));
    }
}
