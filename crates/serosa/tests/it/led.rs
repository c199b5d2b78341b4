//! Control elements of flexible bodies, led from a page.

use crate::server::{Page, Program, u32_at};
use serde_json::json;

/// A bar between two control elements that may be drawn apart by 2 cm.
const BAR: &str = r#"serosa = 1
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
"#;

/// Where a control element is along x, of a page that asked for nothing more \[m\].
fn along(frame: &[u8], element: usize) -> f32 {
    let [shown, probes] = [80, 84].map(|at| u32_at(frame, at) as usize);
    assert_eq!([u32_at(frame, 116), u32_at(frame, 120)], [2, 0]);
    let first = frame.len() - 4 * (probes + 7 * shown + 12 * (2 - element));
    f32::from_le_bytes(frame[first..first + 4].try_into().unwrap())
}

#[test]
fn control_elements_are_led_by_the_driver_within_limits_and_stop_when_it_is_gone() {
    let program = Program::start(&[]);
    let (mut driver, mut watcher) = (program.page(), program.page());
    let me = watcher.hear("hello")["client"].clone();
    driver.say(json!({"type": "open_text", "name": "bar.toml", "text": BAR}));
    let opened = |page: &mut Page| loop {
        let scene = page.hear("scene")["scene"].clone();
        if !scene.is_null() {
            break scene;
        }
    };
    let scene = opened(&mut driver);
    assert_eq!(
        (&scene["elements"][1]["name"], &scene["bodies"][0]["flexible"]),
        (&json!("right"), &json!(true))
    );
    opened(&mut watcher);
    let control = |element: usize, x: f64, scale: f64| {
        json!({"type": "control", "element": element, "position": [x, 0, 0], "rotation": [0, 0, 0, 1],
            "scale": [1, scale, 1], "force": [0, 0, 0], "torque": [0, 0, 0]})
    };
    watcher.say(control(1, 0.03, 1.0));
    for bad in [control(1, 1e30, 1.0), control(7, 0.03, 1.0), control(1, 0.03, -1e9)] {
        driver.say(bad);
    }
    driver.say(control(1, 0.055, 1.0));
    let near = |page: &mut Page, x: f32| (0..400).any(|_| (along(&page.frame(), 1) - x).abs() < 1e-4);
    assert!(
        near(&mut driver, 0.055),
        "neither the watcher nor what makes no sense is obeyed: {}",
        driver.time()
    );
    driver.say(control(1, 0.2, 1.0));
    let status = driver.status(|s| s["stopped"].as_array().is_some_and(|all| all.len() == 1));
    let words = status["stopped"][0].as_str().unwrap();
    assert!(
        words.starts_with("The control element \"right\" of \"bar\" is stopped: ")
            && words.contains("10.0 mm")
    );
    drop(driver);
    watcher.status(|s| s["driver"] == me && s["stopped"] == json!([]));
    // The last step that was made may have been as long as a step is.
    let (x, longest) = (along(&watcher.frame(), 1), 1.1e-3);
    assert!((0.07 - longest..0.0701).contains(&x), "it stays where it was stopped: {x}");
}
