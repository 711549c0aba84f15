import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** The package has no types of its own. */
const S3rver = require("s3rver") as new (
  options: object,
) => {
  run(): Promise<{ port: number }>;
  on(event: "event", listener: (change: { Records: Change[] }) => void): void;
  close(): Promise<void>;
};

/** An object that was written or removed. */
interface Change {
  eventName: string;
  s3: { object: { key: string } };
}

/** What the store takes. */
export const credentials = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" };

/** The store as a backend of the Pulumi CLI. */
export const backend = "s3://states?s3ForcePathStyle=true";

export interface ObjectStore {
  url: string;
  /** Objects that were written or removed since the last look. */
  changes(): string[];
  close(): Promise<void>;
}

/** A server that speaks S3, with one bucket, in a folder. */
export async function openObjectStore(directory: string): Promise<ObjectStore> {
  mkdirSync(directory, { recursive: true });
  const server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: "states", configs: [] }],
  });
  const { port } = await server.run();
  let changed: string[] = [];
  server.on("event", ({ Records }) =>
    changed.push(...Records.map(({ eventName, s3 }) => `${eventName} ${s3.object.key}`)),
  );
  return {
    url: `http://127.0.0.1:${port}`,
    changes: () => {
      const since = changed;
      changed = [];
      return since;
    },
    close: () => server.close(),
  };
}

/** Gives credentials of the store for an hour to whoever shows the token of a job, as a cloud does. */
export async function serveLogins(): Promise<{ url: string; shown: URLSearchParams[]; close(): void }> {
  const shown: URLSearchParams[] = [];
  const server = createServer(async (request, response) => {
    shown.push(new URLSearchParams(await text(request)));
    const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: key } = credentials;
    const given = `<AccessKeyId>${id}</AccessKeyId><SecretAccessKey>${key}</SecretAccessKey><SessionToken>an-hour</SessionToken>`;
    const until = `<Expiration>${new Date(Date.now() + 3_600_000).toISOString()}</Expiration>`;
    response
      .writeHead(200, { "content-type": "text/xml" })
      .end(
        `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials>${given}${until}</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
      );
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, shown, close: () => void server.close() };
}
