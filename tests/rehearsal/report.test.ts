import { describeStop, type Stop } from "../../tools/rehearsal/rehearsal";
import { type RehearsalReport, renderReport } from "../../tools/rehearsal/report";
import { SandboxCommandError } from "../../tools/rehearsal/sandbox";

const report: RehearsalReport = {
  version: "1.2.3",
  packages: [
    {
      registry: "archives",
      address: "file:///a",
      bytes: 49_012_345,
      runs: ["published", "unchanged", "unchanged"],
      seconds: 1,
    },
    { registry: "npm", address: "http://npm/", bytes: 2_000, runs: ["–", "published", "unchanged"], seconds: 2.34 },
  ],
  installations: [{ what: "npm install p", bytes: 117_000_000, seconds: 30, ran: "a program" }],
  refusals: ["npm: a wrong token"],
  differences: ["npm: a token"],
  left: ["nothing for PyPI: there is no `pulumi` on the PATH"],
};

test("a report is a table of publications, one of installations, and three lists", () => {
  const lines = renderReport(report).split("\n");
  const cells = (begin: string) => lines.find((line) => line.startsWith(begin))?.split(/ {2,}/);
  expect(lines[0]).toContain("1.2.3");
  expect(cells("Registry")).toEqual(["Registry", "Address", "Size", "Run 1", "Run 2", "Run 3", "Time"]);
  expect(cells("archives")).toEqual([
    "archives",
    "file:///a",
    "49.0 MB",
    "published",
    "unchanged",
    "unchanged",
    "1.0 s",
  ]);
  expect(cells("npm  ")).toEqual(["npm", "http://npm/", "2 kB", "–", "published", "unchanged", "2.3 s"]);
  expect(cells("npm install")).toEqual(["npm install p", "117.0 MB", "30.0 s", "a program"]);
  expect(lines.slice(lines.indexOf("Not rehearsed:"))).toEqual(["Not rehearsed:", `- ${report.left[0]}`]);
  expect(lines).toEqual(expect.arrayContaining(["- npm: a wrong token", "- npm: a token"]));
});

test("a report without refusals or gaps has no empty lists", () => {
  const text = renderReport({ ...report, refusals: [], differences: [], left: [] });
  expect(text).not.toMatch(/Refused|Different|Not rehearsed/);
});

const stop = (error: unknown, published: readonly string[] = ["archives", "npm"]): Stop => ({
  step: "publishing to pypi",
  error,
  published,
  folder: "/tmp/rehearsal-1",
  again: "npm run release -- --rehearse",
});

test("a stop has the step, what answered, what was published, and how to go on", () => {
  const text = describeStop(stop(new SandboxCommandError("twine upload", 1, "HTTP 418")));
  expect(text.split("\n")).toEqual([
    "The rehearsal stopped while publishing to pypi: `twine upload` ended with 1:",
    "HTTP 418",
    "Published before: archives, npm.",
    expect.stringMatching(/^Read the output above, and run `npm run release -- --rehearse` again/),
  ]);
  expect(describeStop(stop(new Error("x"), []))).toContain("\nNothing had been published.\n");
  expect(describeStop(stop(new SandboxCommandError("npm view x", 1, "")))).toContain(
    "\nIt printed nothing: run it by itself, and",
  );
});

test.each([
  ["a full disk", "write error: No space left on device", "Free space for /tmp/rehearsal-1"],
  ["a full disk, as npm reports it", "npm error code ENOSPC", "Free space for /tmp/rehearsal-1"],
  ["no network", "npm error code ENOTFOUND", "Check the network"],
  ["no network, as pip reports it", "Temporary failure in name resolution", "Check the network"],
  ["no network, as Go reports it", "dial tcp: lookup proxy.example.com: no such host", "Check the network"],
  ["a program that is missing in a build", "spawnSync npm ENOENT", "Install it"],
  ["a wrong token", "npm error code E401", "Check which credentials"],
  ["a wrong token, as twine reports it", "HTTPError: 403 Forbidden", "Check which credentials"],
])("a stop by %s says what helps", (_, output, advice) => {
  expect(describeStop(stop(new SandboxCommandError("some command", 1, output)))).toContain(advice);
});

test("a stop by a missing program says to install it", () => {
  expect(describeStop(stop(new SandboxCommandError("npm ci", "ENOENT: there is no such program", "")))).toContain(
    "Install it",
  );
});
