"""What was measured, as a table: one row per network and framework."""

import statistics

MIB = 1048576
HEADER = [
    "model, batch", "who", "examples/s", "min..max", "to best peer", "min..max", "start s",
    "peak MiB", "to least", "planned", "GFLOP/s", "oneDNN's",
]  # fmt: skip


def speed_in(found, who, round_):
    speeds = [f.get("examples_per_s") for f in found if (f["who"], f["round"]) == (who, round_)]
    return next((s for s in speeds if s), 0.0)


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def spread(values, digits=2):
    if digits is None:
        return f"{number(min(values))}..{number(max(values))}"
    return f"{min(values):.{digits}f}..{max(values):.{digits}f}"


def ratios(found):
    """Of Snug to the best peer of the same round."""
    whos = {f["who"] for f in found} - {"snug"}
    rounds = {f["round"] for f in found}
    pairs = [
        (speed_in(found, "snug", r), max((speed_in(found, w, r) for w in whos), default=0.0))
        for r in sorted(rounds)
    ]
    return [mine / best for mine, best in pairs if mine and best]


def peak_of(runs):
    """Resident memory at its highest in any round, less the data."""
    return max((f["peak_bytes"] - f["data_bytes"] for f in runs if "peak_bytes" in f), default=None)


def memory_ratio(found):
    """Of Snug to the peer that takes least."""
    peaks = {f["who"]: peak_of([g for g in found if g["who"] == f["who"]]) for f in found}
    mine = peaks.pop("snug", None)
    others = [peak for peak in peaks.values() if peak]
    return mine / min(others) if mine and others else None


def row_of(who, runs, alone):
    good = [f for f in runs if "failed" not in f]
    if not good:
        return [who, "failed", *[""] * 9]
    speeds = [f["examples_per_s"] for f in good]
    middle = statistics.median(speeds)
    planned = good[0].get("planned_bytes")
    flops = alone.get("flops", 0.0) / good[0]["batch"] * middle / 1e9
    limit = alone.get("examples_per_s", 0.0)
    return [
        who,
        number(middle),
        spread(speeds, None),
        "",
        "",
        f"{good[0]['first_step_s']:.2f}",
        number(peak_of(good) / MIB),
        "",
        number(planned / MIB) if planned else "",
        number(flops) if flops else "",
        f"{100 * middle / limit:.0f} %" if limit else "",
    ]


def rows_of(model, whos, found, alone):
    rows = []
    for who in whos:
        row = row_of(who, [f for f in found if f["who"] == who], alone)
        if who == "snug" and (shares := ratios(found)):
            row[3:5] = [f"{statistics.median(shares):.2f}", spread(shares)]
            row[7] = f"{memory_ratio(found):.2f}"
        rows.append([f"{model}, {found[0].get('batch', '')}" if who == "snug" else "", *row])
    if alone:
        figures = {"examples/s": number(alone["examples_per_s"]), "oneDNN's": "100 %"}
        figures |= {"who": "oneDNN alone", "GFLOP/s": number(alone["gflops"])}
        rows.append([figures.get(name, "") for name in HEADER])
    return rows


def print_table(rows, markdown):
    rows = [HEADER, *rows]
    widths = [max(len(row[k]) for row in rows) for k in range(len(HEADER))]
    edge = "| " if markdown else ""
    between = " | " if markdown else "  "
    for i, row in enumerate(rows):
        cells = [c.ljust(w) if k < 2 else c.rjust(w) for k, (c, w) in enumerate(zip(row, widths))]
        print((edge + between.join(cells) + (" |" if markdown else "")).rstrip())
        if i == 0:
            rule = ["-" * (w - (k >= 2)) + ":" * (k >= 2) for k, w in enumerate(widths)]
            plain = between.join("-" * w for w in widths)
            print(edge + between.join(rule) + " |" if markdown else plain)


def print_means(found):
    """Geometric means over the models."""
    models = {f["model"]: [g for g in found if g["model"] == f["model"]] for f in found}
    speeds = [statistics.median(shares) for m in models.values() if (shares := ratios(m))]
    memory = [share for m in models.values() if (share := memory_ratio(m))]
    if len(speeds) > 1:
        print(
            f"\ngeometric means over {len(speeds)} models: "
            f"{statistics.geometric_mean(speeds):.2f} times the best peer's speed, "
            f"{statistics.geometric_mean(memory):.2f} of the least peer's memory"
        )


def print_notes(found, threads, seconds, load):
    settings = dict.fromkeys((f["who"], f["settings"]) for f in found if "settings" in f)
    busy = ": busy, so the figures are not to be relied on" if load > 0.5 else ""
    print(
        f"""
float32, Adam, sparse categorical crossentropy; {threads} threads on as many cores.
Each measurement is a fresh process; {seconds / 60:.0f} minutes in all.
Load of the machine before the start: {load:.2f}{busy}.
start: from the start of the process to the end of step 1.  peak: resident memory less data.
GFLOP/s: of convolutions and matrix products.  oneDNN's: share of what oneDNN reaches alone."""
    )
    for who, text in settings:
        print(f"  {who}: {text}")
    for f in found:
        if "failed" in f:
            print(f"  {f['model']}, {f['who']} failed: {f['failed']}")
