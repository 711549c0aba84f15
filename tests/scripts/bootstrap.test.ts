import { chmodSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { Checkout } from "./checkout";

let checkout: Checkout;
beforeAll(() => {
  checkout = new Checkout();
});
afterAll(() => checkout.close());

test("a linked installation, which belongs to another checkout, is never repeated", () => {
  const folder = join(checkout.temporary, "bin");
  mkdirSync(folder);
  const npm = join(folder, "npm");
  writeFileSync(npm, "#!/bin/sh\necho 'npm ran' >&2\n");
  chmodSync(npm, 0o755);
  utimesSync(join(checkout.folder, "package-lock.json"), 4e9, 4e9);
  // Nothing is to be built either.
  utimesSync(join(checkout.folder, "dist/.built"), 4e9, 4e9);
  const { code, stderr } = checkout.run("node tools/bootstrap.mjs", {
    PATH: [folder, process.env["PATH"]].join(delimiter),
  });
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("npm ran")]);
});
