// The compiler of this repository: the native one where the platform has it, which checks in a quarter of the time.
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Command and arguments that compile the project of a configuration, with a compiler that is installed here. */
export function compilerOf(root, configuration) {
  const { platform, arch } = process;
  const native = join(root, `node_modules/@typescript/typescript-${platform}-${arch}/lib/tsc`);
  const file = platform === "win32" ? `${native}.exe` : native;
  const rest = ["-p", configuration];
  return existsSync(file)
    ? [file, rest]
    : [process.execPath, [join("node_modules", "typescript", "bin", "tsc"), ...rest]];
}
