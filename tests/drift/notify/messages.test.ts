import type { KnownBlock } from "@slack/types";
import { HTTP } from "cloudevents";
import type { News, Occurrence } from "../../../drift/history/store";
import { slack, teams } from "../../../drift/notify/chat-messages";
import { notificationForms } from "../../../drift/notify/forms";
import { type Notice, noticeOf } from "../../../drift/notify/notice";
import { Outbox } from "../../../drift/notify/outbox";
import type { DriftReport } from "../../../drift/scan/document";
import type { Finding } from "../../../drift/scan/finding-document";
import { groupedReport } from "../grouped-report";
import { finding, history, removeFolders } from "../history/reports";
import { hostileReport } from "../report/hostile-report";

/** The build for scripts: the one for bundlers names its files in a way that Node.js does not resolve. */
const AdaptiveCards = require("adaptivecards/dist/adaptivecards.js") as typeof import("adaptivecards");

const gone = (finding: Finding): Occurrence =>
  ({ ...finding, firstSeen: "2026-02-01T02:00:00.000Z" }) as unknown as Occurrence;

const news = (report: DriftReport): News => ({
  found: report.findings.slice(0, -2),
  worse: report.findings.slice(-2, -1),
  resolved: report.findings.slice(-1).map(gone),
});

const notice = (report: DriftReport): Notice => noticeOf(report, { id: "4f1d2c3b5a697881", news: news(report) })!;

/** 1,000 findings that have nothing in common, with long texts. */
const largeReport: DriftReport = {
  ...groupedReport,
  findings: Array.from({ length: 1000 }, (_, index) => ({
    ...groupedReport.findings[0]!,
    fingerprint: `f${index}`,
    name: `accounts/a${index}/deployments/${"d".repeat(200)}${index}`,
    changes: Array.from({ length: 8 }, (_, field) => ({
      ...groupedReport.findings[0]!.changes[0]!,
      path: `${"field".repeat(20)}${field}`,
      live: `${"long ".repeat(100)}${index}`,
    })),
  })),
};

const reports = [
  ["causes", groupedReport],
  ["a hostile report", hostileReport],
  ["1,000 findings", largeReport],
] as const;

test("a notice lists the causes of what is new, worse or gone", () => {
  const { sections } = notice(groupedReport);
  expect(sections).toMatchObject([
    {
      kind: "new",
      count: 15,
      entries: [
        {
          title: "changed: 15 of Deployment: `maxReplicaCount` differs from what is recorded",
          changes: ["maxReplicaCount: (various) → 8"],
          facts: ["in 5 accounts, recorded in 3 stacks", "costs 48.50 USD more per hour", "1 object depends on them"],
          omitted: 5,
        },
      ],
    },
    { kind: "worse", count: 1, entries: [{ title: "missing: User ada: is gone", names: ["accounts/acme/users/ada"] }] },
    { kind: "resolved", count: 1, entries: [{ title: "no longer missing: User bob" }] },
  ]);
});

test("a notice names the accounts that could not be read, and how many more", () => {
  const account = (name: string, status: "forbidden" | "error" | "read") => ({
    account: name,
    status,
    origin: "https://api.example.com",
    requests: 1,
    collections: [],
  });
  const refused = Array.from({ length: 7 }, (_, index) => account(`acme-${index}`, "forbidden"));
  const { scope } = notice({
    ...groupedReport,
    accounts: [...refused, account("globex", "error"), account("initech", "read")],
  });
  expect(scope.slice(-2)).toEqual([
    "key refused: acme-0, acme-1, acme-2, acme-3, acme-4 and 2 more",
    "could not be read: globex",
  ]);
});

test("nothing new is no notice", () => {
  expect(noticeOf(groupedReport, { id: "x", news: { found: [], worse: [], resolved: [] } })).toBeUndefined();
});

test.each(reports)("the official SDK takes %s as a CloudEvent 1.0", (_, report) => {
  const body = JSON.stringify(notificationForms.cloudevents.bodyOf(notice(report)));
  const event = HTTP.toEvent({ headers: { "content-type": notificationForms.cloudevents.contentType }, body });
  expect(Array.isArray(event)).toBe(false);
  expect(event).toMatchObject({ specversion: "1.0", id: "4f1d2c3b5a697881", type: "modelplatform.drift.news" });
  expect((event as unknown as { validate(): boolean }).validate()).toBe(true);
  // Every intermediary has to take an event of so much.
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(64 * 1024);
});

interface SlackMessage {
  text: string;
  blocks: KnownBlock[];
}

