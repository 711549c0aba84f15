import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { resourceNameIn } from "../../provider/core/fields/tokens";
import { type Segment, valueAt } from "../../provider/core/values/paths";
import type { ProgramChange } from "./change";
import type { Holder, ProgramSurroundings } from "./outcome";
import { isAskedBy } from "./wanted";
import type { RefusedPart, Wish } from "./wishes";

/**
 * Why a value that the program writes once for all stacks is not edited for some of them; undefined where it may be.
 */
export function sharedReason(
  wishes: readonly (Wish | RefusedPart)[],
  { finding, path, change }: Wish & { act: "say" },
  { holders, config }: ProgramSurroundings,
): string | undefined {
  const asks = (wish: Wish): boolean =>
    wish.act === "say" && wish.path === path && isDeepStrictEqual(wish.change.live, change.live);
  const other = holders(finding).find(
    (holder) => !saysAlready(holder, change) && !isAskedBy(wishes, holder.stack, finding, asks),
  );
  if (!other) return undefined;
  const own = finding.stacks.map((stack) => basename(config(stack).file)).join(", ");
  const { name, snippet } = configRead(finding.urn, change);
  const decide = `et the config decide it, as with \`${snippet}\`, and set \`${name}\` in ${own}`;
  const wanted = text(change.spelled);
  if (!other.inputs)
    return `may be shared with the stack ${other.stack} (${basename(config(other.stack).file)}), whose state is not at hand: \`up\` would then change it to ${wanted} there. Give that state with --stack-file or --backend, or l${decide}`;
  const recorded = text(valueAt(other.inputs, change.path));
  return `is shared with the stack ${other.stack}, where \`up\` would then change it from ${recorded} to ${wanted}. L${decide}`;
}

/** Why a declaration is not taken away; undefined where it may be. */
export function heldReason(
  wishes: readonly (Wish | RefusedPart)[],
  { finding }: Wish & { act: "drop" },
  { holders }: ProgramSurroundings,
): string | undefined {
  const other = holders(finding).find(({ stack }) => !isAskedBy(wishes, stack, finding, ({ act }) => act === "drop"));
  if (!other) return undefined;
  return other.inputs
    ? `is there in the stack ${other.stack} of the same program`
    : `may be there in the stack ${other.stack} of the same program, whose state is not at hand`;
}

/** After the edit, the stack's next `up` has nothing to change about it. */
const saysAlready = ({ inputs }: Holder, { path, live, spelled, desired }: ProgramChange): boolean =>
  inputs !== undefined && [live, spelled, desired].some((each) => isDeepStrictEqual(valueAt(inputs, path), each));

const text = (value: unknown): string => (value === undefined ? "unset" : JSON.stringify(value));

/** How a program can read the value from the stack's config, and stay as it is where the config says nothing. */
function configRead(urn: string | null, { path, recorded, spelled }: ProgramChange): { name: string; snippet: string } {
  const parts = [resourceNameIn(urn ?? ""), ...path.map(String)].flatMap((part: Segment) =>
    String(part).split(/[^A-Za-z0-9]+/),
  );
  const [first = "", ...others] = parts.filter((part) => part !== "");
  const name = [first, ...others.map((part) => part.charAt(0).toUpperCase() + part.slice(1))].join("");
  const get = getters[typeof (spelled ?? recorded)] ?? "getObject";
  const fallback = recorded === undefined ? "" : ` ?? ${JSON.stringify(recorded)}`;
  return { name, snippet: `new pulumi.Config().${get}(${JSON.stringify(name)})${fallback}` };
}

const getters: Readonly<Record<string, string>> = { string: "get", number: "getNumber", boolean: "getBoolean" };
