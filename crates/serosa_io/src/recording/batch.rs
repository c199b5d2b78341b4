//! A batch: the inputs and hashes of one simulated second, readable without any other.
//!
//! Laid out as
//!
//! 1. number of the first tick, and of ticks: varints;
//! 2. the low 32 bits of the hash after each tick, then the high 32 bits of the last: little-endian;
//! 3. the first input in full: varint numbers of hands and of control elements; for each hand a row of 8 zigzag varints,
//!    for each control element two; sweeps as varint; varint number of tunables and for each the bits of its `f64`,
//!    little-endian; the body given back, from 1, or 0 for none: varint;
//! 4. for each row 8 bytes: how each of its numbers is guessed and coded in this batch;
//! 5. bits, lowest first, for the ticks in which the input changes:
//!    - the ticks since the last change, Elias gamma; one that leads to the end of the batch ends it;
//!    - 0 if the same things change as in the last change, or 1 and a bit for each row, for the sweeps, for the
//!      tunables as a whole and for the body given back;
//!    - for each row that changes, the zigzag misses of the guesses, Rice-coded;
//!    - if the sweeps change, their zigzag difference, Rice-coded with parameter 2;
//!    - if tunables change, a bit for each and 64 bits for each that does;
//!    - if the body given back changes, its number as in 3 in 32 bits.
//!
//! All inputs of a batch have the same number of hands, control elements and tunables. Bits rather than bytes, because what
//! a hand adds in a tick is noise of some 8 bits a number, which zstd cannot make smaller and varints make a
//! half larger.

use super::bits::{BitSource, Bytes, Malformed, unzigzag};
use super::predict::{Columns, Past, WIDTH, coding_order, columns_from, rows, set_row};
use serosa_sim::{BodyId, Control, Hand, Input};

/// Rice parameter of changes in the number of sweeps.
pub(super) const SWEEPS_RICE: u32 = 2;

/// A batch that has been read through once and found sound.
#[derive(Clone, Debug)]
pub struct Batch {
    first: u64,
    ticks: u64,
    bytes: Vec<u8>,
}

impl Batch {
    /// Takes the bytes of a batch if they are sound.
    pub fn new(bytes: Vec<u8>) -> Result<Self, Malformed> {
        let mut player = Player::new(&bytes)?;
        while player.advance()? {}
        let (first, ticks) = (player.first, player.ticks());
        Ok(Self { first, ticks, bytes })
    }

    /// Number of the first tick.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// How many ticks it holds; 1 at least.
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// Number of the last tick.
    pub fn last(&self) -> u64 {
        self.first + (self.ticks - 1)
    }

    /// Plays it from its start.
    pub fn play(&self) -> Result<Player<'_>, Malformed> {
        Player::new(&self.bytes)
    }
}

/// What changes in a tick.
#[derive(Clone, Debug, Default)]
struct Changes {
    rows: Vec<u32>,
    sweeps: bool,
    tunables: bool,
    release: bool,
}

impl Changes {
    fn is_empty(&self) -> bool {
        self.rows.is_empty() && !self.sweeps && !self.tunables && !self.release
    }
}

/// Goes through the ticks of a batch. Memory in proportion to its bytes, time too.
#[derive(Clone, Debug)]
pub struct Player<'a> {
    first: u64,
    /// Four bytes a tick.
    hashes: &'a [u8],
    high: u32,
    input: Input,
    columns: Vec<Columns>,
    pasts: Vec<Past>,
    bits: BitSource<'a>,
    changes: Changes,
    /// Ticks gone through.
    done: u64,
    /// Place of the next change.
    change: u64,
}

impl<'a> Player<'a> {
    /// Stands before the first tick.
    pub fn new(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut bytes = Bytes(bytes);
        let first = bytes.varint()?;
        let ticks = bytes.count(4)?;
        if ticks == 0 || first.checked_add(ticks as u64).is_none() {
            return Err(Malformed("a batch without ticks"));
        }
        let hashes = bytes.take(ticks * 4)?;
        let high = bytes.u32()?;
        let input = read_input(&mut bytes)?;
        let pasts: Vec<Past> = rows(&input).map(Past::at).collect();
        let mut columns = Vec::with_capacity(pasts.len());
        for _ in &pasts {
            let mut row = [0; WIDTH];
            row.copy_from_slice(bytes.take(WIDTH)?);
            columns.push(columns_from(row)?);
        }
        let bits = BitSource::new(bytes.0);
        let changes = Changes::default();
        let mut player =
            Self { first, hashes, high, input, columns, pasts, bits, changes, done: 0, change: 0 };
        player.find_change()?;
        Ok(player)
    }

    /// How many ticks the batch holds.
    pub fn ticks(&self) -> u64 {
        (self.hashes.len() / 4) as u64
    }