/** The limits that Slack documents for the blocks that are used; the compiler checks their members. */
function slackProblems({ text, blocks }: SlackMessage): string[] {
  const problems = [
    ...(blocks.length > 50 ? ["more than 50 blocks"] : []),
    ...(text === "" || text.length > 4000 ? ["no fallback, or a long one"] : []),
  ];
  for (const block of blocks) {
    if (block.type === "header") {
      if (block.text.type !== "plain_text" || block.text.text.length > 150) problems.push("a header");
    } else if (block.type === "rich_text") {
      const texts = block.elements.flatMap((element) => (element.type === "rich_text_section" ? element.elements : []));
      if (block.elements.some(({ type }) => type !== "rich_text_section")) problems.push("an element");
      if (texts.length === 0 || texts.some((each) => each.type !== "text" || each.text === "")) problems.push("a text");
      if (JSON.stringify(texts).length > 8000) problems.push("a long text");
    } else if (block.type !== "divider") problems.push(`a block ${block.type}`);
  }
  return problems;
}

test.each(reports)("%s is a message that Slack takes", (_, report) => {
  const message = slack.bodyOf(notice(report)) as SlackMessage;
  expect(slackProblems(message)).toEqual([]);
  expect(message.blocks[0]).toMatchObject({ type: "header" });
  expect(message.text).not.toMatch(/[<>]/);
});

test.each(reports)("%s is a card that the library of Adaptive Cards takes, without Markdown", (_, report) => {
  const body = teams.bodyOf(notice(report)) as { attachments: { contentType: string; content: { body: object[] } }[] };
  const [{ contentType, content }] = body.attachments as [(typeof body.attachments)[0]];
  expect(contentType).toBe("application/vnd.microsoft.card.adaptive");
  const card = new AdaptiveCards.AdaptiveCard();
  const context = new AdaptiveCards.SerializationContext();
  card.parse(content, context);
  expect(Array.from({ length: context.eventCount }, (_, index) => context.getEventAt(index).message)).toEqual([]);
  expect(card.validateProperties().validationEvents.map(({ message }) => message)).toEqual([]);
  expect(content.body.every((element) => (element as { type: string }).type === "RichTextBlock")).toBe(true);
  expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(28 * 1024);
});

const secret = { redacted: true, value: "canary-9f3b" };

test.each(Object.keys(notificationForms) as (keyof typeof notificationForms)[])(
  "%s shows nothing that stands beside the mark of a redacted value",
  (name) => {
    const leaky = {
      ...groupedReport.findings[0]!,
      changes: [{ ...groupedReport.findings[0]!.changes[0]!, recorded: secret, live: { deep: [secret] } }],
    };
    const report = { ...groupedReport, findings: [leaky, groupedReport.findings[1]!, groupedReport.findings[2]!] };
    const text = JSON.stringify(notificationForms[name].bodyOf(notice(report)));
    expect(text).not.toContain("canary");
    expect(text).toContain("redacted");
  },
);

describe("an outbox", () => {
  afterEach(removeFolders);

  const [read, unread] = [finding("accounts/acme/deployments/a"), finding("accounts/globex/deployments/b")];

  /** A night in which a scan sees `seen`, of which `found` is new: the message that it sends. */
  const nights = (): ((
    id: string,
    scan: { seen: Finding[]; found?: Finding[]; isDown?: true },
  ) => Promise<[id: string, names: string[]] | undefined>) => {
    const outbox = new Outbox(history().folder, { now: () => 0, sleep: () => Promise.resolve() });
    return async (id, { seen, found = [], isDown }) => {
      const tidings = {
        ...{ to: "--notify", id, news: { found, worse: [], resolved: [] } },
        findings: seen,
        history: { open: new Map([read, unread].map((each) => [each.fingerprint, gone(each)])) },
      };
      outbox.keep(tidings);
      const taken = await outbox.take(tidings);
      if (taken) await outbox.settle(tidings, taken, !isDown);
      return taken && [taken.id, taken.news.found.map(({ account }) => account)];
    };
  };

  test("tells later, under another id, what a scan has not read of a message", async () => {
    const night = nights();
    const both = [read, unread];
    expect(await night("s1", { seen: both, found: both, isDown: true })).toEqual(["s1", ["acme", "globex"]]);
    expect(await night("s2", { seen: [read] })).toEqual(["s1", ["acme"]]);
    expect(await night("s3", { seen: [] })).toBeUndefined();
    expect(await night("s4", { seen: both })).toEqual([expect.not.stringMatching(/^s[1-4]$/), ["globex"]]);
    expect(await night("s5", { seen: both })).toBeUndefined();
  });

  test("loses nothing where a part of a message could not be sent", async () => {
    const night = nights();
    const both = [read, unread];
    await night("s1", { seen: both, found: both, isDown: true });
    expect(await night("s2", { seen: [read], isDown: true })).toEqual(["s1", ["acme"]]);
    expect(await night("s3", { seen: both })).toEqual(["s3", ["acme", "globex"]]);
    expect(await night("s4", { seen: both })).toBeUndefined();
  });
});
