import type { DriftReport } from "../../../drift/scan/document";
import type { Finding } from "../../../drift/scan/finding-document";
import { sampleReport } from "../sample-report";

/** What someone who may name things could write to do harm where a report is read. */
export const hostileTexts = [
  `</script><img src=x onerror="document.title='taken over'">`,
  "</title></style><svg onload=alert(1)>",
  "${{ secrets.TOKEN }}",
  "\u001b[2J\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007",
  "one\ntwo\r\n::error::three\n::stop-commands::x",
  "##[add-mask]four",
  "::set-output name=a::b",
  "accounts/acme/\u202egnp.exe",
  "\u200b\u2066hidden\u2069\ufeff",
  "`ticks` ``two`` | pipe \\| and \\",
  "| --- | --- |",
  '=HYPERLINK("https://evil.example","x")',
  "\t@SUM(1+1)*cmd|' /C calc'!A0",
  "-2+3",
  '"quoted", and more',
  "]]><x/>&amp;<!-- --",
  "{0} {{1}} [here](https://evil.example) ![x](https://evil.example/x.png)",
  "@everyone #1 https://evil.example www.evil.example",
  "\u0000\u0007\u007f\u009b31m",
  "\ud800 lone \udc00 \ufffe \uffff",
  "# heading\n- list\n> quote",
  "__proto__",
];

const finding = (hostile: string, index: number): Finding => ({
  ...sampleReport.findings[0]!,
  fingerprint: `${index}-${hostile}`,
  ruleId: `drift/${hostile}`,
  account: hostile,
  origin: hostile,
  type: hostile,
  name: `accounts/${hostile}/deployments/${hostile}`,
  urn: hostile,
  stacks: [hostile, hostile],
  reason: hostile,
  updateTime: hostile,
  unverified: [hostile],
  source: { path: hostile, line: 1 },
  suppressed: { by: "baseline", owner: hostile, reason: hostile, expires: hostile },
  changes: [
    {
      path: hostile,
      kind: "changed",
      recorded: hostile,
      live: { [hostile]: [hostile] },
      severity: "error",
      managed: true,
    },
    { path: hostile, kind: "added", live: hostile, severity: "error", managed: false },
  ],
});

/** A report in which every text is hostile, with and without suppression. */
export const hostileReport: DriftReport = {
  ...sampleReport,
  tool: { name: hostileTexts[0]!, version: hostileTexts[1]! },
  scope: { stacks: hostileTexts, accounts: hostileTexts },
  accounts: hostileTexts.map((account) => ({
    account,
    origin: account,
    status: "partial",
    requests: 1,
    collections: [{ name: account, status: "error", read: 0, managed: 0, total: null, requests: 1 }],
  })),
  findings: hostileTexts.flatMap((hostile, index) => {
    const { suppressed, ...open } = finding(hostile, index);
    return [
      { ...open, suppressed },
      { ...open, fingerprint: `open-${open.fingerprint}` },
    ] as Finding[];
  }),
  resolved: hostileTexts.map((hostile) => ({ fingerprint: hostile, verdict: "changed", type: hostile, name: hostile })),
  staleBaseline: hostileTexts.map((hostile) => ({
    name: hostile,
    path: hostile,
    owner: hostile,
    reason: hostile,
    expires: hostile,
    why: "expired",
  })),
};
