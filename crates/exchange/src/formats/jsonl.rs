//! JSON lines: the operations of an export, which `app` takes unchanged, or one object per item.

use app::Error;
use serde_json::Value;
use store::format::v1;

use super::{Sink, own};
use crate::input::Input;
use crate::item::Record;

/// Returns whether the first line is an operation of an export.
pub(crate) fn has_operations(input: &Input) -> Result<bool, Error> {
    let mut first = None;
    let stopped = input.each_line(|_, line| {
        first = Some(v1::read(line).is_ok());
        Err(Error::invalid("stopped"))
    });
    match (first, stopped) {
        (Some(is_operation), _) => Ok(is_operation),
        (None, stopped) => stopped.map(|()| false),
    }
}

/// Reads items, one object per line.
pub(crate) fn read(input: &Input, sink: &mut Sink<'_>) -> Result<(), Error> {
    input.each_line(|number, line| {
        let object = match serde_json::from_slice(line) {
            Ok(Value::Object(object)) if object.contains_key("title") => object,
            Ok(_) if v1::read(line).is_ok() => {
                return Err(input.at(number, None, "an operation of an export among items"));
            }
            Ok(_) => {
                return Err(input.at(number, None, "neither an operation of an export nor an object with a `title`"));
            }
            Err(error) => return Err(input.bad_json(number, &error)),
        };
        let place = format!("`{}`: line {number}", input.name());
        let at_line = |error: Error| error.in_context(&place);
        let item = own::item(place.clone(), object).map_err(at_line)?;
        sink(Record::Item(Box::new(item)))
    })
}
