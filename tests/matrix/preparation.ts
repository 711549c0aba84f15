import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ResourceState } from "../../engine/state/resource-state";
import { dynamicUrn } from "../../provider/core/pulumi-names";
import type { Step } from "./fates";
import { isOf, type Stack } from "./stack";
import { accountOf, type Subject, urnOf } from "./subject";

const strangers = {
  "deployments/stranger": { baseModel: "accounts/platform/models/open-8b" },
  "models/stranger": { kind: "CUSTOM_MODEL" },
  "users/stranger": { email: "stranger@example.com", role: "user" },
  "secrets/stranger": { keyName: "STRANGER" },
};

/** Puts there what nobody's program has made. */
export async function furnish({ site, subjects }: Stack): Promise<void> {
  await site.seed(Object.assign({}, ...["demo", "other"].map((account) => prefixed(strangers, account))));
  for (const subject of subjects) await site.seed(subject.variant.needs?.(subject.tag, accountOf(subject)) ?? {});
}

/** Takes the steps of all fates, so that the last `up` of each is in the last round. */
export async function prepare(stack: Stack): Promise<void> {
  const { site, subjects, programs } = stack;
  const ups = subjects.map(({ fate }) => fate.steps.filter((step) => "up" in step));
  const rounds = Math.max(1, ...ups.map(({ length }) => length));
  for (const subject of subjects) for (const step of leading(subject.fate.steps)) await take(stack, subject, step);
  for (let round = -rounds; round < 0; round += 1) {
    for (const [index, subject] of subjects.entries()) {
      const step = ups[index]!.at(round);
      if (-round > ups[index]!.length || step === undefined) continue;
      programs.set(subject, step.up);
      if (step.refuse) await stack.refuse(subject, step.refuse);
    }
    const refused = ups.some((steps) => steps.at(round)?.refuse && -round <= steps.length);
    stack.declare();
    await site.expect(refused ? 1 : 0, "up");
    await site.clearFaults();
  }
  for (const subject of subjects) for (const step of trailing(subject.fate.steps)) await take(stack, subject, step);
}

async function take(stack: Stack, subject: Subject, step: Step): Promise<void> {
  if ("hand" in step) await takeByHand(stack, subject, step.hand);
  else if ("state" in step) changeState(stack, subject, step.state);
}

async function takeByHand(
  stack: Stack,
  subject: Subject,
  what: "makes" | "removes" | "changes" | "makes again",
): Promise<void> {
  const { site } = stack;
  const { variant, tag } = subject;
  const name = stack.live(subject)[0]?.name;
  if (what === "removes") return site.tamper(name);
  if (what === "changes") return site.tamper(name, variant.byHand);
  const {
    value: _secret,
    onDelete: _o,
    allowLoosening: _a,
    ...inputs
  } = variant.inputs(tag, { content: "first", build: "first" }, accountOf(subject));
  const id = Object.entries(inputs).find(
    ([key]) => key === `${variant.kind[0]!.toLowerCase()}${variant.kind.slice(1)}Id`,
  );
  const { [id?.[0] ?? ""]: _id, ...fields } = inputs;
  const place = `accounts/${accountOf(subject)}/${variant.collection}${variant.singleton ? "" : `/${id?.[1] ?? tag}`}`;
  if (what === "makes again") await site.tamper(name);
  await site.seed({ [what === "makes" ? place : name!]: fields });
}

function changeState({ site }: Stack, subject: Subject, what: "pending create" | "twin"): void {
  const file = JSON.parse(readFileSync(site.stateFile, "utf8"));
  const latest = file.checkpoint.latest as { resources: ResourceState[]; pending_operations?: unknown[] };
  const entry = latest.resources.find(({ urn }) => isOf(subject, urn))!;
  if (what === "twin") {
    const twin = urnOf(subject, { name: "twin" });
    latest.resources.push(JSON.parse(JSON.stringify(entry).replaceAll(entry.urn, twin)));
  } else {
    const { id: _id, outputs: _outputs, ...begun } = entry;
    latest.resources = latest.resources.filter((each) => each !== entry);
    latest.pending_operations = [{ resource: begun, type: "creating" }];
    forget(site.intents, dynamicUrn(entry.urn));
  }
  writeFileSync(site.stateFile, JSON.stringify(file));
}

/** The engine has died before the program could hear of the create: the note of it is as it was written. */
function forget(intents: string, urn: string): void {
  for (const name of readdirSync(intents)) {
    const lines = readFileSync(join(intents, name), "utf8").split("\n");
    const kept = lines.filter(
      (line) => line === "" || JSON.parse(line).fact !== "held" || JSON.parse(line).urn !== urn,
    );
    writeFileSync(join(intents, name), kept.join("\n"));
  }
}

const prefixed = (objects: object, account: string): object =>
  Object.fromEntries(Object.entries(objects).map(([name, fields]) => [`accounts/${account}/${name}`, fields]));

const isUp = (step: Step): boolean => "up" in step;

const leading = (steps: readonly Step[]): readonly Step[] =>
  steps.some(isUp) ? steps.slice(0, steps.findIndex(isUp)) : steps;

const trailing = (steps: readonly Step[]): readonly Step[] =>
  steps.some(isUp) ? steps.slice(steps.findLastIndex(isUp) + 1) : [];
