import type { Block, Entry, ReportTree, Table } from "../../io/text/report/tree";
import { hostileTexts } from "../drift/report/hostile-report";

const table: Table = {
  ...{ kind: "table", caption: "Accounts" },
  columns: [
    { head: "account", as: "name" },
    { head: "where", as: "note" },
    { head: "before", as: "value" },
    { head: "now", as: "value", after: "→" },
    { head: "part", as: "bar" },
    { head: "per hour", as: "amount" },
    { head: "severity", as: "amount" },
  ],
  rows: [
    { sum: "group", cells: ["all of `acme`", "", "", "", "", { own: "3.00" }, ""] },
    {
      cells: [
        { code: "accounts/acme/deployments/with-a-long-name" },
        "in a place of many words",
        { code: "a value of some length, in words" },
        { code: hostileTexts[0]! },
        { bar: { inner: "25.00", outer: "100.00", says: "1 to 4" } },
        { own: "3.00" },
        { severity: "error" },
      ],
    },
    { sum: "total", cells: ["total", "", "", "", "", { own: "3.00" }, { attention: "not read" }] },
  ],
};

const list: Block = {
  kind: "list",
  caption: "Also",
  items: [[{ code: hostileTexts[9]! }, " is ", { strong: "gone" }]],
};

const entry = (severity: Entry["severity"], isAccepted: boolean): Entry => ({
  ...{ kind: "entry", severity, isAccepted, label: "changed", title: "User ada", says: hostileTexts[11]!, findings: 1 },
  blocks: [{ kind: "facts", lines: ["in `acme`", { code: "accounts/acme/users/ada" }] }, list],
});

/** What the vocabulary has, each part of it in each place. */
export const everyBlock: ReportTree = {
  title: ["A report of ", { code: hostileTexts[2]! }],
  outcome: "good",
  about: "of a day",
  figures: [{ amount: "3.00", says: "per hour" }],
  blocks: [
    { kind: "facts", lines: ["one", "two"] },
    table,
    { kind: "section", title: "changed", blocks: [entry("error", false), entry("note", true)] },
    {
      kind: "section",
      title: "As it is",
      isFolded: true,
      blocks: [{ kind: "code", language: "yaml", text: "a: <b>" }],
    },
    { kind: "sentence", phrase: "That is all." },
  ],
  footer: "modelplatform 1.2.3",
};
