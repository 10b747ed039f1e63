//! Gauges.

pub mod scale;

pub struct Gauge {
    pub value: f64,
}

impl Gauge {
    pub fn read(&self) -> f64 {
        self.value
    }
}
