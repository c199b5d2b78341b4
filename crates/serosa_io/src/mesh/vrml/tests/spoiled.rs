//! Samples of every dialect, spoiled by chance: read or refused, never a panic, never a hang.

use super::super::{Limits, import_within};
use std::time::{Duration, Instant};

const SAMPLES: [&str; 6] = [
    "#VRML V2.0 utf8\nPROTO P [ field SFVec3f at 0 0 0 eventIn SFBool x ] { Transform { translation IS at children [ Shape { appearance Appearance { material Material { diffuseColor 1 0 0 transparency .5 } texture ImageTexture { url \"a.png\" } } geometry IndexedFaceSet { ccw FALSE coord DEF c Coordinate { point [ 0 0 0, 1 0 0, 1 1 0, .2 .2 0, 0 1 0 ] } coordIndex [ 0 1 2 3 4 -1 4 3 0 -1 ] color Color { color [ 1 0 0 0 1 0 ] } colorPerVertex FALSE } } ] } }\nP { at 1 2 3 } P { }\nROUTE a.b TO c.d\nSwitch { whichChoice 0 choice [ Box { size 1 2 3 } ] } Inline { url \"a.wrl\" }",
    "#VRML V2.0 utf8\nShape { geometry ElevationGrid { xDimension 2 zDimension 3 height [ 0 1 2 3 4 5 ] } } Shape { geometry Extrusion { crossSection [ 0 0 1 0 1 1 0 0 ] spine [ 0 0 0 0 1 0 1 1 0 ] scale [ 1 1 2 2 ] } } DEF s Script { field SFInt32 a 1 url \"x\" } LOD { level [ USE s Sphere { } ] }",
    "#Inventor V2.1 ascii\nSeparator { Coordinate3 { point [ 0 0 0, 1 0 0, 1 1 0, 0 1 0 ] } Normal { vector [ 0 0 1 ] } NormalBinding { value OVERALL } Material { diffuseColor [ 1 0 0, 0 1 0 ] transparency 0.5 } MaterialBinding { value PER_FACE_INDEXED } DEF a+0 IndexedFaceSet { coordIndex [ 0, 1, 2, 3, -1 ] materialIndex [ 1 ] } Array { numElements1 2 numElements2 3 USE a+0 } QuadMesh { verticesPerColumn 2 verticesPerRow 2 } MultipleCopy { matrix [ 1 0 0 0 0 1 0 0 0 0 1 0 4 0 0 1 ] Cylinder { parts (SIDES | TOP) } } Units { units FEET } TriangleStripSet { vertexProperty VertexProperty { vertex [ 0 0 0 1 0 0 0 1 0 1 1 0 ] orderedRGBA [ 0xff00ffff ] } numVertices 4 } }",
    "#VRML V1.0 ascii\nSeparator { Odd { fields [ SFFloat a ] isA \"Cube\" a 5 } Transform { rotation 0 0 1 .7 scaleFactor 1 2 3 center 1 1 1 ~ } RotationXYZ { axis Y angle 1 } Switch { whichChild -3 Cone { } } Text2 { string \"\\\"a\" } Coordinate3 { point [ 0 0 0 1 0 0 1 1 0 ] } IndexedLineSet { coordIndex [ 0 1 2 -1 ] } PointSet { startIndex 1 } FaceSet { numVertices -1 } WWWInline { name \"b\" } Material { shininess 0.5 = ElapsedTime { } . timeOut } }",
    "#X3D V3.3 utf8\nPROFILE Full\nMETA \"a\" \"b\"\nUNIT length mm 0.001\nEXTERNPROTO E [ inputOutput SFFloat a ] [ \"e.wrl#E\" ]\nE { a 1 } Group { children [ Shape { geometry IndexedTriangleSet { index [ 0 1 2 ] coord Coordinate { point [ 0 0 0 1 0 0 0 1 0 ] } } } Shape { geometry LineSet { vertexCount 2 coord Coordinate { point [ 0 0 0 1 1 1 ] } } } HAnimJoint { children Shape { geometry QuadSet { coord Coordinate { point [ 0 0 0 1 0 0 1 1 0 0 1 0 ] } } } } ] }",
    "<?xml version='1.0'?>\n<X3D version='3.3'><head><unit name='a'/></head><Scene><ProtoDeclare name='P'><ProtoInterface><field name='r' type='SFFloat' accessType='inputOutput' value='2'/></ProtoInterface><ProtoBody><Shape><Sphere><IS><connect nodeField='radius' protoField='r'/></IS></Sphere></Shape></ProtoBody></ProtoDeclare><ProtoInstance name='P'><fieldValue name='r' value='3'/></ProtoInstance><Transform DEF='t' translation='1 2 3'><Shape><Appearance><Material diffuseColor='1 0 0'/></Appearance><IndexedFaceSet coordIndex='0 1 2 3 -1' solid='false'><Coordinate point='0 0 0 1 0 0 1 1 0 0 1 0'/><Color color='1 0 0 1 0 0 1 0 0 1 0 0'/></IndexedFaceSet></Shape></Transform><Group USE='t'/></Scene></X3D>",
];

