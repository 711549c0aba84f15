import "../state/quick-keys";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { type InlineProvider, played } from "../inline/processes";
import type { Workshop } from "./workshop";

const { declare } = require("./fixtures/boxes/declare") as {
  declare(sdk: typeof pulumi, box: unknown, scenario: unknown): unknown;
};
const { box } = require("./fixtures/boxes/box") as { box: InlineProvider };

/** A box as its dynamic resource registers it, its provider left out. */
class Box extends pulumi.CustomResource {
  constructor(name: string, props: object, opts: pulumi.CustomResourceOptions) {
    const outputs = { serial: undefined, token: undefined };
    super("pulumi-nodejs:dynamic/test:Box", name, { ...outputs, ...props, __provider: "boxes" }, opts);
  }
}

const home = process.cwd();
afterAll(() => process.chdir(home));

/** Runs the workshop's program and providers in this process, which moves to the program's folder for that. */
export function playBoxes({ program }: Workshop): void {
  process.chdir(program);
  played.set(program, {
    program: () => declare(pulumi, Box, JSON.parse(readFileSync(join(program, "scenario.json"), "utf8"))),
    provider: () => ({ service: Object.create(box), end: () => undefined }),
  });
}
