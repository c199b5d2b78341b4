//! The rows of the table of nodes, by name.

use super::table::{Class, Kind as K, row};

/// Every node, in the order of names.
pub(super) static CLASSES: &[Class] = &[
    row(
        "Anchor",
        K::Group,
        "MFNode children MFString url MFString parameter SFString description \
         SFVec3f bboxCenter SFVec3f bboxSize",
    ),
    row(
        "Annotation",
        K::Separator,
        "SFEnum renderCaching SFEnum boundingBoxCaching SFEnum renderCulling \
         SFEnum pickCulling",
    ),
    row("AntiSquish", K::Bends, "SFEnum sizing SFBool recalcAlways"),
    row(
        "Appearance",
        K::Data,
        "SFNode material SFNode texture SFNode textureTransform SFNode backMaterial \
         SFNode fillProperties SFNode lineProperties SFNode pointProperties MFNode shaders \
         SFFloat alphaCutoff SFString alphaMode",
    ),
    row("Arc2D", K::LeftOut, ""),
    row("ArcClose2D", K::LeftOut, ""),
    row(
        "Array",
        K::Array,
        "SFShort numElements1 SFShort numElements2 SFShort numElements3 SFVec3f separation1 \
         SFVec3f separation2 SFVec3f separation3 SFEnum origin",
    ),
    row("AsciiText", K::LeftOut, "MFString string SFFloat spacing SFEnum justification MFFloat width"),
    row("AudioClip", K::Quiet, ""),
    row("Background", K::Quiet, ""),
    row("BaseColor", K::BaseColor, "MFColor rgb"),
    row("Billboard", K::Group, "MFNode children SFVec3f axisOfRotation SFVec3f bboxCenter SFVec3f bboxSize"),
    row("Blinker", K::Switch, "SFInt32 whichChild SFFloat speed SFBool on"),
    row("BooleanFilter", K::Quiet, ""),
    row("BooleanSequencer", K::Quiet, ""),
    row("BooleanToggle", K::Quiet, ""),
    row("BooleanTrigger", K::Quiet, ""),
    row("Box", K::Cuboid, "SFVec3f size SFBool solid"),
    row("BumpMap", K::Quiet, ""),
    row("BumpMapCoordinate", K::Quiet, ""),
    row("BumpMapTransform", K::Quiet, ""),
    row("CADAssembly", K::Group, "MFNode children SFString name"),
    row("CADFace", K::Group, "SFNode shape SFString name"),
    row("CADLayer", K::Group, "MFNode children MFBool visible SFString name"),
    row(
        "CADPart",
        K::Transform,
        "MFNode children SFVec3f center SFRotation rotation SFVec3f scale \
         SFRotation scaleOrientation SFVec3f translation SFString name",
    ),
    row("Callback", K::Quiet, ""),
    row("Circle2D", K::LeftOut, ""),
    row("ClipPlane", K::Quiet, "SFPlane plane SFBool on"),
    row(
        "Collision",
        K::Group,
        "MFNode children SFBool collide SFBool enabled SFVec3f bboxCenter SFVec3f bboxSize \
         SFNode proxy",
    ),
    row("Color", K::Data, "MFColor color"),
    row("ColorIndex", K::Quiet, "MFInt32 index"),
    row("ColorInterpolator", K::Quiet, ""),
    row("ColorRGBA", K::Data, "MFColorRGBA color"),
    row("Complexity", K::Complexity, "SFEnum type SFFloat value SFFloat textureQuality"),
    row("ComposedShader", K::Quiet, ""),
    row(
        "Cone",
        K::Cone,
        "SFBitMask parts SFFloat bottomRadius SFFloat height SFBool side SFBool bottom \
         SFBool solid",
    ),
    row("Coordinate", K::Data, "MFVec3f point"),
    row("Coordinate3", K::Coordinate3, "MFVec3f point"),
    row("Coordinate4", K::Coordinate4, "MFVec4f point"),
    row("CoordinateDouble", K::Data, "MFVec3d point"),
    row("CoordinateInterpolator", K::Quiet, ""),
    row("Cube", K::Cuboid, "SFFloat width SFFloat height SFFloat depth"),
    row(
        "Cylinder",
        K::Cylinder,
        "SFBitMask parts SFFloat radius SFFloat height SFBool side SFBool top SFBool bottom \
         SFBool solid",
    ),
    row("CylinderSensor", K::Quiet, ""),
    row("DirectedLight", K::Quiet, ""),
    row(
        "DirectionalLight",
        K::Quiet,
        "SFBool on SFFloat intensity SFColor color SFVec3f direction SFFloat ambientIntensity \
         SFBool global",
    ),
    row("Disk2D", K::LeftOut, ""),
    row("DrawStyle", K::Quiet, "SFEnum style SFFloat pointSize SFFloat lineWidth SFUShort linePattern"),
    row("ElapsedTime", K::Quiet, "SFTime timeIn SFFloat speed SFBool on SFBool pause"),
    row(
        "ElevationGrid",
        K::ElevationGrid,
        "SFNode color SFNode normal SFNode texCoord MFFloat height SFBool ccw \
         SFBool colorPerVertex SFBool normalPerVertex SFBool solid SFFloat creaseAngle \
         SFInt32 xDimension SFFloat xSpacing SFInt32 zDimension SFFloat zSpacing",
    ),
    row(
        "Environment",
        K::Quiet,
        "SFFloat ambientIntensity SFColor ambientColor SFVec3f attenuation SFEnum fogType \
         SFColor fogColor SFFloat fogVisibility",
    ),
    row("EventCallback", K::Quiet, ""),
    row(
        "ExtSelection",
        K::Separator,
        "SFEnum lassoType SFEnum lassoPolicy SFEnum policy SFEnum renderCaching \
         SFEnum boundingBoxCaching SFEnum renderCulling SFEnum pickCulling",
    ),
    row(
        "Extrusion",
        K::Extrusion,
        "SFBool beginCap SFBool endCap SFBool ccw SFBool convex SFBool solid \
         SFFloat creaseAngle MFVec2f crossSection MFRotation orientation MFVec2f scale \
         MFVec3f spine",
    ),
    row("FaceSet", K::FaceSet, "SFInt32 startIndex MFInt32 numVertices SFNode vertexProperty"),
    row("File", K::Inline, "SFString name"),
    row("FillProperties", K::Quiet, ""),
    row("Fog", K::Quiet, ""),
    row("Font", K::Quiet, "SFName name SFFloat size"),
    row("FontStyle", K::Quiet, ""),
    row("GeoCoordinate", K::Quiet, ""),
    row("GeoElevationGrid", K::LeftOut, ""),
    row("GeoOrigin", K::Quiet, ""),
    row("Group", K::Group, "MFNode children SFVec3f bboxCenter SFVec3f bboxSize"),
    row("HAnimDisplacer", K::Quiet, ""),
    row(
        "HAnimHumanoid",
        K::Transform,
        "MFNode skeleton MFNode skin MFNode joints MFNode segments MFNode sites \
         MFNode viewpoints SFVec3f center SFRotation rotation SFVec3f scale \
         SFRotation scaleOrientation SFVec3f translation SFString name SFString version \
         MFString info SFNode skinCoord SFNode skinNormal SFVec3f bboxCenter SFVec3f bboxSize \
         MFNode motions SFInt32 loa MFBool motionsEnabled SFString skeletalConfiguration",
    ),
    row(
        "HAnimJoint",
        K::Transform,
        "MFNode children SFVec3f center SFRotation rotation SFVec3f scale \
         SFRotation scaleOrientation SFVec3f translation SFString name MFFloat llimit \
         MFFloat ulimit MFFloat stiffness SFRotation limitOrientation MFInt32 skinCoordIndex \
         MFFloat skinCoordWeight MFNode displacers SFVec3f bboxCenter SFVec3f bboxSize",
    ),
    row(
        "HAnimSegment",
        K::Group,
        "MFNode children SFString name SFFloat mass SFVec3f centerOfMass \
         MFFloat momentsOfInertia SFNode coord MFNode displacers SFVec3f bboxCenter \
         SFVec3f bboxSize",
    ),
    row(
        "HAnimSite",
        K::Transform,
        "MFNode children SFVec3f center SFRotation rotation SFVec3f scale \
         SFRotation scaleOrientation SFVec3f translation SFString name SFVec3f bboxCenter \
         SFVec3f bboxSize",
    ),
    row("Image", K::Quiet, ""),
    row(
        "ImageTexture",
        K::Data,
        "MFString url SFBool repeatS SFBool repeatT SFNode textureProperties \
         SFString description",
    ),
    row(
        "IndexedFaceSet",
        K::IndexedFaceSet,
        "MFInt32 coordIndex MFInt32 materialIndex MFInt32 normalIndex \
         MFInt32 textureCoordIndex SFNode vertexProperty SFNode coord SFNode color \
         SFNode normal SFNode texCoord MFInt32 colorIndex MFInt32 texCoordIndex SFBool ccw \
         SFBool colorPerVertex SFBool convex SFFloat creaseAngle SFBool normalPerVertex \
         SFBool solid MFNode attrib SFNode fogCoord",
    ),
    row(
        "IndexedLineSet",
        K::IndexedLineSet,
        "MFInt32 coordIndex MFInt32 materialIndex MFInt32 normalIndex \
         MFInt32 textureCoordIndex SFNode vertexProperty SFNode coord SFNode color \
         MFInt32 colorIndex SFBool colorPerVertex MFNode attrib SFNode fogCoord",
    ),
    row("IndexedNurbsCurve", K::LeftOut, "SFInt32 numControlPoints MFInt32 coordIndex MFFloat knotVector"),
    row(
        "IndexedNurbsSurface",
        K::LeftOut,
        "SFInt32 numUControlPoints SFInt32 numVControlPoints MFInt32 coordIndex \
         MFFloat uKnotVector MFFloat vKnotVector SFInt32 numSControlPoints \
         SFInt32 numTControlPoints MFInt32 textureCoordIndex MFFloat sKnotVector \
         MFFloat tKnotVector",
    ),
    row(
        "IndexedQuadSet",
        K::IndexedQuadSet,
        "MFInt32 index SFNode coord SFNode color SFNode normal SFNode texCoord SFBool ccw \
         SFBool colorPerVertex SFBool normalPerVertex SFBool solid MFNode attrib \
         SFNode fogCoord",
    ),
    row(
        "IndexedTriangleFanSet",
        K::IndexedTriangleFanSet,
        "MFInt32 index SFNode coord SFNode color SFNode normal SFNode texCoord SFBool ccw \
         SFBool colorPerVertex SFBool normalPerVertex SFBool solid MFNode attrib \
         SFNode fogCoord",
    ),
    row(
        "IndexedTriangleSet",
        K::IndexedTriangleSet,
        "MFInt32 index SFNode coord SFNode color SFNode normal SFNode texCoord SFBool ccw \
         SFBool colorPerVertex SFBool normalPerVertex SFBool solid MFNode attrib \
         SFNode fogCoord",
    ),
    row(
        "IndexedTriangleStripSet",
        K::IndexedTriangleStripSet,
        "MFInt32 coordIndex MFInt32 materialIndex MFInt32 normalIndex \
         MFInt32 textureCoordIndex SFNode vertexProperty MFInt32 index SFNode coord \
         SFNode color SFNode normal SFNode texCoord SFBool ccw SFBool colorPerVertex \
         SFBool normalPerVertex SFBool solid SFFloat creaseAngle MFNode attrib SFNode fogCoord",
    ),
    row("Info", K::Quiet, "SFString string"),
    row("Inline", K::Inline, "MFString url SFVec3f bboxCenter SFVec3f bboxSize SFBool load"),
    row(
        "LOD",
        K::Lod,
        "MFFloat range SFVec3f center MFNode level MFNode children SFBool forceTransitions \
         SFVec3f bboxCenter SFVec3f bboxSize",
    ),
    row("Label", K::Quiet, "SFName label"),
    row("LevelOfDetail", K::Lod, "MFFloat screenArea"),
    row("LightModel", K::Quiet, "SFEnum model"),
    row("LineProperties", K::Quiet, ""),
    row(
        "LineSet",
        K::LineSet,
        "SFInt32 startIndex MFInt32 numVertices SFNode vertexProperty SFNode coord \
         SFNode color MFInt32 vertexCount MFNode attrib SFNode fogCoord",
    ),
    row("LinearProfile", K::Quiet, "MFInt32 index SFEnum linkage"),
    row("Listener", K::Quiet, ""),
    row(
        "LocateHighlight",
        K::Separator,
        "SFColor color SFEnum style SFEnum mode SFEnum renderCaching SFEnum boundingBoxCaching \
         SFEnum renderCulling SFEnum pickCulling",
    ),
    row(
        "MarkerSet",
        K::LeftOut,
        "SFInt32 startIndex SFInt32 numPoints MFInt32 markerIndex SFNode vertexProperty",
    ),
    row(
        "Material",
        K::Material,
        "MFColor ambientColor MFColor diffuseColor MFColor specularColor MFColor emissiveColor \
         MFFloat shininess MFFloat transparency SFFloat ambientIntensity",
    ),
    row("MaterialBinding", K::MaterialBinding, "SFEnum value"),
    row("MatrixTransform", K::MatrixTransform, "SFMatrix matrix MFNode children"),
    row("MetadataBoolean", K::Quiet, ""),
    row("MetadataDouble", K::Quiet, ""),
    row("MetadataFloat", K::Quiet, ""),
    row("MetadataInteger", K::Quiet, ""),
    row("MetadataSet", K::Quiet, ""),
    row("MetadataString", K::Quiet, ""),
    row(
        "MovieTexture",
        K::Data,
        "MFString url SFBool loop SFFloat speed SFTime startTime SFTime stopTime \
         SFBool repeatS SFBool repeatT",
    ),
    row("MultiTexture", K::Data, "MFNode texture"),
    row("MultipleCopy", K::MultipleCopy, "MFMatrix matrix"),
    row("NavigationInfo", K::Quiet, ""),
    row("Normal", K::Normal, "MFVec3f vector"),
    row("NormalBinding", K::NormalBinding, "SFEnum value"),
    row("NormalInterpolator", K::Quiet, ""),
    row("NurbsCurve", K::LeftOut, ""),
    row("NurbsPatchSurface", K::LeftOut, ""),
    row("NurbsProfile", K::Quiet, "MFInt32 index SFEnum linkage MFFloat knotVector"),
    row("NurbsSurface", K::LeftOut, ""),
    row("NurbsSweptSurface", K::LeftOut, ""),
    row("NurbsTrimmedSurface", K::LeftOut, ""),
    row("OrientationInterpolator", K::Quiet, ""),
    row(
        "OrthographicCamera",
        K::Quiet,
        "SFEnum viewportMapping SFVec3f position SFRotation orientation SFFloat aspectRatio \
         SFFloat nearDistance SFFloat farDistance SFFloat focalDistance SFFloat height",
    ),
    row("PackedColor", K::PackedColor, "MFUInt32 orderedRGBA"),
    row("PathSwitch", K::Quiet, ""),
    row("Pendulum", K::Quiet, ""),
    row(
        "PerspectiveCamera",
        K::Quiet,
        "SFEnum viewportMapping SFVec3f position SFRotation orientation SFFloat aspectRatio \
         SFFloat nearDistance SFFloat farDistance SFFloat focalDistance SFFloat heightAngle",
    ),
    row(
        "PhysicalMaterial",
        K::Data,
        "SFColor baseColor SFColor emissiveColor SFFloat transparency SFFloat metallic \
         SFFloat roughness",
    ),
    row("PickStyle", K::Quiet, "SFEnum style"),
    row("PixelTexture", K::Data, "SFImage image SFBool repeatS SFBool repeatT"),
    row("PlaneSensor", K::Quiet, ""),
    row(
        "PointLight",
        K::Quiet,
        "SFBool on SFFloat intensity SFColor color SFVec3f location SFVec3f attenuation \
         SFFloat ambientIntensity SFFloat radius SFBool global",
    ),
    row(
        "PointSet",
        K::PointSet,
        "SFInt32 startIndex SFInt32 numPoints SFNode vertexProperty SFNode coord SFNode color \
         MFNode attrib SFNode fogCoord SFNode normal",
    ),
    row("PolygonOffset", K::Quiet, "SFFloat factor SFFloat units SFEnum styles SFBool on"),
    row("Polyline2D", K::LeftOut, ""),
    row("Polypoint2D", K::LeftOut, ""),
    row("PositionInterpolator", K::Quiet, ""),
    row("ProfileCoordinate2", K::Quiet, "MFVec2f point"),
    row("ProfileCoordinate3", K::Quiet, "MFVec3f point"),
    row("ProximitySensor", K::Quiet, ""),
    row(
        "QuadMesh",
        K::QuadMesh,
        "SFInt32 startIndex SFInt32 verticesPerColumn SFInt32 verticesPerRow \
         SFNode vertexProperty",
    ),
    row(
        "QuadSet",
        K::QuadSet,
        "SFNode coord SFNode color SFNode normal SFNode texCoord SFBool ccw \
         SFBool colorPerVertex SFBool normalPerVertex SFBool solid MFNode attrib \
         SFNode fogCoord",
    ),
    row("Rectangle2D", K::LeftOut, ""),
    row("ResetTransform", K::ResetTransform, "SFBitMask whatToReset"),
    row("Rotation", K::Rotation, "SFRotation rotation"),
    row("RotationXYZ", K::RotationXyz, "SFEnum axis SFFloat angle"),
    row("Rotor", K::Rotation, "SFRotation rotation SFFloat speed SFBool on"),
    row("ScalarInterpolator", K::Quiet, ""),
    row("Scale", K::Scale, "SFVec3f scaleFactor"),
    row("SceneTexture2", K::Quiet, ""),
    row("Script", K::Quiet, "MFString url SFBool directOutput SFBool mustEvaluate"),
    row(
        "Selection",
        K::Separator,
        "SFEnum policy SFEnum renderCaching SFEnum boundingBoxCaching SFEnum renderCulling \
         SFEnum pickCulling",
    ),
    row(
        "Separator",
        K::Separator,
        "SFEnum renderCaching SFEnum boundingBoxCaching SFEnum renderCulling \
         SFEnum pickCulling",
    ),
    row(
        "Shape",
        K::Shape,
        "SFNode appearance SFNode geometry SFVec3f bboxCenter SFVec3f bboxSize \
         SFEnum renderCaching SFBool castShadow SFBool visible SFBool bboxDisplay",
    ),
    row(
        "ShapeHints",
        K::ShapeHints,
        "SFEnum vertexOrdering SFEnum shapeType SFEnum faceType SFFloat creaseAngle",
    ),
    row("Shuttle", K::Quiet, ""),
    row("Sound", K::Quiet, ""),
    row("Sphere", K::Sphere, "SFFloat radius SFBool solid"),
    row("SphereSensor", K::Quiet, ""),
    row(
        "SpotLight",
        K::Quiet,
        "SFBool on SFFloat intensity SFColor color SFVec3f location SFVec3f direction \
         SFFloat dropOffRate SFFloat cutOffAngle SFFloat ambientIntensity SFFloat radius \
         SFVec3f attenuation SFFloat beamWidth SFBool global",
    ),
    row("StaticGroup", K::Group, "MFNode children SFVec3f bboxCenter SFVec3f bboxSize"),
    row("SurroundScale", K::Bends, "SFInt32 numNodesUpToContainer SFInt32 numNodesUpToReset"),
    row(
        "Switch",
        K::Switch,
        "SFInt32 whichChild SFInt32 whichChoice MFNode choice MFNode children \
         SFVec3f bboxCenter SFVec3f bboxSize",
    ),
    row("Text", K::LeftOut, "MFString string SFNode fontStyle MFFloat length SFFloat maxExtent SFBool solid"),
    row("Text2", K::LeftOut, "MFString string SFFloat spacing SFEnum justification"),
    row("Text3", K::LeftOut, "MFString string SFFloat spacing SFEnum justification SFBitMask parts"),
    row(
        "Texture2",
        K::Texture2,
        "SFString filename SFImage image SFEnum wrapS SFEnum wrapT SFEnum model \
         SFColor blendColor SFBool enableCompressedTexture",
    ),
    row(
        "Texture2Transform",
        K::Quiet,
        "SFVec2f translation SFFloat rotation SFVec2f scaleFactor SFVec2f center",
    ),
    row("Texture3", K::Quiet, ""),
    row("Texture3Transform", K::Quiet, ""),
    row("TextureCombine", K::Quiet, ""),
    row("TextureCoordinate", K::Data, "MFVec2f point"),
    row("TextureCoordinate2", K::TextureCoordinate2, "MFVec2f point"),
    row("TextureCoordinate3", K::Quiet, "MFVec3f point"),
    row("TextureCoordinateBinding", K::Quiet, "SFEnum value"),
    row("TextureCoordinateCube", K::Quiet, ""),
    row("TextureCoordinateCylinder", K::Quiet, ""),
    row("TextureCoordinateDefault", K::Quiet, ""),
    row("TextureCoordinateEnvironment", K::Quiet, ""),
    row("TextureCoordinateFunction", K::Quiet, ""),
    row("TextureCoordinateGenerator", K::Quiet, ""),
    row("TextureCoordinatePlane", K::Quiet, "SFVec3f directionS SFVec3f directionT"),
    row("TextureCoordinateSphere", K::Quiet, ""),
    row("TextureProperties", K::Quiet, ""),
    row("TextureScalePolicy", K::Quiet, ""),
    row("TextureTransform", K::Quiet, ""),
    row("TextureUnit", K::Quiet, ""),
    row("TimeSensor", K::Quiet, ""),
    row("TouchSensor", K::Quiet, ""),
    row(
        "Transform",
        K::Transform,
        "MFNode children SFVec3f center SFRotation rotation SFVec3f scale SFVec3f scaleFactor \
         SFRotation scaleOrientation SFVec3f translation SFVec3f bboxCenter SFVec3f bboxSize",
    ),
    row("TransformSeparator", K::TransformSeparator, ""),
    row("Translation", K::Translation, "SFVec3f translation"),
    row("TransparencyType", K::Quiet, "SFEnum value"),
    row(
        "TriangleFanSet",
        K::TriangleFanSet,
        "MFInt32 fanCount SFNode coord SFNode color SFNode normal SFNode texCoord SFBool ccw \
         SFBool colorPerVertex SFBool normalPerVertex SFBool solid MFNode attrib \
         SFNode fogCoord",
    ),
    row(
        "TriangleSet",
        K::TriangleSet,
        "SFNode coord SFNode color SFNode normal SFNode texCoord SFBool ccw \
         SFBool colorPerVertex SFBool normalPerVertex SFBool solid MFNode attrib \
         SFNode fogCoord",
    ),
    row(
        "TriangleStripSet",
        K::TriangleStripSet,
        "SFInt32 startIndex MFInt32 numVertices SFNode vertexProperty MFInt32 stripCount \
         SFNode coord SFNode color SFNode normal SFNode texCoord SFBool ccw \
         SFBool colorPerVertex SFBool normalPerVertex SFBool solid SFFloat creaseAngle \
         MFNode attrib SFNode fogCoord",
    ),
    row(
        "TwoSidedMaterial",
        K::Data,
        "SFColor diffuseColor SFColor emissiveColor SFFloat transparency \
         SFFloat ambientIntensity SFFloat shininess SFColor specularColor",
    ),
    row("Units", K::Units, "SFEnum units"),
    row("UnlitMaterial", K::Data, "SFColor emissiveColor SFFloat transparency"),
    row(
        "VertexProperty",
        K::VertexProperty,
        "MFVec3f vertex MFVec3f normal MFVec2f texCoord MFUInt32 orderedRGBA \
         SFEnum materialBinding SFEnum normalBinding",
    ),
    row("Viewpoint", K::Quiet, ""),
    row("VisibilitySensor", K::Quiet, ""),
    row(
        "WWWAnchor",
        K::Separator,
        "SFString name SFString description SFEnum map SFEnum renderCaching \
         SFEnum boundingBoxCaching SFEnum renderCulling SFEnum pickCulling",
    ),
    row("WWWInline", K::Inline, "SFString name SFVec3f bboxSize SFVec3f bboxCenter SFNode alternateRep"),
    row("WorldInfo", K::Quiet, ""),
];
