import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { instantTime } from "../api/support/instant-time";
import { modelplatform } from "../cli/terminal";

/** Files of a user, each of which a checkout can name by a link. None is what the reader expects. */
const files = {
  netrc: "machine api.example login me password CANARY-0123456789\n\tmacdef x: [y\n",
  credentials: "[default]\naws_secret_access_key = CANARY-0123456789\n",
  docker: '{"auths":{"x":{"auth":"CANARY-0123456789"}}',
  key: "-----BEGIN KEY-----\nab: CANARY-0123456789: x\n",
  npmrc: '//registry/:_authToken=CANARY-0123456789\n@s: "x\n',
  anchors: "a: *CANARY-0123456789\n",
  tags: "a: !CANARY-0123456789 x\nb: [\n",
  environ: "A=1\0TOKEN=CANARY-0123456789\0B: {\0",
};

const project = "name: shop\nruntime: nodejs\nbackend:\n  url: file://.\n";
const state = JSON.stringify({
  version: 3,
  checkpoint: { latest: { manifest: { time: "2026-01-01T00:00:00Z", magic: "", version: "" }, resources: [] } },
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parse-"));
  mkdirSync(join(folder, "checkout/.pulumi/stacks/shop"), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const places = ["Pulumi.yaml", "Pulumi.dev.yaml", ".pulumi/meta.yaml", ".pulumi/stacks/shop/dev.json", "given"];
const lines = [
  "doctor --stack dev",
  "stack ls",
  "stack export --stack dev",
  "config --stack dev",
  "config set title x --stack dev",
  "drift --backend file://. --account aa",
  "drift --stack-file given --account aa",
  "drift --backend file://. --account aa --baseline given",
  "audit --backend file://. --account aa --policy-pack-config given",
  "cost --preview-json given",
  "review --preview-json given",
  "call createUser --body given --yes",
];

test.each(Object.keys(files))("no command quotes a line of a file that it cannot read: %s", async (name) => {
  const env = {
    ...{ MODELPLATFORM_API_KEY: "k-0123456789", MODELPLATFORM_ACCOUNT_ID: "aa", PULUMI_CONFIG_PASSPHRASE: "p" },
    ...{ MODELPLATFORM_BASE_URL: "http://127.0.0.1:9", MODELPLATFORM_PRICES: join(folder, name), HOME: folder },
  };
  for (const place of places) {
    const cwd = join(folder, "checkout");
    writeFileSync(join(cwd, "Pulumi.yaml"), project);
    writeFileSync(join(cwd, ".pulumi/meta.yaml"), "version: 1\n");
    writeFileSync(join(cwd, ".pulumi/stacks/shop/dev.json"), state);
    rmSync(join(cwd, place), { force: true });
    symlinkSync(join(folder, name), join(cwd, place));
    for (const line of lines.filter((each) => place !== "given" || each.includes("given"))) {
      const { stdout, stderr } = await modelplatform(line, { cwd, env, time: instantTime(Date.now()) });
      expect({ place, line, text: `${stdout}${stderr}` }).toEqual({
        ...{ place, line },
        text: expect.not.stringContaining("CANARY"),
      });
    }
    for (const each of readdirSync(cwd)) if (each !== ".pulumi") rmSync(join(cwd, each), { force: true });
    rmSync(join(cwd, place), { force: true });
  }
});
