import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { isExecutable } from "../executables";

/** The PATH with everything that is on it but programs of these names; `folder` takes the links that this needs. */
export function pathWithout(name: RegExp, folder: string): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((each) => existsSync(each));
  return folders
    .map((each, index) => {
      const entries = readdirSync(each);
      if (!entries.some((entry) => name.test(entry) && isExecutable(join(each, entry)))) return each;
      const links = join(folder, String(index));
      mkdirSync(links, { recursive: true });
      for (const entry of entries.filter((other) => !name.test(other)))
        symlinkSync(join(each, entry), join(links, entry));
      return links;
    })
    .join(delimiter);
}
