import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import type { CliContext } from "../../cli/command/context";
import { register } from "../../cli/platform/emulator";
import { faultKinds } from "../../emulator/http/faults";
import { defaultSettings } from "../../emulator/world/store";
import { client } from "./edge-client";

const guide = readFileSync(join(__dirname, "..", "..", "docs", "emulator.md"), "utf8");

/** The rows of the table whose first column has this heading, cell by cell. */
const table = (heading: string): string[][] => {
  const lines = guide.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} `));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith("|"));
  return lines.slice(start + 2, end).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
};

test("the guide has every kind of fault, and says whether the request is carried out", () => {
  const told = Object.fromEntries(
    table("kind").map(([kind, , carriedOut]) => [kind!.replaceAll("`", ""), carriedOut === "yes"]),
  );
  expect(told).toEqual(Object.fromEntries(Object.entries(faultKinds).map(([kind, { commit }]) => [kind, commit])));
});

test("the guide has every setting with its default", () => {
  const told = Object.fromEntries(
    table("setting").map(([name, values]) => [name!.replaceAll("`", ""), values!.split(",")[0]!.replaceAll("`", "")]),
  );
  expect(told).toEqual({
    ...Object.fromEntries(
      Object.entries(defaultSettings).map(([name, value]) => [
        name,
        Array.isArray(value) ? JSON.stringify(value) : String(value),
      ]),
    ),
    dialect: "null",
    rateLimit: "null",
  });
});

test("the guide has every flag", () => {
  const program = new Command();
  register(program, {} as CliContext);
  const flags = program.commands[0]!.options.map(({ long }) => long);
  expect(
    table("flag")
      .flatMap(([names]) => names!.match(/--[a-z-]+/g) ?? [])
      .sort(),
  ).toEqual(flags.sort());
});

test("the guide has every path of the control plane", async () => {
  const { message } = (await client().control("GET", "nothing")).json;
  for (const path of /there are (.*)$/.exec(message)![1]!.split(", "))
    expect(guide).toContain(path.replace("/*", "/{"));
});
