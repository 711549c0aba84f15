import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A command line that a script has to refuse, or a check that has to fail. */
interface Refusal {
  /** The flag or argument that fails, as `--help` names it; empty where it is another reason. */
  by: string;
  args: readonly string[];
  code: number;
  /** On either output. */
  says: RegExp;
  /** Makes it fail, in a copy of the checkout. */
  before?: (folder: string) => void;
}

/** An exit code of `sysexits.h`, as the command line has it. */
const usage = 64;

const page = join("docs", "resources", "user.md");
const leftOver = join("docs", "resources", "retired-kind.md");
const list = "no-list.json";

const refused = (by: string, args: readonly string[], says: RegExp, before?: Refusal["before"]): Refusal => ({
  ...{ by, args, code: usage, says },
  ...(before && { before }),
});

/** By script: a case that fails for each flag and each argument that its `--help` names. */
export const refusals: Readonly<Record<string, readonly Refusal[]>> = {
  generate: [
    {
      by: "--check",
      args: ["--check"],
      code: 1,
      says: /docs\/resources\/user\.md is not what the declarations say/,
      before: (folder) => appendFileSync(join(folder, page), "A line of somebody's own.\n"),
    },
    {
      by: "--check",
      args: ["--check"],
      code: 1,
      says: /docs\/resources\/retired-kind\.md is not what the declarations say/,
      before: (folder) => writeFileSync(join(folder, leftOver), "A kind of long ago.\n"),
    },
    refused("--check", ["--check=docs"], /--check/),
  ],
  executables: [refused("<platform>", ["plan9-mips"], /plan9-mips.*linux-amd64/)],
  release: [
    refused("", [], /Push a tag/),
    refused("--rehearse", ["--rehearse", "cobol"], /cobol/),
    refused("--dry-run", ["--dry-run=yes"], /--dry-run/),
    refused("--tag", ["--dry-run", "--tag"], /--tag/),
    refused("<platform>", ["--dry-run", "plan9-mips"], /plan9-mips.*linux-amd64/),
  ],
  "release:version": [
    refused("<version>", [], /takes <version>.*such as 1\.2\.3/s),
    refused("<version>", ["1.2"], /1\.2.*1\.2\.3/),
    refused("<version>", ["1.2.3", "1.2.4"], /does not take `1\.2\.4`/),
  ],
  "test:nightly": [refused("--part", ["--part", "9/4"], /9\/4/), refused("--part", ["--part", "one"], /one/)],
  bench: [refused("<bench>", ["haste"], /haste.*requests/s)],
  "test:sdk": [
    refused("<version>", ["three?"], /three\?/),
    refused("--node", ["3.216.0", "--node", "twenty?"], /twenty\?/),
  ],
  mutants: [
    refused("--seed", ["--seed", "one"], /--seed one/),
    refused("--count", ["--count", "0"], /--count 0/),
    refused("--within", ["--within", "provider/nowhere"], /provider\/nowhere/),
    refused("--suites", ["--suites", "("], /--suites \(/),
    refused("--each", ["--each=yes"], /--each/),
    refused("--compiled", ["--compiled"], /--compiled.*--suites/),
    refused("--map", ["--map", "."], /--map \./),
    refused("--mutants", ["--mutants", list], /no-list\.json/, (at) => writeFileSync(join(at, list), "none\n")),
  ],
  build: [refused("", ["--watch"], /--watch/)],
  prepack: [refused("", ["--watch"], /--watch/)],
};
