import { isDeepStrictEqual } from "node:util";
import type { Finding } from "../drift/document";
import { type Step, stepTo } from "./change";
import { configValue, withConfigValue } from "./config-text";
import { type Declaration, declarationsIn, findDeclaration, isObstacle, type Obstacle } from "./declarations";
import { added } from "./declare";
import { dropped } from "./drop";
import type { Rewritten, Surroundings } from "./outcome";
import type { FileChange } from "./patch";
import type { Place, Program } from "./program";
import { applyEdits, type TextEdit } from "./text-edits";
import { isRefusal, type Refusal, type Wish } from "./wishes";

/** Edits the program so that it satisfies the wishes, one after the other. Only texts are made: nothing is written. */
export function rewrite(program: Program, wishes: readonly (Wish | Refusal)[], around: Surroundings): Rewritten {
  return new Rewriting(program, wishes, around).run();
}

/** More steps than any value needs. */
const mostSteps = 1000;

class Rewriting {
  private readonly texts = new Map<string, string>();
  private readonly configs = new Map<string, FileChange>();
  private program: Program;
  private declarations: readonly Declaration[];
  private readonly result: Rewritten = { accepted: [], left: [], files: [] };

  constructor(
    private readonly original: Program,
    private readonly wishes: readonly (Wish | Refusal)[],
    private readonly around: Surroundings,
  ) {
    this.program = original;
    this.declarations = declarationsIn(original);
  }

  run(): Rewritten {
    const originals = this.declarations;
    for (const wish of this.wishes) {
      if (isRefusal(wish)) {
        this.leave(wish, wish, this.whereabouts(originals, wish));
        continue;
      }
      const failed = this.grant(wish);
      if (failed) this.leave(wish, failed, failed.place ?? this.whereabouts(originals, wish));
    }
    const texts = [...this.texts].map(([file, after]) => ({
      file,
      before: this.original.files.find(({ fileName }) => fileName === file)!.text,
      after,
    }));
    this.result.files.push(...[...texts, ...this.configs.values()].filter(({ before, after }) => before !== after));
    return this.result;
  }

  /** Where a person begins to look. */
  private whereabouts(originals: readonly Declaration[], { finding }: Wish | Refusal): Place | undefined {
    if (finding.verdict === "unmanaged") return undefined;
    const found = findDeclaration(this.original, originals, soughtOf(finding));
    return found.place;
  }

  private leave({ finding, ...wish }: Wish | Refusal, obstacle: Obstacle & { rule?: string }, place?: Place): void {
    const { reason, rule } = obstacle;
    const value = "change" in wish ? wish.change.spelled : "value" in wish ? wish.value : undefined;
    this.result.left.push({
      finding,
      ...("path" in wish && wish.path !== undefined && { path: wish.path }),
      reason,
      ...(rule !== undefined && { rule }),
      ...(place && { place }),
      ...(value !== undefined && { value }),
    });
  }

  /** Why not, and the texts are unchanged; or nothing. */
  private grant(wish: Wish): Obstacle | undefined {
    const { finding } = wish;
    if (wish.act === "declare") return this.declare(finding);
    const declaration = findDeclaration(this.program, this.declarations, soughtOf(finding));
    if (isObstacle(declaration)) return declaration;
    return wish.act === "drop" ? this.drop(finding, declaration) : this.say(wish, declaration);
  }

  private declare(finding: Finding): Obstacle | undefined {
    const statement = this.around.statements?.get(finding.name);
    if (statement === undefined || typeof statement === "string")
      return { reason: statement ?? "is not in any stack, and nothing was read to declare it" };
    const edits = added(this.program, statement);
    if (isObstacle(edits)) return edits;
    this.apply(edits);
    this.result.accepted.push({ finding });
    return undefined;
  }

