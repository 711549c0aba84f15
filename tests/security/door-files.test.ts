import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createEmulator } from "../../emulator/index";
import { drift, engine, shop } from "../cli/accepting";
import { project, temporaryFolder } from "../cli/terminal";
import { exported } from "../drift/support/stacks";
import { testPairs } from "./pairs";
import { answers, type CommandEnding, ending, expectSpoken, listening, operator } from "./scene";

/**
 * The attacker is a neighbour who can lay files where a command of the operator's writes. They want a file of the
 * operator's overwritten, a file where there is none, a copy of what is written, or a command that never ends.
 */
const user = { name: "accounts/acme/users/ada", email: "ada@example.com", role: "user", state: "READY" };
const service = () =>
  listening(answers({ "GET /v1/accounts/acme/users": { body: { users: [user] } }, "GET /v1/": {} }));

/** A command that writes a file, run in a folder where the attacker has been first. */
interface Writer {
  /** The file, below the command's folder. */
  file: string;
  run(lay: (cwd: string) => void): Promise<CommandEnding>;
}

const scanning =
  (line: string) =>
  async (lay: (cwd: string) => void): Promise<CommandEnding> => {
    const cwd = temporaryFolder();
    const { url } = await service();
    writeFileSync(join(cwd, "prod.json"), JSON.stringify(exported([])));
    lay(cwd);
    return ending(line, { cwd, env: operator(url) });
  };

const accepting =
  (line: string) =>
  async (lay: (cwd: string) => void): Promise<CommandEnding> => {
    const cwd = await shop(drift);
    lay(cwd);
    return ending(`accept --report drift.json ${line}`, {
      cwd,
      env: { PULUMI_NODEJS_TRANSPILE_ONLY: "true" },
      engine: engine([], []),
    });
  };

const exporting = async (lay: (cwd: string) => void): Promise<CommandEnding> => {
  const { cwd, env } = await project("dev");
  lay(cwd);
  return ending("stack export --stack dev --file out/f", { cwd, env });
};

const drifting = "drift --stack-file prod.json --unmanaged --account acme";
const expiry = "--owner ops --reason known --expires";
const inTwoMonths = new Date(Date.now() + 60 * 86_400_000).toISOString().slice(0, 10);

const writers: readonly (readonly [string, Writer])[] = [
  ["a report", { file: "out/f", run: scanning(`${drifting} --format json --output out/f`) }],
  [
    "one of many reports",
    { file: "out/drift.json", run: scanning(`${drifting} --format json --format csv --output out`) },
  ],
  [
    "a baseline",
    {
      file: "out/f",
      run: scanning(`${drifting.replace("drift", "drift baseline")} --output out/f ${expiry} ${inTwoMonths}`),
    },
  ],
  ["a program", { file: "out/index.ts", run: scanning("codify --output out --force") }],
  ["settings of a probe", { file: "out/f", run: scanning("probe --output out/f") }],
  ["a trace", { file: "out/f", run: scanning("call listUsers --trace out/f") }],
  ["a patch", { file: "out/f", run: accepting("--patch out/f") }],
  ["the text of a pull request", { file: "out/f", run: accepting("--format markdown --output out/f --patch p") }],
  ["an export", { file: "out/f", run: exporting }],
];

const precious = "the operator's only copy";

/** Lays something at the writer's file, runs it, and looks at what came of it. */
const attacks: readonly (readonly [string, (writer: Writer) => Promise<void>])[] = [
  [
    "through a link to a file of the operator",
    async ({ file, run }) => {
      const target = join(temporaryFolder(), "target");
      writeFileSync(target, precious);
      expectSpoken((await run((cwd) => laid(cwd, file, (path) => symlinkSync(target, path)))).said);
      expect(readFileSync(target, "utf8")).toBe(precious);
    },
  ],
  [
    "through a link to where nothing is",
    async ({ file, run }) => {
      const target = join(temporaryFolder(), "authorized_keys");
      expectSpoken((await run((cwd) => laid(cwd, file, (path) => symlinkSync(target, path)))).said);
      expect(existsSync(target)).toBe(false);
    },
  ],
  [
    "through temporary names that can be guessed",
    async ({ file, run }) => {
      const target = join(temporaryFolder(), "target");
      writeFileSync(target, precious);
      const endings = ["tmp", "new", "bak", "part", "lock", "swp", "0", String(process.pid)];
      const { said } = await run((cwd) => {
        laid(cwd, file, (path) => {
          for (const each of endings) symlinkSync(target, `${path}.${each}`);
        });
      });
      expectSpoken(said);
      expect(readFileSync(target, "utf8")).toBe(precious);
    },
  ],
  [
    "into a pipe that somebody listens at",
    async ({ file, run }) => {
      let pipe = -1;
      const { said } = await run((cwd) =>
        laid(cwd, file, (path) => {
          execFileSync("mkfifo", [path]);
          pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
        }),
      );
      const heard = heardFrom(pipe);
      expectSpoken(said);
      expect(heard).toBe("");
    },
  ],
  [
    "over a folder",
    async ({ file, run }) => {
      let folder = "";
      const { code, said } = await run((cwd) => laid(cwd, file, (path) => mkdirSync((folder = path))));
      expectSpoken(said);
      expect({ refused: code !== 0, said }).toMatchObject({ refused: true });
      expect(readdirSync(folder)).toEqual([]);
    },
  ],
];

