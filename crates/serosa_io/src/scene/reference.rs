//! The reference page and the JSON schema, made from the table of keys.

use super::keys::{Key, Kind, Need, SCENE, SCRIPT, Table, VERSION, tables};
use super::unit::Dim;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The reference page in Markdown.
pub fn markdown() -> String {
    let mut page = String::from(
        "# Scene files\n\nMade from the table of keys in `serosa_io::scene::keys`; `cargo xtask bless` \
         rewrites it.\n",
    );
    for table in tables().into_iter().chain([&SCRIPT]).chain(SCRIPT.keys.iter().filter_map(Key::table)) {
        let _ = write!(page, "\n## {}\n\n{}\n", table.name, table.help);
        if !table.one_of.is_empty() {
            let words: Vec<String> = table.one_of.iter().map(|w| format!("`{w}`")).collect();
            let _ = write!(page, "\nExactly one of {}.\n", words.join(", "));
        }
        if table.keys.is_empty() {
            page.push_str("\nNo keys.\n");
            continue;
        }
        page.push_str("\n| key | what | if left out | meaning |\n|---|---|---|---|\n");
        for key in table.keys {
            let left_out = match key.need {
                Need::Required => "an error".to_owned(),
                Need::Optional => "–".to_owned(),
                Need::Default(text) => format!("`{text}`"),
            };
            let _ = writeln!(page, "| `{}` | {} | {left_out} | {} |", key.name, what(key), meaning(key));
        }
    }
    page
}

fn what(key: &Key) -> String {
    match &key.kind {
        Kind::Text => "text".into(),
        Kind::Name => "name".into(),
        Kind::BodyName => "name of a body or tool".into(),
        Kind::ToolName => "name of a tool".into(),
        Kind::File => "file".into(),
        Kind::Flag => "true or false".into(),
        Kind::Count(min, max) if min == max => format!("{min}"),
        Kind::Count(min, max) => format!("whole number, {min} to {max}"),
        Kind::Quantity(dim, min, max) => {
            let (min, max) = (dim.show(*min), dim.show(*max));
            format!("{}, {min} to {max}", dim.name().trim_start_matches("a ").trim_start_matches("an "))
        }
        Kind::AnyQuantity => "quantity of the target's kind".into(),
        Kind::Vector(dim, bound) => {
            let name = dim.name().trim_start_matches("a ").trim_start_matches("an ");
            format!("[x, y, z], {name} up to ±{}", dim.show(*bound))
        }
        Kind::Triples(row) => {
            let one = |(dim, min, max): &(Dim, f64, f64)| {
                let name = dim.name().trim_start_matches("a ").trim_start_matches("an ");
                format!("{name} {} to {}", dim.show(*min), dim.show(*max))
            };
            format!("list of [{}]", row.each_ref().map(one).join("; "))
        }
        Kind::Indices(least, most) if least == most => format!("list of rows of {least} whole numbers"),
        Kind::Indices(least, _) => format!("list of rows of {least} or more whole numbers"),
        Kind::Direction => "[x, y, z], direction".into(),
        Kind::Choice(_) => "word".into(),
        Kind::Table(t) => format!("table: {}", t.name),
        Kind::List(t) => format!("list of {}", t.name),
    }
}

fn meaning(key: &Key) -> String {
    let mut text = key.help.to_owned();
    if let Kind::Choice(words) = key.kind {
        for (word, means) in words {
            let _ = write!(text, " `\"{word}\"`: {means}.");
        }
    }
    text
}

/// The JSON schema, for editors that check TOML as it is typed.
pub fn schema() -> Value {
    let definitions: Map<String, Value> =
        tables().iter().skip(1).map(|t| (anchor(t), table_schema(t))).collect();
    let mut root = table_schema(&SCENE);
    root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    root["title"] = json!(format!("Serosa scene, format {VERSION}"));
    root["$defs"] = Value::Object(definitions);
    root
}

fn anchor(table: &Table) -> String {
    table.name.replace(", ", "_").replace([' ', '.'], "-")
}

fn table_schema(table: &Table) -> Value {
    let properties: Map<String, Value> =
        table.keys.iter().map(|k| (k.name.to_owned(), key_schema(k))).collect();
    let required: Vec<&str> =
        table.keys.iter().filter(|k| k.need == Need::Required).map(|k| k.name).collect();
    let mut schema = json!({
        "type": "object",
        "description": table.help,
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    if !table.one_of.is_empty() {
        let alternatives: Vec<Value> = table.one_of.iter().map(|w| json!({ "required": [w] })).collect();
        schema["oneOf"] = Value::Array(alternatives);
    }
    schema
}

fn key_schema(key: &Key) -> Value {
    let quantity = json!({ "type": ["number", "string"] });
    let mut schema = match &key.kind {
        Kind::Text if key.name == "at" => json!({ "type": ["string", "integer"] }),
        Kind::Text | Kind::File => json!({ "type": "string" }),
        Kind::Name | Kind::BodyName | Kind::ToolName => {
            json!({ "type": "string", "minLength": 1, "maxLength": 64 })
        }
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Count(min, max) => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Kind::Quantity(_, min, max) => {
            json!({ "type": ["number", "string"], "minimum": min, "maximum": max })
        }
        Kind::AnyQuantity => quantity,
        Kind::Vector(..) | Kind::Direction => {
            json!({ "type": "array", "items": quantity, "minItems": 3, "maxItems": 3 })
        }
        Kind::Triples(_) => {
            let row = json!({ "type": "array", "items": quantity, "minItems": 3, "maxItems": 3 });
            json!({ "type": "array", "items": row })
        }
        Kind::Indices(least, most) => {
            let number = json!({ "type": "integer", "minimum": 0 });
            let row = json!({ "type": "array", "items": number, "minItems": least, "maxItems": most });
            json!({ "type": "array", "items": row })
        }
        Kind::Choice(words) => json!({ "enum": words.iter().map(|w| w.0).collect::<Vec<_>>() }),
        Kind::Table(t) => json!({ "$ref": format!("#/$defs/{}", anchor(t)) }),
        Kind::List(t) => {
            json!({ "type": "array", "items": { "$ref": format!("#/$defs/{}", anchor(t)) } })
        }
    };
    schema["description"] = json!(meaning(key));
    if let Need::Default(text) = key.need {
        let value = format!("v = {text}").parse::<toml::Table>().ok();
        if let Some(value) = value.and_then(|t| t.get("v").and_then(|v| serde_json::to_value(v).ok())) {
            schema["default"] = value;
        }
    }
    schema
}