/// A small Inventor binary, built word by word.
fn binary() -> Vec<u8> {
    let mut bytes = b"#Inventor V2.1 binary  \n".to_vec();
    let word = |bytes: &mut Vec<u8>, n: u32| bytes.extend(n.to_be_bytes());
    let text = |bytes: &mut Vec<u8>, text: &str| {
        bytes.extend((text.len() as u32).to_be_bytes());
        bytes.extend(text.bytes());
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    };
    text(&mut bytes, "Separator");
    [2, 0, 3].iter().for_each(|&n| word(&mut bytes, n));
    text(&mut bytes, "Coordinate3");
    [0, 1].iter().for_each(|&n| word(&mut bytes, n));
    text(&mut bytes, "point");
    word(&mut bytes, 3);
    [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].iter().for_each(|&x| word(&mut bytes, x.to_bits()));
    word(&mut bytes, 0);
    text(&mut bytes, "DEF");
    text(&mut bytes, "f");
    text(&mut bytes, "IndexedFaceSet");
    [0, 1].iter().for_each(|&n| word(&mut bytes, n));
    text(&mut bytes, "coordIndex");
    [4, 0, 1, 2, u32::MAX, 0].iter().for_each(|&n| word(&mut bytes, n));
    text(&mut bytes, "USE");
    text(&mut bytes, "f");
    bytes
}

/// Pseudo-random numbers that are the same everywhere (splitmix64).
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound.max(1) as u64) as usize
    }
}

fn spoil(sample: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut bytes = sample.to_vec();
    for _ in 0..1 + chance.below(3) {
        let at = chance.below(bytes.len());
        let end = (at + 1 + chance.below(40)).min(bytes.len());
        match chance.below(6) {
            0 => bytes[at..end].iter_mut().take(1).for_each(|b| *b ^= 1 << chance.below(8)),
            1 => bytes.truncate(at),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let doubled = bytes[at..end].to_vec();
                bytes.splice(at..at, doubled);
            }
            4 => {
                let sign = b"{}[]\"#-9.~=|<>/&'\0\xFF"[chance.below(20) % 19];
                bytes.insert(at, sign);
            }
            _ => {
                let other = chance.below(bytes.len());
                let moved = bytes[other..(other + 20).min(bytes.len())].to_vec();
                bytes.splice(at..at, moved);
            }
        }
        if bytes.is_empty() {
            bytes.push(b'#');
        }
    }
    bytes
}

/// A hundred thousand for each of the four formats.
const ROUNDS: usize = 400_000;

#[test]
fn spoiled_files_are_read_or_refused() {
    let binary = binary();
    let mut samples: Vec<&[u8]> = SAMPLES.iter().map(|s| s.as_bytes()).collect();
    samples.push(&binary);
    let limits = Limits { output: 20_000, work: 250_000 };
    let resolve = &mut |_: &str| Err("none".to_owned());
    for sample in &samples {
        assert!(!import_within(sample, resolve, limits).unwrap().parts.is_empty(), "samples are sound");
    }
    let mut chance = Chance(7);
    let (mut read, mut longest) = (0, Duration::ZERO);
    for round in 0..ROUNDS {
        let bytes = spoil(samples[round % samples.len()], &mut chance);
        let begin = Instant::now();
        match import_within(&bytes, resolve, limits) {
            Ok(_) => read += 1,
            Err(error) => assert!(!error.message.is_empty() && !error.help.is_empty()),
        }
        longest = longest.max(begin.elapsed());
    }
    assert!((ROUNDS / 100..ROUNDS - ROUNDS / 100).contains(&read), "{read} of {ROUNDS} were read");
    assert!(longest < Duration::from_secs(5), "{longest:?}");
}
