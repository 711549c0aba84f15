import { parseArgs } from "node:util";

export const usage = `Usage: npm run test:nightly -- [--part <i>/<n>] [--fresh] [<pattern>…] [-- <flags of jest>]
       npm run test:nightly -- --record [--share <n>] [<suite>…]

Runs what \`npm test\` leaves out.

  --part <i>/<n>   the i-th of n parts, which together run every test once
  --fresh          draws other seeds, and prints them
  --record         runs suites alone, and writes how long they take into tests/night/recorded.json:
                   those that have no record, or the named ones
  --share <n>      of suites that take hours, records one in n tests, and concludes from them
  <pattern>        only suites whose path contains it`;

export class UsageError extends Error {}

export interface Night {
  part: number;
  of: number;
  isFresh: boolean;
  patterns: readonly string[];
  /** What jest is given besides. */
  jest: readonly string[];
}

export interface Recording {
  record: readonly string[];
  /** Plays one in so many tests. */
  share: number;
}

/** What a command line asks for. */
export function asked(args: readonly string[]): Night | Recording | "help" {
  const end = args.indexOf("--");
  const [own, jest] = end === -1 ? [args, []] : [args.slice(0, end), args.slice(end + 1)];
  const { values, positionals: patterns } = parsed(own);
  if (values.help) return "help";
  if (values.record) {
    if (values.part !== undefined || values.fresh || jest.length > 0)
      throw new UsageError(`\`--record\` takes the paths of suites alone.\n\n${usage}`);
    return { record: patterns, share: shareIn(values.share ?? "1") };
  }
  if (values.share !== undefined) throw new UsageError(`\`--share\` goes with \`--record\`.\n\n${usage}`);
  return { ...partIn(values.part ?? "1/1"), isFresh: values.fresh, patterns, jest };
}

function parsed(args: readonly string[]) {
  const options = {
    part: { type: "string" },
    fresh: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
    share: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  } as const;
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${usage}`);
  }
}

function partIn(text: string): { part: number; of: number } {
  const [, part, of] = (/^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text) ?? []).map(Number);
  if (part === undefined || of === undefined || part > of)
    throw new UsageError(`\`--part ${text}\` names no part: \`--part 2/5\` is the second of five.\n\n${usage}`);
  return { part, of };
}

function shareIn(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text))
    throw new UsageError(`\`--share ${text}\` is no number: \`--share 20\` records one test in twenty.\n\n${usage}`);
  return Number(text);
}
