import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { serveS3 } from "./s3-server";

/** What the store takes. */
export const credentials = { AWS_ACCESS_KEY_ID: "key-of-the-store", AWS_SECRET_ACCESS_KEY: "secret-of-the-store" };

/** The store as a backend of the Pulumi CLI. */
export const backend = "s3://states?s3ForcePathStyle=true";

export interface ObjectStore {
  url: string;
  /** Objects that were written or removed since the last look. */
  changes(): string[];
  close(): Promise<void>;
}

/** A server that speaks S3, with one bucket. */
export async function openObjectStore(): Promise<ObjectStore> {
  let changed: string[] = [];
  const { url, close } = await serveS3({
    bucket: "states",
    accessKeyId: credentials.AWS_ACCESS_KEY_ID,
    onChange: (event, key) => changed.push(`${event} ${key}`),
  });
  return {
    url,
    close,
    changes: () => {
      const since = changed;
      changed = [];
      return since;
    },
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
