import dns from "node:dns";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { inspect } from "node:util";
import { createDispatcher } from "../../provider/api/http/dispatcher";
import { toNetworkError } from "../../provider/api/http/network-faults";
import { createSend } from "../../provider/api/http/transport";
import { proxySecrets } from "../../provider/api/settings/endpoint";
import { isConfigurationError } from "../../provider/core/errors";
import { rejection } from "../rejection";
import { raw, scriptedServer } from "./support/scripted-server";

test.each([
  "proxy.example.com:3128",
  "not a url",
  "ftp://me:hunter2@proxy.example.com",
  "http://me:hunter2%zz@proxy.example.com",
])("%j is not a valid proxy URL, and is not shown", async (https_proxy) => {
  const refusal = await rejection(Promise.resolve().then(() => createDispatcher({ https_proxy })));
  expect(isConfigurationError(refusal)).toBe(true);
  expect(refusal.message).toBe(
    "the environment variable `https_proxy` is not a valid proxy URL. Give a URL such as `http://proxy.example.com:3128`, or unset it.",
  );
  expect(inspect(refusal, { depth: 9 })).not.toContain("hunter2");
});

test("the credentials of proxies are known, in plain and as they travel", () => {
  expect(
    proxySecrets({ HTTPS_PROXY: "http://me:p%40ss@proxy.example.com", http_proxy: "http://open.example.com" }),
  ).toEqual(["p%40ss", "p@ss", Buffer.from("me:p@ss").toString("base64")]);
  expect(proxySecrets({ ALL_PROXY: "socks5://me:hunter2@proxy.example.com" })).toContain("hunter2");
  expect(proxySecrets({})).toEqual([]);
});

/** What a proxy is asked for, which answers nothing. */
async function askedOfProxy(variables: (url: string) => Record<string, string>): Promise<string[]> {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.end();
  });
  proxy.on("connect", ({ url }: { url: string }, socket: Duplex) => {
    asked.push(`CONNECT ${url}`);
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const dispatcher = createDispatcher(variables(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`));
  await dispatcher.request({ origin: "https://api.example.com", path: "/", method: "GET" }).catch(() => undefined);
  await dispatcher.close();
  await new Promise((resolve) => proxy.close(resolve));
  return asked;
}

test("ALL_PROXY is the proxy where there is none for the protocol", async () => {
  expect(await askedOfProxy((url) => ({ ALL_PROXY: url }))).toEqual(["CONNECT api.example.com:443"]);
  expect(await askedOfProxy((url) => ({ all_proxy: url, no_proxy: "127.0.0.1" }))).toHaveLength(1);
  expect(await askedOfProxy((url) => ({ ALL_PROXY: "http://127.0.0.1:1", HTTPS_PROXY: url }))).toHaveLength(1);
});

test.each([
  [{ code: "ECONNREFUSED" }, "unreachable"],
  [{ code: "ENOTFOUND" }, "unreachable"],
  [{ code: "UND_ERR_CONNECT_TIMEOUT" }, "unreachable"],
  [{ errors: [{ message: "v6", code: "ENETUNREACH" }] }, "unreachable"],
  [{ code: "EMFILE" }, "files"],
  [{ cause: { message: "x", code: "ENFILE" } }, "files"],
  [{ code: "UND_ERR_HEADERS_TIMEOUT" }, "timeout"],
  [{ code: "UND_ERR_BODY_TIMEOUT" }, "timeout"],
  [{ code: "ECONNRESET" }, "lost"],
  [{ code: "UND_ERR_SOCKET" }, "lost"],
  [{ code: "UND_ERR_HEADERS_OVERFLOW" }, "headers"],
  [{ code: "HPE_HEADER_OVERFLOW" }, "headers"],
  [{}, "lost"],
  [{ code: "DEPTH_ZERO_SELF_SIGNED_CERT" }, "tls"],
  [{ code: "ERR_TLS_CERT_ALTNAME_INVALID" }, "tls"],
  [{ code: "CERT_HAS_EXPIRED" }, "tls"],
  [{ code: "UND_ERR_SOCKET", cause: { message: "x", code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" } }, "tls"],
  [{ code: "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED" }, "identity"],
  [{ code: "ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE" }, "identity"],
  [{ code: "UND_ERR_PRX_TLS" }, "proxy"],
  [{ code: "UND_ERR_ABORTED", message: "Proxy response (407) !== 200 when HTTP Tunneling" }, "proxy"],
])("a network error like %j is %s", (error, kind) => {
  expect(toNetworkError({ message: "failed", ...error }, "api.example.com").kind).toBe(kind);
});

test("an error that is its own cause ends", () => {
  const error: Error & { code?: string } = Object.assign(new Error("x"), { code: "ECONNRESET" });
  error.cause = error;
  expect(toNetworkError(error, "h").message).toBe(
    "lost the connection to h before the answer was complete (ECONNRESET)",
  );
});

test.each([301, 302, 303, 307, 308])("redirect %d is not followed, and only its origin is shown", async (status) => {
  const server = await scriptedServer(raw(status, "", { location: "https://elsewhere.example.com/x?key=abc" }));
  const dispatcher = createDispatcher({});
  const send = createSend(() => dispatcher);
  const error = await rejection(send({ origin: server.url, method: "GET", path: "/", headers: {} }));
  expect(error).toMatchObject({
    kind: "redirect",
    message: `answered ${status}, a redirect to https://elsewhere.example.com`,
    response: { status },
  });
  expect(server.seen).toHaveLength(1);
  await dispatcher.close();
  await server.close();
});

test("names below localhost are this machine, and no resolver is asked", async () => {
  const server = await scriptedServer(raw(200, "{}"));
  const lookup = jest.spyOn(dns, "lookup");
  const dispatcher = createDispatcher({});
  for (const host of ["localhost", "api.localhost"]) {
    const origin = `http://${host}:${server.port}`;
    expect((await dispatcher.request({ origin, path: "/", method: "GET" })).statusCode).toBe(200);
  }
  expect(lookup).not.toHaveBeenCalled();
  lookup.mockRestore();
  await dispatcher.close();
  await server.close();
});
