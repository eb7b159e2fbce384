//! A shop.
use std::collections::{HashMap, hash_map::Entry};
use crate::a::b as c;
use d::*;

/// Sells things.
#[derive(Debug)]
pub struct Shop<T> {
    pub name: String,
    price: Vec<T>,
}

pub(crate) enum Color { Red, Custom { r: u8 } }

impl<T> Shop<T> {
    const MAX: u8 = 1;
    /// New one.
    pub fn new(name: &str) -> Self { helper(); Vec::<T>::with_capacity(1) }
    fn hide(&self) { self.inner.run(); println!("x"); }
}

impl fmt::Display for Shop<u8> {
    fn fmt(&self) -> fmt::Result { todo!() }
}

pub trait Open: Door {
    type Hours;
    fn open(&self) -> bool;
}

#[macro_export]
macro_rules! sell { () => {} }

mod tests {
    pub fn check() {}
}
pub static COUNT: u8 = 1;
type Alias = Shop<u8>;
union Bits { a: u8 }
