import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Document, isAlias, isNode, isScalar } from "yaml";
import { readYaml } from "../../io/text/yaml-document";
import { editYaml } from "../../io/text/yaml-edit";
import type { YamlValue } from "../../io/text/yaml-scalar";
import { topLevel } from "../../provider/core/values/values";
import { specOf } from "../../provider/resources/index";
import type { Finding } from "../scan/finding-document";
import { type AcceptStep, type ProgramChange, stepTo } from "./change";
import { declarationsIn, findDeclaration, isObstacle, type Obstacle, type ProgramDeclaration } from "./declarations";
import {
  type DeclarationObjection,
  objectionsTo,
  restateEdit,
  retainReason,
  sharedReason,
  soughtOf,
} from "./objections";
import type { Program, RewriteOptions, SourceLocation } from "./program";
import { addStatement, removeStatement } from "./statements";
import { applyEdits, type TextEdit } from "./text-edits";
import {
  type FileChange,
  isManual,
  lineBefore,
  type ManualPart,
  type ProgramDeps,
  type ProgramEdit,
  type RewriteResult,
} from "./wishes";

/** The config files of the project's stacks. */
interface ConfigFiles {
  project: RewriteOptions["project"];
  config: ProgramDeps["config"];
  /** The changes made to files so far. */
  known: ReadonlyMap<string, FileChange>;
}

/** The configs of the stacks of a finding with another value. */
function configChanges(
  { project, config: fileOf, known }: ConfigFiles,
  { config, value }: Extract<AcceptStep, { value: unknown }>,
  { finding, change }: ProgramEdit & { act: "say" },
  place: SourceLocation,
): FileChange[] | Obstacle {
  const key = config.path.length > 0 ? `${config.key}.${config.path.join(".")}` : config.key;
  if (config.mustBeTruthy && !value)
    return { reason: `comes from the config \`${key}\`, where ${String(value)} counts as none`, place };
  const changes: FileChange[] = [];
  for (const stack of finding.stacks) {
    const { file, text } = fileOf(stack);
    const before = known.get(file) ?? { file, before: text, after: text ?? "" };
    const declared = configValue(before.after, project, config);
    if (declared === "secret") return { reason: `is a secret in the config \`${key}\``, place };
    if (declared === "shared")
      return { reason: `has an anchor or is an alias in the config \`${key}\` of ${basename(file)}`, place };
    if (declared && "problem" in declared)
      return {
        reason: `comes from the config \`${key}\`, and ${basename(file)} cannot be read: ${declared.problem}`,
        place,
      };
    const isAged =
      declared !== undefined &&
      ![change.recorded, change.live, change.spelled].some((each) => declaresValue(declared.value, each));
    if (isAged)
      return {
        reason: `is ${JSON.stringify(declared.value)} in the config \`${key}\`, and was ${JSON.stringify(change.recorded)} when it was scanned; run \`up\` or scan again`,
        place,
      };
    if (declared !== undefined && declaresValue(declared.value, value)) continue;
    changes.push({ ...before, after: withConfigValue(before.after, project, config, value) });
  }
  return changes;
}

/** A config may hold numbers and flags as text. */
const declaresValue = (declared: unknown, value: unknown): boolean =>
  isDeepStrictEqual(declared, value) ||
  (value !== undefined && typeof value !== "object" && String(declared) === String(value));

/** A value in `Pulumi.<stack>.yaml`. */
interface ConfigSpot {
  /** As the program names it: without a namespace it is the project's own. */
  key: string;
  /** Members below the value. */
  path: readonly string[];
}

const theConfig = "the stack's config";

/** What the file says there; undefined: nothing. Ciphertext is `secret`, and what YAML repeats elsewhere `shared`. */
function configValue(
  text: string,
  project: string,
  spot: ConfigSpot,
): { value: unknown } | { problem: string } | "secret" | "shared" | undefined {
  const { document, problem } = readYaml(text, theConfig);
  if (problem !== undefined) return { problem };
  const path = pathOf(document, project, spot);
  if (path.some((_, index) => isShared(document.getIn(path.slice(0, index + 1), true)))) return "shared";
  const held = document.getIn(path.slice(0, 2));
  if (isObject(held) && "toJSON" in held && isObject((held as { toJSON(): unknown }).toJSON()) && hasCiphertext(held))
    return "secret";
  return document.hasIn(path) ? { value: plainJson(document.getIn(path)) } : undefined;
}

const isShared = (node: unknown): boolean =>
  isAlias(node) || (isNode(node) && "anchor" in node && node.anchor !== undefined);

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

const hasCiphertext = (node: object): boolean => Object.hasOwn((node as { toJSON(): object }).toJSON(), "secure");

const plainJson = (value: unknown): unknown =>
  isObject(value) && "toJSON" in value ? (value as { toJSON(): unknown }).toJSON() : value;

