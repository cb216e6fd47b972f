//! JSON as tools print it: an array, arrays of arrays, or several values one after the other. Elements are read one at
//! a time, so that memory does not grow with the file.

use std::marker::PhantomData;

use app::Error;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::input::Input;

/// Calls `each` with every element of the arrays in an input, and with every object outside of them.
pub(crate) fn each_element<T: DeserializeOwned>(
    input: &Input,
    mut each: impl FnMut(T) -> Result<(), Error>,
) -> Result<(), Error> {
    let (reader, limit) = input.element_reader()?;
    let mut each = |element| {
        limit.restart();
        each(element)
    };
    let mut json = serde_json::Deserializer::from_reader(reader);
    let mut failure = None;
    loop {
        let elements = Elements { each: &mut each, failure: &mut failure, of: PhantomData };
        let read = elements.deserialize(&mut json);
        if let Some(error) = failure {
            return Err(placed(input, error, read.as_ref().err()));
        }
        read.map_err(|error| input.bad_json(1, &error))?;
        // `gh api --paginate` prints an array for each page.
        if json.end().is_ok() {
            return Ok(());
        }
    }
}

/// Adds to an error about an element of an input the place where the element ends: the parser has read just that far.
fn placed(input: &Input, mut error: Error, stopped: Option<&serde_json::Error>) -> Error {
    let file = format!("`{}`: ", input.name());
    if let (Some(at), Some(rest)) = (stopped, error.message.strip_prefix(&file)) {
        error.message = format!("{file}line {}, column {}: {rest}", at.line(), at.column());
    }
    error
}

/// Reads an array, at any depth, or one object.
struct Elements<'a, T, F> {
    each: &'a mut F,
    /// The error of `each`, which ends the reading.
    failure: &'a mut Option<Error>,
    of: PhantomData<T>,
}

impl<'de, T: DeserializeOwned, F: FnMut(T) -> Result<(), Error>> DeserializeSeed<'de> for Elements<'_, T, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: DeserializeOwned, F: FnMut(T) -> Result<(), Error>> Visitor<'de> for Elements<'_, T, F> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an array of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let Self { each, failure, .. } = self;
        while elements
            .next_element_seed(Elements { each: &mut *each, failure: &mut *failure, of: PhantomData })?
            .is_some()
        {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<(), A::Error> {
        let element = T::deserialize(MapAccessDeserializer::new(fields))?;
        (self.each)(element).map_err(|error| {
            *self.failure = Some(error);
            serde::de::Error::custom("stopped")
        })
    }
}

/// Calls `each` with the members of one object: with every element of a member that is an array, and its number from 1,
/// and with every other member, and 0.
pub(crate) fn each_member(
    input: &Input,
    mut each: impl FnMut(&str, usize, Value) -> Result<(), Error>,
) -> Result<(), Error> {
    let (reader, limit) = input.element_reader()?;
    let mut each = |name: &str, n: usize, value: Value| {
        limit.restart();
        each(name, n, value)
    };
    let mut json = serde_json::Deserializer::from_reader(reader);
    let mut failure = None;
    let read = json.deserialize_map(Members { each: &mut each, failure: &mut failure });
    if let Some(error) = failure {
        return Err(placed(input, error, read.as_ref().err()));
    }
    read.and_then(|()| json.end()).map_err(|error| input.bad_json(1, &error))
}

struct Members<'a, F> {
    each: &'a mut F,
    failure: &'a mut Option<Error>,
}

impl<'de, F: FnMut(&str, usize, Value) -> Result<(), Error>> Visitor<'de> for Members<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let Self { each, failure } = self;
        while let Some(name) = members.next_key::<String>()? {
            members.next_value_seed(Member { name: &name, each: &mut *each, failure: &mut *failure })?;
        }
        Ok(())
    }
}

/// One member: an array is read element by element.
struct Member<'a, F> {
    name: &'a str,
    each: &'a mut F,
    failure: &'a mut Option<Error>,
}

impl<F: FnMut(&str, usize, Value) -> Result<(), Error>> Member<'_, F> {
    fn call<E: serde::de::Error>(&mut self, n: usize, value: Value) -> Result<(), E> {
        (self.each)(self.name, n, value).map_err(|error| {
            *self.failure = Some(error);
            E::custom("stopped")
        })
    }
}

impl<'de, F: FnMut(&str, usize, Value) -> Result<(), Error>> DeserializeSeed<'de> for Member<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, F: FnMut(&str, usize, Value) -> Result<(), Error>> Visitor<'de> for Member<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a value")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<(), A::Error> {
        for n in 1.. {
            match elements.next_element()? {
                Some(value) => self.call(n, value)?,
                None => break,
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, fields: A) -> Result<(), A::Error> {
        let value = Value::deserialize(MapAccessDeserializer::new(fields))?;
        self.call(0, value)
    }

    fn visit_str<E: serde::de::Error>(mut self, text: &str) -> Result<(), E> {
        self.call(0, text.into())
    }

    fn visit_bool<E: serde::de::Error>(mut self, value: bool) -> Result<(), E> {
        self.call(0, value.into())
    }

    fn visit_i64<E: serde::de::Error>(mut self, value: i64) -> Result<(), E> {
        self.call(0, value.into())
    }

    fn visit_u64<E: serde::de::Error>(mut self, value: u64) -> Result<(), E> {
        self.call(0, value.into())
    }

    fn visit_f64<E: serde::de::Error>(mut self, value: f64) -> Result<(), E> {
        self.call(0, value.into())
    }

    fn visit_unit<E: serde::de::Error>(mut self) -> Result<(), E> {
        self.call(0, Value::Null)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct One {
        n: u64,
    }

    fn numbers(text: &str) -> Result<Vec<u64>, String> {
        let mut numbers = Vec::new();
        let push = |one: One| {
            numbers.push(one.n);
            if one.n == 99 { Err(Error::invalid("`input`: 99 is too much")) } else { Ok(()) }
        };
        each_element(&Input::of(text), push).map_err(|error| error.message)?;
        Ok(numbers)
    }

    #[test]
    fn pages_arrays_and_objects_are_read_alike() {
        for text in
            ["[{\"n\":1},{\"n\":2}]", "[{\"n\":1}]\n[{\"n\":2}]", "[[{\"n\":1}],[{\"n\":2}]]", "{\"n\":1}\n{\"n\":2}\n"]
        {
            assert_eq!(numbers(text), Ok(vec![1, 2]), "{text}");
        }
        assert_eq!(numbers("[]"), Ok(vec![]));
    }

    #[test]
    fn errors_have_line_and_column() {
        let check = |text: &str, message: &str| assert_eq!(numbers(text).unwrap_err(), message);
        check("[{\"n\":1},\n {\"n\":\"x\"}]", "`input`: line 2, column 9: invalid type: string \"x\", expected u64");
        check("[{\"n\":1},\n {\"m\":1}]", "`input`: line 2, column 8: missing field `n`");
        check("[{\"n\":1},\n", "`input`: line 2, column 1: not valid JSON: EOF while parsing a value");
        check("[{\"n\":1}\n,7]", "`input`: line 2, column 3: invalid type: integer `7`, expected an array of objects");
        check("[{\"n\":1},\n {\"n\":99}]", "`input`: line 2, column 9: 99 is too much");
    }
}
