import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { createDispatcher } from "../../provider/api/http/dispatcher";
import { createSend, defaultLimits } from "../../provider/api/http/transport";
import { readClientCertificate } from "../../provider/api/settings/endpoint";
import { isExecutable, placesOf } from "../executables";
import { rejection } from "../rejection";
import { raw, scriptedServer } from "./support/scripted-server";
import { testClient } from "./support/test-client";

/** Mutual TLS, by the command line: Node.js reads authorities of one's own as it starts. */

const openssl = placesOf(["openssl"]).find(isExecutable);
const withOpenssl = openssl === undefined ? describe.skip : describe;
const reason = openssl === undefined ? " (skipped: no openssl on the PATH)" : "";

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "certificate-"))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string): string => join(folder, name);

/** A certificate that signs itself. */
function certify(name: string, more: readonly string[] = []): void {
  const made = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", ...more];
  const files = ["-keyout", file(`${name}.key`), "-out", file(`${name}.pem`), "-subj", `/CN=${name}`];
  execFileSync(openssl!, ["req", "-x509", ...made, ...files], { stdio: "ignore" });
}

withOpenssl(`a service that asks for a client certificate${reason}`, () => {
  let server: Server;
  const callers: unknown[] = [];
  beforeAll(async () => {
    certify("service", ["-addext", "subjectAltName=IP:127.0.0.1"]);
    certify("team");
    const read = (name: string): string => readFileSync(file(name), "utf8");
    // With TLS 1.3 the client may find the connection closed before it has read why.
    const tls = {
      maxVersion: "TLSv1.2" as const,
      cert: read("service.pem"),
      key: read("service.key"),
      ca: read("team.pem"),
    };
    server = createServer({ ...tls, requestCert: true, rejectUnauthorized: true }, (request, response) => {
      callers.push((request.socket as TLSSocket).getPeerCertificate().subject.CN);
      response.setHeader("content-type", "application/json").end('{"accounts": [{"name": "accounts/acme"}]}');
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const call = (certificate: Record<string, string>): Promise<{ code: number; output: string }> => {
    const env = {
      PATH: process.env["PATH"],
      HOME: folder,
      NODE_EXTRA_CA_CERTS: file("service.pem"),
      MODELPLATFORM_BASE_URL: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
      MODELPLATFORM_ACCOUNT_ID: "acme",
      MODELPLATFORM_API_KEY: "acme-key-1",
      ...certificate,
    };
    const main = join(__dirname, "..", "..", "dist", "cli", "main.js");
    return new Promise((resolve) =>
      execFile(process.execPath, [main, "call", "listAccounts"], { cwd: folder, env }, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
      ),
    );
  };

  test("is presented with the one whose files the environment names", async () => {
    const named = { MODELPLATFORM_CLIENT_CERT: file("team.pem"), MODELPLATFORM_CLIENT_KEY: file("team.key") };
    expect(await call(named)).toMatchObject({ code: 0, output: expect.stringContaining("accounts/acme") });
    expect(callers).toEqual(["team"]);
  });

  test("is named where there is none, with the settings for it", async () => {
    const { code, output } = await call({});
    expect(code).toBe(1);
    expect(output).toMatch(/asks for a client certificate.*`MODELPLATFORM_CLIENT_CERT`/);
  });

  test("gets key and certificate from one file, where one has both", () => {
    const both = file("both.pem");
    writeFileSync(both, readFileSync(file("team.pem"), "utf8") + readFileSync(file("team.key"), "utf8"));
    expect(readClientCertificate({ MODELPLATFORM_CLIENT_CERT: both })).toMatchObject({
      cert: expect.stringContaining("BEGIN CERTIFICATE"),
      key: expect.stringContaining("PRIVATE KEY"),
    });
  });
});

test.each([
  [
    { MODELPLATFORM_CLIENT_CERT: "missing.pem" },
    /`missing.pem` \(MODELPLATFORM_CLIENT_CERT\) cannot be read \(ENOENT\)/,
  ],
  [{ MODELPLATFORM_CLIENT_CERT: __filename }, /has no CERTIFICATE/],
  [
    { MODELPLATFORM_CLIENT_KEY: "team.key" },
    /`MODELPLATFORM_CLIENT_KEY` is set, and `MODELPLATFORM_CLIENT_CERT` is not/,
  ],
])("%j is refused, and says why", (env, says) => {
  expect(() => readClientCertificate(env as unknown as Record<string, string>)).toThrow(says);
});

test("no certificate is named where none is set", () => {
  expect(readClientCertificate({})).toBeUndefined();
});

test("a gateway that refuses for want of a certificate gets the same advice", async () => {
  const server = await scriptedServer(raw(400, "No required SSL certificate was sent"));
  const client = testClient(server.url);
  const error = await rejection(client.call("listAccounts"));
  expect(error.message).toMatch(/answered 400.*name its PEM files in `MODELPLATFORM_CLIENT_CERT`/);
  await client.close();
  await server.close();
});

test("a file without a certificate is no fault of the network, and is not tried again", async () => {
  const origin = "http://127.0.0.1:9";
  const env = { MODELPLATFORM_CLIENT_CERT: "missing.pem" };
  const send = createSend(() => createDispatcher(env, defaultLimits, new Set([origin])));
  const call = { operation: "listUsers", attempt: 1, waited: 0 };
  const request = { call, origin, method: "GET" as const, path: "/v1/accounts", headers: {} };
  await expect(send(request)).rejects.toMatchObject({ name: "ConfigurationError" });
});
