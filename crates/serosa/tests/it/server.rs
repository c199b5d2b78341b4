//! The server of the page: who gets in, what is obeyed, and that nobody can slow the simulation.

use crate::tell::program;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use tungstenite::client::IntoClientRequest;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// A running program and its address.
pub struct Program {
    child: Child,
    port: u16,
    token: String,
    _folder: tempfile::TempDir,
}

impl Program {
    pub fn start(scene: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut child = program()
            .current_dir(folder.path())
            .env("XDG_STATE_HOME", folder.path())
            .arg("view")
            .args(scene)
            .args(["--no-open", "--port", "0"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = lines.next().unwrap().unwrap();
        let (_, rest) = line.split_once("http://127.0.0.1:").unwrap_or_else(|| panic!("{line}"));
        let (port, token) = rest.split_once("/?token=").unwrap();
        Self { child, port: port.parse().unwrap(), token: token.trim().into(), _folder: folder }
    }

    pub fn page(&self) -> Page {
        self.page_with(&self.token, &format!("http://127.0.0.1:{}", self.port)).unwrap()
    }

    fn page_with(&self, token: &str, origin: &str) -> Result<Page, String> {
        let url = format!("ws://127.0.0.1:{}/ws?token={token}", self.port);
        let mut request = url.into_client_request().unwrap();
        request.headers_mut().insert("Origin", origin.parse().unwrap());
        let (socket, _) = tungstenite::connect(request).map_err(|e| e.to_string())?;
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        }
        Ok(Page(socket, Value::Null))
    }

    /// A plain request; the whole answer.
    fn ask(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A page: its connection, and the last status it heard, which may have come while it listened for something else.
pub struct Page(WebSocket<MaybeTlsStream<TcpStream>>, Value);

/// How long a test waits for something to be said before it fails.
const PATIENCE: Duration = Duration::from_secs(30);

impl Page {
    pub fn say(&mut self, message: Value) {
        self.0.send(Message::text(message.to_string())).unwrap();
    }

    /// The next text message of a type, frames passed over.
    pub fn hear(&mut self, kind: &str) -> Value {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Message::Text(text) = self.0.read().unwrap() {
                let value = self.note(&text);
                if value["type"] == kind {
                    return value;
                }
            }
        }
        panic!("no {kind} in {PATIENCE:?}; the last status: {}", self.1)
    }

    /// The next frame.
    pub fn frame(&mut self) -> Vec<u8> {
        loop {
            match self.0.read().unwrap() {
                Message::Binary(bytes) => {
                    assert_eq!(&bytes[..4], b"SRF7");
                    return bytes.to_vec();
                }
                Message::Text(text) => drop(self.note(&text)),
                _ => {}
            }
        }
    }

    /// Reads a text message, and keeps it if it is a status.
    fn note(&mut self, text: &str) -> Value {
        let value: Value = serde_json::from_str(text).unwrap();
        if value["type"] == "status" {
            self.1 = value.clone();
        }
        value
    }

    /// A status that satisfies a condition; the test fails when none comes.
    pub fn status(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        while !wanted(&self.1) {
            assert!(start.elapsed() < PATIENCE, "{}", self.1);
            self.hear("status");
        }
        self.1.clone()
    }

    /// Simulated time of the next frame [s].
    pub fn time(&mut self) -> f64 {
        f64::from_le_bytes(self.frame()[8..16].try_into().unwrap())
    }
}

#[test]
fn a_page_gets_the_scene_and_its_frames() {
    let program = Program::start(&["rope-drop"]);
    let mut page = program.page();
    let hello = page.hear("hello");
    assert_eq!(hello["gallery"].as_array().unwrap().len(), serosa::scenes::BUILT_IN.len());
    let scene = page.hear("scene");
    assert_eq!(scene["scene"]["bodies"][0]["look"]["kind"], "threads");
    let first = page.frame();
    // One section of 60 vertices: 32 bytes and 6 for each.
    assert!(first.len() > 32 + 60 * 6, "{}", first.len());
    let (start, wall) = (page.time(), Instant::now());
    (0..60).for_each(|_| drop(page.frame()));
    let (simulated, wall) = (page.time() - start, wall.elapsed().as_secs_f64());
    assert!((0.5..2.0).contains(&(simulated / wall)), "{simulated} s in {wall} s");
}

#[test]
fn what_the_driver_says_is_done() {
    let program = Program::start(&[]);
    let mut page = program.page();
    assert!(page.hear("scene")["scene"].is_null(), "the gallery");
    page.say(json!({"type": "open", "scene": "membrane-poke"}));
    assert_eq!(page.hear("scene")["scene"]["tools"][0]["name"], "probe");
    page.status(|s| s["playing"] == true);
    page.say(json!({"type": "pause"}));
    page.status(|s| s["playing"] == false);
    page.say(json!({"type": "reset"}));
    let start = (0..200).map(|_| page.time()).find(|t| *t == 0.0);
    assert_eq!(start, Some(0.0));
    page.say(json!({"type": "step"}));
    assert!((0..200).any(|_| page.time() == 0.002));
    page.say(json!({"type": "tune", "index": 0, "value": 1e9}));
    page.status(|s| s["tunables"][0] == 4000.0);
    page.say(json!({"type": "open_text", "name": "mine.toml", "text": "serosa = 1\ntitel = \"x\"\n"}));
    let problems = page.hear("problems");
    assert_eq!(problems["problems"][0]["line"], 1);
    assert!(problems["problems"].as_array().unwrap().iter().any(|p| p["help"] == "did you mean `title`?"));
    page.say(json!({"type": "gallery"}));
    assert!(page.hear("scene")["scene"].is_null());
}

#[test]
fn a_hand_leads_the_tool_and_lets_go_when_its_page_is_gone() {
    let program = Program::start(&["membrane-poke"]);
    let mut driver = program.page();
    driver.hear("scene");
    let hand = json!({"type": "hand", "tool": 0, "position": [0.05, 0.05, 0.04], "rotation": [0, 0, 0, 1], "grip": true});
    driver.say(hand);
    // The probe `tip` is the third to fifth of the last six numbers of a frame.
    let tip = |page: &mut Page| {
        let bytes = page.frame();
        let number = |i: usize| f32::from_le_bytes(bytes[bytes.len() - 4 * i..][..4].try_into().unwrap());
        [number(4), number(3), number(2)]
    };
    let near = |t: [f32; 3]| (t[0] - 0.05).abs() < 1e-3 && (t[2] - 0.04).abs() < 1e-3;
    assert!((0..300).any(|_| near(tip(&mut driver))), "the tool comes to the hand");
    let mut watcher = program.page();
    drop(driver);
    let me = watcher.hear("hello")["client"].clone();
    watcher.status(|s| s["driver"] == me);
    // It may still swing about its place; what it must not do is follow anything else.
    let mut last = [0.0; 3];
    let rests = (0..300).any(|_| {
        last = tip(&mut watcher);
        near(last)
    });
    assert!(rests, "the tool stays: {last:?}");
}

#[test]
fn one_drives_and_the_others_watch() {
    let program = Program::start(&["rope-drop"]);
    let (mut driver, mut watcher) = (program.page(), program.page());
    let (first, second) = (driver.hear("hello")["client"].clone(), watcher.hear("hello")["client"].clone());
    watcher.status(|s| s["driver"] == first && s["clients"] == 2);
    watcher.say(json!({"type": "pause"}));
    driver.say(json!({"type": "speed", "value": 0.5}));
    let status = watcher.status(|s| s["speed"] == 0.5);
    assert_eq!(status["playing"], true, "a watcher is not obeyed");
    watcher.say(json!({"type": "drive"}));
    driver.status(|s| s["driver"] == second);
    watcher.say(json!({"type": "pause"}));
    driver.status(|s| s["playing"] == false);
}

#[test]
fn a_run_is_recorded_and_replayed_from_the_page() {
    let program = Program::start(&["rope-drop"]);
    let mut page = program.page();
    page.say(json!({"type": "speed", "value": 4.0}));
    page.say(json!({"type": "record"}));
    page.status(|s| s["recording"].is_string());
    while page.time() < 1.5 {}
    page.say(json!({"type": "stop"}));
    let status = page.status(|s| s["recordings"].as_array().is_some_and(|r| r.len() == 1));
    let name = status["recordings"][0].clone();
    assert_eq!(name, "rope-drop-1.mcap");
    page.say(json!({"type": "replay", "name": "../rope-drop-1.mcap"}));
    while !page.hear("notice")["text"].as_str().unwrap().contains("no recording called") {}
    page.say(json!({"type": "replay", "name": name}));
    let status = page.status(|s| s["replay"].is_object());
    assert!(status["replay"]["duration_s"].as_f64().unwrap() >= 1.5);
    page.say(json!({"type": "pause"}));
    page.say(json!({"type": "seek", "time_s": 1.25}));
    assert!((0..200).any(|_| (page.time() - 1.25).abs() < 1e-9));
    page.say(json!({"type": "play"}));
    let duration = status["replay"]["duration_s"].as_f64().unwrap();
    while page.time() < duration - 1e-6 {}
    let end = page.status(|s| s["playing"] == false && s["replay"].is_object());
    assert!(end["replay"]["differs_at_s"].is_null(), "{end}");
    page.say(json!({"type": "stop"}));
    page.status(|s| s["replay"].is_null());
}

/// A number of a frame by its place \[bytes\].
pub fn u32_at(frame: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(frame[at..at + 4].try_into().unwrap())
}

/// The ten numbers of a tool: where and how the hand leads it, force, whether the jaws hold and are closed.
fn tool(frame: &[u8], tool: usize) -> [f32; 10] {
    let [tools, shown, probes, pairs] = [76, 80, 84, 92].map(|at| u32_at(frame, at) as usize);
    let elements = u32_at(frame, 116) as usize;
    let first = frame.len() - 4 * (probes + 6 * pairs + 7 * shown + 12 * elements + 10 * tools) + 40 * tool;
    std::array::from_fn(|i| f32::from_le_bytes(frame[first + 4 * i..][..4].try_into().unwrap()))
}

#[test]
fn every_frame_says_of_which_scene_it_is() {
    let program = Program::start(&["rope-drop"]);
    let mut page = program.page();
    let mut last = page.hear("scene")["generation"].as_u64().unwrap();
    assert_eq!(u64::from(u32_at(&page.frame(), 20)), last);
    for name in ["coil", "rope-drop", "membrane-poke"] {
        page.say(json!({"type": "open", "scene": name}));
        let scene = page.hear("scene");
        assert_eq!(scene["scene"]["name"], name);
        let generation = scene["generation"].as_u64().unwrap();
        assert!(generation > last, "{generation} after {last}");
        last = generation;
        assert!((0..5).all(|_| u64::from(u32_at(&page.frame(), 20)) == generation));
    }
}

#[test]
fn frames_tell_how_a_tool_is_turned_and_whether_its_jaws_are_closed() {
    let program = Program::start(&["membrane-poke"]);
    let mut driver = program.page();
    driver.hear("scene");
    assert_eq!(tool(&driver.frame(), 0)[9], 0.0, "the scene leaves the jaws open");
    // A quarter turn about z.
    let turn = [0.0, 0.0, 0.5_f64.sqrt(), 0.5_f64.sqrt()];
    let hand =
        |grip| json!({"type": "hand", "tool": 0, "position": [0, 0, 0.1], "rotation": turn, "grip": grip});
    driver.say(hand(true));
    let turned = |t: [f32; 10]| (3..7).all(|i| (f64::from(t[i]) - turn[i - 3]).abs() < 1e-3);
    let led = |t: [f32; 10]| turned(t) && t[9] == 1.0;
    assert!((0..300).any(|_| led(tool(&driver.frame(), 0))), "{:?}", tool(&driver.frame(), 0));
    driver.say(json!({"type": "pause"}));
    driver.status(|s| s["playing"] == false);
    driver.say(hand(false));
    assert!(
        (0..10).any(|_| tool(&driver.frame(), 0)[9] == 0.0),
        "jaws are told also where time stands still"
    );
    driver.say(hand(true));
    assert!((0..10).any(|_| tool(&driver.frame(), 0)[9] == 1.0));
    let mut watcher = program.page();
    watcher.say(json!({"type": "drive"}));
    assert!(
        (0..10).any(|_| tool(&watcher.frame(), 0)[9] == 0.0),
        "a new driver finds them open, and is told"
    );
}

#[test]
fn a_scene_that_stands_still_sends_few_frames() {
    let program = Program::start(&["membrane-poke"]);
    let mut page = program.page();
    page.say(json!({"type": "pause"}));
    page.status(|s| s["playing"] == false);
    let (start, mut times) = (Instant::now(), Vec::new());
    while start.elapsed() < Duration::from_secs(3) {
        times.push(page.time());
    }
    assert!((2..=6).contains(&times.len()), "a heartbeat, and what was on the way: {times:?}");
    let stood = page.time();
    page.say(json!({"type": "step"}));
    let asked = Instant::now();
    while page.time() <= stood {}
    assert!(
        asked.elapsed() < Duration::from_millis(900),
        "a step is told at once, not at the next heartbeat"
    );
    let mut late = program.page();
    late.hear("scene");
    assert!(late.frame().len() > 1000, "a page that comes now gets all bodies");
}

/// The lines of the pairs in a frame, end by end, and how many pairs there are.
fn pairs(frame: &[u8]) -> (Vec<[[f32; 3]; 2]>, usize) {
    let [probes, shown, all] = [84, 92, 96].map(|at| u32_at(frame, at) as usize);
    let first = frame.len() - 4 * (probes + 6 * shown);
    let float = |i: usize| f32::from_le_bytes(frame[first + 4 * i..][..4].try_into().unwrap());
    let end = |i: usize| std::array::from_fn(|k| float(3 * i + k));
    ((0..shown).map(|i| [end(2 * i), end(2 * i + 1)]).collect(), all)
}

#[test]
fn pairs_come_to_the_page_that_asks_and_to_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tracked.toml");
    let coil = serosa::scenes::BUILT_IN.iter().find(|s| s.name == "coil").unwrap().text;
    std::fs::write(&path, coil.replacen("[world]", "[world]\ndetector = \"tracker\"", 1)).unwrap();
    let program = Program::start(&[path.to_str().unwrap()]);
    let (mut driver, mut watcher) = (program.page(), program.page());
    assert_eq!(pairs(&watcher.frame()), (vec![], 0));
    watcher.say(json!({"type": "pairs", "show": true}));
    let lines = (0..600).map(|_| pairs(&watcher.frame()).0).find(|lines| lines.len() > 20).unwrap();
    for [a, b] in lines {
        let length = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f32>().sqrt();
        // Radii of 4 mm; pairs are followed up to 1.5 times their sum, and may have moved on since in the same step.
        assert!(length < 1.7 * 0.008, "{a:?} {b:?}");
    }
    assert!((0..20).all(|_| u32_at(&driver.frame(), 96) == 0), "nobody else gets them");
    driver.say(json!({"type": "pause"}));
    watcher.status(|s| s["playing"] == false);
    watcher.say(json!({"type": "pairs", "show": false}));
    assert!((0..100).any(|_| pairs(&watcher.frame()) == (vec![], 0)), "no longer");
    let asked = Instant::now();
    watcher.say(json!({"type": "pairs", "show": true}));
    assert!((0..3).any(|_| pairs(&watcher.frame()).1 > 20));
    assert!(asked.elapsed() < Duration::from_millis(900), "at once, also where time stands still");
}

#[test]
fn pairs_are_bounded_and_all_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lying.toml");
    let text = "serosa = 1\ntitle = \"Lying\"\n[world]\nstep = \"4 ms\"\nsweeps = 1\n[[body]]\nname = \"net\"\n\
                shape.net = { corner = [0, 0, 0.0101], along = [2, 0, 0], across = [0, 2, 0], columns = 41, rows = 41, radius = 0.01 }\n\
                model.springs = { mass = 1, stiffness = 50, damping = 0.1 }\nself_contact = false\n[[body]]\n\
                name = \"floor\"\nshape.plane = {}\nmodel.fixed = {}\n";
    std::fs::write(&path, text).unwrap();
    let program = Program::start(&[path.to_str().unwrap()]);
    let mut page = program.page();
    page.say(json!({"type": "pairs", "show": true}));
    let (lines, all) = (0..300).map(|_| pairs(&page.frame())).find(|found| found.1 > 2000).unwrap();
    assert_eq!((lines.len(), all), (2000, 2 * 41 * 40), "each edge with the floor");
    for [a, b] in lines {
        assert!(
            b[2] == 0.0 && a[2] > 0.0 && a[2] < 0.015 && a[..2] == b[..2],
            "down to the floor: {a:?} {b:?}"
        );
    }
}

