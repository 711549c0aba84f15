import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import ts from "typescript";
import { declarationsIn } from "../../drift/accept/declarations";
import { type Program, readProgram } from "../../drift/accept/program";
import { rewrite } from "../../drift/accept/rewrite";
import { declarationsOf, type NewStatement } from "../../drift/accept/statements";
import {
  type AcceptedPart,
  editsFor,
  type ManualPart,
  patchOf,
  type RewriteResult,
  rules,
} from "../../drift/accept/wishes";
import type { Finding } from "../../drift/scan/finding-document";
import { fieldsOnPath } from "../../provider/core/fields/fields";
import { parsePath, topLevel } from "../../provider/core/values/values";
import { hooksOf } from "../../provider/kinds/index";
import { managedSpecs } from "../../provider/resources/index";
import { createScene } from "../drift/support/scene";
import { isNightly, longerAtNight, runsOf, seedOf } from "../nightly";
import { drawingFrom } from "./drawn/drawing";
import { evaluated, type Said } from "./drawn/evaluation";
import { Previews } from "./drawn/preview";
import { configFile, type Source, writeProgram } from "./drawn/program";
import { type Touched, treeOf } from "./drawn/tree";
import { drawLots, type Lot } from "./drawn/world";
import { allowing } from "./findings";

/** Program `n` has the seed `first + n`: that of one that failed, as `SEED`, runs it again. */
const { SEED, RUNS = SEED === undefined ? undefined : 1 } = process.env;
const first = Number(SEED ?? seedOf(20_261_122));
const runs = runsOf(Number(RUNS ?? (isNightly ? 1000 : 40)), 100).map(
  ({ from, count }) => [first + from, count] as const,
);

