import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Checkout, lineOf, manifest, npmLineOf } from "./checkout";
import { refusals } from "./refusals";

let checkout: Checkout;
beforeAll(() => {
  checkout = new Checkout();
  checkout.prepare();
});
afterAll(() => checkout.close());

/** A stack of calls is what a reader sees where nobody has thought of the case. */
const stack = /^ {4}at .*:\d+:\d+/m;

const cases = Object.entries(refusals).flatMap(([script, each]) => each.map((refusal) => ({ script, ...refusal })));

test("what is refused here is refused by a script that there is", () => {
  expect(Object.keys(refusals).filter((script) => !(script in manifest.scripts))).toEqual([]);
});

test.each(cases)("`npm run $script -- $args` ends with $code: $says", ({ script, args, code, says, before }) => {
  before?.(checkout.folder);
  const made = checkout.changedFiles();
  try {
    const ended = checkout.run(lineOf(script, args));
    expect(`${ended.stdout}${ended.stderr}`).toMatch(says);
    expect(`${ended.stdout}${ended.stderr}`).not.toMatch(stack);
    expect(ended.code).toBe(code);
    expect(checkout.changedFiles()).toEqual([]);
    expect(readdirSync(checkout.temporary)).toEqual([]);
  } finally {
    checkout.restore(made);
  }
});

test("`npm run test:nightly` refuses a seed that is no number", () => {
  const { code, stderr } = checkout.run(lineOf("test:nightly", []), { NIGHT_SEED: "abc" });
  expect(stderr).toMatch(/`NIGHT_SEED=abc`: give a whole number/);
  expect(code).toBe(64);
});

test("`npm run generate` writes what `--check` names, and then nothing is stale", () => {
  const page = join(checkout.folder, "docs", "resources", "user.md");
  const text = readFileSync(page, "utf8");
  writeFileSync(page, `${text}A line of somebody's own.\n`);
  expect(checkout.run(npmLineOf("generate", []))).toMatchObject({ code: 0, stdout: "wrote docs/resources/user.md\n" });
  expect(readFileSync(page, "utf8")).toBe(text);
  expect(checkout.run(npmLineOf("generate", ["--check"]))).toEqual({ code: 0, stdout: "", stderr: "" });
});
