import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What a stub of the runtime is, of which executables are built. It takes what Node.js is asked for, and no more. */
export const stubRuntime = `#!/usr/bin/env node
const { copyFileSync, readFileSync, statSync } = require("node:fs");
const [flag, argument, ...more] = process.argv.slice(2);
if (more.length > 0) throw new Error("not known here: " + more.join(" "));
if (flag === "-p" && argument === "JSON.stringify(process.versions)")
  console.log(JSON.stringify({ node: "26.10.0", openssl: "3.5.0", modules: "147" }));
else if (flag === "--build-sea") {
  const { main, executable, output } = JSON.parse(readFileSync(argument, "utf8"));
  if (!statSync(main).isFile()) throw new Error(main + " is no file");
  copyFileSync(executable, output);
} else throw new Error("not known here: " + flag + " " + argument);
`;

/** Puts the stub where a runtime lies that has been fetched. */
export function layRuntime(home: string, program: string): void {
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, program), stubRuntime, { mode: 0o755 });
  writeFileSync(join(home, "LICENSE"), "The license of a stub.\n");
}
