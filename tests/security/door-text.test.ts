import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "@swc/core";
import { parse } from "yaml";
import { accept, engine, shop } from "../cli/accepting";
import { modelplatform, project, temporaryFolder } from "../cli/terminal";
import { testPairs } from "./pairs";
import { answers, ending, expectSpoken, listening, operator } from "./scene";

/**
 * The attacker chooses a display name. They want it to become a line of the stack's config, as the Pulumi CLI reads it,
 * or a statement of a program.
 */
const setting = (lineBreak: string): string =>
  `Ada${lineBreak}  modelplatform:baseUrl:${lineBreak}    https://evil.example`;

const texts: readonly (readonly [string, string])[] = [
  ["a setting after a line separator", setting("\u2028")],
  ["a setting after a paragraph separator", setting("\u2029")],
  ["a setting after a next-line character", setting("\u0085")],
  ["a setting after a line feed", setting("\n")],
  ["a setting after a carriage return", setting("\r")],
  ["a setting after both", setting("\r\n")],
  ["a setting on the same column", "Ada\nmodelplatform:baseUrl: https://evil.example"],
  ["a document that begins", "---\nconfig:\n  modelplatform:baseUrl: https://evil.example"],
  ["a document that ends", "...\nconfig:\n  modelplatform:baseUrl: https://evil.example"],
  ["a document mark in its middle", "Ada\n---\nconfig:\n  modelplatform:baseUrl: https://evil.example\n"],
  ["a mark of documents with a text", "--- Ada"],
  ["a byte order mark", "\ufeffAda\ufeff"],
  ["an anchor", "&ada Ada"],
  ["an alias", "*salt"],
  ["a tag", "!!binary aGVsbG8="],
  ["a merge", "<<: {modelplatform:baseUrl: https://evil.example}"],
  ["a directive", "%YAML 1.1"],
  ["a mapping in one line", "{modelplatform:baseUrl: https://evil.example}"],
  ["a comment", "Ada # modelplatform:baseUrl: https://evil.example"],
  ["quotes that end", `Ada"\n  modelplatform:baseUrl: "https://evil.example`],
  ["single quotes that end", "Ada'\n  modelplatform:baseUrl: 'https://evil.example"],
  ["a fold that keeps its end", "Ada\n\n\n  \n"],
  ["tabs and spaces at its ends", "\t Ada\u00a0 \t"],
  ["control characters", "Ada\u0007\u001b[2J\u007f\u0001"],
  ["a word that old YAML takes for a truth", "off"],
  ["a number of base sixty", "12:30:45"],
  ["a date", "2026-01-01"],
  ["nothing", "~"],
];

/** Where the Pulumi CLI's reader begins a new line. */
const breaks = /\r\n|[\n\r\u0085\u2028\u2029]/g;
/** What that reader refuses wherever it stands. */
const unreadable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u0080-\u0084\u0086-\u009f]|(?!^)\ufeff/;

type Values = Record<string, unknown>;

/** The config as the Pulumi CLI reads it. */
function asPulumiReads(text: string): Values {
  expect(text).not.toMatch(unreadable);
  return (parse(text.replace(breaks, "\n"), { version: "1.1", schema: "core" }) as { config: Values }).config;
}

const before = `# Of the team on call.
config:
  # As agreed.
  shop:who: Ada # OPS-1
  modelplatform:baseUrl: https://api.example.com
  shop:team: search
`;

const fileOf = (cwd: string): string => join(cwd, "Pulumi.dev.yaml");

/** Either nothing was written, or that value alone. */
function expectOnly(cwd: string, value: string, code: number, said: string): void {
  expectSpoken(said);
  const text = readFileSync(fileOf(cwd), "utf8");
  if (code !== 0) return expect(text).toBe(before);
  expect(asPulumiReads(text)).toEqual({ ...asPulumiReads(before), "shop:who": value });
  const others = (each: string): string[] => each.split("\n").filter((line) => !/shop:who|^\s{4}|^\s*$/.test(line));
  expect(others(text)).toEqual(others(before));
}

const program = `import * as pulumi from "@pulumi/pulumi";
import { User } from "pulumi-modelplatform";

const config = new pulumi.Config();
new User("ada", { email: "ada@example.com", role: "user", displayName: config.require("who") });
`;

const renamed = (live: string) => ({
  ...{ stack: "dev", kind: "User", name: "ada", what: "changed" as const, path: "displayName" },
  ...{ recorded: "Ada", live },
});

const writers: readonly (readonly [string, (text: string) => Promise<void>])[] = [
  [
    "`config set`",
    async (text) => {
      const place = await project("dev");
      writeFileSync(fileOf(place.cwd), before);
      const { code, stdout, stderr } = await modelplatform(["config", "set", "--plaintext", "who", "--", text], place);
      expectOnly(place.cwd, text, code, stdout + stderr);
    },
  ],
  [
    "`accept --write` of a value of the config",
    async (text) => {
      const cwd = await shop([renamed(text)]);
      writeFileSync(join(cwd, "index.ts"), program);
      writeFileSync(fileOf(cwd), before);
      const { code, stdout, stderr } = await accept(cwd, "--write", { engine: engine([], []) });
      expectOnly(cwd, text, code, stdout + stderr);
    },
  ],
  [
    "`accept --write` of a literal",
    async (text) => {
      const cwd = await shop([renamed(text)]);
      const { code, stdout, stderr } = await accept(cwd, "--write", { engine: engine([], []) });
      expectSpoken(stdout + stderr);
      const names = declaredIn(readFileSync(join(cwd, "index.ts"), "utf8"));
      expect(names).toEqual([["User", code === 0 ? text : "Ada"]]);
    },
  ],
];

