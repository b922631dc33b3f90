//! Topology files for random scenarios.

use std::fs;
use std::path::Path;

/// Topology files with their hosts: bundles, oversubscription, and tiers that differ.
pub(crate) fn topologies() -> [(String, u64); 3] {
    let tier = |number: u32, down: u32, up: Option<u32>, more: &str| {
        let up = up.map_or(String::new(), |up| format!("Radix_Up {up}\n"));
        format!("Tier {number}\nRadix_Down {down}\n{up}{more}\n")
    };
    let header =
        |nodes: u32, tiers: u32, pod: u32| format!("Nodes {nodes}\nTiers {tiers}\nPodsize {pod}\n");
    let link =
        |gbps: u32, ns: u32| format!("Downlink_speed_Gbps {gbps}\nDownlink_Latency_ns {ns}\n");
    let spine = header(15, 2, 15)
        + &tier(0, 3, Some(4), &link(100, 700))
        + &tier(
            1,
            10,
            None,
            &(link(200, 1100) + "Bundle 2\nSwitch_Latency_ns 40"),
        );
    let thin = header(16, 3, 8)
        + &tier(0, 4, Some(2), &(link(400, 500) + "Queue_Up 70000"))
        + &tier(1, 2, Some(1), &link(400, 900))
        + &tier(2, 2, None, &link(400, 500));
    let thick = header(12, 3, 4)
        + &tier(0, 2, Some(2), &link(800, 300))
        + &tier(1, 2, Some(6), &(link(800, 500) + "Switch_Latency_ns 3"))
        + &tier(2, 9, None, &(link(300, 500) + "Bundle 3"));
    [(spine, 15), (thin, 16), (thick, 12)]
}

/// Write them to `folder` as `0.topo` and so on.
pub(crate) fn write_all(folder: &Path) {
    for (number, (text, _)) in topologies().iter().enumerate() {
        fs::write(folder.join(format!("{number}.topo")), text).expect("a file");
    }
}
