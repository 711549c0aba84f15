import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { InlineSite } from "../inline/site";
import { longerAtNight } from "../nightly";
import { withCliAtNight } from "./engines";
import { chat, tuning } from "./everything";
import { account } from "./site";
import { openToStrike } from "./sites";

jest.setTimeout(300_000);

/** One value per place that a secret can be in; each has letters that encodings change. */
const canary = (place: string): string => `canary/${place}+%?=${"x".repeat(8)}`;

const places = ["apiKey", "provider", "value", "other-value", "route", "tracking", "metrics"] as const;

const encodings: readonly ((text: string) => string)[] = [
  (text) => text,
  encodeURIComponent,
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => Buffer.from(text).toString("base64").replace(/=+$/, ""),
  (text) => Buffer.from(text).toString("base64url"),
  (text) => Buffer.from(text).toString("hex"),
];

const filesBelow = (path: string): string[] =>
  !existsSync(path)
    ? []
    : statSync(path).isDirectory()
      ? readdirSync(path).flatMap((entry) => filesBelow(join(path, entry)))
      : [path];

/** Which canaries stand in a text, as it is or encoded. */
const sung = (text: string): string[] =>
  places.filter((place) => encodings.some((encoded) => text.includes(encoded(canary(place)))));

/**
 * The event stream of the Pulumi CLI carries the SDK's own debug log, in which the engine's answers
 * stand in clear: nothing of ours can change that.
 */
const withoutDebugLog = (output: string): string =>
  output
    .split("\n")
    .filter((line) => !line.includes('"severity":"debug"'))
    .join("\n");

longerAtNight(() => {
  withCliAtNight("one provider marks them for both, and random programs on both have some", (engine) => {
    test("no secret is shown or kept in clear, whatever goes well or wrong", async () => {
      const site = await openToStrike(engine);
      try {
        site.emulator.world.setKey(canary("apiKey"), account, "admin");
        site.emulator.world.setKey(canary("provider"), "other", "admin");
        const env = { MODELPLATFORM_API_KEY: canary("apiKey"), MODELPLATFORM_DEBUG: "1" };
        const declared = (value: string) => ({
          resources: {
            elsewhere: { kind: "Provider", apiKey: canary("provider"), accountId: "other", baseUrl: site.url },
            storage: { kind: "Secret", keyName: "STORAGE_KEY", value },
            abroad: { kind: "Secret", keyName: "STORAGE_KEY", value, opts: { provider: "@elsewhere" } },
            chat: { ...chat, directRouteType: "INTERNET", directRouteApiKeys: [canary("route")] },
            tuning: {
              ...tuning,
              trackingConfig: { enabled: true, apiKey: canary("tracking"), project: "p", entity: "e" },
              metricsFileSignedUrl: `https://metrics.example.com/${canary("metrics")}`,
            },
          },
          outputs: { chat: "@chat", storage: "@storage", tuning: "@tuning" },
        });
        const outputs: string[] = [];
        const told = async (code: number, line: string) =>
          void outputs.push(withoutDebugLog((await site.expect(code, line, { env })).output));

        site.declare(declared(canary("value")));
        await told(0, "up --json");
        const sent = ["accounts/demo/secrets/storage-key", "accounts/other/secrets/storage-key"].map(
          (name) => site.emulator.world.get(name)?.hidden,
        );
        expect(sent).toEqual([{ value: canary("value") }, { value: canary("value") }]);
        await site.tamper(site.resource("chat").id, { maxReplicaCount: 7 });
        await told(0, "refresh --preview-only --diff");
        site.declare(declared(canary("other-value")));
        await told(0, "preview --diff");
        await site.fault(
          { operation: "updateSecret", account },
          {
            kind: "status",
            status: 400,
            body: {
              code: 3,
              message: `${canary("other-value")} and ${encodeURIComponent(canary("apiKey"))} are not to my liking`,
            },
          },
        );
        const failed = await site.start("up --diff", { env }).ended;
        expect(failed.code).toBe(1);
        outputs.push(withoutDebugLog(failed.output));
        expect(outputs.at(-1)!.replace(/\s+/g, " ")).toContain("are not to my liking");

        const kept = ["state", "home", "intents", "program/Pulumi.dev.yaml"].flatMap((each) =>
          filesBelow(join(site.folder, each)),
        );
        expect(kept).toContain(site.stateFile);
        expect(kept.filter((file) => sung(readFileSync(file, "latin1")).length > 0)).toEqual([]);
        expect(outputs.map(sung)).toEqual(outputs.map(() => []));
        expect(sung(JSON.stringify(await site.requests()))).toEqual([]);
        expect(JSON.stringify(site.resource("storage"))).toContain("ciphertext");
      } finally {
        await site.close();
      }
    });
  });
});

test("a role shows its change although it equals a secret; secrets in texts are hidden", async () => {
  const site = await InlineSite.start();
  try {
    const declared = (role: string, note: string) => ({
      resources: {
        word: { kind: "Secret", keyName: "WORD", value: "admin" },
        phrase: { kind: "Secret", keyName: "PHRASE", value: "n0t-a-word" },
        ada: { kind: "User", email: "admin@acme.dev", role },
        tuning: { ...tuning, displayName: note },
      },
    });
    site.declare(declared("admin", "with n0t-a-word"));
    expect((await site.expect(0, "up --diff")).output).not.toContain("n0t-a-word");
    site.declare(declared("user", "with n0t-a-word inside"));
    const { output } = await site.expect(0, "preview --diff");
    expect(output).toMatch(/role +"admin" => "user"/);
    expect(output).not.toContain("n0t-a-word");
  } finally {
    await site.close();
  }
});
