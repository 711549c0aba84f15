import { parseBaseUrl } from "../../provider/api/settings/endpoint";
import { isConfigurationError } from "../../provider/core/errors";

const read = (url: string) => parseBaseUrl(url, "`modelplatform:baseUrl`");

const accepted: readonly [url: string, origin: string, prefix: string, loopback: boolean][] = [
  ["https://api.example.com", "https://api.example.com", "", false],
  ["https://api.example.com/", "https://api.example.com", "", false],
  ["https://api.example.com//", "https://api.example.com", "", false],
  ["HTTPS://API.Example.com", "https://api.example.com", "", false],
  ["https://api.example.com:443", "https://api.example.com", "", false],
  ["https://api.example.com:8443/gateway/", "https://api.example.com:8443", "/gateway", false],
  ["https://api.example.com/v1/v1", "https://api.example.com", "/v1", false],
  ["https://api.example.com/gateway/v1/v1/", "https://api.example.com", "/gateway/v1", false],
  ["https://api.example.com/gateway-v1", "https://api.example.com", "/gateway-v1", false],
  ["https://10.1.2.3", "https://10.1.2.3", "", false],
  ["https://metadata.example.com", "https://metadata.example.com", "", false],
  ["http://localhost:8787", "http://localhost:8787", "", true],
  ["http://localhost.:8787", "http://localhost.:8787", "", true],
  ["http://api.localhost", "http://api.localhost", "", true],
  ["http://127.0.0.1:8787/", "http://127.0.0.1:8787", "", true],
  ["http://127.8.9.10", "http://127.8.9.10", "", true],
  ["http://[::1]:8787", "http://[::1]:8787", "", true],
  ["http://[0:0:0:0:0:0:0:1]", "http://[::1]", "", true],
  ["https://127.0.0.1:8787", "https://127.0.0.1:8787", "", true],
];

const refused: readonly [url: string, because: RegExp][] = [
  ["https://api.example.com/v1", /ends in `\/v1`/],
  ["https://api.example.com/gateway/v1/", /ends in `\/v1`/],
  ["", /not a URL/],
  ["api.example.com", /not a URL/],
  ["//api.example.com", /not a URL/],
  ["https://", /not a URL/],
  ["ftp://api.example.com", /scheme `ftp`/],
  ["file:///etc/passwd", /scheme `file`/],
  ["javascript:alert(1)", /scheme/],
  ["http://api.example.com", /uses http/],
  ["http://localhost.example.com", /uses http/],
  ["http://127.0.0.1.example.com", /uses http/],
  ["http://10.0.0.1", /uses http/],
  ["http://[::2]", /uses http/],
  ["https://user@api.example.com", /user name/],
  ["https://user:password@api.example.com", /user name/],
  ["https://@api.example.com", /user name/],
  ["https://api.example.com@evil.example.com", /user name/],
  ["https://api.example.com#x", /fragment/],
  ["https://api.example.com/#", /fragment/],
  ["https://api.example.com?x=1", /query/],
  ["https://api.example.com/?", /query/],
  ["https://api.example.com\\@evil.example.com", /backslashes/],
  ["https:\\\\api.example.com", /backslashes/],
  ["https://api.example.com\n", /control characters/],
  [" https://api.example.com", /spaces/],
  ["https://api.exa\tmple.com", /spaces/],
  ["https://api.example.com/%2e%2e/x", /percent signs/],
  ["https://api.example.com/gateway/../x", /percent signs/],
  ["https://0.0.0.0", /reserved/],
  ["https://169.254.169.254", /reserved/],
  ["https://169.254.169.254.", /reserved/],
  ["https://169.254.1.1:8443", /reserved/],
  ["https://2852039166", /unusual/],
  ["https://0xa9fea9fe", /unusual/],
  ["https://0251.0376.0251.0376", /unusual/],
  ["https://169.254.43518", /unusual/],
  ["https://0xa9.0xfe.0xa9.0xfe", /unusual/],
  ["https://%31%36%39.254.169.254", /unusual/],
  ["https://①⑥⑨.254.169.254", /unusual/],
  ["https://１６９.254.169.254", /unusual/],
  ["https://169。254。169。254", /unusual/],
  ["http://0177.0.0.1", /unusual/],
  ["http://2130706433", /unusual/],
  ["http://127.1", /unusual/],
  ["http://0", /unusual/],
  ["https://[::ffff:169.254.169.254]", /reserved/],
  ["https://[::ffff:a9fe:a9fe]", /reserved/],
  ["http://[::ffff:127.0.0.1]", /reserved/],
  ["https://[64:ff9b::a9fe:a9fe]", /reserved/],
  ["https://[2002:a9fe:a9fe::]", /reserved/],
  ["https://[fe80::1]", /reserved/],
  ["https://[febf::1]", /reserved/],
  ["https://[fd00:ec2::254]", /reserved/],
  ["https://[fd00:0ec2:0:0:0:0:0:0254]", /reserved/],
  ["https://[::]", /reserved/],
  ["https://[ff02::1]", /reserved/],
  ["https://224.0.0.1", /reserved/],
  ["https://255.255.255.255", /reserved/],
  ["https://100.100.100.200", /reserved/],
  ["https://168.63.129.16", /reserved/],
  ["https://192.0.0.192", /reserved/],
  ["https://metadata", /metadata/],
  ["https://metadata.cloud.internal", /metadata/],
  ["https://METADATA.cloud.internal.", /metadata/],
  ["https://instance-data", /metadata/],
  ["https://api%2Eexample.com", /percent-encoded host/],
];

test.each(accepted)("%s is a base URL", (url, origin, prefix, loopback) => {
  expect(read(url)).toEqual({ origin, prefix, loopback });
});

test.each(refused)("%j is refused as a base URL", (url, because) => {
  const refusal = catchError(() => read(url));
  expect(isConfigurationError(refusal)).toBe(true);
  expect(refusal.message).toMatch(because);
  expect(refusal.message).toContain("`modelplatform:baseUrl`");
});

test("a refused URL with a password does not show it", () => {
  expect(catchError(() => read("https://user:hunter2-hunter2@api.example.com")).message).not.toContain("hunter2");
});

function catchError(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was refused");
}