/** The file's folder is there, and the attacker has been in it. */
function laid(cwd: string, file: string, lay: (path: string) => void): void {
  mkdirSync(join(cwd, "out"), { recursive: true });
  lay(join(cwd, file));
}

function heardFrom(pipe: number): string {
  const bytes = Buffer.alloc(65_536);
  try {
    return bytes.toString("utf8", 0, readSync(pipe, bytes));
  } catch {
    return "";
  } finally {
    closeSync(pipe);
  }
}

const title = (writer: string, attack: string): string => `${writer} is not written ${attack}`;
testPairs(writers, attacks, title, (writer, attack) => attack(writer));

/** A report is for whom the umask says; a program is the project's, and a patch is made of it. */
const open = [
  ...["a report", "one of many reports", "a baseline", "a program", "settings of a probe", "a patch"],
  "the text of a pull request",
];
for (const [name, { file, run }] of writers)
  test(title(name, open.includes(name) ? "for others to write" : "for others to read"), async () => {
    const umask = process.umask(0);
    try {
      let path = "";
      const { said } = await run((cwd) => laid(cwd, file, (there) => void (path = there)));
      expectSpoken(said);
      expect((statSync(path).mode & 0o777).toString(8)).toBe(open.includes(name) ? "664" : "600");
    } finally {
      process.umask(umask);
    }
  });

/** A folder of the emulator's in which somebody has been first. */
for (const name of ["world.json", "world.json.tmp", "world.json.new", "log.jsonl", "1.jsonl", "journal.jsonl"]) {
  test(`an emulator's data folder with a link at ${name} leaves what it leads to`, async () => {
    const [data, elsewhere] = [temporaryFolder(), temporaryFolder()];
    const target = join(elsewhere, "target");
    writeFileSync(target, precious);
    symlinkSync(target, join(data, name));
    try {
      const emulator = createEmulator({ data, accounts: { acme: "acme-key" } });
      await emulator.fetch(
        new Request("http://127.0.0.1/v1/accounts/acme/users?userId=ada", {
          ...{ method: "POST", body: JSON.stringify({ email: "a@example.com", role: "user" }) },
          headers: { host: "127.0.0.1", authorization: "Bearer acme-key", "content-type": "application/json" },
        }),
      );
      await emulator.close();
    } catch (error) {
      expectSpoken(String(error));
    }
    expect(readFileSync(target, "utf8")).toBe(precious);
  });
}

test("an edit of a config that is a link out of the project leaves what it leads to", async () => {
  const cwd = await shop([
    { stack: "dev", kind: "User", name: "ada", what: "changed", path: "displayName", recorded: "Ada", live: "Eve" },
  ]);
  const target = join(temporaryFolder(), "target.yaml");
  const config = "config:\n  shop:who: Ada\n";
  writeFileSync(target, config);
  symlinkSync(target, join(cwd, "Pulumi.dev.yaml"));
  writeFileSync(
    join(cwd, "index.ts"),
    'import * as pulumi from "@pulumi/pulumi";\nimport { User } from "pulumi-modelplatform";\n' +
      'new User("ada", { email: "a@example.com", role: "user", displayName: new pulumi.Config().require("who") });\n',
  );
  const env = { PULUMI_NODEJS_TRANSPILE_ONLY: "true" };
  const setting = { cwd, env, engine: engine([], []) };
  expectSpoken((await ending("accept --report drift.json --write", setting)).said);
  expect(readFileSync(target, "utf8")).toBe(config);
});
