import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parsePath, type Segment } from "../../provider/core/values/values";
import { specOf } from "../../provider/resources/index";
import type { CorpusCase, Drift } from "../rewrite/corpus";
import type { Values } from "../values";
import type { Ended } from "./commands";
import { account, type Site } from "./site";
import { type OpenSite, runAsIs } from "./sites";

/** The program of a case as a project of its own, with its stacks. */
export class CorpusSite {
  private constructor(
    readonly site: Site,
    private readonly example: CorpusCase,
  ) {}

  static async open(example: CorpusCase, open: OpenSite): Promise<CorpusSite> {
    const site = await open({ program: "shop" });
    const all = new CorpusSite(site, example);
    for (const [name, { before }] of Object.entries(example.files)) {
      const file = join(site.program, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, before);
    }
    return all;
  }

  /** Makes what the program declares, and changes it outside the program. */
  async prepare(): Promise<void> {
    await this.site.expect(0, "up");
    for (const drift of this.example.drift) await this.change(drift);
  }

  private async change(drift: Drift): Promise<void> {
    const { site } = this;
    if (drift.what === "unmanaged")
      return void (await site.seed({
        [`accounts/${account}/${specOf(drift.kind)!.collection}/${drift.name}`]: drift.live,
      }));
    const name = String(site.resource(drift.name).id);
    if (drift.what === "missing") return site.tamper(name);
    const found = [...site.emulator.world.all()].find(({ fields }) => fields["name"] === name);
    const fields = structuredClone(found?.fields ?? {}) as Values;
    put(fields, parsePath(drift.path), drift.live);
    // Settings that nobody has saved yet are no object.
    if (!found) return void (await site.seed({ [name]: fields }));
    await site.tamper(name, { ...fields, ...cleared(found.fields as Values, fields) });
  }

  /** Runs `accept` on the stack as it is, with `--json`; what the case allows is named as a first run leaves it. */
  async accept(...more: string[]): Promise<Ended> {
    const { allow, only } = this.example;
    const args = [
      ...["accept", "--backend", this.site.env["PULUMI_BACKEND_URL"]!, "--unmanaged", "--json"],
      ...only.flatMap((each) => ["--only", each]),
    ];
    const { left } =
      allow.length === 0
        ? { left: [] }
        : (JSON.parse((await runAsIs(this.site, args)).stdout) as { left: { rule?: string; allow?: string }[] });
    const named = left.flatMap((part) => (part.allow && allow.includes(part.rule!) ? ["--allow", part.allow] : []));
    return runAsIs(this.site, [...args, ...named, ...more]);
  }

  /** The program's files as they are. */
  files(): Record<string, string> {
    return Object.fromEntries(
      Object.keys(this.example.files).map((name) => [
        name,
        withoutSalt(readFileSync(join(this.site.program, name), "utf8")),
      ]),
    );
  }

  close = (): Promise<void> => this.site.close();
}

/** The first `up` of a stack gives its config one. */
const withoutSalt = (text: string): string => text.replace(/^encryptionsalt: .*\n/m, "");

/** Members that are no longer there, as a merge patch takes them away. */
function cleared(before: Values, after: Values): Values {
  const gone = Object.keys(before).filter((name) => after[name] === undefined);
  const nested = Object.keys(before).flatMap((name) => {
    const [was, is] = [before[name], after[name]];
    return isValues(was) && isValues(is) ? [[name, { ...is, ...cleared(was, is) }] as const] : [];
  });
  return { ...Object.fromEntries(gone.map((name) => [name, null])), ...Object.fromEntries(nested) };
}

const isValues = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function put(target: Values | Values[], [first, ...rest]: readonly Segment[], value: unknown): void {
  if (Array.isArray(target)) {
    const index = target.findIndex((row) => row["model"] === first);
    if (rest.length > 0) put(target[index]!, rest, value);
    else if (index < 0) target.push(value as Values);
    else target.splice(index, 1, ...(value === undefined ? [] : [value as Values]));
  } else if (rest.length > 0) {
    target[String(first)] ??= {};
    put(target[String(first)] as Values, rest, value);
  } else if (value === undefined) delete target[String(first)];
  else target[String(first)] = value;
}
