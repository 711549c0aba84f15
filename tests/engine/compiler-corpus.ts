import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../e2e/engines";
import { faultOf, folderWith } from "./both-compilers";

const examples = join(repository, "examples");

/** The programs of all examples, by name. */
export const programs: ReadonlyMap<string, string> = new Map(
  readdirSync(examples, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith("index.ts") && !path.includes("node_modules"))
    .sort()
    .map((path) => [path.replaceAll("/", "-"), readFileSync(join(examples, path), "utf8")]),
);

/** Mistakes that people make, as edits of a program; one that finds nothing to edit changes nothing. */
const mistakes: Readonly<Record<string, (text: string) => string>> = {
  "a misspelt input": (text) => text.replace(/^( {2,})(\w+): /m, "$1$2s: "),
  "another misspelt input": (text) => text.replace(/^( {2,})(\w+)(: .*,\n[^]*?^}\))/m, "$1un$2$3"),
  "a number for a text": (text) => text.replace(/: "[^"]*",/, ": 7,"),
  "a text for a number": (text) => text.replace(/: \d+,/, `: "seven",`),
  "a missing input": (text) => text.replace(/^ {2}\w+: .*,\n/m, ""),
  "a class that is not imported": (text) => text.replace(/import \{ (\w+)/, "import { type $1 as Other"),
  "a class that does not exist": (text) => text.replace(/import \{ /, "import { Deploymint, "),
  "a package that does not exist": (text) => `import { nothing } from "no-such-package";\n${text}\nnothing();\n`,
  "a file that does not exist": (text) => `import "./no-such-file";\nimport { x } from "./none";\n${text}\nx;\n`,
  "an output used as its value": (text) =>
    `${text}\nimport * as p from "@pulumi/pulumi";\nexport const u: string = p.output("a");\nexport const v = p.output("a").toUppercase();\n`,
  "a parameter without a type": (text) => `${text}\nexport function same(value) {\n  return value;\n}\n`,
  "a value that may be missing": (text) =>
    `${text}\ndeclare const may: { size?: { of: number } };\nexport const size = may.size.of;\n`,
  "a constant that is set": (text) => `${text}\nconst fixed = 1;\nfixed = 2;\n`,
  "two of one name": (text) => `${text}\nlet twice = 1;\nlet twice = 2;\n`,
  "too few arguments": (text) =>
    `${text}\nimport { User } from "pulumi-modelplatform";\nexport const ada = new User("ada");\n`,
  "a role that does not exist": (text) =>
    `${text}\nimport { User as U } from "pulumi-modelplatform";\nexport const bob = new U("bob", { email: "b@example.com", role: "owner" });\n`,
  "an unknown setting of Node.js": (text) =>
    `${text}\nexport const home: string = process.env.HOME;\nprocess.exitt(1);\n`,
  "a promise that is not awaited": (text) => `${text}\nexport const size2: number = Promise.resolve(1);\n`,
  "await outside a function": (text) => `${text}\nexport const waited = await Promise.resolve(1);\n`,
  "a switch that forgets a case": (text) =>
    `${text}\nexport function f(x: "a" | "b"): number {\n  switch (x) {\n    case "a":\n      return 1;\n  }\n}\n`,
};

/** Programs with one mistake each, by name. */
export const mistakenPrograms: readonly (readonly [name: string, text: string])[] = Object.values(mistakes)
  .flatMap((edit) => [...programs].map(([name, text]) => [name, edit(text), text] as const))
  .filter(([, edited, text]) => edited !== text)
  .map(([name, edited], index) => [`${index}-${name}`, edited]);

/** What both compilers say of these programs, asked for at once. */
export async function bothOf(files: Readonly<Record<string, string>>, options: object) {
  const folder = folderWith(files);
  const asked = { folder, files: Object.keys(files), options };
  const [own, native] = [await faultOf({ ...asked, native: null }), await faultOf(asked)];
  return { own: errorsIn(own.fault), native: errorsIn(native.fault), fallbacks: native.fallbacks };
}

/** The errors, a line each: file, place, code and text. */
const errorsIn = (fault: string | undefined): string[] => fault?.split("\n").filter((line) => /^\S/.test(line)) ?? [];
