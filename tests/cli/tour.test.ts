import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chooseEngine } from "../../cli/tour";
import { temporaryFolder } from "./terminal";

/** A PATH on which `pulumi version` prints `version`; without one, there is no `pulumi`. */
function pathWith(version?: string): NodeJS.ProcessEnv {
  const folder = temporaryFolder();
  if (version !== undefined) {
    writeFileSync(join(folder, "pulumi"), `#!/bin/sh\necho ${version}\n`);
    chmodSync(join(folder, "pulumi"), 0o755);
  }
  return { PATH: folder };
}

test.each([
  [undefined, "npx pulumi-modelplatform"],
  ["v3.200.0", "npx pulumi-modelplatform"],
  ["v3.248.0", "pulumi"],
  ["", "pulumi"],
])("with version %s of the Pulumi CLI, `npm start` prints commands of %s", (version, typed) => {
  expect(chooseEngine(pathWith(version)).typed).toBe(typed);
});
