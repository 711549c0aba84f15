// First, so that the engine is read with its processes replaced.
import "../inline/processes";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Copies } from "./copies";
import { playBoxes } from "./inline-boxes";
import { runHere } from "./runners";
import type { BoxProgram, Workshop } from "./workshop";

const whole: BoxProgram = {
  resources: [
    { name: "a", props: { label: "a" } },
    { name: "b", props: { label: "b" } },
  ],
};
const withoutB: BoxProgram = { resources: whole.resources.slice(0, 1) };
const withNewB: BoxProgram = { resources: [whole.resources[0]!, { name: "b", props: { label: "b", zone: "east" } }] };

class Boxes extends Copies {
  constructor() {
    super(whole, playBoxes);
  }
}
const boxes = new Boxes();
beforeAll(() => boxes.begin());
afterAll(boxes.end);

let workshop: Workshop;
beforeEach(() => {
  workshop = boxes.copy();
});
afterEach(() => workshop.remove());

const fileOf = (stack: string): string => join(workshop.backend, `.pulumi/stacks/boxes/${stack}.json`);

/** The state as it was, under another name too: what a restored file leaves, or a rename of another engine. */
function copyState(change: (text: string) => string = (text) => text): void {
  const text = readFileSync(fileOf("dev"), "utf8").replaceAll("urn:pulumi:dev:", "urn:pulumi:old:");
  writeFileSync(fileOf("old"), change(text));
}

const run = (program: BoxProgram, ...line: string[]) => {
  workshop.declare(program);
  workshop.forgetCalls();
  return runHere(workshop, [...line, "--stack", "dev"]);
};
const unasked = ["--yes", "--skip-preview"];
const refusal = (name: string): string =>
  `${urnOf(name)} was not deleted: the state of the stack old records this very object, as ${urnOf(name, "old")}. Let one of the two forget it: \`npx pulumi-modelplatform state delete ${urnOf(name)} --stack dev\`, or \`npx pulumi-modelplatform state delete ${urnOf(name, "old")} --stack old\`.`;
const urnOf = (name: string, stack = "dev"): string =>
  `urn:pulumi:${stack}::boxes::pulumi-nodejs:dynamic/test:Box::${name}`;
const unwrapped = (output: string): string => output.replace(/\s+/g, " ");

describe("an object that another stack records, too", () => {
  test.each<[string, BoxProgram, string[], string[]]>([
    ["by an `up` that does not declare it", withoutB, ["up", ...unasked], ["b"]],
    ["by a `destroy`", whole, ["destroy", ...unasked], ["a", "b"]],
    ["by a replacement", withNewB, ["up", ...unasked], ["b"]],
    ["in a preview", withoutB, ["preview"], ["b"]],
  ])("is not deleted %s; the error has both URNs and the way out", async (_, program, line, names) => {
    copyState();
    const { code, output } = await run(program, ...line);
    expect(code).toBe(1);
    for (const name of names) expect(unwrapped(output)).toContain(refusal(name).replaceAll("'", ""));
    expect(workshop.deeds().filter((deed) => deed.startsWith("delete"))).toEqual([]);
  });

  test("is deleted once the other has forgotten it", async () => {
    copyState();
    expect(await runHere(workshop, ["state", "delete", urnOf("b", "old"), "--stack", "old", "--yes"])).toMatchObject({
      code: 0,
    });
    expect(await run(withoutB, "up", ...unasked)).toMatchObject({ code: 0 });
    expect(workshop.deeds()).toContain("delete b");
  });

  test("is found in a state that is packed", async () => {
    copyState();
    writeFileSync(`${fileOf("old")}.gz`, gzipSync(readFileSync(fileOf("old"))));
    rmSync(fileOf("old"));
    expect((await run(withoutB, "up", ...unasked)).code).toBe(1);
  });
});

test.each<[string, (text: string) => string]>([
  ["that was created at another time", (text) => text.replaceAll(/"created":"\d+/g, '"created":"1999')],
  ["of another type", (text) => text.replaceAll("dynamic/test:Box", "dynamic/test:Crate")],
  ["that another stack only reads", (text) => text.replaceAll('"custom":true', '"custom":true,"external":true')],
])("an object of the same id %s is no reason to keep one", async (_, change) => {
  copyState(change);
  expect(await run(withoutB, "up", ...unasked)).toMatchObject({ code: 0 });
  expect(workshop.deeds()).toContain("delete b");
});

test("a state that cannot be read is named, and keeps nothing from being deleted", async () => {
  copyState((text) => text.slice(0, -10));
  const { code, output } = await run(withoutB, "up", ...unasked);
  expect({ code, deeds: workshop.deeds() }).toEqual({ code: 0, deeds: ["delete b"] });
  expect(unwrapped(output)).toMatch(/warning: Whether another stack holds.* not known.*stacks\/boxes\/old\.json/);
});