#[test]
fn a_page_that_is_refused_can_ask_why() {
    let program = Program::start(&[]);
    let host = format!("127.0.0.1:{}", program.port);
    let ask = |token: &str, origin: &str| {
        let answer = program.ask(&format!(
            "POST /door?token={token} HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nConnection: close\r\n\
             Content-Length: 0\r\n\r\n"
        ));
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert!(!answer.contains(&program.token), "the token is not given away");
        serde_json::from_str::<Value>(answer.rsplit("\r\n\r\n").next().unwrap()).unwrap()["refused"].clone()
    };
    let ours = format!("http://{host}");
    assert_eq!(ask(&program.token, &ours), Value::Null);
    assert_eq!(ask("", &ours), "token");
    assert_eq!(ask("0123456789abcdef0123456789abcdef", &ours), "token");
    assert_eq!(ask(&program.token, "http://evil.example"), "elsewhere");
    let mut pages: Vec<Page> = (0..32).map(|_| program.page()).collect();
    assert_eq!(ask(&program.token, &ours), "full");
    let refused = program.page_with(&program.token, &ours).err().unwrap_or_default();
    assert!(refused.contains("503"), "{refused}");
    drop(pages.pop());
    let start = Instant::now();
    while ask(&program.token, &ours) != Value::Null {
        assert!(start.elapsed() < PATIENCE, "there should be room again");
    }
}

