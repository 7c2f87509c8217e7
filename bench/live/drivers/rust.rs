// SPDX-License-Identifier: Apache-2.0
// JSON, regular expressions, maps, and panics that are caught.
use std::collections::{BTreeMap, HashMap};
use std::io::Write;

fn unit(n: u64, pattern: &regex::Regex) -> usize {
    let mut words: HashMap<String, u64> = HashMap::new();
    let text: String = (0..200).map(|i| format!("word{} = {};\n", (i * 7919 + n) % 101, i * n % 997)).collect();
    for found in pattern.captures_iter(&text) {
        *words.entry(found[1].to_string()).or_insert(0) += found[2].parse::<u64>().unwrap();
    }
    let ordered: BTreeMap<_, _> = words.into_iter().collect();
    let json = serde_json::to_string(&serde_json::json!({ "words": ordered, "n": n })).unwrap();
    let back: serde_json::Value = serde_json::from_str(&json).unwrap();
    let caught = std::panic::catch_unwind(|| {
        if n % 2 == 0 {
            std::panic::resume_unwind(Box::new(n));
        }
        n
    });
    back["words"].as_object().unwrap().len() + caught.is_ok() as usize
}

fn main() {
    let pattern = regex::Regex::new(r"(\w+)\s*=\s*(\d+);").unwrap();
    let mut output = std::io::stdout();
    for n in 1u64.. {
        if unit(n, &pattern) == 0 {
            return;
        }
        writeln!(output, "{}", n).unwrap();
    }
}
