import { publishCommand } from "./command";

/** The publishing command alone: what a job that can write runs of this repository. See decision 187. */
async function main([command = "", ...args]: readonly string[]): Promise<number> {
  if (command !== "publish") {
    console.error("This program publishes a built release, and nothing else: `publish --help`.");
    return 2;
  }
  return publishCommand(args, { env: process.env, fetch, out: console.log, err: console.error });
}

if (require.main === module) void main(process.argv.slice(2)).then((code) => (process.exitCode = code));
