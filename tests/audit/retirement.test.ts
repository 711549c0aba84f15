import ICAL from "ical.js";
import { auditFormats, formats } from "../../drift/report/formats";
import type { DriftReport } from "../../drift/scan/document";
import { mergeReports } from "../../drift/scan/merge";
import { type RecordedResource, recordedStack } from "../drift/support/stacks";
import type { Values } from "../values";
import { auditScene, breachesOf } from "./scene";

const old = "accounts/platform/models/old-8b";
const young = "accounts/platform/models/open-8b";
const addon = "accounts/acme/models/addon";
const chat = "accounts/acme/deployments/chat";
const onAddon = "accounts/acme/deployments/on-addon";
const loaded = "accounts/acme/deployedModels/loaded";
const job = "accounts/acme/supervisedFineTuningJobs/job";
const over = "accounts/acme/supervisedFineTuningJobs/over";

const date = (text: string): Values => {
  const [year, month, day] = text.split("-").map(Number);
  return { year, month, day };
};

/** One of each kind that is made from a model, of which the platform takes down one. Today is 2030-01-15. */
function world(day: Values | undefined, env: Record<string, string> = {}) {
  const scene = auditScene({ env });
  const platformModel = (name: string, fields: Values): void =>
    scene.emulator.world.put({ kind: "Model", name, fields: { name, state: "READY", public: true, ...fields } });
  platformModel(old, day ? { deprecationDate: day } : {});
  platformModel(young, {});
  scene.put(addon, { kind: "HUB_PEFT_ADDON", peftDetails: { baseModel: old }, state: "READY" });
  scene.put(chat, { baseModel: young, state: "READY" });
  scene.put(onAddon, { baseModel: addon, state: "READY" });
  scene.put(loaded, { model: addon, deployment: chat, state: "DEPLOYED" });
  scene.put(job, { baseModel: old, dataset: "d", state: "JOB_STATE_RUNNING" });
  scene.put(over, { baseModel: old, dataset: "d", state: "JOB_STATE_COMPLETED" });
  return scene;
}

const concerned = [loaded, onAddon, addon, job];
const rules = { "no-shapeless-deployment": "disabled", "annotations-required": "disabled" } as const;

test.each([
  ["2030-04-15", 90],
  ["2030-01-16", 1],
  ["2030-01-15", 0],
  ["2029-12-31", -15],
])("an audit warns of what is made from a model that ends on %s, in %i days", async (day) => {
  const report = await world(date(day)).audit([], { rules });
  expect(breachesOf(report).sort()).toEqual(concerned.map((name) => `retiring-model ${name}`).sort());
  expect(report.findings.every(({ severity }) => severity === "warning")).toBe(true);
  expect(report).toMatchObject({ exitCode: 0, complete: true });
  const past = day < "2030-01-15" ? "was" : "is";
  expect(report.findings[0]!.reason).toBe(
    `is made from ${old}, whose serverless deployment ${past} taken down on ${day}. Move it to another model, or accept it until then.`,
  );
});

test("days are a setting, of the rule or of the environment, and an error by choice", async () => {
  const late = world(date("2030-04-16"));
  expect(breachesOf(await late.audit([], { rules }))).toEqual([]);
  expect(breachesOf(await late.audit([], { rules: { ...rules, "retiring-model": { days: 91 } } }))).toHaveLength(4);
  const env = { MODELPLATFORM_RETIREMENT_DAYS: "91", MODELPLATFORM_RETIREMENT_ERROR_DAYS: "30" };
  const warned = await late.audit([], { rules, env });
  expect([breachesOf(warned).length, warned.exitCode]).toEqual([4, 0]);
  const soon = world(date("2030-02-14"));
  expect(await soon.audit([], { rules, env })).toMatchObject({
    exitCode: 2,
    findings: [{ severity: "error" }, {}, {}, {}],
  });
  expect(await soon.audit([], { rules: { ...rules, "retiring-model": "mandatory" } })).toMatchObject({ exitCode: 2 });
  const wrong = await soon.audit([], { rules, env: { MODELPLATFORM_RETIREMENT_DAYS: "soon" } });
  expect(wrong.failedPolicies).toEqual([
    { name: "retiring-model", reason: "MODELPLATFORM_RETIREMENT_DAYS is not a number of days.", times: 1 },
  ]);
});