    /// Goes to the next tick; `false` after the last.
    pub fn advance(&mut self) -> Result<bool, Malformed> {
        if self.done == self.ticks() {
            return Ok(false);
        }
        if self.done == self.change {
            self.apply()?;
            self.find_change()?;
        }
        self.done += 1;
        Ok(true)
    }

    /// Number of the tick it is at.
    pub fn tick(&self) -> u64 {
        self.first + self.done.saturating_sub(1)
    }

    /// What was asked in this tick.
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// Low half of the hash after this tick.
    pub fn hash32(&self) -> u32 {
        let at = self.done.saturating_sub(1) as usize * 4;
        Bytes(self.hashes.get(at..).unwrap_or_default()).u32().unwrap_or_default()
    }

    /// The whole hash, known after the last tick of a batch only.
    pub fn hash64(&self) -> Option<u64> {
        (self.done == self.ticks()).then(|| u64::from(self.high) << 32 | u64::from(self.hash32()))
    }

    /// Reads where the next change is, or that there is none.
    fn find_change(&mut self) -> Result<(), Malformed> {
        self.change += u64::from(self.bits.gamma()?);
        if self.change > self.ticks() {
            return Err(Malformed("a change after the end of a batch"));
        }
        if self.change == self.ticks() && !self.bits.is_done() {
            return Err(Malformed("bits after the end of a batch"));
        }
        Ok(())
    }

    /// Reads one change and makes it.
    fn apply(&mut self) -> Result<(), Malformed> {
        if self.bits.get(1)? == 1 {
            self.read_changes()?;
        }
        if self.changes.is_empty() {
            return Err(Malformed("a change of nothing"));
        }
        for h in &self.changes.rows {
            let h = *h as usize;
            let (Some(past), Some(columns)) = (self.pasts.get_mut(h), self.columns.get(h)) else { continue };
            let mut pose = past.latest();
            for i in coding_order(columns) {
                let miss = unzigzag(self.bits.rice(columns[i].rice)?);
                pose[i] = past.guess(columns[i].guess, i, &pose).wrapping_add(miss);
            }
            past.push(pose);
            set_row(&mut self.input, h, pose);
        }
        if self.changes.sweeps {
            let difference = unzigzag(self.bits.rice(SWEEPS_RICE)?);
            self.input.sweeps = self.input.sweeps.wrapping_add_signed(difference);
        }
        if self.changes.tunables {
            self.read_tunables()?;
        }
        if self.changes.release {
            self.input.release = body_of(self.bits.get(32)?);
        }
        Ok(())
    }

    fn read_changes(&mut self) -> Result<(), Malformed> {
        self.changes.rows.clear();
        for h in 0..self.pasts.len() {
            if self.bits.get(1)? == 1 {
                self.changes.rows.push(h as u32);
            }
        }
        self.changes.sweeps = self.bits.get(1)? == 1;
        self.changes.tunables = self.bits.get(1)? == 1;
        self.changes.release = self.bits.get(1)? == 1;
        Ok(())
    }

    fn read_tunables(&mut self) -> Result<(), Malformed> {
        // The bit for each of them first, so that the values are found without a list of which they are.
        let mut values = self.bits.clone();
        for _ in &self.input.tunables {
            values.get(1)?;
        }
        for tunable in &mut self.input.tunables {
            if self.bits.get(1)? == 1 {
                let low = u64::from(values.get(32)?);
                *tunable = f64::from_bits(low | u64::from(values.get(32)?) << 32);
            }
        }
        self.bits = values;
        Ok(())
    }
}

fn read_input(bytes: &mut Bytes) -> Result<Input, Malformed> {
    let still = Hand { pos_64: [0; 3], rot_q22: [0; 4], jaw: 0 };
    let led =
        Control { pos_64: [0; 3], rot_q22: [0; 4], scale_q16: [0; 3], force_un: [0; 3], torque_unm: [0; 3] };
    let (hands, controls) = (bytes.count(WIDTH)?, bytes.count(2 * WIDTH)?);
    let mut input = Input { hands: vec![still; hands], controls: vec![led; controls], ..Input::default() };
    for row in 0..hands + 2 * controls {
        let mut pose = [0; WIDTH];
        for number in &mut pose {
            *number = unzigzag(bytes.varint32()?);
        }
        set_row(&mut input, row, pose);
    }
    input.sweeps = bytes.varint32()?;
    let count = bytes.count(8)?;
    for _ in 0..count {
        input.tunables.push(f64::from_bits(bytes.u64()?));
    }
    input.release = body_of(bytes.varint32()?);
    Ok(input)
}

/// The number by which the body that is given back is written, if there is one.
pub(super) fn number_of(release: Option<BodyId>) -> u32 {
    release.map_or(0, |body| body.0.saturating_add(1))
}

fn body_of(number: u32) -> Option<BodyId> {
    number.checked_sub(1).map(BodyId)
}
