//! What the README says of figure 12 and of the MSwift paper's setting follows from the reference results, and those from the scenarios.

use crate::references::{estimate, holds, numbers};
use crate::{code, hold, table};

const DCTCP: &str = "scenarios/reference/fig12/dctcp.csv";
const STOCK: &str = "scenarios/reference/fig12/dctcp_stock.csv";
const CONTROLLERS: &str = "scenarios/reference/fig12/controllers.csv";
const MSWIFT: &str = "scenarios/reference/mswift_setting/summary.csv";

const WINDOW: &str = "congestion_control.initial_window_bdp";
const OBJECT: &str = "congestion_control";

/// A line of the table of figure 12: its controller, what is set beside its defaults, and the rows that it is of (file, column, cell).
type Line = [&'static str; 5];

const FIGURE: [Line; 14] = [
    ["dctcp", "first window 1 BDP", DCTCP, WINDOW, "1"],
    ["dctcp", "1.25 BDP", DCTCP, WINDOW, "1.25"],
    ["dctcp", "1.5 BDP", DCTCP, WINDOW, "1.5"],
    [
        "dctcp_stock",
        "first window 10 frames",
        STOCK,
        "cca",
        "dctcp_stock",
    ],
    [
        "nscc",
        "target 6.25 µs",
        CONTROLLERS,
        OBJECT,
        r#"{"scheme":"nscc"}"#,
    ],
    [
        "nscc",
        "1 µs",
        CONTROLLERS,
        OBJECT,
        r#"{"scheme":"nscc","target_us":1}"#,
    ],
    [
        "mnscc",
        "target 6.25 µs",
        CONTROLLERS,
        OBJECT,
        r#"{"scheme":"mnscc"}"#,
    ],
    [
        "mnscc",
        "1 µs",
        CONTROLLERS,
        OBJECT,
        r#"{"scheme":"mnscc","target_us":1}"#,
    ],
    [
        "lswift",
        "first window 1 BDP",
        CONTROLLERS,
        OBJECT,
        r#"{"scheme":"lswift"}"#,
    ],
    [
        "lswift",
        "1.5 BDP",
        CONTROLLERS,
        OBJECT,
        r#"{"scheme":"lswift","initial_window_packets":225}"#,
    ],
    [
        "mswift",
        "first window 1 BDP",
        CONTROLLERS,
        OBJECT,
        r#"{"scheme":"mswift"}"#,
    ],
    [
        "mswift",
        "1.25 BDP",
        CONTROLLERS,
        OBJECT,
        r#"{"scheme":"mswift","initial_window_packets":187}"#,
    ],
    [
        "mswift",
        "1.5 BDP",
        CONTROLLERS,
        OBJECT,
        r#"{"scheme":"mswift","initial_window_packets":225}"#,
    ],
    [
        "mswift",
        "1.5 BDP, `excess` `queueing`",
        CONTROLLERS,
        OBJECT,
        r#"{"scheme":"mswift","initial_window_packets":225,"excess":"queueing"}"#,
    ],
];

const SCHEMES: [&str; 4] = ["reps", "ar", "pofan", "ofan"];

/// What a line of the table has for a scheme in a column: mean and standard error of ten seeds.
fn of_line(line: &Line, scheme: &str, column: &str) -> (f64, f64) {
    let values = numbers_of(line, scheme, column);
    assert_eq!(values.len(), 10, "{line:?}");
    estimate(&values)
}

fn numbers_of([_, _, path, key, cell]: &Line, scheme: &str, column: &str) -> Vec<f64> {
    numbers(path, &[(*key, *cell), ("scheme", scheme)], column)
}

/// How far the CCT of `scheme` is above that of `ofan` in a line, in whole percent.
fn over_ofan(line: usize, scheme: &str) -> i64 {
    let [cct, least] = [scheme, "ofan"].map(|scheme| of_line(&FIGURE[line], scheme, "cct_ps").0);
    (100.0 * (cct / least - 1.0)).round() as i64
}

#[test]
fn what_the_readme_says_of_figure_12_is_so() {
    let above = |line: usize, scheme| of_line(&FIGURE[line], scheme, "cct_increase_pct").0;
    for line in [1, 2] {
        assert!(
            ["pofan", "ofan"]
                .iter()
                .all(|scheme| above(line, scheme) < 1.0)
        );
        assert!(
            ["reps", "ar"]
                .iter()
                .all(|scheme| above(line, scheme) > 200.0)
        );
    }
    for line in [0, 8, 10] {
        assert!((6.5..10.0).contains(&above(line, "ofan")), "{line}");
    }
    for (line, told) in [
        (4, [13, 7]),
        (5, [46, 21]),
        (10, [14, 12]),
        (11, [20, 12]),
        (12, [16, 8]),
    ] {
        assert_eq!(
            ["reps", "ar"].map(|scheme| over_ofan(line, scheme)),
            told,
            "{line}"
        );
    }
    for line in &FIGURE {
        for scheme in SCHEMES {
            let of = |column| of_line(line, scheme, column).0;
            assert_eq!(of("dropped_packets"), 0.0, "{}, {scheme}", line[0]);
            let (repeats, spurious) = (of("retransmitted_packets"), of("spurious_retransmissions"));
            assert_eq!(repeats, spurious, "{}, {scheme}", line[0]);
        }
    }
}

#[test]
fn the_references_of_figure_12_are_what_it_gives() {
    // One seed of one scheme stands for all.
    for (file, path, points) in [
        ("dctcp", DCTCP, 3),
        ("dctcp_stock", STOCK, 1),
        ("controllers", CONTROLLERS, 10),
    ] {
        let file = format!("scenarios/fig12_{file}.json");
        let part = [&file, "--repeats=1", "--set", "load_balancing.scheme=ar"];
        holds(path, &part, points);
    }
}

#[test]
fn the_reference_of_the_mswift_setting_is_what_it_gives() {
    let part = ["scenarios/mswift_setting.json", "--repeats=1"];
    holds(MSWIFT, &part, 2 * 2 * 7);
}

#[test]
fn the_table_of_figure_12_is_that_of_its_references() {
    let cells = |line: &Line| {
        let cell = |scheme| {
            let (above, error) = of_line(line, scheme, "cct_increase_pct");
            let (queue, _) = of_line(line, scheme, "queue_max_packets");
            let digits = if above < 100.0 { 1 } else { 0 };
            format!("{above:.digits$} ± {error:.digits$}, {queue:.0}")
        };
        let name = [code(line[0]), line[1].to_owned()];
        [&name[..], &SCHEMES.map(cell)].concat()
    };
    let mut head = ["controller", "beside its defaults", "", "", "", ""].map(str::to_owned);
    for (column, scheme) in head[2..].iter_mut().zip(SCHEMES) {
        *column = code(scheme);
    }
    let head = head.each_ref().map(String::as_str);
    hold("figure 12", &table(&head, FIGURE.iter().map(cells)));
}

#[test]
fn utilisation_in_figure_12_is_the_time_that_the_payload_takes_over_the_cct() {
    for line in &FIGURE {
        for scheme in SCHEMES {
            let ccts = numbers_of(line, scheme, "cct_ps");
            let utilisations = numbers_of(line, scheme, "utilization_mean");
            for (cct, utilisation) in ccts.iter().zip(utilisations) {
                // 4 MiB at 800 Gb/s; utilisation has six digits.
                assert!((utilisation - 41_943_040.0 / cct).abs() < 1e-6);
            }
        }
    }
}

/// A line of the table of the MSwift paper's setting: its controller, what is set, the object, and what the paper has.
const SETTING: [(&str, &str, &str, &str); 7] = [
    (
        "nscc",
        "largest window 1.5 BDP",
        r#"{"scheme":"nscc","target_us":1}"#,
        "42",
    ),
    (
        "nscc",
        "1 BDP",
        r#"{"scheme":"nscc","target_us":1,"max_window_bdp":1}"#,
        "",
    ),
    (
        "mnscc",
        "largest window 1.5 BDP",
        r#"{"scheme":"mnscc","target_us":1}"#,
        "40",
    ),
    (
        "mnscc",
        "1 BDP",
        r#"{"scheme":"mnscc","target_us":1,"max_window_bdp":1}"#,
        "",
    ),
    ("lswift", "", r#"{"scheme":"lswift"}"#, "26"),
    ("mswift", "", r#"{"scheme":"mswift"}"#, "13–15"),
    (
        "mswift",
        "`excess` `queueing`",
        r#"{"scheme":"mswift","excess":"queueing"}"#,
        "",
    ),
];

#[test]
fn the_table_of_the_mswift_setting_is_that_of_its_reference() {
    let of = |object: &str, ecn: &str, scheme: &str, column: &str| {
        let point = [
            (OBJECT, object),
            ("fabric.ecn_threshold_bytes", ecn),
            ("scheme", scheme),
        ];
        let values = numbers(MSWIFT, &point, column);
        assert_eq!(values.len(), 10, "{point:?}");
        estimate(&values)
    };
    let line = |(controller, set, object, paper): (&str, &str, &str, &str)| {
        let mut cells = vec![code(controller), set.to_owned(), paper.to_owned()];
        for ecn in ["40000", "80000"] {
            let above = |scheme| {
                let (above, error) = of(object, ecn, scheme, "cct_increase_pct");
                format!("{above:.1} ± {error:.1}")
            };
            let [reps, ofan] = ["reps", "ofan"].map(|scheme| of(object, ecn, scheme, "cct_ps").0);
            cells.extend([above("reps"), above("ofan")]);
            cells.push(format!("{:.1}", 100.0 * (reps / ofan - 1.0)));
        }
        cells
    };
    let head = [
        "controller",
        "beside target 1 µs",
        "paper, %",
        "ECN 40 kB: `reps`",
        "`ofan`",
        "`reps` over `ofan`",
        "80 kB: `reps`",
        "`ofan`",
        "`reps` over `ofan`",
    ];
    hold(
        "mswift setting",
        &table(&head, SETTING.into_iter().map(line)),
    );
}
