// One function for two types, a loop, a match, and calls through a pointer.
use std::env;

#[inline(never)]
fn largest<T: PartialOrd + Copy>(values: &[T]) -> T {
    let mut best = values[0];
    for &value in values {
        if value > best {
            best = value;
        }
    }
    best
}

#[inline(never)]
fn halve(number: u64) -> u64 {
    number / 2
}

#[inline(never)]
fn triple(number: u64) -> u64 {
    number * 3 + 1
}

#[inline(never)]
fn steps(mut number: u64, rules: &[fn(u64) -> u64; 2]) -> u64 {
    let mut count = 0;
    while number > 1 {
        number = rules[(number % 2) as usize](number);
        count += 1;
    }
    count
}

fn main() {
    let words: Vec<u64> = env::args().skip(1).map(|word| word.parse().unwrap_or(0)).collect();
    let counts: Vec<u64> = words.iter().map(|&word| steps(word, &[halve, triple])).collect();
    let halves: Vec<f64> = counts.iter().map(|&count| count as f64 / 2.0).collect();
    println!("{} {}", largest(&counts), largest(&halves));
}
