import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { rateFile } from "../../../provider/api/limits/rate-file";
import { instantTime } from "../../api/support/instant-time";
import { modelplatform, project, temporaryFolder } from "../../cli/terminal";
import { type Probe, probe } from "../probe";

const key = "attackers-own-key-1";

/** Refuses every request for its rate, so that a client notes down what it learns. */
async function refusing<T>(work: (url: string) => Promise<T>): Promise<T> {
  const server = createServer((_, response) => void response.writeHead(429, { "retry-after": "0" }).end("{}"));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** `doctor` in a checkout whose files name the service, its key and the folder of notes. */
const examine = (prepare: (rates: string, folder: string) => string | undefined, flags = ""): Promise<string> =>
  refusing(async (url) => {
    const { cwd, env } = await project("dev");
    const folder = join(cwd, "notes");
    mkdirSync(folder);
    const named = prepare(rateFile(folder, url, key), folder) ?? folder;
    const settings = { baseUrl: url, apiKey: key, accountId: "acme", intents: named };
    const lines = Object.entries(settings).map(([name, value]) => `  modelplatform:${name}: ${value}\n`);
    writeFileSync(join(cwd, "Pulumi.dev.yaml"), `config:\n${lines.join("")}`);
    const time = instantTime(Date.now(), undefined, 10_000);
    const { stdout } = await modelplatform(`doctor --json ${flags}`, {
      cwd,
      env: { ...env, XDG_STATE_HOME: temporaryFolder() },
      time,
    });
    return stdout;
  });

export const rateStoreProbes: Probe[] = ["", "--trust-project"].flatMap((flags) => {
  const doctor = `doctor ${flags}`.trim();
  return [
    probe(
      `${doctor} overwrites no file through a link in the folder of notes that the project's files name`,
      async () => {
        const precious = join(temporaryFolder(), "precious");
        writeFileSync(precious, "do not lose me");
        await examine((rates) => void symlinkSync(precious, `${rates}.new`), flags);
        expect(readFileSync(precious, "utf8")).toBe("do not lose me");
      },
    ),
    probe(`${doctor} writes nothing into the folder of notes that the project's files name`, async () => {
      const elsewhere = temporaryFolder();
      await examine((rates) => (void rates, join(elsewhere, "made")), flags);
      expect(existsSync(join(elsewhere, "made"))).toBe(false);
    }),
    probe(`${doctor} ends where a lock in the folder of notes leads nowhere`, async () => {
      const text = await examine((rates) => void symlinkSync(join(rates, "nowhere"), `${rates}.lock`), flags);
      expect(JSON.parse(text)).toHaveProperty("summary");
    }),
  ];
});
