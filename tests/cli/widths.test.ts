import { writeFileSync } from "node:fs";
import { join } from "node:path";
import stringWidth from "string-width";
import { listing } from "../../cli/command/output";
import { modelplatform, project } from "./terminal";

const long = `urn:pulumi:production::support-assistants::${"acme:index:Group$".repeat(6)}modelplatform:index:Deployment::chat`;

const widest = (text: string): number => Math.max(...text.split("\n").map((line) => stringWidth(line)));

test.each([60, 80, 140])("a listing fits %d columns and keeps every name whole", (columns) => {
  const rows = [
    ["createDeployment", "POST /v1/accounts/{account}/deployments", "listed", "write", "Deployment"],
    [
      "validateDeployment",
      "POST /v1/accounts/{account}/deployments?validateOnly=true",
      "conventional A007",
      "read",
      "",
    ],
  ];
  const text = listing(["Operation", "Request", "Provenance", "Effect", "Used by"], rows, columns);
  expect(widest(text)).toBeLessThanOrEqual(columns);
  for (const cell of rows.flat()) expect(text).toContain(cell);
});

test("a listing without a terminal has one line for each row", () => {
  const text = listing(["RESOURCE", "ID"], [[long, long]], Number.POSITIVE_INFINITY);
  expect(text.split("\n")).toHaveLength(3);
  expect(text).toContain(`${long}  ${long}`);
});

test.each(["call --list", "doctor", "probe --help", "drift --help", "--help"])(
  "%s fits a terminal of 80 columns",
  async (line) => {
    const { cwd, env } = await project("dev");
    const { stdout } = await modelplatform(line, { cwd, env, isTTY: true });
    const commands = stdout
      .split("\n")
      .filter((each) => !each.includes("npx pulumi-modelplatform") && !each.includes("/"));
    expect(widest(commands.join("\n"))).toBeLessThanOrEqual(80);
  },
);

test("a value of the config stays on its line in a pipe", async () => {
  const { cwd, env } = await project("dev");
  writeFileSync(join(cwd, "Pulumi.dev.yaml"), `config:\n  shop:owner: ${JSON.stringify(long)}\n`);
  expect((await modelplatform("config", { cwd, env })).stdout).toContain(`shop:owner  ${long}\n`);
});

test("an error stays on its line in a pipe", async () => {
  const { stderr } = await modelplatform(["up", "--nonsense", "x".repeat(200)]);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
});
