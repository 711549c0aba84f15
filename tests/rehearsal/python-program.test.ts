import { createHash } from "node:crypto";
import { assertFromIndex } from "../../tools/rehearsal/programs";

const wheel = Buffer.from("published");
const sha256 = createHash("sha256").update(wheel).digest("hex");
const url = "http://127.0.0.1:8080/packages/our_sdk-1.0.0-py3-none-any.whl";

const report = (name: string, from: string, hash: string): string =>
  JSON.stringify({
    install: [
      { metadata: { name: "pulumi" }, download_info: { url: "https://elsewhere.example.com/p.whl", archive_info: {} } },
      { metadata: { name }, download_info: { url: from, archive_info: { hashes: { sha256: hash } } } },
    ],
  });

const check = (text: string) => () => assertFromIndex(text, "our-sdk", "http://127.0.0.1:8080/", wheel);

test.each(["our-sdk", "our_sdk"])("a package that calls itself %s is the published wheel", (name) => {
  expect(check(report(name, url, sha256))).not.toThrow();
});

test.each([
  [
    "came from elsewhere",
    report("our-sdk", "https://elsewhere.example.com/o.whl", sha256),
    /from https:.*, and not from/,
  ],
  ["has other content", report("our-sdk", url, "ab"), /installed as ab, and published as \w{64}/],
  ["was not installed", report("another", url, sha256), "no installation of our-sdk"],
])("a package is refused if it %s", (_, text, message) => {
  expect(check(text)).toThrow(message);
});
