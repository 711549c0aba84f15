import { printable, withoutCommands } from "../../io/text/printable";
import type { AccountReport, MissingPart } from "../scan/document";
import { type Finding, natureOf } from "../scan/finding-document";
import { adviceOn } from "./advice";
import { inReadingOrder } from "./causes";
import type { ReportWriter } from "./context";
import { valueText } from "./values";
import {
  acceptLine,
  dependentsIn,
  ownersText,
  readings,
  reportSubject,
  secondsOf,
  shortName,
  timesOf,
  unreadOf,
} from "./wording";

type Outcome = "passed" | "failure" | "error" | "skipped";
interface Case {
  classname: string;
  name: string;
  outcome: Outcome;
  message: string;
  detail: string;
}

/**
 * For CI systems that show tests: a suite per account, a case per finding, and a case per account for whether it could
 * be read. Drift is a failure, an unreadable object an error; accepted and informational findings are skipped.
 */
export const junit: ReportWriter = (report) => {
  const { accounts, startedAt } = report;
  const findings = inReadingOrder(report.findings);
  const suites = accounts.map((account) => ({
    name: account.account,
    cases: [accountCase(account, report.complete), ...findings.filter((finding) => isIn(account, finding)).map(caseOf)],
  }));
  const others = findings.filter((finding) => !accounts.some((account) => isIn(account, finding))).map(caseOf);
  if (others.length > 0) suites.push({ name: "other accounts", cases: others });
  if (report.missing) suites.push({ name: "missing parts", cases: report.missing.map(missingCase) });
  const timestamp = startedAt.replace(/(\.\d+)?Z$/, "");
  const body = suites.map(({ name, cases }) =>
    element("testsuite", { name, ...counts(cases), timestamp, time: "0" }, cases.map(caseText)),
  );
  const all = counts(suites.flatMap(({ cases }) => cases));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", { name: reportSubject(report), ...all, time: secondsOf(report).toFixed(3) }, body)}\n`;
};

const isIn = ({ account, origin }: AccountReport, finding: Finding): boolean =>
  finding.account === account && finding.origin === origin;

/**
 * An account without findings is a suite, too. One that could not be read does not pass, and is an error if the scan
 * needed it.
 */
function accountCase(report: AccountReport, complete: boolean): Case {
  const { account, status } = report;
  const unread = unreadOf(report).map((collection) => `${collection.name}: ${readings[collection.status]}`);
  const unreadOutcome = complete ? "skipped" : "error";
  return {
    classname: account,
    name: "the account is read",
    outcome: status === "read" ? "passed" : unreadOutcome,
    message: `account ${account}: ${readings[status]}`,
    detail: unread.join("\n"),
  };
}

const missingCase = ({ part, name, reason }: MissingPart): Case => ({
  classname: part,
  name,
  outcome: "error",
  message: `${part} ${name} missing: ${reason}`,
  detail: "",
});

function caseOf(finding: Finding): Case {
  const { verdict, reason, suppressed, changes, group, dependents = [] } = finding;
  const shared = group === undefined ? [] : [`shares its cause with others: group ${group}`];
  const lines = changes.map(
    ({ path, recorded, live, severity }) => `${path}: ${valueText(recorded)} -> ${valueText(live)} (${severity})`,
  );
  return {
    classname: `${finding.account}.${finding.type}`,
    name: `${shortName(finding)} [${finding.fingerprint}]`,
    outcome: outcomeOf(finding),
    message:
      suppressed === undefined
        ? `${verdict}: ${reason}`
        : `${verdict}, accepted by ${suppressed.by}: ${suppressed.reason ?? reason}`,
    detail: [
      finding.name,
      ownersText([finding]) ?? [],
      timesOf(finding) ?? [],
      ...lines,
      ...shared,
      dependentsIn(dependents) ?? [],
      adviceOn(finding).next,
      acceptLine(finding) ?? [],
    ]
      .flat()
      .join("\n"),
  };
}

function outcomeOf({ verdict, ruleId, suppressed }: Finding): Outcome {
  if (ruleId === "drift/in-sync") return "passed";
  if (suppressed !== undefined) return "skipped";
  return ({ drift: "failure", unknown: "error", informational: "skipped" } as const)[natureOf[verdict]];
}

function caseText({ classname, name, outcome, message, detail }: Case): string {
  const inner = {
    passed: [],
    skipped: [element("skipped", { message })],
    failure: [element("failure", { message, type: "drift" }, [text(detail)])],
    error: [element("error", { message, type: "unread" }, [text(detail)])],
  };
  return element("testcase", { classname, name, time: "0" }, inner[outcome]);
}

function counts(cases: readonly Case[]): Record<string, string> {
  const casesWith = (expectedOutcome: Outcome): string =>
    String(cases.filter(({ outcome }) => outcome === expectedOutcome).length);
  return {
    tests: String(cases.length),
    failures: casesWith("failure"),
    errors: casesWith("error"),
    skipped: casesWith("skipped"),
  };
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text of an element: each line printable, the line breaks kept. */
const text = (raw: string): string =>
  withoutCommands(raw.split("\n").map(printable).join("\n")).replace(/[&<>"]/g, (character) => entities[character]!);

function element(tag: string, attributes: Readonly<Record<string, string>>, children: readonly string[] = []): string {
  const head = [tag, ...Object.entries(attributes).map(([name, value]) => `${name}="${text(printable(value))}"`)].join(
    " ",
  );
  return children.length === 0
    ? `<${head}/>`
    : `<${head}>${children.length === 1 && !children[0]!.startsWith("<") ? children[0] : `\n${children.join("\n")}\n`}</${tag}>`;
}
