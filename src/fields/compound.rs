//! Values of several shapes, lists and objects.

use std::marker::PhantomData;

use crate::json::{Json, Origin, Value, element_path};

use super::schema::{Schema, Size, Word};
use super::shape::{Place, Shape};
use super::values::{not_allowed, one_of};
use super::{Fields, Section, of_nothing};

/// What a shape means, or nothing: [`nullable`], [`word_or`].
#[derive(Clone, Copy, Debug)]
pub struct Optional<S> {
    /// How nothing is written; without a word: `null`.
    word: Option<&'static str>,
    of: S,
}

/// `null`, or what `of` allows.
#[must_use]
pub const fn nullable<S: Shape>(of: S) -> Optional<S> {
    let word = None;
    Optional { word, of }
}

/// `word`, which reads as nothing, or what `of` allows.
#[must_use]
pub const fn word_or<S: Shape>(word: &'static str, of: S) -> Optional<S> {
    let word = Some(word);
    Optional { word, of }
}

impl<S: Shape> Shape for Optional<S> {
    type Value = Option<S::Value>;

    fn schema(&self) -> Schema {
        let word = |name| Schema::Choice(vec![Word { name, about: "" }]);
        Schema::AnyOf(vec![self.word.map_or(Schema::Null, word), self.of.schema()])
    }

    fn read(&self, json: &Json, place: &mut Place<'_>) -> Option<(Self::Value, Json)> {
        let is_nothing = match (&json.value, self.word) {
            (Value::Null, None) => true,
            (Value::Text(text), Some(word)) => text == word,
            _ => false,
        };
        if is_nothing {
            return Some((None, json.clone()));
        }
        // A wrong word is told with the right one.
        if let (Value::Text(_), Some(word)) = (&json.value, self.word)
            && !self.of.schema().takes(json)
        {
            let key = place.key;
            place.leaf(json, |words| one_of(key, json, &[(word, ())], words));
            return None;
        }
        let (value, json) = self.of.read(json, place)?;
        Some((Some(value), json))
    }

    fn write(&self, value: &Self::Value) -> Value {
        match (value, self.word) {
            (Some(value), _) => self.of.write(value),
            (None, Some(word)) => Value::Text(word.to_owned()),
            (None, None) => Value::Null,
        }
    }

    fn stand_in(&self) -> Self::Value {
        None
    }
}

/// One of two things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Either<A, B> {
    /// The first.
    A(A),
    /// The second.
    B(B),
}

/// One of two shapes of different types: [`either`].
#[derive(Clone, Copy, Debug)]
pub struct OneOf<A, B>(A, B);

/// What `a` allows, or what `b` does; a value of neither's type is refused as by `a`.
#[must_use]
pub const fn either<A: Shape, B: Shape>(a: A, b: B) -> OneOf<A, B> {
    OneOf(a, b)
}

impl<A: Shape, B: Shape> Shape for OneOf<A, B> {
    type Value = Either<A::Value, B::Value>;

    fn schema(&self) -> Schema {
        Schema::AnyOf(vec![self.0.schema(), self.1.schema()])
    }

    fn read(&self, json: &Json, place: &mut Place<'_>) -> Option<(Self::Value, Json)> {
        let is_second = self.1.schema().takes(json) && !self.0.schema().takes(json);
        if !is_second {
            let (value, json) = self.0.read(json, place)?;
            return Some((Either::A(value), json));
        }
        let (value, json) = self.1.read(json, place)?;
        Some((Either::B(value), json))
    }

    fn write(&self, value: &Self::Value) -> Value {
        match value {
            Either::A(value) => self.0.write(value),
            Either::B(value) => self.1.write(value),
        }
    }

    fn stand_in(&self) -> Self::Value {
        Either::A(self.0.stand_in())
    }
}

/// A shape whose value goes by another type: [`means`].
#[derive(Clone, Copy, Debug)]
pub struct Means<S, T>(S, PhantomData<T>);

/// What `of` allows, as a `T`.
#[must_use]
pub const fn means<S: Shape, T>(of: S) -> Means<S, T> {
    Means(of, PhantomData)
}

impl<S: Shape, T: Clone + From<S::Value>> Shape for Means<S, T>
where
    S::Value: From<T>,
{
    type Value = T;

    fn schema(&self) -> Schema {
        self.0.schema()
    }

    fn read(&self, json: &Json, place: &mut Place<'_>) -> Option<(T, Json)> {
        let (value, json) = self.0.read(json, place)?;
        Some((value.into(), json))
    }

    fn write(&self, value: &T) -> Value {
        self.0.write(&value.clone().into())
    }

    fn stand_in(&self) -> T {
        self.0.stand_in().into()
    }
}