test.each<[string, Values]>([
  ["no year", { month: 2, day: 1 }],
  ["a month that there is not", { year: 2030, month: 13, day: 1 }],
  ["a day that there is not", { year: 2030, month: 2, day: 30 }],
  ["a year that is no number", { year: "soon", month: "2", day: "1" }],
])("a date with %s is none", async (_, day) => {
  const report = await world(day).audit([], { rules });
  expect(report).not.toHaveProperty("retirements");
  expect(report.findings.map(({ verdict, name }) => `${verdict} ${name}`).sort()).toEqual(
    concerned.map((name) => `error ${name}`).sort(),
  );
  expect(report).toMatchObject({ exitCode: 3, complete: false });
});

test("a date without a part says nothing; a day that the rule names counts", async () => {
  expect(await world({ year: 0, month: 0, day: 0 }).audit([], { rules })).toMatchObject({ exitCode: 0, findings: [] });
  const dates = { [old]: "2040-01-01" };
  const report = await world({ year: 2030, month: 13 }).audit([], { rules: { ...rules, "retiring-model": { dates } } });
  expect(report).toMatchObject({ exitCode: 0, findings: [] });
});

test("a month alone counts from its first day", async () => {
  const report = await world({ year: 2030, month: 2, day: 0 }).audit([], { rules });
  expect(report.retirements).toMatchObject([{ model: old, day: "2030-02-01", severity: "warning" }]);
});