#[test]
fn a_posted_mesh_is_answered_to_whoever_has_the_token() {
    let program = Program::start(&["rope-drop"]);
    let host = format!("127.0.0.1:{}", program.port);
    let post = |token: &str, name: &str, body: &str| {
        program.ask(&format!(
            "POST /mesh?token={token}&name={name} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        ))
    };
    let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    assert!(post("wrong", "a.obj", mesh).starts_with("HTTP/1.1 403"));
    let answer = post(&program.token, "a.obj", mesh);
    let json: Value = serde_json::from_str(answer.rsplit("\r\n\r\n").next().unwrap()).unwrap();
    assert_eq!((&json["type"], json["open"].as_array().map(Vec::len)), (&"mesh".into(), Some(18)), "{json}");
    assert!(post(&program.token, "a.obj", "v 0 0\n").contains("\"refused\""));
    let large = format!(
        "POST /mesh?token={}&name=a.obj HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        program.token,
        1u64 << 30
    );
    assert!(program.ask(&large).starts_with("HTTP/1.1 413"), "no more than a bound is taken");
}

#[test]
fn strangers_are_refused() {
    let program = Program::start(&["rope-drop"]);
    let ours = format!("http://127.0.0.1:{}", program.port);
    for (token, origin) in [
        ("", ours.as_str()),
        ("0123456789abcdef0123456789abcdef", ours.as_str()),
        (program.token.as_str(), "http://evil.example"),
        (program.token.as_str(), "null"),
    ] {
        let refused = program.page_with(token, origin).err().unwrap_or_default();
        assert!(refused.contains("403"), "{token} {origin}: {refused}");
    }
    let rebound = program.ask("GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
    assert!(rebound.starts_with("HTTP/1.1 403"), "{rebound}");
    let host = format!("127.0.0.1:{}", program.port);
    let page = program.ask(&format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("content-security-policy"), "{page}");
    assert!(!page.contains(&program.token), "the token is not given away");
    let missing =
        program.ask(&format!("GET /../Cargo.toml HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));
    assert!(missing.starts_with("HTTP/1.1 404"), "{missing}");
    // It listens on loopback only: at this machine's own address in the network nobody answers.
    let outside = std::net::UdpSocket::bind("0.0.0.0:0").and_then(|s| {
        s.connect("192.0.2.1:9")?;
        s.local_addr()
    });
    if let Some(address) = outside.ok().map(|a| a.ip()).filter(|a| !a.is_loopback()) {
        let there = std::net::SocketAddr::new(address, program.port);
        assert!(TcpStream::connect_timeout(&there, Duration::from_secs(2)).is_err(), "{there} answers");
    }
}

#[test]
fn nonsense_ends_the_connection_and_nothing_else() {
    let program = Program::start(&["rope-drop"]);
    let mut good = program.page();
    let nonsense = [
        Message::text("{"),
        Message::text("{\"type\":\"fly\"}"),
        Message::binary(vec![0u8; 100]),
        Message::text("x".repeat(5 << 20)),
        Message::text("[".repeat(100_000)),
    ];
    for message in nonsense {
        let mut bad = program.page();
        let _ = bad.0.send(message);
        let ended = std::iter::repeat_with(|| bad.0.read())
            .take(2000)
            .any(|m| m.is_err() || m.is_ok_and(|m| m.is_close()));
        assert!(ended, "the connection should end");
    }
    let before = good.time();
    assert!((0..50).any(|_| good.time() > before + 0.1), "the simulation goes on");
}

/// Simulated seconds, and frames, for each second, over two seconds.
fn rate(page: &mut Page) -> (f64, f64) {
    let (start, wall, mut frames) = (page.time(), Instant::now(), 0);
    while wall.elapsed() < Duration::from_secs(2) {
        page.frame();
        frames += 1;
    }
    let wall = wall.elapsed().as_secs_f64();
    ((page.time() - start) / wall, f64::from(frames) / wall)
}

/// CPU time that a process has used so far \[s\], where the system tells.
fn cpu_seconds(process: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Behind the name, which may hold anything: user and system time are the 12th and 13th, in hundredths.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let (user, system): (f64, f64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((user + system) / 100.0)
}

/// 20,000 vertices, all in motion, sixty times a second, while simulated time keeps pace with the clock. Where the machine is
/// busy with other things that cannot be seen by the clock; then what a frame costs must leave room for it on one core.
#[test]
fn twenty_thousand_vertices_are_sent_sixty_times_a_second() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.toml");
    let text = "serosa = 1\ntitle = \"Large\"\n[world]\nstep = \"8 ms\"\nsweeps = 1\n[[body]]\nname = \"sheet\"\n\
                shape.net = { corner = [0, 0, 0], along = [10, 0, 0], across = [0, 10, 0], columns = 142, rows = 142, radius = 0.01 }\n\
                model.springs = { mass = 10, stiffness = 50, damping = 0.1 }\nself_contact = false\nattach = [{ name = \"border\" }]\n";
    std::fs::write(&path, text).unwrap();
    let program = Program::start(&[path.to_str().unwrap()]);
    let mut page = program.page();
    assert!(page.frame().len() > 142 * 142 * 6);
    let mut seen = Vec::new();
    let process = program.child.id();
    let reached = (0..5).any(|_| {
        let (wall, before) = (Instant::now(), cpu_seconds(process));
        let (simulated, frames) = rate(&mut page);
        let cpu = before.zip(cpu_seconds(process)).map(|(before, after)| after - before);
        // CPU seconds for a second of the simulation, and for as many frames as it wants.
        let cost = cpu.map(|cpu| cpu / wall.elapsed().as_secs_f64() / simulated.min(frames / 60.0));
        seen.push((simulated, frames, cost));
        simulated > 0.95 && frames > 57.0 || cost.is_some_and(|cost| cost < 0.9)
    });
    assert!(reached, "(simulated seconds, frames, cost) for each second: {seen:?}");
    let moving = (0..10).all(|_| page.frame().len() > 142 * 142 * 6);
    assert!(moving, "every frame should carry the sheet");
}

/// A page that stops reading is left behind; the simulation and the other pages do not notice. So with a
/// thousand connections that say nothing.
#[test]
fn neither_a_stalled_page_nor_a_crowd_slows_the_simulation() {
    let program = Program::start(&["rope-drop"]);
    let mut page = program.page();
    let alone = rate(&mut page).0;
    let stalled: Vec<Page> = (0..5).map(|_| program.page()).collect();
    let crowd: Vec<TcpStream> =
        (0..1000).filter_map(|_| TcpStream::connect(("127.0.0.1", program.port)).ok()).collect();
    // The machine may be busy with other things for a while: the promise must hold in one of some tries.
    let crowded = (0..5).map(|_| rate(&mut page).0).find(|crowded| alone / crowded < 1.05);
    assert!(crowded.is_some(), "{alone} alone, slower with a crowd");
    drop((stalled, crowd));
    let after = (0..50).find_map(|_| {
        std::thread::sleep(Duration::from_millis(100));
        program.page_with(&program.token, &format!("http://127.0.0.1:{}", program.port)).ok()
    });
    assert!(after.is_some(), "there is room again");
}

#[test]
fn a_port_in_use_is_said_and_the_next_is_taken() {
    let first = Program::start(&["rope-drop"]);
    let mut second = program()
        .args(["view", "rope-drop", "--no-open", "--port", &first.port.to_string()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    BufReader::new(second.stderr.take().unwrap()).read_line(&mut said).unwrap();
    second.kill().unwrap();
    second.wait().unwrap();
    assert!(said.contains(&format!("port {} is in use; taking", first.port)), "{said}");
}