  private drop(finding: Finding, declaration: Declaration): Obstacle | undefined {
    const other = this.around
      .holders(finding)
      .find((stack) => !this.isAskedBy(stack, finding, (wish) => wish.act === "drop"));
    if (other !== undefined)
      return { reason: `is there in the stack ${other} of the same program`, place: declaration.place };
    const edits = dropped(this.program, declaration);
    if (isObstacle(edits)) return edits;
    const { place } = findDeclaration(this.original, declarationsIn(this.original), soughtOf(finding));
    this.apply(edits);
    this.result.accepted.push({ finding, ...(place && { place }) });
    return undefined;
  }

  private say(wish: Wish & { act: "say" }, first: Declaration): Obstacle | undefined {
    const { finding, path, change } = wish;
    const before = new Map(this.texts);
    let declaration = first;
    for (let count = 0; count < mostSteps; count += 1) {
      const step = stepTo(this.program, declaration, change);
      const failed = isObstacle(step) ? step : this.take(step, wish, declaration);
      if (failed) {
        this.restore(before);
        return failed;
      }
      if (isObstacle(step) || "config" in step || step.edits.length === 0) break;
      const found = findDeclaration(this.program, this.declarations, soughtOf(finding));
      if (isObstacle(found)) throw new Error(`${finding.name} is no longer declared after an edit of \`${path}\``);
      declaration = found;
    }
    this.result.accepted.push({ finding, path, place: first.place });
    return undefined;
  }

  private take(step: Step, wish: Wish & { act: "say" }, declaration: Declaration): Obstacle | undefined {
    if ("config" in step) return this.configure(step, wish, declaration);
    if (step.edits.length === 0) return undefined;
    const { finding, path, change } = wish;
    const asks = (other: Wish): boolean =>
      other.act === "say" && other.path === path && isDeepStrictEqual(other.change.live, change.live);
    const other = this.around.holders(finding).find((stack) => !this.isAskedBy(stack, finding, asks));
    if (other !== undefined)
      return {
        reason: `has another value in the stack ${other} of the same program; let the config decide it`,
        place: declaration.place,
      };
    this.apply(step.edits);
    return undefined;
  }

  /** Whether a stack wants the same of its resource of that name. */
  private isAskedBy(stack: string, { type, urn }: Finding, asks: (wish: Wish) => boolean): boolean {
    return this.wishes.some(
      (wish) =>
        !isRefusal(wish) &&
        wish.finding.stacks.includes(stack) &&
        wish.finding.type === type &&
        nameIn(wish.finding.urn) === nameIn(urn) &&
        asks(wish),
    );
  }

  private configure(
    { config, value }: Extract<Step, { value: unknown }>,
    { finding, change }: Wish & { act: "say" },
    { place }: Declaration,
  ): Obstacle | undefined {
    const key = config.path.length > 0 ? `${config.key}.${config.path.join(".")}` : config.key;
    if (config.mustBeTruthy && !value)
      return { reason: `comes from the config \`${key}\`, where ${String(value)} counts as none`, place };
    for (const stack of finding.stacks) {
      const { file, text } = this.around.config(stack);
      const known = this.configs.get(file) ?? { file, before: text, after: text ?? "" };
      const said = configValue(known.after, this.around.project, config);
      if (said === "secret") return { reason: `is a secret in the config \`${key}\``, place };
      const isAged =
        said !== undefined &&
        !says(said.value, change.recorded) &&
        !says(said.value, change.live) &&
        !says(said.value, change.spelled);
      if (isAged)
        return {
          reason: `is ${JSON.stringify(said.value)} in the config \`${key}\`, and was ${JSON.stringify(change.recorded)} when it was scanned; run \`up\` or scan again`,
          place,
        };
      if (said !== undefined && says(said.value, value)) continue;
      this.configs.set(file, { ...known, after: withConfigValue(known.after, this.around.project, config, value) });
    }
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

/** A config keeps numbers and flags as text, too. */
const says = (said: unknown, value: unknown): boolean =>
  isDeepStrictEqual(said, value) ||
  (value !== undefined && typeof value !== "object" && String(said) === String(value));

const nameIn = (urn: string | null): string | undefined => urn?.split("::").slice(3).join("::");

const soughtOf = ({ type, urn, source }: Finding) => ({
  kind: type,
  name: nameIn(urn) ?? "",
  ...(source && { source }),
});
