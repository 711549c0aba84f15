import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { root } from "../rooms";
import { Checkout } from "./checkout";

/** Says that it ran, and leaves the mark of a build. */
const stubBuild = `import { writeFileSync } from "node:fs";
import { buildInputs } from "./inputs.mjs";
console.error("build ran");
writeFileSync("dist/.built", buildInputs(process.cwd()));
`;

let checkout: Checkout;
const at = (path: string): string => join(checkout.folder, path);

/** What bootstrap starts, of npm and the build: stand-ins that say so. */
function started(): string[] {
  const path = [join(checkout.temporary, "bin"), process.env["PATH"]].join(delimiter);
  const { code, stderr } = checkout.run("node tools/bootstrap.mjs", { PATH: path });
  expect(code).toBe(0);
  return stderr.match(/(npm|build)(?= ran)/g) ?? [];
}

beforeAll(() => {
  checkout = new Checkout();
  const npm = join(checkout.temporary, "bin", "npm");
  mkdirSync(join(checkout.temporary, "bin"));
  writeFileSync(npm, "#!/bin/sh\necho 'npm ran' >&2\n");
  chmodSync(npm, 0o755);
  writeFileSync(at("tools/build.mjs"), stubBuild);
});
afterAll(() => checkout.close());

test.each(["schema.json", "package.json", "provider/index.ts", "tools/bundle.mjs", "tsconfig.json"])(
  "another %s is built, once",
  (file) => {
    started();
    appendFileSync(at(file), "\n");
    expect(started()).toEqual(["build"]);
    expect(started()).toEqual([]);
  },
);

test("a source that is gone is a change, and another time of one is none", () => {
  started();
  utimesSync(at("schema.json"), 4e9, 4e9);
  utimesSync(at("provider/index.ts"), 4e9, 4e9);
  expect(started()).toEqual([]);
  rmSync(at("tools/tour.ts"));
  expect(started()).toEqual(["build"]);
});

test("a linked installation, which belongs to another checkout, is never repeated", () => {
  started();
  const lock = readFileSync(at("package-lock.json"), "utf8");
  writeFileSync(at("package-lock.json"), lock.replaceAll(/"integrity": "[^"]+"/g, '"integrity": "another"'));
  expect(started()).toEqual(["build"]);
  writeFileSync(at("package-lock.json"), lock);
});

describe("an installation of its own", () => {
  const installed = "node_modules/.package-lock.json";
  interface Lock {
    packages: Record<string, { version?: string }>;
  }
  const change = (edit: (lock: Lock) => void): void => {
    const lock = JSON.parse(readFileSync(at(installed), "utf8")) as Lock;
    edit(lock);
    writeFileSync(at(installed), JSON.stringify(lock));
  };
  beforeEach(() => {
    rmSync(at("node_modules"), { recursive: true });
    mkdirSync(at("node_modules"));
    copyFileSync(join(root, installed), at(installed));
    utimesSync(at(installed), 0, 0);
    started();
  });

  test("is not repeated under a program that sets another version of this package", () => {
    const lock = JSON.parse(readFileSync(at("package-lock.json"), "utf8")) as Lock & { version: string };
    lock.version = lock.packages[""]!.version = "98.76.5";
    writeFileSync(at("package-lock.json"), JSON.stringify(lock));
    expect(started()).toEqual(["build"]);
  });

  test("is not repeated for its times, nor for a package of another platform", () => {
    expect(started()).toEqual([]);
    change(({ packages }) => delete packages["node_modules/@typescript/typescript-linux-x64"]);
    expect(started()).toEqual([]);
  });

  test.each<[string, (lock: Lock) => void]>([
    ["lacks a package", ({ packages }) => delete packages["node_modules/commander"]],
    ["has one in another version", ({ packages }) => (packages["node_modules/commander"]!.version = "1.0.0")],
  ])("is repeated where it %s", (_, edit) => {
    change(edit);
    expect(started()).toEqual(["npm"]);
  });

  test("is made where there is none", () => {
    rmSync(at(installed));
    expect(started()).toEqual(["npm"]);
  });
});
