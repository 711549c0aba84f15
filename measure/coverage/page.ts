import {
  byKind,
  type Claim,
  type FieldClaim,
  general,
  groups,
  type KindClaims,
  messages,
  type OperationClaim,
  operations,
} from "./claims";
import { type Run, verdictOf } from "./verdict";

type Tell = (claim: Claim | undefined) => string;

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  `| ${head.join(" | ")} |`,
  `|${head.map(() => " --- |").join("")}`,
  ...rows.map((row) => `| ${row.join(" | ")} |`),
  "",
];

const code = (text: string): string => `\`${text}\``;

const sentence = (text: string): string => `${text[0]!.toUpperCase()}${text.slice(1)}`.replaceAll("|", "\\|");

/** How a cell shows a claim: where it has been tested, or why it cannot be. */
const tellIn =
  (run: Run): Tell =>
  (claim) => {
    if (claim === undefined) return "–";
    const files = [...new Set(claim.tests.map(([file]) => file))];
    switch (verdictOf(claim, run)) {
      case "tested":
        return files.length === 0 ? "yes" : files.map((file) => `\`${file.replace(/\.test\.ts$/, "")}\``).join(", ");
      case "untestable":
        return `cannot be: ${claim.reason ?? ""}`;
      default:
        return `**no**${(run.unnoticed[claim.off?.key ?? ""] ?? []).map((reason) => `: ${reason.replaceAll("|", "\\|")}`).join("")}`;
    }
  };

function summary(run: Run): string[] {
  const rows = groups.map(({ title, claims }) => {
    const verdicts = claims.map((ways) => ways.map((claim) => verdictOf(claim, run)));
    const untestable = verdicts.filter((ways) => ways.every((verdict) => verdict === "untestable")).length;
    const missing = verdicts.filter((ways) =>
      ways.some((verdict) => verdict === "missing" || verdict === "testable after all"),
    ).length;
    return [title, claims.length, claims.length - untestable - missing, untestable, missing].map(String);
  });
  return table(["", "In the tables", "Tested", "Cannot be tested", "Missing"], rows);
}

function switchedOff(run: Run): string {
  const all = groups.flatMap(({ claims }) => claims.flatMap((ways) => ways.flatMap(({ off }) => (off ? [off] : []))));
  const ways = all.reduce((sum, { mutants }) => sum + mutants.length, 0);
  return `${all.length} rules were switched off in ${ways} ways, one at a time; ${Object.keys(run.unnoticed).length} without a test that noticed.`;
}

/** Where a rule is switched off to see whether its tests notice. */
const tellOff = ({ off }: Claim): string =>
  off === undefined ? "–" : [...new Set(off.mutants.map(({ file }) => code(file.replace(/\.ts$/, ""))))].join(", ");

const ruleRows = (claims: readonly Claim[], tell: Tell): string[][] =>
  claims.map((claim) => [sentence(claim.name), tell(claim), tellOff(claim)]);

const ruleHead = ["Rule", "Tested in", "Switched off in"];

function operationRows(claims: readonly OperationClaim[], run: Run, tell: Tell): string[][] {
  return claims.map(({ fact, parameters, ...claim }) => {
    const untold = parameters.filter((parameter) => verdictOf(parameter, run) !== "tested");
    const except = untold.map((parameter) => `; ${code(parameter.name)}: ${tell(parameter)}`).join("");
    const request = code(`${fact.method} ${fact.path}`);
    return [
      code(fact.name),
      fact.section ?? (fact.by ?? []).join(", "),
      request,
      parameters.map(({ name }) => code(name)).join(" "),
      `${tell(claim)}${except}`,
    ];
  });
}

const fieldRows = (fields: readonly FieldClaim[], tell: Tell): string[][] =>
  fields.map(({ name, sent, answered }) => [code(name), tell(sent), tell(answered)]);

function kindSection({ kind, fields, states, rules }: KindClaims, tell: Tell): string[] {
  return [
    `## ${kind}`,
    "",
    ...table(["Field", "Sent", "Answered"], fieldRows(fields, tell)),
    ...(states.length > 0
      ? table(
          ["State", "Answered"],
          states.map((claim) => [code(claim.name), tell(claim)]),
        )
      : []),
    ...(rules.length > 0 ? table(ruleHead, ruleRows(rules, tell)) : []),
  ];
}

/** `docs/dev/measured/coverage.md` by what a run has told. */
export function pageOf(run: Run): string {
  const tell = tellIn(run);
  const head = ["Operation", "By", "Request", "Parameters", "Tested"];
  const lines = [
    "# Coverage",
    "",
    "Which parts of the API's description the tests cover. `npm run coverage` runs them and writes this page; a complete test run fails if it",
    "shows less than this page says. The lists are the contract tables in `tests/contract/reference`, which are written from the description",
    "alone. Tests hold the declarations of resources and operations to these tables.",
    "",
    "- An **operation** or **parameter** is tested when the emulator has answered a request with it successfully.",
    "- A **field** is tested when the emulator has accepted a request with a value of it, and has answered it to a client: zero, empty",
    "  and false do not count. The provider has read each answered field without finding it unknown or of another type.",
    "- A **state** is tested when an object has been answered in it.",
    "- A **rule** is tested when the tests that the page names have passed, and fail once the rule is switched off. Wrong bodies are tested",
    "  twice: the provider's check fails before anything is sent, and the emulator refuses it if it is sent anyway.",
    "",
    "Items that no test can show have a reason. Emulators in separate processes are not counted.",
    "",
    ...summary(run),
    switchedOff(run),
    "",
    "## Operations",
    "",
    "By: the section of the description, or the convention that supplies the operation.",
    "",
    ...table(head, operationRows([...operations.listed, ...operations.conventional], run, tell)),
    ...byKind.flatMap((claims) => kindSection(claims, tell)),
    ...messages.flatMap(({ operation, fields }) => [
      `## Messages of ${operation}`,
      "",
      ...table(["Field", "Sent", "Answered"], fieldRows(fields, tell)),
    ]),
    ...general.flatMap(({ title, claims }) => [`## ${title}`, "", ...table(ruleHead, ruleRows(claims, tell))]),
  ];
  return `${lines.join("\n").trimEnd()}\n`;
}