test("a drift scan lists what will end, reads each model once, and ends as before", async () => {
  const scene = world(date("2030-02-01"));
  const stack: RecordedResource = {
    kind: "Deployment",
    inputs: { baseModel: addon },
    live: { name: onAddon, baseModel: addon, state: "READY" },
  };
  const report = await scene.scan([recordedStack([stack])]);
  expect(report).toMatchObject({ exitCode: 0, findings: [] });
  expect(report.retirements).toMatchObject([{ model: old, day: "2030-02-01", severity: "warning" }]);
  const [{ objects }] = report.retirements as [NonNullable<DriftReport["retirements"]>[number]];
  expect(objects.map(({ name }) => name).sort()).toEqual([...concerned].sort());
  expect(objects.find(({ name }) => name === onAddon)).toMatchObject({ stacks: ["shop/prod"] });
  const models = scene.requests.map(({ path }) => path).filter((path) => /platform/.test(path));
  expect(models.map((path) => path.replace(/\?.*/, "")).sort()).toEqual([`/v1/${old}`, `/v1/${young}`]);
  expect(report.accounts[0]!.requests).toBe(scene.requests.length);
  for (const format of ["text", "markdown", "html"]) {
    const text = formats[format]!.render(report, { columns: 400, color: false });
    const plain = text.replace(/[`\\]|<[^>]+>/g, "").replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code));
    expect(plain).toContain(`${old} is taken down on 2030-02-01 as a serverless deployment; made from it:`);
  }
});

test("a model that cannot be read is named, and a missing one ends nothing", async () => {
  const scene = world(date("2030-02-01"));
  await scene.fault({
    match: { path: `/v1/${old}` },
    fault: { kind: "status", status: 403, body: { code: 7, message: "no" } },
    times: null,
  });
  const report = await scene.audit([], { rules });
  expect(report.unreadModels).toEqual([{ model: old, reason: expect.stringContaining("no") }]);
  expect(report).toMatchObject({ complete: true, exitCode: 0, findings: [] });
  const gone = world(date("2030-02-01"));
  await gone.remove(old);
  const without = await gone.audit([], { rules });
  expect([without.retirements, without.unreadModels, without.findings]).toEqual([undefined, undefined, []]);
});

test("deprecated fields that programs set are listed with who sets them", async () => {
  const scene = world(undefined);
  const inputs = { baseModel: young, expireTime: "2031-01-01T00:00:00Z" };
  const stack: RecordedResource = { kind: "Deployment", inputs, live: { name: chat, ...inputs, state: "READY" } };
  const report = await scene.scan([recordedStack([stack])]);
  expect(report.deprecatedFields).toEqual([
    {
      type: "Deployment",
      path: "expireTime",
      says: "it no longer deletes anything; drop it",
      objects: [{ name: chat, type: "Deployment", urn: expect.stringMatching(/::chat$/), stacks: ["shop/prod"] }],
    },
  ]);
  const text = formats["text"]!.render(report, { columns: 200, color: false });
  expect(text).toContain(
    `Deployment.expireTime is deprecated: it no longer deletes anything; drop it; set for ${chat}`,
  );
});

interface Event {
  uid: string;
  summary: string;
  description: string;
  start: string;
  isDate: boolean;
  stamp: string;
}

/** The events of a calendar, as another implementation reads them. */
function eventsIn(text: string): Event[] {
  const calendar = new ICAL.Component(ICAL.parse(text) as unknown[] as never);
  expect(calendar.getFirstPropertyValue("version")).toBe("2.0");
  return calendar.getAllSubcomponents("vevent").map((component) => {
    const event = new ICAL.Event(component);
    const stamp = component.getFirstPropertyValue("dtstamp") as unknown as { toString(): string };
    return {
      ...{ uid: event.uid, summary: event.summary, description: event.description },
      ...{ start: event.startDate.toString(), isDate: event.startDate.isDate, stamp: stamp.toString() },
    };
  });
}

test("a calendar has a day for each model, which another implementation reads", async () => {
  const report = await world(date("2031-12-31")).audit([], { rules });
  expect(report.findings).toEqual([]);
  const text = auditFormats["ics"]!.render(report, { columns: 80, color: false });
  const [event, ...others] = eventsIn(text);
  expect(others).toEqual([]);
  expect(event).toMatchObject({
    summary: `${old} is taken down`,
    start: "2031-12-31",
    isDate: true,
    stamp: report.finishedAt.replace(/\.\d+/, ""),
  });
  for (const name of concerned) expect(event!.description).toContain(name);
  const moved = await world(date("2032-01-01")).audit([], { rules });
  const [later] = eventsIn(auditFormats["ics"]!.render(moved, { columns: 80, color: false }));
  expect([later!.uid, later!.start]).toEqual([event!.uid, "2032-01-01"]);
});

test("lines of a calendar end in CRLF and have at most 75 octets, whatever names hold", async () => {
  const report = await world(date("2031-12-31")).audit([], { rules });
  const name = `accounts/acme/deployments/${"süß😀".repeat(30)};a,b\\c\nEND:VCALENDAR`;
  const object = { name, type: "Deployment", urn: null, stacks: [] };
  const retirements = [
    { ...report.retirements![0]!, objects: [object] },
    { ...report.retirements![0]!, day: "2032-01-01", objects: [] },
  ];
  const text = auditFormats["ics"]!.render({ ...report, retirements }, { columns: 80, color: false });
  expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  for (const line of text.split("\r\n")) {
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
    expect(line).not.toContain("�");
  }
  const [first, second] = eventsIn(text);
  expect(first!.description).toContain(name.replace("\n", "\\n"));
  expect(first!.uid).not.toBe(second!.uid);
});

test("a calendar without dates is a calendar", async () => {
  const report = await world(undefined).audit([], { rules });
  expect(eventsIn(auditFormats["ics"]!.render(report, { columns: 80, color: false }))).toEqual([]);
});

test("shards that know one model say so once, with the objects of both", async () => {
  const report = await world(date("2030-02-01")).audit([], { rules });
  const shard = (index: number) => ({ ...report, scope: { ...report.scope, shard: `${index}/2` } });
  const merged = mergeReports([1, 2].map((index) => ({ file: `${index}.json`, report: shard(index) })));
  const { retirements } = (merged as { report: DriftReport }).report;
  expect(retirements).toHaveLength(1);
  expect(retirements![0]!.objects).toHaveLength(8);
});