const folder = mkdtempSync(join(tmpdir(), "rewrite-drawn-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

async function accept(
  program: Program,
  lots: readonly Lot[],
  source: Source,
  allowedRules: readonly string[],
): Promise<RewriteResult> {
  const findings = lots.flatMap(({ finding }) => finding ?? []);
  const unmanaged = lots.filter(({ isManaged }) => !isManaged);
  return rewrite(program, editsFor(findings, { allow: allowing(findings, allowedRules), only: [] }), {
    holders: ({ urn }) => (urn === null ? [] : [{ stack: "organization/shop/dev" }]),
    config: () => ({ file: join(folder, configFile), text: source.files[configFile] }),
    ...(unmanaged.length > 0 && { statements: await statementsFor(unmanaged, program) }),
  });
}

async function statementsFor(lots: readonly Lot[], program: Program) {
  const scene = createScene({ env: { MODELPLATFORM_ACCOUNT_ID: "acme" } });
  for (const { spec, object, live } of lots) scene.emulator.world.put({ kind: spec.kind, name: object, fields: live! });
  const names = lots.map(({ object }) => object);
  const { statements, leftOut } = await declarationsOf(scene.client, names, program, declarationsIn(program));
  return new Map<string, NewStatement | string>([
    ...leftOut,
    ...statements.map((statement) => [statement.name, statement] as const),
  ]);
}

longerAtNight(() =>
  test.each(runs)(
    "from seed %i, a preview of what is accepted has no change, and no other edit",
    async (from, count) => {
      for (let seed = from; seed < from + count; seed += 1) await play(seed);
    },
  ),
);

async function play(seed: number): Promise<void> {
  const draw = drawingFrom(seed);
  rmSync(folder, { recursive: true, force: true });
  const lots = drawLots(draw);
  const managed = lots.filter(({ isManaged }) => isManaged);
  const source = writeProgram(draw, managed);
  const allow = draw(fc.boolean) ? rules : [];
  write(source.files);
  let rewritten: RewriteResult = { accepted: [], left: [], files: [] };
  try {
    const before = evaluated(folder);
    for (const { name, spec, inputs } of managed) expect(before.get(name)).toEqual({ kind: spec.kind, args: inputs });
    const program = readProgram({ ts, folder, project: "shop", kinds: managedSpecs.map(({ kind }) => kind) });
    rewritten = await accept(program, lots, source, allow);
    const edited = Object.fromEntries(rewritten.files.map(({ file, after }) => [nameOf(file), after]));
    write(edited);
    const after = evaluated(folder, (key) => liveSecret(lots, key));
    expectEverythingTold(lots, rewritten, source);
    expectNothingElseSaid(lots, rewritten, before, after);
    if (allow.length === 0) expectNothingOpened(managed, before, after);
    expectSameTree(lots, rewritten, source, edited);
    await expectClean(lots, rewritten, after);
  } catch (error) {
    throw new Error(`SEED=${seed}\n${storyOf(lots, source, rewritten)}\n${String((error as Error).stack)}`);
  }
}

/** A config is given what the declaration of a live object asks for, and that is called by its id and its field. */
function liveSecret(lots: readonly Lot[], key: string): unknown {
  const letters = (text: string): string => text.replace(/[^a-z\d]/gi, "").toLowerCase();
  const known = lots.flatMap(({ object, live }) =>
    Object.entries(live ?? {}).map(
      ([field, value]) => [letters(`${object.split("/").at(-1)}${field}`), value] as const,
    ),
  );
  return known.find(([name]) => name === letters(key))?.[1] ?? "sealed";
}

const nameOf = (file: string): string => file.slice(folder.length + 1);

/** What has happened, for whoever looks into a failure. */
function storyOf(lots: readonly Lot[], { files }: Source, { accepted, left, files: edits }: RewriteResult): string {
  const changes = lots.flatMap(({ name, spec, finding }) => [
    `${name} ${spec.kind} ${finding?.ruleId ?? "as recorded"}`,
    ...(finding?.changes ?? []).map((change) => `  ${JSON.stringify(change)}`),
  ]);
  const parts = [
    ...Object.entries(files).map(([name, text]) => `=== ${name}\n${text}`),
    ...changes,
    patchOf(edits, nameOf),
    ...accepted.map(({ finding, path = "" }) => `accepted: ${finding.name} ${path}`),
    ...left.map(({ finding, path = "", reason }) => `left: ${finding.name} ${path} ${reason}`),
  ];
  return parts.join("\n");
}

const lotOf = (lots: readonly Lot[], { name }: Finding): Lot => lots.find(({ object }) => object === name)!;

/** Each change is accepted or left, and what is left has a place in the program. */
function expectEverythingTold(lots: readonly Lot[], { accepted, left }: RewriteResult, { files }: Source): void {
  const told = [...accepted, ...left].map(({ finding, path = "" }) => `${finding.name} ${path}`);
  const wanted = lots.flatMap(({ finding }) => {
    if (!finding) return [];
    const isWhole = finding.verdict !== "changed" || ["drift/failed", "drift/remade"].includes(finding.ruleId);
    return isWhole ? [`${finding.name} `] : finding.changes.map(({ path }) => `${finding.name} ${path}`);
  });
  expect(told.sort()).toEqual(wanted.sort());
  for (const { finding, place, reason } of left) {
    expect(reason).not.toBe("");
    if (!lotOf(lots, finding).isManaged) continue;
    expect(files[place!.file]!.split("\n").length).toBeGreaterThanOrEqual(place!.line);
  }
}

/** Top-level fields of a resource in what was accepted, or left. */
const fieldsOf = ({ finding }: Lot, parts: readonly (AcceptedPart | ManualPart)[]): Set<string> =>
  new Set(parts.flatMap((part) => (part.finding === finding && part.path !== undefined ? [topLevel(part.path)] : [])));

const isDropped = (lot: Lot, { accepted }: RewriteResult): boolean =>
  accepted.some(({ finding, path }) => finding === lot.finding && path === undefined);

function expectNothingElseSaid(
  lots: readonly Lot[],
  rewritten: RewriteResult,
  before: ReadonlyMap<string, Said>,
  after: ReadonlyMap<string, Said>,
): void {
  for (const lot of lots.filter(({ isManaged }) => isManaged)) {
    const said = after.get(lot.name);
    if (isDropped(lot, rewritten)) expect(said).toBeUndefined();
    else {
      const edited = fieldsOf(lot, rewritten.accepted);
      const others = ({ kind, args }: Said) => [
        kind,
        Object.entries(args)
          .filter(([field]) => !edited.has(field))
          .sort(),
      ];
      expect(others(said!)).toEqual(others(before.get(lot.name)!));
    }
  }
}

/** From least to most; what a role of its own may do is unknown. */
const roles = ["inference-user", "user", "contributor", "admin", "custom"];

/** Neither a role nor a policy gives more than before, and nothing is public that was not. */
function expectNothingOpened(
  lots: readonly Lot[],
  before: ReadonlyMap<string, Said>,
  after: ReadonlyMap<string, Said>,
): void {
  for (const { name, spec, first: recorded } of lots) {
    const [was, is] = [before.get(name)!.args, after.get(name)?.args];
    const { loosened } = hooksOf(spec);
    if (loosened) expect(is && loosened(was, is)).toEqual([]);
    if (!is) continue;
    expect(is["public"] === true && was["public"] !== true).toBe(false);
    if (spec.kind === "User")
      expect(roles.indexOf(String(is["role"]))).toBeLessThanOrEqual(
        roles.indexOf(String(was["role"] ?? recorded["role"])),
      );
  }
}

function expectSameTree(
  lots: readonly Lot[],
  rewritten: RewriteResult,
  source: Source,
  edited: Record<string, string>,
): void {
  const isGone = (lot: Lot): boolean => lot.isManaged && isDropped(lot, rewritten);
  const kinds = lots.filter((lot) => isDropped(lot, rewritten)).map(({ spec }) => spec.kind);
  const touched: Touched = {
    paths: new Map(lots.map((lot) => [lot.name, pathsOf(lot, rewritten)])),
    dropped: new Set(lots.filter(isGone).map(({ name }) => name)),
    kinds: new Set(kinds),
    known: new Set(lots.filter(({ isManaged }) => isManaged).map(({ name }) => name)),
  };
  for (const [name, text] of Object.entries(edited)) {
    if (name === configFile) continue;
    expect(treeOf(text, source, touched)).toBe(treeOf(source.files[name]!, source, touched));
  }
}

/** As far as members have names: a list is edited as one. */
function pathsOf({ spec, finding }: Lot, { accepted }: RewriteResult): string[][] {
  return accepted.flatMap(({ finding: of, path }) => {
    if (of !== finding || path === undefined) return [];
    const [first, ...rest] = parsePath(path);
    const field = spec.fields.message.find(({ name }) => name === first);
    const list = field ? fieldsOnPath(field, rest).findIndex(({ type }) => type === "array") : -1;
    return [[first, ...rest].slice(0, list < 0 ? undefined : list + 1).map(String)];
  });
}

async function expectClean(
  lots: readonly Lot[],
  rewritten: RewriteResult,
  after: ReadonlyMap<string, Said>,
): Promise<void> {
  const previews = await Previews.open(lots);
  const known = new Set(lots.filter(({ isManaged }) => isManaged).map(({ name }) => name));
  // Added one below the other, in the order of what was found.
  const added = [...after].filter(([name]) => !known.has(name)).map(([, said]) => said);
  try {
    for (const lot of lots) {
      if (!rewritten.accepted.some(({ finding }) => finding === lot.finding)) continue;
      const said = lot.isManaged ? after.get(lot.name) : added.shift();
      const [own, left] = [fieldsOf(lot, rewritten.accepted), fieldsOf(lot, rewritten.left)];
      if (!said) continue;
      const step = await previews.of(lot, said.args);
      if (left.size === 0) expect(step).toEqual({ op: "same" });
      else if (step.op === "update")
        expect(step.paths.map(topLevel).filter((field) => own.has(field) && !left.has(field))).toEqual([]);
    }
  } finally {
    await previews.close();
  }
}
