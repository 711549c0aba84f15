import { formats } from "../../../drift/report/formats";
import { groupedReport } from "../grouped-report";

const render = (name: string, columns = 100): string => formats[name]!.render(groupedReport, { columns, color: false });

const [gone, scaled] = groupedReport.groups!;
const mixed = groupedReport.findings[3]!;

test("the report has the causes that were put into it", () => {
  expect(groupedReport.groups).toHaveLength(2);
  expect(gone).toMatchObject({ type: "User", verdict: "missing", severity: "error", accounts: ["acme"] });
  expect(scaled).toMatchObject({ type: "Deployment", hourlyCostChange: "48.5", dependents: 1 });
  expect(scaled!.members).toHaveLength(15);
  expect(mixed.group).toBe(scaled!.id);
});

test("text shows a cause as one block, with members, fields and what is alone", () => {
  const blocks = render("text")
    .split("\n\n")
    .filter((block) => /^(changed|missing) {2}/.test(block));
  expect(blocks.map((block) => block.split("\n")[0])).toEqual([
    "missing  2 of User: is gone",
    "changed  15 of Deployment: maxReplicaCount (various) → 8; costs 48.50 USD more per hour",
    expect.stringMatching(/^changed {2}Deployment chat-3: maxReplicaCount 3 → 8, description \(absent\) → /),
  ]);
  expect(blocks[1]!.split("\n")).toEqual([
    "changed  15 of Deployment: maxReplicaCount (various) → 8; costs 48.50 USD more per hour",
    "  in 5 accounts, recorded in 3 stacks; 1 object depends on them; first seen 2026-02-01 02:00 UTC",
    // The one that costs most stands first.
    "  account-3: chat-3, chat-13, chat-8",
    "  account-0: chat-0, chat-10, chat-5",
    "  account-1: chat-1, chat-11, chat-6",
    "  account-2: chat-12, chat-2, chat-7",
    "  … and 3 more, which the other formats list",
    expect.stringMatching(/^ {2}FIELD +RECORDED +LIVE +SEVERITY$/),
    expect.stringMatching(/^ {2}maxReplicaCount +\(various\) +→ +8 +warning$/),
  ]);
  expect(blocks[2]).toContain("needed by DeployedModel support");
});

test("markdown shows a cause as one entry, under the number of findings", () => {
  const text = render("markdown");
  expect(text).toContain("### changed (15)");
  expect(text).toContain(
    "<b>15 of Deployment</b>: maxReplicaCount &#40;various&#41; &#8594; 8&#59; costs 48.50 USD more per hour</summary>",
  );
  expect(text).toContain(
    "| <code>maxReplicaCount</code> | <code>&#40;various&#41;</code> | <code>8</code> | warning |",
  );
  expect(
    text
      .match(/^- <code>account-\d<\/code>: .*/gm)!
      .join()
      .match(/<code>chat-/g),
  ).toHaveLength(15);
  expect(text.match(/<summary>/g)).toHaveLength(4);
});

test("csv has each change once, those of a cause together and with its id", () => {
  const [heading, ...rows] = render("csv").trimEnd().split("\r\n");
  const [group, path] = ["group", "path"].map((column) => heading!.split(",").indexOf(column)) as [number, number];
  const told = rows.map((row) => [row.split(",").at(group), row.split(",").at(path)]);
  expect(rows).toHaveLength(18);
  expect(told.slice(0, 17).map(([id]) => id)).toEqual([
    ...Array.from({ length: 2 }, () => gone!.id),
    ...Array.from({ length: 15 }, () => scaled!.id),
  ]);
  expect(rows[17]).toContain("description,");
});

test("json and ndjson have the causes as data, sarif and junit name them", () => {
  expect(JSON.parse(render("json"))).toMatchObject({ groups: [{ id: gone!.id }, { id: scaled!.id }] });
  const lines = render("ndjson").trimEnd().split("\n");
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({
    record: "summary",
    groups: [{ id: gone!.id }, { id: scaled!.id }],
  });
  const [run] = (JSON.parse(render("sarif")) as { runs: { properties: unknown; results: { properties: object }[] }[] })
    .runs;
  expect(run!.properties).toMatchObject({ groups: [{ id: gone!.id }, { id: scaled!.id }] });
  expect(run!.results.filter(({ properties }) => "group" in properties)).toHaveLength(17);
  expect(run!.results.map(({ properties }) => properties)).toContainEqual(
    expect.objectContaining({ group: scaled!.id, dependents: 1 }),
  );
  expect(render("junit").match(new RegExp(`shares its cause with others: group ${scaled!.id}`, "g"))).toHaveLength(15);
});

test("the page has each cause once, with the fingerprints of its members", () => {
  const causes = JSON.parse(/id="causes">(.*?)<\/script>/s.exec(render("html"))![1]!) as (string | { id: string })[];
  expect(causes).toEqual([
    expect.objectContaining({ id: gone!.id, type: "User", members: gone!.members }),
    expect.objectContaining({ id: scaled!.id, type: "Deployment", members: scaled!.members }),
    mixed.fingerprint,
  ]);
});
