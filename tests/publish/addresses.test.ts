import { publisherFiles, publisherSums } from "../../tools/publish/bundle";
import { visibleAddress } from "../../tools/publish/command";
import { npm } from "../../tools/publish/npm";
import { indexOf } from "../../tools/publish/pypi";
import { repository } from "../e2e/engines";
import { ownWorkflow } from "../pipelines/own-workflow";

test.each([
  ["http://127.0.0.1:8080", "http://127.0.0.1:8080/simple/pulumi-modelplatform/"],
  ["http://127.0.0.1:8080/team/", "http://127.0.0.1:8080/team/simple/pulumi-modelplatform/"],
  ["https://upload.index.example/legacy/", "https://index.example/simple/pulumi-modelplatform/"],
  ["https://test.index.example/legacy", "https://test.index.example/simple/pulumi-modelplatform/"],
])("what is uploaded to %s is listed at %s", (address, index) => {
  expect(indexOf(address)).toBe(index);
});

test.each([
  ["https://someone:word@host.example/x", "https://host.example/x"],
  ["https://host.example/x", "https://host.example/x"],
  ["/some/folder", "/some/folder"],
])("%s is shown as %s", (address, visible) => {
  expect(visibleAddress(address)).toBe(visible);
});

test.each([
  ["true", "https://registry.example/", []],
  ["true", "http://127.0.0.1:4873/", ["--provenance=false"]],
  [undefined, "https://registry.example/", ["--provenance=false"]],
])("in a workflow (%s), npm publishes to %s with %j", async (workflow, address, flags) => {
  const calls: (readonly string[])[] = [];
  await npm.push({
    ...{ env: { GITHUB_ACTIONS: workflow }, address, release: { folder: "./.release", version: "1.2.3" } },
    ...{ fetch, out: () => undefined, err: () => undefined },
    async tool(_command, args) {
      calls.push(args);
      return "";
    },
  });
  const [call] = calls;
  expect([call![0], call!.at(-1)]).toEqual(["publish", "./.release/pulumi-modelplatform-1.2.3.tgz"]);
  expect(call!.filter((each) => each.startsWith("--provenance"))).toEqual(flags);
  expect(call![call!.indexOf("--registry") + 1]).toBe(address);
});

test("what jobs that can write run imports nothing but Node.js", () => {
  const text = publisherFiles(repository)["dist/tools/release.js"]!;
  const imported = [...text.matchAll(/\b(?:require|import)\((.*?)\)/g)].map(([, name]) => name!);
  expect(imported.length).toBeGreaterThan(5);
  expect(imported.filter((name) => !/^"node:[\w/]+"$/.test(name))).toEqual([]);
});

test("the workflow names these files by checksum, and packages by hash", () => {
  expect(ownWorkflow("release.yml").env["PUBLISHER"]!.trimEnd().split("\n")).toEqual(publisherSums(repository));
  const requirements = publisherFiles(repository)["tools/publish/twine.txt"]!.trimEnd().split("\n");
  const lines = requirements.filter((line) => !line.startsWith("#"));
  expect(lines.filter((line) => !/^[\w.-]+==[\w.]+ --hash=sha256:[0-9a-f]{64}$/.test(line))).toEqual([]);
  expect(lines.some((line) => line.startsWith("twine=="))).toBe(true);
});