/** Kinds and display names that the program declares when it runs; it has nothing else to reach. */
function declaredIn(source: string): [string, unknown][] {
  const { code } = transformSync(source, {
    jsc: { parser: { syntax: "typescript" }, target: "es2022" },
    module: { type: "commonjs" },
  });
  const found: [string, unknown][] = [];
  const classOf = (kind: string) =>
    class {
      constructor(_: string, { displayName }: { displayName?: unknown }) {
        if (displayName !== undefined) found.push([kind, displayName]);
      }
    };
  new Function("exports", "require", code)({}, () => ({ Deployment: classOf("Deployment"), User: classOf("User") }));
  return found;
}

testPairs(
  writers,
  texts,
  (writer, text) => `${writer} writes ${text} as a value, and nothing else`,
  (write, text) => write(text),
);

/** Keys that the person on call is talked into. */
for (const [what, key] of [
  ["a line feed", "who\n  modelplatform:baseUrl"],
  ["a line separator", "who\u2028  modelplatform:baseUrl"],
  ["a colon and a space", "who: x, modelplatform:baseUrl"],
  ["a comment", "who #"],
  ["an anchor", "&who"],
  ["a name of every object", "__proto__"],
] as const) {
  test(`a key of the config with ${what} sets itself or nothing`, async () => {
    const place = await project("dev");
    writeFileSync(fileOf(place.cwd), before);
    const { stderr } = await modelplatform(["config", "set", "--plaintext", key, "https://evil.example"], place);
    expectSpoken(stderr);
    const config = asPulumiReads(readFileSync(fileOf(place.cwd), "utf8"));
    expect(config).toMatchObject({ "modelplatform:baseUrl": "https://api.example.com", "shop:who": "Ada" });
    expect(Object.keys(config).length).toBeLessThanOrEqual(4);
  });
}

/** Layouts of a file that an edit of one value leaves as they are. */
for (const [what, lines] of [
  ["lists in one line", "  shop:team: [search, ads]\n  shop:map: {a: 1,  b: 2}\n"],
  ["odd indents", "      # deep\n  shop:team:\n        - search\n        - ads\n"],
  ["long folded text", `  shop:text: >-\n    ${"word ".repeat(60)}\n    more\n`],
  ["quotes of both kinds", "  shop:a: 'it''s'\n  shop:b: \"\\u2028\"\n"],
  ["numbers as people write them", "  shop:a: 0x1F\n  shop:b: 1_000\n  shop:c: 012\n  shop:d: 1.10\n"],
  ["anchors", "  shop:a: &a one\n  shop:b: *a\n"],
  ["spaces at the ends of lines", "  shop:a: one   \n\n\n  # end  \n"],
] as const) {
  test(`a value that is set leaves ${what} beside it byte for byte`, async () => {
    const place = await project("dev");
    const text = `config:\n  shop:who: Ada\n${lines}`;
    writeFileSync(fileOf(place.cwd), text);
    expect((await modelplatform(["config", "set", "who", "Eve"], place)).code).toBe(0);
    expect(readFileSync(fileOf(place.cwd), "utf8")).toBe(text.replace(/who: Ada/, "who: Eve"));
  });
}

const statements: readonly (readonly [string, string])[] = [
  ["a quote and a statement", '";\nEVIL();//'],
  ["a template", "${EVIL()}`+EVIL()+`"],
  ["a line separator", "x\u2028EVIL();\u2029EVIL()"],
  ["the end of a comment", "*/\nEVIL()\n/*"],
  ["three quotes", '"""\nEVIL()\n"""'],
  ["a backslash at its end", "x\\"],
];

/** Programs for an account whose members have chosen such names. */
testPairs(
  [
    ["TypeScript", "codify"],
    ["Python", "codify --for python"],
    ["a program of the plugin", "codify --for plugin"],
  ] as const,
  statements,
  (target, text) => `${target} that \`codify\` writes has ${text} in a name as text`,
  async (line, text) => {
    const user = { name: "accounts/acme/users/ada", email: "ada@example.com", role: "user", displayName: text };
    const model = { name: "accounts/acme/models/m", kind: "CUSTOM_MODEL", description: text, state: "READY" };
    const service = await listening(
      answers({
        "GET /v1/accounts/acme/users": { body: { users: [user] } },
        "GET /v1/accounts/acme/models": { body: { models: [model] } },
        "GET /v1/": {},
      }),
    );
    const { said, stdout } = await ending(line, { cwd: temporaryFolder(), env: operator(service.url) });
    expectSpoken(said);
    expect(stdout).toContain("ada@example.com");
    expect(stdout.split(breaks).filter((each) => /^\s*(EVIL|"""|;)/.test(each))).toEqual([]);
    expect(said).not.toMatch(/[\u2028\u2029\u0085]/);
  },
);

for (const text of ["a\nerror: all is well", "a\r::set-output name=x::y", "a\u2028b"] as const) {
  const name = JSON.stringify(text);
  test(`what \`codify\` says of an object named ${name} stays on its line`, async () => {
    const user = { name: `accounts/acme/users/${text}`, email: "ada@example.com", role: "user", state: "DELETING" };
    const service = await listening(
      answers({ "GET /v1/accounts/acme/users": { body: { users: [user] } }, "GET /v1/": {} }),
    );
    const { stderr, said } = await ending("codify", { cwd: temporaryFolder(), env: operator(service.url) });
    expectSpoken(said);
    expect(stderr.split(breaks).filter((line) => /^(error: all|::set|b\b)/.test(line))).toEqual([]);
  });
}
