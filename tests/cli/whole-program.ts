import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Workshop } from "../engine/workshop";

function lastLine(stdout: string): unknown {
  const line = stdout.trimEnd().split("\n").at(-1) ?? "";
  return line.startsWith("{") ? JSON.parse(line) : line;
}

/** What a command says first that it does. */
const beginning = /^Reading [^\n]* …\n/;

const counts = (changes: object) => ({ create: 0, update: 0, replace: 0, delete: 0, same: 0, ...changes });

/** A command line on a workshop's project. */
export type RunLine = (workshop: Workshop, line: string) => Promise<{ code: number; stdout: string; stderr: string }>;

/** One program from its first `up` to the end of its stack, whether its processes are real or run in this one. */
export async function liveThrough(runLine: RunLine, opened: (workshop: Workshop) => void = () => undefined) {
  const workshop = new Workshop();
  opened(workshop);
  const run = async (line: string) => {
    const { code, stdout, stderr } = await runLine(workshop, line);
    return {
      status: code,
      stdout,
      stderr: stderr.replace(beginning, ""),
      result: code === 64 ? undefined : lastLine(stdout),
    };
  };
  try {
    workshop.declare({
      resources: [{ name: "one", props: { label: "one", size: 3, password: { secret: "hunter2" } } }],
      outputs: {
        serial: "@one.serial",
        password: "@one.password",
        both: { label: "@one.label", key: "@one.password" },
      },
    });
    expect(await run("stack init dev")).toMatchObject({ status: 0, stderr: "" });
    expect(await run("up")).toMatchObject({ status: 64, stdout: "" });
    const up = await run("up --yes --json");
    expect(up).toMatchObject({
      status: 0,
      stderr: "",
      result: {
        result: "succeeded",
        changes: counts({ create: 2 }),
        outputs: { serial: 1, password: "[secret]", both: { label: "one", key: "[secret]" } },
      },
    });
    expect(up.stdout).not.toContain("hunter2");
    expect(await run("preview --expect-no-changes")).toMatchObject({
      status: 0,
      stderr: "",
      result: expect.stringMatching(/^Preview done in .*: nothing to do, 1 unchanged\.$/),
    });
    const cloud = JSON.parse(readFileSync(join(workshop.program, "cloud.json"), "utf8")) as {
      boxes: { [id: string]: { size: number } };
    };
    for (const box of Object.values(cloud.boxes)) box.size = 7;
    writeFileSync(join(workshop.program, "cloud.json"), JSON.stringify(cloud));
    const drift = await run("refresh --preview-only --diff --expect-no-changes");
    expect(drift).toMatchObject({ status: 7, stderr: "error: expected no changes, but there are 1.\n" });
    expect(drift.stdout).toContain(
      "Changed outside (recorded => live)\n\n~ test:Box one: changed outside\n  ~ size  3 => 7\n",
    );
    expect(await run("up --yes --refresh --skip-preview --json")).toMatchObject({
      status: 0,
      result: { changes: counts({ update: 1, same: 1 }) },
    });
    expect(await run("destroy --yes --skip-preview")).toMatchObject({
      status: 0,
      result: expect.stringMatching(/: 1 deleted\.$/),
    });
    expect(await run("stack rm dev --yes")).toMatchObject({ status: 0 });
  } finally {
    workshop.remove();
  }
}