/// Where the words of a shape differ from those that follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Words {
    /// Where it is refused.
    Refused(&'static str),
    /// In the documentation, as rules that are no data narrow it.
    Documented(&'static str),
}

/// A shape with words of its own: [`told`], [`named`].
#[derive(Clone, Copy, Debug)]
pub struct Worded<S> {
    words: Words,
    of: S,
}

/// What `of` allows, in these words where it is refused.
#[must_use]
pub const fn told<S: Shape>(words: &'static str, of: S) -> Worded<S> {
    let words = Words::Refused(words);
    Worded { words, of }
}

/// What `of` allows, as far as rules on several keys do: documented in these words.
#[must_use]
pub const fn named<S: Shape>(words: &'static str, of: S) -> Worded<S> {
    let words = Words::Documented(words);
    Worded { words, of }
}

impl<S: Shape> Shape for Worded<S> {
    type Value = S::Value;

    fn schema(&self) -> Schema {
        let of = Box::new(self.of.schema());
        match self.words {
            Words::Refused(words) => Schema::Told(words, of),
            Words::Documented(words) => Schema::Named(words, of),
        }
    }

    fn read(&self, json: &Json, place: &mut Place<'_>) -> Option<(Self::Value, Json)> {
        self.of.read(json, place)
    }

    fn write(&self, value: &Self::Value) -> Value {
        self.of.write(value)
    }

    fn stand_in(&self) -> Self::Value {
        self.of.stand_in()
    }
}

/// A list: [`list`], [`some`].
#[derive(Clone, Copy, Debug)]
pub struct List<S> {
    of: S,
    size: Size,
}

/// A list of what `of` allows.
#[must_use]
pub const fn list<S: Shape>(of: S) -> List<S> {
    let size = Size::Any;
    List { of, size }
}

/// A list of at least one of what `of` allows.
#[must_use]
pub const fn some<S: Shape>(of: S) -> List<S> {
    let size = Size::Some;
    List { of, size }
}

impl<S: Shape> Shape for List<S> {
    type Value = Vec<S::Value>;

    fn schema(&self) -> Schema {
        Schema::List(Box::new(self.of.schema()), self.size)
    }

    /// Every element that is refused is told; the others are read.
    fn read(&self, json: &Json, place: &mut Place<'_>) -> Option<(Self::Value, Json)> {
        let elements = place.elements(json, self.size)?;
        let (mut values, mut effective) = (Vec::new(), Vec::new());
        let words = || self.of.schema().words();
        for (i, element) in elements.iter().enumerate() {
            let mut at = Place {
                path: element_path(&place.path, i),
                key: place.key,
                words: &words,
                problems: &mut *place.problems,
            };
            if let Some((value, json)) = self.of.read(element, &mut at) {
                values.push(value);
                effective.push(json);
            }
        }
        Some((values, Json::new(Value::List(effective), json.origin)))
    }

    fn write(&self, value: &Self::Value) -> Value {
        let json = |value| Json::new(self.of.write(value), Origin::default());
        Value::List(value.iter().map(json).collect())
    }

    fn stand_in(&self) -> Self::Value {
        Vec::new()
    }
}

/// An object: [`object`].
#[derive(Debug)]
pub struct Object<T>(PhantomData<T>);

/// An object with the keys of a section.
#[must_use]
pub const fn object<T: Section>() -> Object<T> {
    Object(PhantomData)
}

impl<T: Section + Clone> Shape for Object<T> {
    type Value = T;

    fn schema(&self) -> Schema {
        Schema::Object(T::keys(None))
    }

    fn read(&self, json: &Json, place: &mut Place<'_>) -> Option<(T, Json)> {
        if !matches!(json.value, Value::Object(_)) {
            place.refuse(json, not_allowed(json, &(place.words)()));
            return None;
        }
        let mut fields = Fields::new(json, &place.path, place.problems);
        let value = T::read(&mut fields, None);
        Some((value, fields.finish()))
    }

    /// Defaults of objects are objects without keys.
    fn write(&self, _value: &T) -> Value {
        Value::Object(Vec::new())
    }

    fn stand_in(&self) -> T {
        of_nothing(|fields| T::read(fields, None)).0
    }
}
