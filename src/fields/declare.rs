//! `keys!`, `params!` and `words!`: a key is one declaration, from which reading, defaults, documentation and tests follow.

/// Declares the keys of an object: a struct of what is read, in the order in which it is read and written.
///
/// A field's doc is what users read about its key. After its type stands what it is:
///
/// - `key("name", shape)`, then in this order, where they apply: `default = value`, `of = ["kind", ...]` (the kinds of the object that
///   have the key), `limits = "words"` (what other keys ask of it), `sample = "json"` (a value that is fine, if none can be derived),
///   `needs = [("path", "json")]` (what else must stand in the scenario for the key to mean something);
/// - `kind("name", shape)`, with a default or without: the key whose word says which of the other keys apply;
/// - `section("name")`: an object that is always there;
/// - `section_by("name", of = ["kind", ...], read)`: the same, read by `read`, which may use the fields before it;
/// - `flat()` or `flat(value)`: the keys of another declaration, as if they stood here, with that value's defaults.
///
/// `check function;` behind the struct names a `fn(&Self, &mut Fields)` that judges several keys together, if each is right in itself.
macro_rules! keys {
    ($(#[$meta:meta])* $vis:vis struct $name:ident;) => {
        $(#[$meta])*
        $vis struct $name;

        impl $crate::fields::Section for $name {
            fn read(_fields: &mut $crate::fields::Fields<'_>, _usual: Option<&Self>) -> Self {
                Self
            }

            fn keys(_usual: Option<&Self>) -> Vec<$crate::fields::KeyDoc> {
                Vec::new()
            }
        }
    };
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $($(#[doc = $about:literal])* $fvis:vis $field:ident: $type:ty = $how:ident($($args:tt)*),)*
        }
        $(check $check:path;)?
    ) => {
        $(#[$meta])*
        $vis struct $name {
            $($(#[doc = $about])* $fvis $field: $type,)*
        }

        impl $crate::fields::Section for $name {
            fn read(fields: &mut $crate::fields::Fields<'_>, usual: Option<&Self>) -> Self {
                let _ = usual;
                let before = fields.problem_count();
                $(let $field: $type = $crate::fields::declared!(@read $how, fields, usual.map(|usual| &usual.$field), $($args)*);)*
                let read = Self { $($field,)* };
                if fields.problem_count() == before {
                    $($check(&read, fields);)?
                }
                read
            }

            fn keys(usual: Option<&Self>) -> Vec<$crate::fields::KeyDoc> {
                let _ = usual;
                let keys: Vec<Vec<$crate::fields::KeyDoc>> = vec![
                    $($crate::fields::declared!(@doc $how, $type, usual.map(|usual| &usual.$field), concat!($($about),*), $($args)*),)*
                ];
                keys.concat()
            }
        }
    };
}

/// As `keys!`, where every key has a default: so has the struct.
macro_rules! params {
    ($(#[$meta:meta])* $vis:vis struct $name:ident;) => {
        $crate::fields::keys! {
            $(#[$meta])*
            #[derive(Default)]
            $vis struct $name;
        }
    };
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $($(#[doc = $about:literal])* $fvis:vis $field:ident: $type:ty = $how:ident($($args:tt)*),)*
        }
        $(check $check:path;)?
    ) => {
        $crate::fields::keys! {
            $(#[$meta])*
            $vis struct $name {
                $($(#[doc = $about])* $fvis $field: $type = $how($($args)*),)*
            }
            $(check $check;)?
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $crate::fields::declared!(@default $how, $($args)*),)* }
            }
        }
    };
}

/// What `keys!` makes of one field.
macro_rules! declared {
    (@read key, $fields:ident, $usual:expr,
        $name:literal, $shape:expr $(, default = $default:expr)? $(, of = $of:expr)? $(, limits = $limits:literal)? $(, sample = $sample:literal)? $(, needs = $needs:expr)?
    ) => {
        $fields.take($crate::fields::Key {
            name: $name,
            shape: $shape,
            default: $usual.cloned()$(.or_else(|| Some($default)))?,
            of: $crate::fields::declared!(@of $($of)?),
            limits: concat!("", $($limits)?),
        })
    };
    (@read kind, $fields:ident, $usual:expr, $name:literal, $shape:expr $(, default = $default:expr)?) => {
        $fields.take_kind($crate::fields::Key::new($name, $shape, $usual.cloned()$(.or_else(|| Some($default)))?))
    };
    (@read section, $fields:ident, $usual:expr, $name:literal $(, of = $of:expr)?) => {
        $fields.take_section($name, $crate::fields::declared!(@of $($of)?))
    };
    (@read section_by, $fields:ident, $usual:expr, $name:literal, of = $of:expr, $read:expr) => {
        $fields.take_section_by($name, &$of, $read)
    };
    (@read flat, $fields:ident, $usual:expr, $($value:expr)?) => {
        $crate::fields::Section::read($fields, $usual$(.or(Some(&$value)))?)
    };

    (@doc key, $type:ty, $usual:expr, $about:expr,
        $name:literal, $shape:expr $(, default = $default:expr)? $(, of = $of:expr)? $(, limits = $limits:literal)? $(, sample = $sample:literal)? $(, needs = $needs:expr)?
    ) => {
        vec![$crate::fields::KeyDoc {
            of: $crate::fields::declared!(@of $($of)?).to_vec(),
            limits: concat!("", $($limits)?),
            sample: None$(.or(Some($sample)))?,
            needs: $crate::fields::declared!(@needs $($needs)?),
            ..$crate::fields::KeyDoc::new::<$type, _>($name, $about, &$shape, $usual.cloned()$(.or_else(|| Some($default)))?)
        }]
    };
    (@doc kind, $type:ty, $usual:expr, $about:expr, $($args:tt)*) => {
        $crate::fields::declared!(@doc key, $type, $usual, $about, $($args)*)
    };
    (@doc section, $type:ty, $usual:expr, $about:expr, $name:literal $(, of = $of:expr)?) => {
        vec![$crate::fields::KeyDoc::section::<$type>($name, $about, $crate::fields::declared!(@of $($of)?))]
    };
    (@doc section_by, $type:ty, $usual:expr, $about:expr, $name:literal, of = $of:expr, $read:expr) => {
        vec![$crate::fields::KeyDoc::section::<$type>($name, $about, &$of)]
    };
    (@doc flat, $type:ty, $usual:expr, $about:expr, $($value:expr)?) => {
        <$type as $crate::fields::Section>::keys($usual$(.or(Some(&$value)))?)
    };

    (@default key, $name:literal, $shape:expr, default = $default:expr $(, of = $of:expr)? $(, limits = $limits:literal)? $(, sample = $sample:literal)? $(, needs = $needs:expr)?) => {
        $default
    };
    (@default kind, $name:literal, $shape:expr, default = $default:expr) => {
        $default
    };
    (@default section, $name:literal $(, of = $of:expr)?) => {
        Default::default()
    };
    (@default flat, $value:expr) => {
        $value
    };
    (@default flat,) => {
        Default::default()
    };

    (@needs) => {
        Vec::new()
    };
    (@needs $needs:expr) => {
        $needs.to_vec()
    };
    (@of) => {
        &[] as &'static [&'static str]
    };
    (@of $of:expr) => {
        &$of as &'static [&'static str]
    };
}

/// Declares an enum of which every variant has a word in scenarios; its doc says what the word means.
macro_rules! words {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $($(#[doc = $about:literal])* $variant:ident = $word:literal,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name {
            $($(#[doc = $about])* $variant,)*
        }

        impl $crate::fields::Words for $name {
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$variant),)*];
            const ABOUT: &'static [&'static str] = &[$(concat!($($about),*),)*];
        }
    };
}

pub(crate) use {declared, keys, params, words};
