import { join } from "node:path";
import { instantTime } from "../api/support/instant-time";
import { type Reply, type ScriptedServer, type SeenRequest, scriptedServer } from "../api/support/scripted-server";
import { type CommandOutput, modelplatform, type Setting, temporaryFolder } from "../cli/terminal";

const servers: ScriptedServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** A server on this machine that is gone after the test; it keeps every request that reaches it. */
export async function listening(...replies: Reply[]): Promise<ScriptedServer> {
  const server = await scriptedServer(...replies);
  servers.push(server);
  return server;
}

/** A server that nobody has reason to speak to. */
export const stranger = (): Promise<ScriptedServer> => listening(answers({}));

export type ScriptedAnswer = Partial<{ status: number; headers: Record<string, string>; body: unknown }>;

/** Answers by `METHOD path`, the longest beginning that fits; all else is 404. A text is sent as it is. */
export const answers =
  (table: Readonly<Record<string, ScriptedAnswer | ((request: SeenRequest) => ScriptedAnswer)>>): Reply =>
  (response, request) => {
    const asked = `${request.method} ${request.url.split("?")[0]}`;
    const [found] = Object.keys(table)
      .filter((key) => asked.startsWith(key))
      .sort((a, b) => b.length - a.length);
    const known = found === undefined ? { status: 404, body: { code: 5, message: "not found" } } : table[found]!;
    const { status = 200, headers = {}, body = {} } = typeof known === "function" ? known(request) : known;
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };

export const operatorKey = "operator-key-7f3a9c41";

/** The environment of somebody with a key for the account acme, and a home of their own. */
export function operator(url: string, more: Record<string, string> = {}): Record<string, string> {
  const home = temporaryFolder();
  return {
    PATH: "/usr/bin:/bin",
    HOME: home,
    XDG_STATE_HOME: join(home, "state"),
    XDG_CONFIG_HOME: join(home, "config"),
    PULUMI_HOME: join(home, ".pulumi"),
    PULUMI_CONFIG_PASSPHRASE: "correct horse",
    MODELPLATFORM_ACCOUNT_ID: "acme",
    MODELPLATFORM_API_KEY: operatorKey,
    MODELPLATFORM_BASE_URL: url,
    ...more,
  };
}

/** What a command ended with and said. */
export interface CommandEnding extends CommandOutput {
  said: string;
}

/** Runs a command to its end, with nobody at the terminal; its pauses take no time. */
export async function ending(line: string | string[], setting: Setting): Promise<CommandEnding> {
  const outcome = await modelplatform(line, { time: instantTime(Date.now()), ...setting });
  return { ...outcome, said: outcome.stdout + outcome.stderr };
}

/** The command was refused with a message that names what: no crash, no stack trace. */
export function expectRefusal({ code, said }: CommandEnding, what: RegExp): void {
  expect({ refused: code !== 0, said }).toMatchObject({ refused: true, said: expect.stringMatching(what) });
  expectSpoken(said);
}

/** Nothing in the text speaks of a fault of the program itself. */
export function expectSpoken(said: string): void {
  expect(said).not.toMatch(
    /This is a bug|\bat \S+ \(.*:\d+:\d+\)|TypeError|RangeError|undefined is not|Cannot read prop/,
  );
}
