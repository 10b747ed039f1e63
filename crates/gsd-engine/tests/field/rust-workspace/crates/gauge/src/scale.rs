pub fn scale(value: f64) -> f64 {
    value * 10.0
}
