// Files that tests drop on the page.

/** A scene with two tools; the first has a thread within reach of its jaws. */
export const TWO_HANDS = `serosa = 1
title = "Two hands"

[world]
response = "displacement-velocity"

[[body]]
name = "thread"
shape.chain = { from = ["-12 cm", 0, "14.7 cm"], to = ["-4 cm", 0, "14.7 cm"], nodes = 17, radius = "1 mm" }
model.springs = { mass = "2 g", stiffness = "1 kN/m", damping = "0.1 N s/m" }
drag = "20 1/s"
attach = [{ name = "first" }, { name = "last" }]

[[tool]]
name = "left"
shape.capsule = { length = "10 cm", radius = "5 mm" }
tip = ["-8 cm", 0, "15 cm"]

[[tool]]
name = "right"
shape.capsule = { length = "10 cm", radius = "5 mm" }
tip = ["8 cm", 0, "15 cm"]

[[probe]]
name = "left_tip"
position = { body = "left" }

[[probe]]
name = "right_tip"
position = { body = "right" }

[camera]
eye = [0, "-60 cm", "20 cm"]
target = [0, 0, "15 cm"]
`;

/** A tool that its own script turns from downward to sideways, and whose jaws it closes. */
export const SCRIPTED = `serosa = 1
title = "Scripted"

[[body]]
name = "ball"
shape.sphere = { center = [0, 0, 0], radius = "3 cm" }
model.fixed = {}

[[tool]]
name = "forceps"
shape.capsule = { length = "10 cm", radius = "5 mm" }
tip = [0, 0, "15 cm"]

[[tool.move]]
time = "300 ms"
tip = [0, 0, "15 cm"]
direction = [1, 0, -1]
grip = true

[camera]
eye = [0, "-60 cm", "20 cm"]
target = [0, 0, "15 cm"]
`;

/** A bar between two control elements, the right of which may be drawn away by little more than 2 cm. */
export const FLEXIBLE = `serosa = 1
title = "Bar"

[world]
gravity = [0, 0, 0]

[[body]]
name = "bar"
shape.block = { corner = ["-5 cm", "-1 cm", "-1 cm"], size = ["10 cm", "2 cm", "2 cm"], cell = "1 cm" }

[body.model.flexible]
young = "1 MPa"
poisson = 0.3
density = "1000 kg/m3"
critical_stretch = "1 cm"

[[body.model.flexible.control]]
name = "left"
set = "left"

[[body.model.flexible.control]]
name = "right"
set = "right"

[[probe]]
name = "end"
position = { body = "bar", at = "right" }

[camera]
eye = [0, "-40 cm", 0]
target = [0, 0, 0]
`;

/** A scene with one mistake in line 6 and two in line 7. */
export const BROKEN = `serosa = 1
title = "Broken"

[[body]]
name = "rope"
shape.chain = { from = [0, 0, 0], to = ["1 m", 0, 0], nodes = 10, radius = "1 kg" }
model.springs = { mass = "1 g", stifness = "1 kN/m" }
`;

/** A stone that falls a hundred times as fast as it should, and how fast things fall. */
export const RUNAWAY = `serosa = 1
title = "Runaway"

[world]
step = "4 ms"
gravity = [0, 0, -1000]

[[body]]
name = "stone"
shape.sphere = { center = [0, 0, 0], radius = "3 cm" }
model.rigid = { mass = "100 g" }

[[tune]]
target = "gravity"
min = "1 m/s2"
max = "1000 m/s2"

[[probe]]
name = "height"
position = { body = "stone" }

[camera]
eye = [0, "-60 cm", 0]
target = [0, 0, 0]
`;