/** The file's text with `value` there, and every other byte as it was. */
export function withConfigValue(text: string, project: string, spot: ConfigSpot, value: unknown): string {
  const { document } = readYaml(text, theConfig);
  const path = pathOf(document, project, spot);
  const node = document.getIn(path, true);
  const isText = isScalar(node) ? typeof node.value === "string" : spot.path.length === 0;
  const plainValue = isText && !isObject(value) ? textOf(value) : value;
  return editYaml(text, path, plainValue as YamlValue, theConfig);
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** The key as the file spells it: the project's own may go without its namespace. */
function pathOf(document: Document.Parsed, project: string, { key, path }: ConfigSpot): string[] {
  const own = key.startsWith(`${project}:`) ? key.slice(project.length + 1) : key;
  const full = key.includes(":") ? key : `${project}:${key}`;
  const spelling = [full, own].find((each) => document.hasIn(["config", each])) ?? full;
  return ["config", spelling, ...path];
}

/** Edits the program so that it grants the wishes, one finding after the other. Writes no file. */
export function rewrite(
  program: Program,
  wishes: readonly (ProgramEdit | ManualPart)[],
  deps: ProgramDeps,
): RewriteResult {
  return new RewriteRun(program, wishes, deps).run();
}

/** The texts, and the outcome of wishes, at one time. */
interface Mark {
  texts: ReadonlyMap<string, string>;
  configs: ReadonlyMap<string, FileChange>;
  accepted: number;
  left: number;
}

/** More steps than any value needs. */
const mostSteps = 1000;

class RewriteRun {
  private readonly texts = new Map<string, string>();
  private readonly configs = new Map<string, FileChange>();
  private program: Program;
  private declarations: readonly ProgramDeclaration[];
  private readonly result: RewriteResult = { accepted: [], left: [], files: [] };

  constructor(
    private readonly original: Program,
    private readonly edits: readonly (ProgramEdit | ManualPart)[],
    private readonly deps: ProgramDeps,
  ) {
    this.program = original;
    this.declarations = declarationsIn(original);
  }

  run(): RewriteResult {
    const originals = this.declarations;
    const findings = new Set(this.edits.map(({ finding }) => finding));
    for (const finding of findings)
      this.applyAll(
        this.edits.filter((wish) => wish.finding === finding),
        originals,
      );
    const texts = [...this.texts].map(([file, after]) => ({
      file,
      before: this.original.files.find(({ fileName }) => fileName === file)!.text,
      after,
    }));
    this.result.files.push(...[...texts, ...this.configs.values()].filter(({ before, after }) => before !== after));
    return this.result;
  }

  /**
   * Grants the wishes about one object, except those that would make the check refuse its declaration. To pass it, a
   * value that a declaration may omit may have to be explicit.
   */
  private applyAll(own: readonly (ProgramEdit | ManualPart)[], originals: readonly ProgramDeclaration[]): void {
    const [{ finding }] = own as [ProgramEdit | ManualPart];
    const before = this.declarationProblems(finding).map(({ text }) => text);
    for (let wishes = own; ; ) {
      const mark = this.mark();
      const granted = wishes.filter((wish): wish is ProgramEdit => this.applyOrReject(wish, originals));
      const changes = granted.flatMap((wish) => ("change" in wish ? [wish.change] : []));
      const [objection] = this.declarationProblems(finding, changes).filter(({ text }) => !before.includes(text));
      if (!objection || granted.length === 0) return;
      this.reset(mark);
      const named = granted.filter((wish) => "path" in wish && topLevel(wish.path) === objection.property);
      const meant = new Set<ProgramEdit | ManualPart>(named.length > 0 ? named : granted);
      wishes = wishes.map((wish) => (meant.has(wish) ? restateEdit(wish as ProgramEdit, objection) : wish));
    }
  }

  private applyOrReject(wish: ProgramEdit | ManualPart, originals: readonly ProgramDeclaration[]): boolean {
    const { finding } = wish;
    const first =
      finding.verdict === "unmanaged" ? undefined : findDeclaration(this.original, originals, soughtOf(finding));
    const failed = this.obstacleTo(wish, first);
    if (failed) this.leave(wish, failed, failed.place ?? first?.place);
    return failed === undefined;
  }

  private obstacleTo(
    wish: ProgramEdit | ManualPart,
    first: ProgramDeclaration | Obstacle | undefined,
  ): Obstacle | undefined {
    if (isManual(wish)) return wish;
    return first && isObstacle(first) ? first : this.applyEdit(wish);
  }

  private declarationProblems(finding: Finding, changes: readonly ProgramChange[] = []): DeclarationObjection[] {
    const spec = specOf(finding.type);
    const declaration = findDeclaration(this.program, this.declarations, soughtOf(finding));
    return spec && !isObstacle(declaration) ? objectionsTo(this.program, spec, declaration, changes) : [];
  }

  private mark = (): Mark => ({
    texts: new Map(this.texts),
    configs: new Map(this.configs),
    accepted: this.result.accepted.length,
    left: this.result.left.length,
  });

  private reset({ texts, configs, accepted, left }: Mark): void {
    this.restore(texts);
    this.configs.clear();
    for (const [file, change] of configs) this.configs.set(file, change);
    this.result.accepted.length = accepted;
    this.result.left.length = left;
  }

  /** Where a place was before the program was edited: that is the program that a person sees. */
  private placeBefore({ file: name, line, column }: SourceLocation): SourceLocation {
    const file = this.original.files.find((each) => this.original.nameOf(each) === name);
    const after = file && this.texts.get(file.fileName);
    return { file: name, line: after === undefined ? line : lineBefore(file!.text, after, line), column };
  }

  private leave(
    { finding, ...wish }: ProgramEdit | ManualPart,
    obstacle: Obstacle & Pick<ManualPart, "rule" | "allow">,
    place?: SourceLocation,
  ): void {
    const { reason, rule, allow } = obstacle;
    const { path, value } = "change" in wish ? { path: wish.path, value: wish.change.spelled } : (wish as ManualPart);
    this.result.left.push({ finding, path, reason, rule, allow, place, value });
  }

  /** Undefined once the wish is granted; else why not, with the texts unchanged. */
  private applyEdit(wish: ProgramEdit): Obstacle | undefined {
    const { finding } = wish;
    if (wish.act === "declare") return this.declare(finding);
    const declaration = findDeclaration(this.program, this.declarations, soughtOf(finding));
    if (isObstacle(declaration)) return declaration;
    const failed = wish.act === "drop" ? this.drop(wish, declaration) : this.setValue(wish, declaration);
    return failed?.place ? { ...failed, place: this.placeBefore(failed.place) } : failed;
  }

  private declare(finding: Finding): Obstacle | undefined {
    const statement = this.deps.statements?.get(finding.name);
    if (statement === undefined || typeof statement === "string")
      return { reason: statement ?? "is not in any stack, and nothing was read to declare it" };
    const edits = addStatement(this.program, statement);
    if (isObstacle(edits)) return edits;
    this.apply(edits);
    this.result.accepted.push({ finding });
    return undefined;
  }

  private drop(wish: ProgramEdit & { act: "drop" }, declaration: ProgramDeclaration): Obstacle | undefined {
    const { finding } = wish;
    const reason = retainReason(this.edits, wish, this.deps);
    if (reason !== undefined) return { reason, place: declaration.place };
    const edits = removeStatement(this.program, declaration);
    if (isObstacle(edits)) return edits;
    const { place } = findDeclaration(this.original, declarationsIn(this.original), soughtOf(finding));
    this.apply(edits);
    this.result.accepted.push({ finding, place });
    return undefined;
  }

  private setValue(wish: ProgramEdit & { act: "say" }, first: ProgramDeclaration): Obstacle | undefined {
    const { finding, path, change } = wish;
    const before = new Map(this.texts);
    const place = this.placeBefore(first.place);
    let declaration = first;
    for (let count = 0; count < mostSteps; count += 1) {
      const step = stepTo(this.program, declaration, change, count === 0);
      const failed = isObstacle(step) ? step : this.appendEdits(step, wish, declaration);
      if (failed) {
        this.restore(before);
        return failed;
      }
      if (isObstacle(step) || "config" in step || step.edits.length === 0) break;
      const match = findDeclaration(this.program, this.declarations, soughtOf(finding));
      if (isObstacle(match)) throw new Error(`${finding.name} is no longer declared after an edit of \`${path}\``);
      declaration = match;
    }
    this.result.accepted.push({ finding, path, place });
    return undefined;
  }

  private appendEdits(
    step: AcceptStep,
    wish: ProgramEdit & { act: "say" },
    declaration: ProgramDeclaration,
  ): Obstacle | undefined {
    if ("config" in step) {
      const files = { project: this.program.options.project, config: this.deps.config, known: this.configs };
      const changes = configChanges(files, step, wish, declaration.place);
      if (isObstacle(changes)) return changes;
      for (const each of changes) this.configs.set(each.file, each);
      return undefined;
    }
    if (step.edits.length === 0) return undefined;
    const reason = sharedReason(this.edits, wish, this.deps);
    if (reason !== undefined) return { reason, place: declaration.place };
    this.apply(step.edits);
    return undefined;
  }

  private apply(edits: readonly TextEdit[]): void {
    for (const file of new Set(edits.map((edit) => edit.file))) {
      const text = this.program.files.find(({ fileName }) => fileName === file)!.text;
      this.texts.set(
        file,
        applyEdits(
          text,
          edits.filter((edit) => edit.file === file),
        ),
      );
    }
    this.reopen();
  }

  private restore(texts: ReadonlyMap<string, string>): void {
    if (isDeepStrictEqual(texts, this.texts)) return;
    this.texts.clear();
    for (const [file, text] of texts) this.texts.set(file, text);
    this.reopen();
  }

  private reopen(): void {
    this.program = this.program.with(this.texts);
    this.declarations = declarationsIn(this.program);
  }
}
