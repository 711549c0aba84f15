import { chmodSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { Ended } from "../../e2e/commands";

/** Where a command of a shell has been started, and with which environment. */
export interface ShellContext {
  cwd: string;
  env: Record<string, string>;
}

/** A command of this package: runs it in this process. */
export type Play = (args: string[], place: ShellContext) => Promise<Ended>;

/** Tells who listens at `url` where it is, with what it was called, and shows what has come of that. */
const client = (url: string): string => `#!/bin/sh
[ "$1" = pulumi-modelplatform ] && shift || exit 127
answer=$(mktemp -d)
{ printf '%s\\0' "$answer" "$PWD" "$#" "$@"; env -0; } | curl -s --data-binary @- ${url} || exit 126
cat "$answer/stdout"
cat "$answer/stderr" >&2
code=$(cat "$answer/code")
rm -r "$answer"
exit "$code"
`;

/**
 * Puts an `npx` into `folder` that runs the commands of this package here: scripts run as they are written, in
 * shells of their own, without the processes of an engine.
 */
export async function putPlayedNpx(folder: string, play: Play): Promise<{ close(): void }> {
  const server = createServer(async (request, response) => {
    const told = (await buffer(request)).toString("utf8").split("\0");
    const [answer = "", cwd = "", count] = told;
    const environment = told.slice(3 + Number(count)).filter((line) => line.includes("="));
    const env = Object.fromEntries(environment.map((line) => [line.slice(0, line.indexOf("=")), afterSign(line)]));
    const ended = await play(told.slice(3, 3 + Number(count)), { cwd, env }).catch(thrown);
    for (const name of ["stdout", "stderr", "code"] as const) writeFileSync(join(answer, name), String(ended[name]));
    response.end();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as { port: number };
  writeFileSync(join(folder, "npx"), client(`http://127.0.0.1:${port}`));
  chmodSync(join(folder, "npx"), 0o755);
  return server;
}

const afterSign = (line: string): string => line.slice(line.indexOf("=") + 1);

const thrown = (error: Error): Ended => ({ code: 125, stdout: "", stderr: String(error.stack), output: "" });
