import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isExecutable, placesOf } from "../../executables";
import { serveS3 } from "../../pipelines/s3-server";

const script = join(__dirname, "../../../examples/ci/in-bucket.sh");

interface Store {
  /** Of a bucket. */
  url: string;
  env: Readonly<Record<string, string | undefined>>;
  close(): Promise<void>;
}

/** A bucket of a real server, with the credentials of the environment. */
const real = process.env["TEST_BUCKET"];

async function standIn(obeys = true): Promise<Store> {
  const { url, close } = await serveS3({ bucket: "night", accessKeyId: "key", onChange: () => {}, obeys });
  return { url: `${url}/night`, env: { AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret" }, close };
}

const stores: readonly [string, boolean, () => Promise<Store>][] = [
  ["a stand-in", true, standIn],
  [
    "the bucket that TEST_BUCKET names (skipped where it names none)",
    real !== undefined,
    async () => ({ url: real!, env: process.env, close: async () => {} }),
  ],
];

let folder: string;
let name = 0;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "in-bucket-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a shell's text on the history, which it finds in `folder`. */
function run({ env }: Store, url: string, place: string, text: string): Promise<{ code: number; stderr: string }> {
  return new Promise((ended) => {
    const options = { cwd: folder, env: { PATH: process.env["PATH"], ...env, URL: url, SCRIPT: script } };
    execFile("bash", [script, url, place, "sh", "-c", text], options, (error, _, stderr) =>
      ended({ code: error ? Number(error.code) : 0, stderr }),
    );
  });
}

const linesIn = (place: string): string => readFileSync(join(folder, place, "2026-01-01.ndjson"), "utf8");
const adding = (line: string, place: string): string => `echo ${line} >> ${place}/2026-01-01.ndjson`;

for (const [title, isThere, open] of stores)
  (isThere ? describe : describe.skip)(`a history in ${title}`, () => {
    let store: Store;
    let url: string;
    beforeEach(async () => {
      store = await open();
      url = `${store.url}/history-${process.pid}-${name++}.tgz`;
    });
    afterEach(() => store.close());

    test("grows from run to run, and the command's exit code is kept", async () => {
      expect(await run(store, url, "own", `${adding("one", "own")}; exit 2`)).toEqual({ code: 2, stderr: "" });
      expect(await run(store, url, "own", adding("two", "own"))).toEqual({ code: 0, stderr: "" });
      expect(linesIn("own")).toBe("one\ntwo\n");
    });

    test("a command that fails stores nothing", async () => {
      await run(store, url, "own", adding("one", "own"));
      expect(await run(store, url, "own", `${adding("two", "own")}; exit 1`)).toEqual({ code: 1, stderr: "" });
      await run(store, url, "own", adding("three", "own"));
      expect(linesIn("own")).toBe("one\nthree\n");
    });

    test("of two at once the slower one runs again on what the other has stored", async () => {
      await run(store, url, "own", adding("one", "own"));
      const other = `test -e raced || { touch raced; bash "$SCRIPT" "$URL" other sh -c '${adding("theirs", "other")}'; }`;
      const { code, stderr } = await run(store, url, "own", `${adding("ours", "own")}; ${other}`);
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringMatching(/^in-bucket: .*once more on theirs\.$/m),
      });
      await run(store, url, "own", "true");
      expect(linesIn("own")).toBe("one\ntheirs\nours\n");
    });
  });

const openssl = placesOf(["openssl"]).find(isExecutable);
const withOpenssl = openssl === undefined ? test.skip : test;

/** A server with a certificate that signs itself, and credentials that end. */
async function passing(): Promise<Store> {
  const [cert, key] = [join(folder, "own bucket's.pem"), join(folder, "key.pem")];
  const made = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const named = ["-subj", "/CN=bucket", "-addext", "subjectAltName=IP:127.0.0.1"];
  execFileSync(openssl!, ["req", "-x509", ...made, ...named, "-keyout", key, "-out", cert], { stdio: "ignore" });
  const { url, close } = await serveS3({
    ...{ bucket: "night", accessKeyId: "key", sessionToken: "an/hour+=", onChange: () => {} },
    tls: { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") },
  });
  const credentials = { AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret", AWS_SESSION_TOKEN: "an/hour+=" };
  return { url: `${url}/night`, env: { ...credentials, AWS_CA_BUNDLE: cert }, close };
}

withOpenssl(
  `own authorities and session tokens reach the bucket${openssl === undefined ? " (skipped: no openssl)" : ""}`,
  async () => {
    const store = await passing();
    const url = `${store.url}/history.tgz`;
    expect(await run(store, url, "own", adding("one", "own"))).toEqual({ code: 0, stderr: "" });
    expect(await run(store, url, "own", adding("two", "own"))).toEqual({ code: 0, stderr: "" });
    expect(linesIn("own")).toBe("one\ntwo\n");
    const without = (name: string): Store => ({ ...store, env: { ...store.env, [name]: undefined } });
    expect(await run(without("AWS_SESSION_TOKEN"), url, "own", "touch ran")).toEqual({
      code: 1,
      stderr: expect.stringContaining("answers 403"),
    });
    expect(await run(without("AWS_CA_BUNDLE"), url, "own", "touch ran")).toEqual({
      code: 60,
      stderr: expect.stringContaining("certificate"),
    });
    expect(() => readFileSync(join(folder, "ran"))).toThrow("ENOENT");
    await store.close();
  },
);

test("a server that obeys no conditions is refused before anything runs", async () => {
  const store = await standIn(false);
  const refused = await run(store, `${store.url}/history.tgz`, "own", "touch ran");
  expect(refused).toEqual({ code: 1, stderr: expect.stringContaining("answers 200 to a write that it should refuse") });
  expect(() => readFileSync(join(folder, "ran"))).toThrow("ENOENT");
  await store.close();
});
