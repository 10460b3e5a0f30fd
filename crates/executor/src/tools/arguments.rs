//! Whether arguments fit a tool, by the part of JSON schema that models are given: an object, its required members,
//! and their types and choices.

use serde_json::{Map, Value};

/// The arguments as the object that a schema asks for, or what is wrong with them, in words for a model.
pub(super) fn fitted(schema: &Value, arguments: &Value) -> Result<Map<String, Value>, String> {
    let given = object(arguments).ok_or("they must be a JSON object")?;
    let known = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    for name in required.filter_map(Value::as_str) {
        if !given.contains_key(name) {
            return Err(format!("`{name}` is missing"));
        }
    }
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    for (name, value) in &given {
        match known.and_then(|known| known.get(name)) {
            Some(member) => check(name, member, value)?,
            None if closed => return Err(format!("there is no `{}`", bethink_text::preview(name, 40))),
            None => {}
        }
    }
    Ok(given)
}

/// Some models send the object as text, and nothing at all for no arguments.
fn object(arguments: &Value) -> Option<Map<String, Value>> {
    match arguments {
        Value::Object(members) => Some(members.clone()),
        Value::Null => Some(Map::new()),
        Value::String(text) if text.trim().is_empty() => Some(Map::new()),
        Value::String(text) => serde_json::from_str(text).ok(),
        _ => None,
    }
}

fn check(name: &str, member: &Value, value: &Value) -> Result<(), String> {
    let types: Vec<&str> = match member.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|wanted| is_a(value, wanted)) {
        return Err(format!("`{name}` must be of type {}", types.join(" or ")));
    }
    match member.get("enum").and_then(Value::as_array) {
        Some(choices) if !choices.contains(value) => {
            let choices: Vec<String> = choices.iter().map(Value::to_string).collect();
            Err(format!("`{name}` must be one of {}", choices.join(", ")))
        }
        _ => Ok(()),
    }
}

fn is_a(value: &Value, wanted: &str) -> bool {
    match wanted {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        // A type that is not of JSON is the tool's own affair.
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_does_not_fit_is_named() {
        let schema = json!({
            "type": "object",
            "properties": {
                "query": { "type": "string" },
                "k": { "type": "integer" },
                "unit": { "enum": ["c", "f"] },
                "any": {},
            },
            "required": ["query"],
            "additionalProperties": false,
        });
        let check = |arguments: Value, fault: &str| {
            let said = fitted(&schema, &arguments).err().unwrap_or_default();
            assert_eq!(said, fault, "{arguments}");
        };
        check(json!({ "query": "tea" }), "");
        check(json!({ "query": "tea", "k": 3, "unit": "c", "any": [1] }), "");
        check(json!({ "query": "tea", "k": 3.0 }), "");
        check(json!("{\"query\": \"tea\"}"), "");
        check(json!({}), "`query` is missing");
        check(Value::Null, "`query` is missing");
        check(json!(" "), "`query` is missing");
        check(json!("tea"), "they must be a JSON object");
        check(json!(["tea"]), "they must be a JSON object");
        check(json!({ "query": 3 }), "`query` must be of type string");
        check(json!({ "query": "tea", "k": 3.5 }), "`k` must be of type integer");
        check(json!({ "query": "tea", "unit": "k" }), "`unit` must be one of \"c\", \"f\"");
        check(json!({ "query": "tea", "cup": 1 }), "there is no `cup`");
        assert!(fitted(&json!({}), &json!({ "anything": 1 })).is_ok(), "a schema that says nothing");
    }
}
