//! The one table of nodes: what each is to us, and which fields of which type it has. Fields that only one dialect
//! has stand beside those of the others; where one dialect has a list and another a single value, the list stands.

use super::classes::CLASSES;

/// What a node is to the importer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Group,
    Separator,
    TransformSeparator,
    Switch,
    Lod,
    Array,
    MultipleCopy,
    Transform,
    Translation,
    Rotation,
    RotationXyz,
    Scale,
    MatrixTransform,
    ResetTransform,
    Units,
    Inline,
    Coordinate3,
    Coordinate4,
    Material,
    BaseColor,
    PackedColor,
    MaterialBinding,
    Normal,
    NormalBinding,
    TextureCoordinate2,
    ShapeHints,
    Complexity,
    Texture2,
    VertexProperty,
    Shape,
    FaceSet,
    IndexedFaceSet,
    TriangleStripSet,
    IndexedTriangleStripSet,
    TriangleFanSet,
    IndexedTriangleFanSet,
    TriangleSet,
    IndexedTriangleSet,
    QuadSet,
    IndexedQuadSet,
    QuadMesh,
    LineSet,
    IndexedLineSet,
    PointSet,
    Cuboid,
    Sphere,
    Cylinder,
    Cone,
    ElevationGrid,
    Extrusion,
    /// Read as a field of another node.
    Data,
    /// Has shape, but is left out, with a remark.
    LeftOut,
    /// Bends the transform in a way that is not taken over, with a remark.
    Bends,
    /// Says nothing about shape.
    Quiet,
}

impl Kind {
    /// Whether it is a shape that becomes a part.
    pub(super) fn is_geometry(self) -> bool {
        use Kind::*;
        let listed = matches!(self, FaceSet | IndexedFaceSet | TriangleStripSet | IndexedTriangleStripSet)
            || matches!(self, TriangleFanSet | IndexedTriangleFanSet | TriangleSet | IndexedTriangleSet)
            || matches!(self, QuadSet | IndexedQuadSet | QuadMesh | LineSet | IndexedLineSet | PointSet);
        listed || matches!(self, Cuboid | Sphere | Cylinder | Cone | ElevationGrid | Extrusion)
    }
}

/// A row of the table.
#[derive(Debug)]
pub(super) struct Class {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// Types and names, as in `SFFloat width SFFloat height`.
    fields: &'static str,
}

/// What fields hold, as far as reading goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// So many numbers at a time.
    Numbers(usize),
    /// Width, height, components and pixels.
    Image,
    Bool,
    Word,
    Mask,
    Text,
    Node,
}

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Type {
    pub(super) holds: Holds,
    pub(super) many: bool,
    /// Whether its numbers are whole, and then whether they have a sign.
    pub(super) whole: Option<bool>,
}

/// The type of a name such as `MFVec3f`.
pub(super) fn type_named(name: &str) -> Option<Type> {
    let many = match name.get(..2)? {
        "SF" => false,
        "MF" => true,
        _ => return None,
    };
    let holds = match name.get(2..)? {
        "Float" | "Double" | "Time" | "Int32" | "UInt32" | "Short" | "UShort" | "Long" | "ULong" => {
            Holds::Numbers(1)
        }
        "Vec2f" | "Vec2d" | "Vec2s" => Holds::Numbers(2),
        "Vec3f" | "Vec3d" | "Color" | "Vec3s" => Holds::Numbers(3),
        "Vec4f" | "Vec4d" | "Rotation" | "ColorRGBA" | "Plane" => Holds::Numbers(4),
        "Matrix3f" | "Matrix3d" => Holds::Numbers(9),
        "Matrix" | "Matrix4f" | "Matrix4d" => Holds::Numbers(16),
        "Image" => Holds::Image,
        "Bool" => Holds::Bool,
        "Enum" => Holds::Word,
        "BitMask" => Holds::Mask,
        "String" | "Name" => Holds::Text,
        "Node" => Holds::Node,
        _ => return None,
    };
    let whole = match name.get(2..)? {
        "Int32" | "Short" | "Long" => Some(true),
        "UInt32" | "UShort" | "ULong" => Some(false),
        _ => None,
    };
    Some(Type { holds, many, whole })
}

impl Class {
    /// The type of a field.
    pub(super) fn field(&self, name: &str) -> Option<Type> {
        let mut words = self.fields.split_ascii_whitespace();
        while let (Some(kind), Some(field)) = (words.next(), words.next()) {
            if field == name {
                return type_named(kind);
            }
        }
        None
    }

    /// Whether its fields are listed at all.
    pub(super) fn lists_fields(&self) -> bool {
        !self.fields.is_empty()
    }

    /// Whether a file may give it fields of its own.
    pub(super) fn declares(&self) -> bool {
        matches!(self.name, "Script" | "ComposedShader" | "ShaderProgram" | "PackagedShader")
    }

    /// The field of its parent that it belongs to in XML.
    pub(super) fn container(&self) -> &'static str {
        match self.name {
            "Appearance" => "appearance",
            "Material" | "PhysicalMaterial" | "UnlitMaterial" | "TwoSidedMaterial" => "material",
            "ImageTexture" | "PixelTexture" | "MovieTexture" | "MultiTexture" => "texture",
            "TextureTransform" => "textureTransform",
            "Coordinate" | "CoordinateDouble" => "coord",
            "Color" | "ColorRGBA" => "color",
            "Normal" => "normal",
            "TextureCoordinate" => "texCoord",
            "FontStyle" => "fontStyle",
            _ if self.is_geometry() => "geometry",
            _ => "children",
        }
    }

    fn is_geometry(&self) -> bool {
        self.kind.is_geometry() || self.kind == Kind::LeftOut
    }
}

/// The row of a node; `So` and `VRML` before the name are passed over.
pub(super) fn class(name: &str) -> Option<&'static Class> {
    let find = |name: &str| CLASSES.binary_search_by(|c| c.name.cmp(name)).ok().map(|i| &CLASSES[i]);
    find(name).or_else(|| find(name.strip_prefix("So")?)).or_else(|| find(name.strip_prefix("VRML")?))
}

/// A row.
pub(super) const fn row(name: &'static str, kind: Kind, fields: &'static str) -> Class {
    Class { name, kind, fields }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_every_type_is_known() {
        assert!(CLASSES.windows(2).all(|pair| pair[0].name < pair[1].name), "sorted, each name once");
        for class in CLASSES {
            let words: Vec<&str> = class.fields.split_ascii_whitespace().collect();
            assert_eq!(words.len() % 2, 0, "{}", class.name);
            for pair in words.chunks(2) {
                assert!(type_named(pair[0]).is_some(), "{}: {}", class.name, pair[0]);
            }
        }
    }

    #[test]
    fn names_are_found_with_and_without_their_prefix() {
        assert_eq!(class("SoCube").map(|c| c.name), Some("Cube"));
        assert_eq!(class("VRMLBox").map(|c| c.kind), Some(Kind::Cuboid));
        assert!(class("Nonsense").is_none());
        assert_eq!(class("Box").map(|c| c.container()), Some("geometry"));
    }
}
